"""A log in windows of lines, each seen in two ways, so that wrapped texts are found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate

from advisor.diagnose.lines import Line
from advisor.diagnose.pieces import LEFT_OUT, Expression, tight

__all__ = ["REACH_LINES", "Window", "windows"]

REACH_LINES = 12
"""Pieces that belong together stand at most so many lines apart; windows overlap by as many."""
_WINDOW_LINES = 400
_WINDOW_CHARACTERS = 200_000
_PATTERN_LINES = 5
_HITS = 60


class Window:
    """Some lines in a row."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self._held: dict[str, bool] = {}

    @cached_property
    def _tight(self) -> list[str]:
        return [line.text.translate(LEFT_OUT) for line in self.lines]

    @cached_property
    def tight(self) -> str:
        """The text without blanks, line ends and punctuation: no wrapping can hide a piece."""
        return "".join(self._tight)

    @cached_property
    def _tight_starts(self) -> list[int]:
        return _starts(len(text) for text in self._tight)

    @cached_property
    def _spaced(self) -> tuple[str, list[int]]:
        return " ".join(line.text for line in self.lines), _starts(
            len(line.text) + 1 for line in self.lines
        )

    @cached_property
    def _glued(self) -> tuple[str, list[int]]:
        return "".join(line.text for line in self.lines), _starts(
            len(line.text) for line in self.lines
        )

    def around(self, line: Line) -> tuple[str, int]:
        """Return the lines near ``line`` as they were written, and where it stands in them."""
        near = [one for one in self.lines if abs(one.number - line.number) < REACH_LINES]
        before = sum(len(one.shown) + 1 for one in near if one.number < line.number)
        return "\n".join(one.shown for one in near), before

    def find(self, tight_piece: str) -> Iterator[tuple[int, int]]:
        """Yield index of the line and position in it of a piece that begins a word.

        Args:
            tight_piece: Lower case, letters and digits only.
        """
        at = self.tight.find(tight_piece)
        hits = 0
        while at >= 0 and hits < _HITS:
            index = bisect_right(self._tight_starts, at) - 1
            position = _position(self.lines[index].text, at - self._tight_starts[index])
            if _begins_word(self.lines[index].text, position):
                hits += 1
                yield index, position
            at = self.tight.find(tight_piece, at + 1)

    def may_hold(self, expression: Expression) -> bool:
        """Tell quickly whether the window can hold a match."""
        return all(any(map(self._holds, each)) for each in expression.anchors)

    def _holds(self, anchor: str) -> bool:
        """Look for an anchor once: many expressions have the same."""
        held = self._held.get(anchor)
        if held is None:
            held = self._held[anchor] = anchor in self.tight
        return held

    def search(self, expression: Expression) -> Iterator[tuple[int, int, int]]:
        """Yield index of the line, position in it and length of the matches of an expression.

        Lines are joined by a blank, then by nothing; a match may span a few lines.
        """
        for text, starts in (self._spaced, self._glued):
            for start, end in _stretches(text, starts, expression.literals):
                for found in expression.pattern.finditer(text, start, end):
                    first = bisect_right(starts, found.start()) - 1
                    last = bisect_right(starts, max(found.start(), found.end() - 1)) - 1
                    if last - first >= _PATTERN_LINES:
                        continue
                    line, inner = _begun_late(expression.pattern, text, starts, first, found)
                    yield line, inner.start() - starts[line], len(tight(inner[0]))


def _begun_late(
    pattern: re.Pattern[str], text: str, starts: list[int], first: int, found: re.Match[str]
) -> tuple[int, re.Match[str]]:
    """Return ``found``, or the match in it that ends there and begins in the latest line.

    What a pattern begins with may stand in an earlier line by chance.
    """
    while first + 1 < len(starts) and starts[first + 1] < found.end():
        again = pattern.search(text, starts[first + 1], found.end())
        if again is None or again.end() != found.end():
            break
        first, found = bisect_right(starts, again.start()) - 1, again
    return first, found


def _has_one_of_each(text: str, sets: tuple[tuple[str, ...], ...]) -> bool:
    return all(any(one in text for one in each) for each in sets)


def _stretches(
    text: str, starts: list[int], sets: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[int, int]]:
    """Yield the parts of ``text`` in which a match of so few lines can be.

    It holds a literal of the first set, and lies with it inside a few lines; one line more on each
    side lets the ends of the match see what comes next.
    """
    if not sets:
        yield 0, len(text)
        return
    if not _has_one_of_each(text, sets):
        return
    ends = [*starts[1:], len(text)]
    first = last = -1
    for line in sorted({line for one in sets[0] for line in _lines_with(text, starts, one)}):
        if first >= 0 and line - _PATTERN_LINES > last:
            yield starts[first], ends[last]
            first = -1
        first = max(0, line - _PATTERN_LINES) if first < 0 else first
        last = min(len(starts) - 1, line + _PATTERN_LINES)
    if first >= 0:
        yield starts[first], ends[last]


def _lines_with(text: str, starts: list[int], literal: str) -> Iterator[int]:
    """Yield the lines in which ``literal`` begins."""
    at = text.find(literal)
    while at >= 0:
        line = bisect_right(starts, at) - 1
        yield line
        if line + 1 == len(starts):
            return
        at = text.find(literal, max(starts[line + 1], at + 1))


def _starts(lengths: Iterable[int]) -> list[int]:
    return [0, *accumulate(lengths)][:-1]


def _position(text: str, tight_offset: int) -> int:
    """Return where in ``text`` the letter or digit number ``tight_offset`` stands."""
    left = tight_offset
    for position, character in enumerate(text):
        if ord(character) in LEFT_OUT:
            continue
        if left == 0:
            return position
        left -= 1
    return 0


def _begins_word(text: str, position: int) -> bool:
    return position == 0 or not text[position - 1].isalnum()


def windows(lines: Iterable[Line]) -> Iterator[Window]:
    """Yield overlapping windows over ``lines``; memory stays bounded by one window."""
    held: list[Line] = []
    fresh = size = 0
    for line in lines:
        held.append(line)
        fresh += 1
        size += len(line.text)
        if fresh >= _WINDOW_LINES or size >= _WINDOW_CHARACTERS:
            yield Window(held)
            held = held[-REACH_LINES:]
            fresh = size = 0
    if fresh:
        yield Window(held)
