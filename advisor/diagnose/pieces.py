"""What the symptoms of the knowledge base look for, compiled once per knowledge base."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.store.gotcha import Symptom
from advisor.store.loader import Knowledge

__all__ = ["LEFT_OUT", "Pieces", "pieces_of", "tight"]

LEFT_OUT: Mapping[int, None] = dict.fromkeys(map(ord, string.punctuation + string.whitespace))
"""Wrapping, quoting and retyping change these."""
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"(?<!\\)\((?:\\.|[^()\\])*\)")
_NO_LITERAL = re.compile(r"\\[A-Za-z0-9]|.?[?*]|.?\{[^}]*\}|[\0^$.+]")
_LEAST_ANCHOR = 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """One symptom, ready to be searched."""

    symptom: Symptom
    fragments: tuple[str, ...]
    """Tight: lower case, letters and digits only."""
    together: tuple[tuple[str, ...], ...]
    patterns: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]
    """With the tight literals that every match holds."""


def tight(text: str) -> str:
    """Return ``text`` in lower case without blanks and punctuation."""
    return text.lower().translate(LEFT_OUT)


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


def _with_anchors(patterns: Iterable[str]) -> Iterable[tuple[tuple[str, ...], re.Pattern[str]]]:
    for pattern in patterns:
        yield _anchors(pattern), re.compile(pattern, re.IGNORECASE)


def _anchors(pattern: str) -> tuple[str, ...]:
    """Return the literals that stand outside groups and choices; none when unsure.

    They let most windows be passed over without running the expression.
    """
    plain = _CLASS.sub("\0", pattern)
    while plain != (plain := _GROUP.sub("\0", plain)):
        pass
    if "|" in plain:
        return ()
    runs = (tight(run.replace("\\", "")) for run in _NO_LITERAL.split(plain))
    return tuple(run for run in runs if len(run) >= _LEAST_ANCHOR)
