"""Reads ``knowledge/rules`` into the compiled rule base."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError, Problem
from advisor.store.loader_yaml import Parse, locate_keys, parse_yaml

if TYPE_CHECKING:
    from advisor.rules.model import RuleBase
    from advisor.store.loader import Knowledge
    from advisor.store.overlays import Overlay

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

    records, places = read_rule_files(knowledge.path, knowledge.parse, knowledge.overlays)
    vocabulary = rule_vocabulary(knowledge)
    records += gotcha_rules(knowledge.gotchas.values(), vocabulary)
    label = "+".join(("rules", *(overlay.name for overlay in knowledge.overlays)))
    locate = places.with_gotchas(knowledge)
    return compiled_rules(records, vocabulary, locate, knowledge.cache, label)


def rules_in_force(knowledge: Knowledge) -> RuleBase:
    """Return the rules that hold on the day of the knowledge (``as_of``), which no clock moves.

    With overlays it is the newest of all their days. The same object as :func:`load_rule_base`
    gives where no rule has a window that excludes it.

    Raises:
        KnowledgeError: any rule is wrong.
    """
    days = (knowledge.as_of, *(overlay.as_of for overlay in knowledge.overlays))
    return load_rule_base(knowledge).at(max(map(dt.date.fromisoformat, days)))


def check_rule_files(knowledge: Knowledge) -> list[Problem]:
    """Return every problem of the rule files, in reading order."""
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.rules import check_rules
    from advisor.store.gotcha_rules import gotcha_rules

    try:
        records, places = read_rule_files(knowledge.path, overlays=knowledge.overlays)
    except KnowledgeError as error:
        return list(error.problems)
    try:
        vocabulary = rule_vocabulary(knowledge)
    except KnowledgeError:  # the check of the questions says what is wrong
        return []
    try:
        records += gotcha_rules(knowledge.gotchas.values(), vocabulary)
    except KnowledgeError:  # the check of the catalogues says what is wrong
        return check_rules(records, vocabulary, places.locate)
    return check_rules(records, vocabulary, places.with_gotchas(knowledge))


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One rule file as read."""

    path: Path
    name: str
    """How messages call it."""
    rules: list[Any]


class Places:
    """Finds file and line of a rule's key; reads the files again only when asked."""

    def __init__(self, files: Sequence[RuleFile]) -> None:
        self._files = files

    def locate(self, key: str) -> tuple[str | None, int | None]:
        """Return the place of a key such as ``rules[my-rule].when``."""
        rule_id = key.partition("[")[2].partition("]")[0]
        rest = [_part(part) for part in _STEPS.findall(key.partition("]")[2])]
        for file in reversed(self._files):  # the last one has the last word
            ids = [_id_of(rule) for rule in file.rules]
            if rule_id in ids:
                lines = locate_keys(file.path.read_text(encoding="utf-8"))
                place = ids.index(rule_id)
                if rest == ["id"]:  # only said of an id given twice, where the later one is wrong
                    place = len(ids) - 1 - ids[::-1].index(rule_id)
                return file.name, _line(lines, ("rules", place), rest)
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
            lines = locate_keys(knowledge.file(entry.file).read_text(encoding="utf-8"))
            return entry.file, _line(lines, entry.place, _OF_GOTCHA.get(place, []))

        return locate


_OF_GOTCHA = {".when": ["applies"], ".because": ["applies", "words"], ".cite": ["sections"]}
"""Parts of a rule to the keys of the gotcha that it comes from."""


_STEPS = re.compile(r"[^.\[\]]+")
"""Steps of a key such as ``.set.fix`` or ``.cite[0]``."""


def _part(step: str) -> str | int:
    return int(step) if step.isdigit() else step


def _line(lines: Any, start: tuple[Any, ...], rest: Sequence[str | int]) -> int | None:  # noqa: ANN401
    for length in range(len(rest), -1, -1):
        found = lines.get((*start, *rest[:length]))
        if found is not None:
            return int(found)
    return None


def read_rule_files(
    root: Path, parse: Parse = parse_yaml, overlays: Sequence[Overlay] = ()
) -> tuple[list[dict[str, Any]], Places]:
    """Return the records of all rule files in file order, and where they stand.

    Args:
        root: The knowledge folder.
        parse: Reads the text of a file.
        overlays: Folders of one's own on top. A rule with the id of an earlier one takes its
            place; others come before all earlier ones, since where order counts the rules of
            the house do.

    Raises:
        KnowledgeError: a file is no YAML mapping with a list ``rules``; carries all problems.
    """
    problems: list[Problem] = []
    paths = sorted((root / "rules").glob("*.yaml"))
    named = [(path, path.relative_to(root.parent).as_posix()) for path in paths]
    files = _read_files(named, parse, problems)
    records: list[Any] = [rule for file in files for rule in file.rules]
    for overlay in overlays:
        own = _read_files(overlay.files("rules/*.yaml"), parse_yaml, problems)
        records = _on_top(records, [rule for file in own for rule in file.rules])
        files += own
    if problems:
        raise KnowledgeError(problems)
    return records, Places(files)


def _read_files(
    named: Iterable[tuple[Path, str]], parse: Parse, problems: list[Problem]
) -> list[RuleFile]:
    """Return the rule files that can be read; adds what is wrong with the others."""
    found: list[RuleFile] = []
    for path, name in named:
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
        found.append(RuleFile(path, name, rules))
    return found


def _on_top(lower: list[Any], upper: list[Any]) -> list[Any]:
    """Return the rules of two layers: namesakes replaced in place, the others first."""
    ids = {_id_of(rule) for rule in lower}
    new = {_id_of(rule): rule for rule in upper}
    # a second rule with one id stays where it is, so that the check of the rules sees it
    others = [rule for rule in upper if _id_of(rule) not in ids or new[_id_of(rule)] is not rule]
    return [*others, *(new.get(_id_of(rule), rule) for rule in lower)]


def _id_of(rule: object) -> str:
    return str(rule.get("id")) if isinstance(rule, dict) else ""
