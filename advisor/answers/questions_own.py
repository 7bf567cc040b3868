"""Questions of one's own: files of overlays on top of the shipped ones.

A question with the key of a shipped one may say it in other words, take another default or more
values; it keeps what code and rules rely on. A new file opens a new group of keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.answers.questions import Question, QuestionGroup
from advisor.answers.questions_files import GROUPS, read_group, tree_of
from advisor.errors import KnowledgeError, Problem
from advisor.store.overlays import Overlay

__all__ = ["files_of", "with_overlays"]

_KEPT = ("kind", "unit", "list", "nested", "empty", "counts", "record", "lower")
"""What code that reads an answer relies on."""


def with_overlays(
    groups: Sequence[QuestionGroup], overlays: Sequence[Overlay]
) -> tuple[list[QuestionGroup], list[Problem]]:
    """Return the groups with the questions of all overlays, and what is wrong with those."""
    found = {group.group: group for group in groups}
    problems: list[Problem] = []
    for overlay in overlays:
        for file, name in overlay.files("questions/*.yaml"):
            try:
                text = file.read_text(encoding="utf-8")
                tree_of(text, name)
                group = read_group(text, name)
            except KnowledgeError as error:
                problems += error.problems
                continue
            except (OSError, UnicodeDecodeError) as error:
                message = f"The file cannot be read: {error}."
                problems.append(Problem("unreadable", message, name))
                continue
            before = found.get(group.group)
            problems += _misnamed(group, name, file.stem)
            problems += _changed(before, group, name)
            found[group.group] = group if before is None else _joined(before, group)
    return list(found.values()), problems


def files_of(overlays: Sequence[Overlay]) -> dict[str, str]:
    """Return key to the file that has the last word on it, for questions of overlays."""
    return {
        question.key: name
        for overlay in overlays
        for file, name in overlay.files("questions/*.yaml")
        for question in read_group(file.read_text(encoding="utf-8"), name).questions
    }


def _joined(lower: QuestionGroup, upper: QuestionGroup) -> QuestionGroup:
    new = {question.key: question for question in upper.questions}
    kept = tuple(new.pop(question.key, question) for question in lower.questions)
    sources = tuple(dict.fromkeys((*lower.sources, *upper.sources)))
    return lower.model_copy(update={"questions": (*kept, *new.values()), "sources": sources})


def _misnamed(group: QuestionGroup, file: str, stem: str) -> Iterator[Problem]:
    if group.group != stem:
        message = f"The file of the group {group.group} is called {group.group}.yaml."
        yield Problem("bad_question", message, file, key="group")
    prefix = "" if group.group == GROUPS[0] else group.group
    seen: set[str] = set()
    for question in group.questions:
        if question.group != prefix:
            message = f"A key of this file begins with '{prefix}.'."
            yield Problem("bad_question", message, file, key=question.key)
        if question.key in seen:
            yield Problem("bad_question", "The key is described twice.", file, key=question.key)
        seen.add(question.key)


def _changed(lower: QuestionGroup | None, upper: QuestionGroup, file: str) -> Iterator[Problem]:
    """Yield what a question takes from a shipped one that others rely on."""
    before = {question.key: question for question in lower.questions} if lower else {}
    for question in upper.questions:
        old = before.get(question.key)
        if old is None:
            if lower is not None and not question.group:
                message = "A question of your own needs a group: put it into a file of its own."
                yield Problem("bad_question", message, file, key=question.key)
            continue
        for field in _KEPT:
            if getattr(question, field) != getattr(old, field):
                message = f"A shipped question keeps its {field}: {_shown(old, field)}."
                yield Problem("changed_question", message, file, key=f"{question.key}.{field}")
        lost = {choice.id for choice in old.values} - {choice.id for choice in question.values}
        if lost:
            message = f"A shipped question keeps its values; these are gone: {sorted(lost)}."
            yield Problem("changed_question", message, file, key=f"{question.key}.values")


def _shown(question: Question, field: str) -> str:
    value = getattr(question, field)
    return "none" if value is None else str(value)
