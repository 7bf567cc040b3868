"""What a text was read as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from advisor.errors import Problem

__all__ = ["Ambiguous", "Reading", "Understood", "spread"]


@dataclass(frozen=True, slots=True)
class Understood:
    """One answer that the text gives."""

    key: str
    """Dotted key of the question."""
    value: object
    """As :mod:`advisor.answers` gives it; ``"unknown"`` for "I don't know"."""
    text: str
    """The words used."""
    understood: str
    """How they were read ("Llama 3.3 70B"); typed as a reply, it gives the same value again."""
    span: tuple[int, int]
    """Where the words stand in the text."""
    note: str = ""
    """What was taken for granted, as a clause to show; empty when nothing was."""
    offer: str = ""
    """How this reading is worded where it is one of several; empty: as ``understood``."""
    beside: tuple[Understood, ...] = ()
    """Answers that this reading gives as well: GPUs that are there, and how many."""


def spread(found: Iterable[Understood]) -> Iterator[Understood]:
    """Yield answers with those that come with them."""
    for one in found:
        yield one
        yield from one.beside


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Words with several meanings: all are offered, none is taken."""

    text: str
    span: tuple[int, int]
    readings: tuple[Understood, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole text as read."""

    found: tuple[Understood, ...] = ()
    """At most one for each key, in the order of the text."""
    ambiguous: tuple[Ambiguous, ...] = ()
    rest: tuple[str, ...] = ()
    """Words that said nothing; denied ones that cannot be turned round are among them."""
    problem: Problem | None = None
    """Why the text, or a name in it, cannot be used."""
    notes: tuple[str, ...] = ()
    """What was said and no answer can hold, each with the nearest way to say it; sentences."""
