"""Everything that an interview shows, already worded and frozen.

Owns no logic and no layout: the terminal interface and the plain mode render the same view, so
that they cannot say different things.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CardView",
    "ConclusionView",
    "EntryView",
    "EvidenceView",
    "LineView",
    "OptionView",
    "TurnView",
    "View",
]


@dataclass(frozen=True, slots=True)
class LineView:
    """One line that the advisor says, with the sections that say so."""

    text: str
    sections: tuple[str, ...] = ()
    sign: str = ""
    """``=`` settled or moved, ``~`` kept open, ``!`` will bite, empty: explains."""
    indent: int = 0
    firm: bool = False
    """What is settled stays so, whatever else is answered; else it holds for now."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """One answer and what came of it."""

    number: int
    key: str
    question: str
    """The question as asked; empty where something was volunteered."""
    section: str
    said: str
    understood: str
    """How it was read, where that is not plain."""
    lines: tuple[LineView, ...]


@dataclass(frozen=True, slots=True)
class EntryView:
    """One command and what the advisor said to it."""

    said: str
    title: str
    lines: tuple[LineView, ...]
    problem: bool = False
    more: int = 0
    """Lines left out; the command with ``all`` shows them."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option of the question, with the number that picks it."""

    number: int
    id: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class CardView:
    """The question that stands open, or a choice between readings."""

    key: str
    text: str
    help: str
    options: tuple[OptionView, ...]
    """Without "I don't know", which is always 0."""
    several: bool
    """Several options may be picked: ``1,3``."""
    hint: str
    """What may be typed: a number with its unit, a name, yes or no."""
    usual: str
    """What is taken until it is answered, and why; may be empty."""
    find_out: str
    """What to run or look at to find the answer; may be empty."""
    decides: tuple[str, ...]
    section: str
    topic: str
    number: int
    """Of this question: answers so far and one."""
    pending: bool = False
    """It is a choice that the advisor needs before it goes on (readings, an edit)."""
    most_left: int = 0
    """So many questions at most, this one included; 0 for a choice."""
    none: str = "I don't know"
    """What 0 means."""


@dataclass(frozen=True, slots=True)
class ConclusionView:
    """One decision as it stands."""

    name: str
    title: str
    state: str
    """``firm``, ``provisional``, ``open`` or ``not applicable``."""
    text: str
    sections: tuple[str, ...]
    fresh: bool
    """It moved with the last answer."""
    needs: str
    """What could still change it, in short; may be empty."""


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A section of the handbook."""

    section: str
    title: str
    markdown: str
    cited_by: tuple[str, ...]
    passages: tuple[str, ...] = ()
    """What of the section the advice rests on: headings, and cells that name a row of a table."""
    facts: tuple[str, ...] = ()
    """Answers and assumptions that the section is about, each with where it is from."""


@dataclass(frozen=True, slots=True)
class View:
    """One moment of an interview."""

    edition: str
    as_of: str
    case: str
    saved: str
    """``saved``, or why it is not."""
    answered: int
    left: tuple[int, int]
    """At least and at most so many questions are left."""
    log: tuple[TurnView | EntryView, ...]
    card: CardView | None
    closing: tuple[LineView, ...]
    """What is said when nothing is left to ask."""
    so_far: tuple[ConclusionView, ...]
    evidence: EvidenceView | None
    hints: tuple[str, ...]
    asking: bool = False
    """What comes next is still being worked out."""

    @property
    def progress(self) -> str:
        """How far the interview is: a count, and a range of what is left."""
        least, most = self.left
        if most == 0:
            return f"{self.answered} answered, nothing left to ask"
        span = f"{least} to {most}" if least != most else f"{most}"
        return f"{self.answered} answered, {span} left"
