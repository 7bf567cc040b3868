"""Compiling rules, or taking what an earlier run compiled from the very same records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.rules.model import RuleBase
    from advisor.rules.vocabulary import Vocabulary
    from advisor.store.loader_cache_file import Cache

__all__ = ["compiled_rules"]

Locate = Callable[[str], tuple[str | None, int | None]]


def compiled_rules(
    records: Sequence[Mapping[str, Any]],
    vocabulary: Vocabulary,
    locate: Locate,
    cache: Cache | None = None,
    label: str = "rules",
) -> RuleBase:
    """Return the compiled rules of ``records``, in their order.

    What an earlier run has compiled was checked by that run: it is taken as it is when the
    records, the vocabulary and the compiler are the same.

    Args:
        records: The entries of all rule files, as read.
        vocabulary: Fact kinds and fields that conditions may use.
        locate: Finds the place of a key for error messages.
        cache: Where compiled rules are kept; without it they are compiled.
        label: Under which name they are kept there.

    Raises:
        KnowledgeError: Any rule is wrong; carries every problem with file and line.
    """
    made: list[RuleBase] = []

    def make() -> dict[str, Any]:
        from advisor.rules.load import load_rules
        from advisor.rules.stored import to_plain

        made.append(load_rules(records, vocabulary, locate))
        return to_plain(made[0]) if cache else {}

    if cache is None:
        make()
        return made[0]
    from advisor.rules.stored import from_plain, made_from

    parts = (*made_from(records, vocabulary), _compiler_stamp())
    data = cache.remembered(label, parts, make)
    if not made:
        try:
            return from_plain(data)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            make()  # somebody wrote another shape under our checksum
    return made[0]


def _compiler_stamp() -> str:
    from advisor import rules
    from advisor.store.loader_cache_file import code_stamp

    return code_stamp(Path(str(rules.__file__)).parent)
