"""What a half-typed line can become: commands, options of the question, keys and their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.interview.commands import command_of, matching

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["completions"]

_WITH_KEYS = frozenset({"set", "whatif", "how", "why", "limits"})
_DECISIONS = ("gpu", "sharing", "parallelism", "provisioning")
_MOST = 200


def completions(interview: Interview, line: str, word: str) -> list[str]:
    """Return what ``word``, the end of ``line``, may become.

    Args:
        interview: The interview.
        line: All that was typed.
        word: Its last part, after a blank, ``=`` or ``,``.
    """
    begun = word.casefold()
    found = (one for one in _offers(interview, line, word) if one.casefold().startswith(begun))
    return list(dict.fromkeys(found))[:_MOST]


def _offers(interview: Interview, line: str, word: str) -> Iterator[str]:
    before = line[: len(line) - len(word)]
    if not before.strip():
        if word.startswith("/"):
            yield from (f"/{command.name}" for command in matching(word[1:]))
            return
        question = interview.question
        yield from () if question is None else _values(interview, question.key)
        return
    command = command_of(before)
    if command is None or not before.lstrip().startswith("/"):
        return
    name = command[0]
    if before.endswith(("=", ",")):
        yield from _values(interview, before.rstrip("=,").split()[-1].partition("=")[0])
    elif name in _WITH_KEYS:
        yield from (_DECISIONS if name == "how" else ())
        ending = "=" if name in {"set", "whatif"} else ""
        yield from (f"{key}{ending}" for key in interview.adviser.questions)
    elif name in {"whynot", "compare"}:
        yield from _names(interview.adviser.knowledge.gpus)
    elif name == "cite":
        from advisor.store.handbook import load_handbook

        yield from (section.number for section in load_handbook().sections)


def _names(found: Iterable[str]) -> Iterator[str]:
    yield from found


def _values(interview: Interview, key: str) -> Iterator[str]:
    question = interview.adviser.questions.get(key)
    if question is None:
        return
    if question.kind == "bool":
        yield from ("yes", "no")
    yield from (choice.id for choice in question.values)
    if key.endswith("hardware.gpu"):
        yield from _names(interview.adviser.knowledge.gpus)
    if key.endswith("workload.model"):
        yield from _names(interview.adviser.knowledge.models)
