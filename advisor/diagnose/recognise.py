"""Find the symptoms that stand in a log word for word, however it is wrapped or cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.diagnose.lines import Line
from advisor.diagnose.pieces import LEFT_OUT, Fragment, Pieces
from advisor.diagnose.windows import REACH_LINES, Window
from advisor.diagnose.words import SHOWS_GPUS

__all__ = ["Hit", "hits_in", "is_foreign", "truncated_hits"]

_SHORT, _LONG = 0.6, 0.4
_LONG_PIECE = 32
"""A piece of so many characters is as telling as it gets."""
_LEAST_SET = 0.85
"""Sets and patterns are written with care: however short, they are no accident."""
_QUIET, _ECHO, _APART = 0.8, 0.6, 0.8
_NEIGHBOURS = 3
"""Parts so many lines apart may be of two texts."""
_PLACES = 60
_CUT = 0.6
_LEAST_CUT, _LEAST_CUT_SHARE = 16, 0.6
_LONG_CUT, _LONG_CUT_SHARE = 24, 0.4
"""So long a beginning is telling although more than half is missing."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a symptom or gotcha shows."""

    id: str
    score: float
    line: Line
    position: int
    """In the searched text of the line."""


def hits_in(window: Window, pieces: Iterable[Pieces]) -> Iterator[Hit]:
    """Yield the best hit of every symptom that the window shows."""
    for one in pieces:
        found = [hit for hit in _hits_of(window, one) if not is_foreign(window, hit.line, one)]
        if found:
            yield max(found, key=lambda hit: (hit.score, -hit.line.number))


def is_foreign(window: Window, line: Line, one: Pieces) -> bool:
    """Tell whether ``line``, with or without its neighbours, shows that something else is meant.

    What is said in one line is judged by that line alone: its neighbours may be of another program.
    """
    if one.foreign is None:
        return False
    if one.foreign.search(line.shown):
        return not SHOWS_GPUS.search(line.shown)
    near, start = window.around(line)
    end = start + len(line.shown)
    for found in one.foreign.finditer(near):
        if found.start() < end and found.end() > start:
            return not SHOWS_GPUS.search(near)
    return False


def _hits_of(window: Window, one: Pieces) -> Iterator[Hit]:
    for piece in one.fragments:
        worth = _worth(len(piece.tight))
        for index, position in window.find(piece.tight):
            if piece.is_name and _spread(window.lines[index].text[position:], piece.tight):
                continue
            yield _hit(one, worth, window.lines[index], position)
    for parts in one.together:
        if place := _close_together(window, parts):
            apart = _APART if place[2] >= _NEIGHBOURS else 1.0
            worth = max(_LEAST_SET, _worth(sum(map(len, parts)))) * apart
            yield _hit(one, worth, window.lines[place[0]], place[1])
    for expression in one.patterns:
        if not window.may_hold(expression):
            continue
        most = _PLACES if one.foreign else 1  # the first may be of something else
        for index, position, length in islice(window.search(expression), most):
            yield _hit(one, max(_LEAST_SET, _worth(length)), window.lines[index], position)


def _spread(rest: str, piece: str) -> bool:
    """Tell whether ``piece`` takes in a second word of the line: "allocation failed" is no code.

    A line that ends inside the word may have been wrapped there.
    """
    first, blank, _ = rest.partition(" ")
    return bool(blank) and not first.translate(LEFT_OUT).startswith(piece)


def _worth(characters: int) -> float:
    return _SHORT + _LONG * min(1.0, characters / _LONG_PIECE)


def _hit(one: Pieces, worth: float, line: Line, position: int) -> Hit:
    quiet = _QUIET if line.quiet else 1.0
    echo = _ECHO if one.symptom.echo else 1.0
    return Hit(one.symptom.id, worth * quiet * echo, line, position)


def _close_together(window: Window, parts: tuple[str, ...]) -> tuple[int, int, int] | None:
    """Return the place of the first part where all parts are nearest, and their distance."""
    if not all(part in window.tight for part in parts):
        return None
    others = [[index for index, _ in window.find(part)] for part in parts[1:]]
    best: tuple[int, int, int] | None = None
    for index, position in window.find(parts[0]):
        nearest = [min(places, key=lambda i: abs(i - index), default=-1) for places in others]
        if -1 in nearest:
            return None
        numbers = [window.lines[i].number for i in (index, *nearest)]
        apart = max(numbers) - min(numbers)
        if apart < REACH_LINES and (best is None or apart < best[2]):
            best = index, position, apart
    return best


def truncated_hits(line: Line, pieces: Iterable[Pieces]) -> Iterator[Hit]:
    """Yield symptoms of which one end of the line holds the larger part.

    Terminals and bug reports cut long lines; a piece that reaches the cut is told from less.
    """
    text = line.text.translate(LEFT_OUT)
    for one in pieces:
        best = max((_cut_share(text, piece) for piece in one.fragments), default=0.0)
        if best:
            yield _hit(one, _CUT * best, line, 0)


def _cut_share(text: str, piece: Fragment) -> float:
    """Return the share of ``piece`` that stands cut at an end of ``text``; 0 if too little.

    One word of several is no cut text: any program may print it.
    """
    whole = piece.tight
    least = max(_LEAST_CUT, int(len(whole) * _LEAST_CUT_SHARE))
    least = min(least, max(_LONG_CUT, int(len(whole) * _LONG_CUT_SHARE)))
    if whole[:least] not in text and whole[-least:] not in text:
        return 0.0
    for length in range(len(whole) - 1, least - 1, -1):
        if length >= piece.least_head and text.endswith(whole[:length]):
            return length / len(whole)
        if length >= piece.least_tail and text.startswith(whole[-length:]):
            return length / len(whole)
    return 0.0
