"""Holding an interview to its end: somebody speaks whenever a question stands open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from advisor.errors import InputError, Problem
from advisor.interview.interview import Reply
from advisor.transcripts.hearing import DONT_KNOW, Heard
from advisor.transcripts.model import END

__all__ = ["Held", "Missing", "Refused", "Speaker", "hold"]

_MOST_LINES = 300
"""No interview takes so many; who goes on talks in circles."""


class Speaker(Protocol):
    """Whoever answers."""

    def next(self, key: str) -> str | None:
        """Return what to say while the question ``key`` stands open, ``None`` for nothing."""
        ...

    def refused(self, key: str, text: str) -> None:
        """Take note that what was said last was not accepted."""
        ...


@dataclass(frozen=True, slots=True)
class Missing:
    """A question that nobody answered; it counts as not known."""

    key: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that was said and not accepted."""

    key: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Held:
    """What went wrong while an interview was held."""

    missing: tuple[Missing, ...] = ()
    refused: tuple[Refused, ...] = ()


def hold(interview: Heard, speaker: Speaker) -> Held:
    """Hold the interview until nothing is left to ask and to say, or somebody leaves.

    Raises:
        InputError: it does not come to an end.
    """
    missing: list[Missing] = []
    refused: list[Refused] = []
    for _ in range(_MOST_LINES):
        key = interview.open_key
        text = speaker.next(key)
        if text is None and key == END:
            return Held(tuple(missing), tuple(refused))
        if text is None:
            missing.append(Missing(key))
        reply = interview.say(DONT_KNOW if text is None else text)
        if not reply.accepted and text is not None:
            refused.append(Refused(key, text, _reason(reply)))
            speaker.refused(key, text)
        if reply.quit:
            return Held(tuple(missing), tuple(refused))
    message = f"The interview does not end after {_MOST_LINES} lines."
    raise InputError(Problem("endless", message))


def _reason(reply: Reply) -> str:
    entry = reply.entry
    return "" if entry is None else " ".join(line.text for line in entry.lines)
