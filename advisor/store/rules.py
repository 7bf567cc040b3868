"""Reads ``knowledge/rules`` into the compiled rule base."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError, Problem
from advisor.store.loader_yaml import Parse, locate_keys, parse_yaml

if TYPE_CHECKING:
    from advisor.rules.model import RuleBase
    from advisor.store.loader import Knowledge

__all__ = ["check_rule_files", "load_rule_base", "read_rule_files", "rules_in_force"]


@lru_cache(maxsize=8)
def load_rule_base(knowledge: Knowledge) -> RuleBase:
    """Return the compiled rules of ``knowledge``, those of its gotchas last.

    Raises:
        KnowledgeError: any rule is wrong; carries every problem with file and line.
    """
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.store.gotcha_rules import gotcha_rules
    from advisor.store.loader_rules import compiled_rules

    records, places = read_rule_files(knowledge.path, knowledge.parse)
    vocabulary = rule_vocabulary()
    records += gotcha_rules(knowledge.gotchas.values(), vocabulary)
    return compiled_rules(records, vocabulary, places.with_gotchas(knowledge), knowledge.cache)


def rules_in_force(knowledge: Knowledge) -> RuleBase:
    """Return the rules that hold on the day of the knowledge (``as_of``), which no clock moves.

    The same object as :func:`load_rule_base` gives where no rule has a window that excludes it.

    Raises:
        KnowledgeError: any rule is wrong.
    """
    return load_rule_base(knowledge).at(dt.date.fromisoformat(knowledge.as_of))


def check_rule_files(knowledge: Knowledge) -> list[Problem]:
    """Return every problem of the rule files, in reading order."""
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.rules import check_rules
    from advisor.store.gotcha_rules import gotcha_rules

    try:
        records, places = read_rule_files(knowledge.path)
    except KnowledgeError as error:
        return list(error.problems)
    try:
        records += gotcha_rules(knowledge.gotchas.values(), rule_vocabulary())
    except KnowledgeError:  # the check of the catalogues says what is wrong
        return check_rules(records, rule_vocabulary(), places.locate)
    return check_rules(records, rule_vocabulary(), places.with_gotchas(knowledge))


class Places:
    """Finds file and line of a rule's key; reads the files again only when asked."""

    def __init__(self, files: dict[Path, list[str]], root: Path) -> None:
        self._files, self._root = files, root

    def locate(self, key: str) -> tuple[str | None, int | None]:
        """Return the place of a key such as ``rules[my-rule].when``."""
        rule_id = key.partition("[")[2].partition("]")[0]
        rest = [part for part in key.partition("]")[2].split(".") if part]
        for path, ids in self._files.items():
            if rule_id in ids:
                name = path.relative_to(self._root.parent).as_posix()
                lines = locate_keys(path.read_text(encoding="utf-8"))
                position = ids.index(rule_id)
                return name, _line(lines, ("rules", position), rest)
        return None, None

    def with_gotchas(self, knowledge: Knowledge) -> Callable[[str], tuple[str | None, int | None]]:
        """Return a function like :meth:`locate` that also finds what gotchas say."""
        from advisor.store.gotcha_rules import PREFIX, gotcha_place

        def locate(key: str) -> tuple[str | None, int | None]:
            rule_id, _, place = key.partition("[")[2].partition("]")
            if not rule_id.startswith(PREFIX):
                return self.locate(key)
            entry = gotcha_place(knowledge.catalogue("gotchas").entries["gotchas"], rule_id)
            if entry is None:
                return None, None
            lines = locate_keys((self._root.parent / entry.file).read_text(encoding="utf-8"))
            return entry.file, _line(lines, entry.place, _OF_GOTCHA.get(place, []))

        return locate


_OF_GOTCHA = {".when": ["applies"], ".because": ["applies", "words"], ".cite": ["sections"]}
"""Parts of a rule to the keys of the gotcha that it comes from."""


def _line(lines: Any, start: tuple[Any, ...], rest: list[str]) -> int | None:  # noqa: ANN401
    for length in range(len(rest), -1, -1):
        found = lines.get((*start, *rest[:length]))
        if found is not None:
            return int(found)
    return None


def read_rule_files(root: Path, parse: Parse = parse_yaml) -> tuple[list[dict[str, Any]], Places]:
    """Return the records of all rule files in file order, and where they stand.

    Args:
        root: The knowledge folder.
        parse: Reads the text of a file.

    Raises:
        KnowledgeError: a file is no YAML mapping with a list ``rules``; carries all problems.
    """
    records: list[dict[str, Any]] = []
    files: dict[Path, list[str]] = {}
    problems: list[Problem] = []
    for path in sorted((root / "rules").glob("*.yaml")):
        name = path.relative_to(root.parent).as_posix()
        try:
            data = parse(path.read_text(encoding="utf-8"), name)
        except KnowledgeError as error:
            problems += error.problems
            continue
        rules = data.get("rules") if isinstance(data, dict) else None
        if not isinstance(rules, list):
            message = "A rule file is a mapping with a list `rules`."
            problems.append(Problem("bad_rule_file", message, name, 1, "rules"))
            continue
        files[path] = [str(rule.get("id")) if isinstance(rule, dict) else "" for rule in rules]
        records += rules
    if problems:
        raise KnowledgeError(problems)
    return records, Places(files, root)
