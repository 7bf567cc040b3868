"""Places inside lists of records, such as ``workloads[0].concurrency``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.answers.plain import FrozenMapping
from advisor.errors import Problem

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.answers.questions import Question, Vocabulary

__all__ = ["Place", "list_of", "no_record", "place_of", "question_at", "value_at", "with_value"]

_PLACE = re.compile(r"([a-z_]+(?:\.[a-z_]+)?)\[([0-9]{1,6})\]\.(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """One key of one record."""

    key: str
    """The key of the list."""
    index: int
    name: str
    """The key inside the record."""


def place_of(text: str) -> Place | None:
    """Return the place that a text names, else ``None``; whether it exists is not looked at."""
    found = _PLACE.fullmatch(text)
    return None if found is None else Place(found[1], int(found[2]), found[3])


def list_of(text: str) -> str:
    """Return the key whose value an answer is part of: of a place that of its list."""
    place = place_of(text)
    return text if place is None else place.key


def question_at(questions: Vocabulary, text: str) -> Question | None:
    """Return the question of a key or of a place inside a record, else ``None``."""
    place = place_of(text)
    if place is None:
        return questions.get(text)
    listed = questions.get(place.key)
    if listed is None or listed.kind != "list_of_records":
        return None
    return questions.record_keys(place.key).get(place.name)


def value_at(answers: Answers, text: str) -> object:
    """Return the value of a key or of a place inside a record; ``None``: not given."""
    place = place_of(text)
    if place is None:
        return answers.values.get(text)
    records = answers.values.get(place.key)
    if not isinstance(records, tuple) or place.index >= len(records):
        return None
    record: Mapping[str, object] = records[place.index]
    return record.get(place.name)


def with_value(
    records: tuple[Mapping[str, object], ...],
    place: Place,
    value: object,
    order: Mapping[str, object],
) -> tuple[Mapping[str, object], ...]:
    """Return records with one value replaced, in the vocabulary's order; ``None`` takes it away."""
    changed = {**records[place.index], place.name: value}
    kept = {name: changed[name] for name in order if changed.get(name) is not None}
    return (*records[: place.index], FrozenMapping(kept), *records[place.index + 1 :])


def no_record(place: Place, count: int) -> Problem:
    """Return the problem of a place in a record that is not there."""
    if not count:
        message = f"No `{place.key}` are given, so that none of their records can be changed."
        return Problem("no_such_record", message)
    last = f" to {place.key}[{count - 1}]" if count > 1 else ""
    verb = "are" if count > 1 else "is"
    message = f"There is no such record: there {verb} {place.key}[0]{last}."
    return Problem("no_such_record", message)
