"""What the desk tells whoever shows the interview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.interview.interview import Reply
    from advisor.interview.view import View

__all__ = ["Failed", "Idle", "Left", "Replied", "Shown", "Stopped", "Told"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A new view."""

    view: View


@dataclass(frozen=True, slots=True)
class Replied:
    """What came of a line; the view that shows it follows."""

    line: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Stopped:
    """A line that was given up; nothing of it happened."""

    line: str


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot go on: bad input at the start, or a fault."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is being done."""

    done: int
    """How many lines and sections were taken so far."""


@dataclass(frozen=True, slots=True)
class Left:
    """Every line before the leaving was taken."""


Told = Shown | Replied | Stopped | Failed | Idle | Left
