"""A choice that stands open: between readings of a text, or whether to take over a change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from advisor.interview.session import Session
from advisor.interview.view import LineView

__all__ = ["Pending"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A choice that is needed before the interview goes on."""

    text: str
    """What is asked."""
    options: tuple[tuple[str, Session], ...]
    """Words of each option, and the session it leads to."""
    kind: str
    """``reading``, ``edit`` or ``whatif``."""
    number: int = 0
    """Of the answer that an edit changes."""
    then: tuple[Callable[[], Pending | None], ...] = ()
    """What is to be chosen next, for each option, made when it is picked; empty: nothing."""
    words: str = ""
    """The words that mean several things."""
    without: Callable[[], Pending | Session] | None = None
    """What comes of leaving these words out; ``None``: nothing is changed."""
    notes: tuple[LineView, ...] = ()
    """What has to be told once all is chosen."""
