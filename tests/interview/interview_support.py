"""What the tests of the interview share: one adviser, clocks that stand still, spoken lines."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview, Reply
from advisor.interview.keeper import Keeper
from advisor.interview.plain_run import run_plain
from advisor.interview.store import Store

__all__ = ["adviser", "kept", "plain_text", "said", "store_in", "texts"]


@cache
def adviser() -> Adviser:
    return Adviser(engine="reference")


def _ticks() -> Iterator[dt.datetime]:
    moment = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
    while True:
        yield moment
        moment += dt.timedelta(seconds=1)


def store_in(folder: Path) -> Store:
    ticks = _ticks()
    return Store(folder / "cases", lambda: next(ticks))


def kept(store: Store) -> Interview:
    return Interview(adviser(), keeper=Keeper(store))


def said(interview: Interview, *lines: str) -> Reply:
    """Say several lines and return the last reply; each must have been taken."""
    reply = Reply()
    for line in lines:
        reply = interview.say(line)
        assert reply.accepted, texts(reply)
    return reply


def texts(reply: Reply) -> str:
    """Return all that a reply says."""
    lines = [] if reply.entry is None else [reply.entry.title, *(x.text for x in reply.entry.lines)]
    return "\n".join([*lines, *(note.text for note in reply.notes)])


def plain_text(interview: Interview, lines: Iterable[str], *, width: int = 80) -> str:
    out = io.StringIO()
    run_plain(interview, lines, out, why="a test", width=width, echo=True)
    return out.getvalue()
