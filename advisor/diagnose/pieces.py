"""What the symptoms of the knowledge base look for, compiled once per knowledge base."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.store.gotcha import Symptom
from advisor.store.loader import Knowledge

__all__ = ["Pieces", "pieces_of", "tight"]

_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"(?<!\\)\((?:\\.|[^()\\])*\)")
_NO_LITERAL = re.compile(r"\\[A-Za-z0-9]|.?[?*]|.?\{[^}]*\}|[\0^$.+]")
_LEAST_ANCHOR = 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """One symptom, ready to be searched."""

    symptom: Symptom
    fragments: tuple[str, ...]
    """Tight: lower case, no blanks."""
    together: tuple[tuple[str, ...], ...]
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    """With a tight literal that every match holds, or an empty text."""


def tight(text: str) -> str:
    """Return ``text`` in lower case without blanks."""
    return "".join(text.lower().split())


_COMPILED: WeakKeyDictionary[Knowledge, tuple[Pieces, ...]] = WeakKeyDictionary()


def pieces_of(knowledge: Knowledge) -> tuple[Pieces, ...]:
    """Return the pieces of all symptoms, in file order."""
    found = _COMPILED.get(knowledge)
    if found is None:
        found = tuple(map(_compiled, knowledge.symptoms.values()))
        _COMPILED[knowledge] = found
    return found


def _compiled(symptom: Symptom) -> Pieces:
    return Pieces(
        symptom,
        tuple(map(tight, symptom.fragments)),
        tuple(tuple(map(tight, parts)) for parts in symptom.together),
        tuple(_with_anchors(symptom.patterns)),
    )


def _with_anchors(patterns: Iterable[str]) -> Iterable[tuple[str, re.Pattern[str]]]:
    for pattern in patterns:
        yield _anchor(pattern), re.compile(pattern, re.IGNORECASE)


def _anchor(pattern: str) -> str:
    """Return the longest literal that stands outside groups and choices; empty when unsure.

    It lets most windows be passed over without running the expression.
    """
    plain = _CLASS.sub("\0", pattern)
    while plain != (plain := _GROUP.sub("\0", plain)):
        pass
    if "|" in plain:
        return ""
    runs = _NO_LITERAL.split(plain)
    best = max((tight(run.replace("\\", "")) for run in runs), key=len)
    return best if len(best) >= _LEAST_ANCHOR else ""
