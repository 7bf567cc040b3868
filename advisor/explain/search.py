"""The search for the value at which advice flips.

From the given value outwards the answer is doubled (or halved) until the advice is another; then
halving finds two neighbours of which one keeps the advice and the other does not. Advice is not
monotonic: at 50 users whole machines may be cheapest that at 60 are not. So gaps between tested
values that keep the advice, at whose ends the number of GPUs differs, are halved too, the nearest
first, as far as the number of consultations allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.explain.grid import Grid
    from advisor.explain.probe import Probe

__all__ = ["Side", "search"]

_FURTHEST = 10
"""Doublings in one direction."""


@dataclass(frozen=True, slots=True)
class Side:
    """What was found in one direction."""

    up: bool
    holds: float
    """Last value, from the given one outwards, that keeps the advice and was consulted."""
    flips: float | None
    """Its neighbour, which does not; ``None`` where no flip was found."""
    moves: tuple[tuple[str, str, str], ...]
    """Decision, what it is at ``holds``, what it is at ``flips``."""
    tested: tuple[float, ...]
    """Values between the given one and ``holds`` that were consulted, all of which keep it."""
    end: float
    """How far the search went."""
    complete: bool = True
    """Not stopped by the number of consultations."""
    refused: str | None = None
    """What is wrong with the answers at ``flips``, where they are refused."""


def search(grid: Grid, value: float, probe: Probe, *, up: bool, closer: int = 0) -> Side:
    """Return where the advice flips in one direction.

    Args:
        grid: Values that are legal.
        value: The given one.
        probe: Consults and counts.
        up: Towards larger values.
        closer: Consultations that may be spent on gaps between values that keep the advice.
    """
    return _Search(grid, grid.index(value), probe, up).side(closer)


class _Search:
    """One direction; values by their number in the grid."""

    def __init__(self, grid: Grid, start: int, probe: Probe, up: bool) -> None:
        self._grid, self._start, self._probe, self._up = grid, start, probe, up
        self._kept: set[int] = set()
        self._holds = self._end = start
        self._flips: int | None = None
        self._complete = True

    def side(self, closer: int) -> Side:
        self._go_outwards()
        self._halve()
        self._look_closer(closer)
        value, flips = self._grid.value, self._flips
        last, first = value(self._holds), None if flips is None else value(flips)
        within = sorted(index for index in self._kept if not self._beyond(index, self._holds))
        return Side(
            up=self._up,
            holds=last,
            flips=first,
            moves=() if first is None else self._probe.moves(last, first),
            tested=tuple(value(index) for index in within),
            end=value(self._end if flips is None else flips),
            complete=self._complete,
            refused=None if first is None else self._probe.refused(first),
        )

    def _beyond(self, index: int, other: int) -> bool:
        return index > other if self._up else index < other

    def _keeps(self, index: int) -> bool:
        kept = self._probe.keeps(self._grid.value(index))
        if kept:
            self._kept.add(index)
        return kept

    def _go_outwards(self) -> None:
        for index in _outwards(self._grid, self._start, up=self._up):
            if self._probe.exhausted:
                self._complete = False
                return
            self._end = index
            if not self._keeps(index):
                self._flips = index
                return
            self._holds = index

    def _halve(self) -> None:
        """Bring the last value that keeps the advice and the first that does not together."""
        while self._flips is not None and abs(self._flips - self._holds) > 1:
            if self._probe.exhausted:
                self._complete = False
                return
            middle = (self._flips + self._holds) // 2
            if self._keeps(middle):
                self._holds = middle
            else:
                self._flips = middle

    def _look_closer(self, most: int) -> None:
        for _ in range(most):
            gap = next(self._gaps(), None)
            if gap is None or self._probe.exhausted:
                return
            middle = sum(gap) // 2
            if not self._keeps(middle):
                self._holds, self._flips = gap[0], middle
                self._halve()

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Yield neighbours among the kept values whose number of GPUs differs, nearest first."""
        within = {i for i in self._kept if not self._beyond(i, self._holds)} | {self._start}
        order = sorted(within, reverse=not self._up)
        size = self._probe.size
        for near, far in pairwise(order):
            wide = abs(far - near) > 1
            if wide and size(self._grid.value(near)) != size(self._grid.value(far)):
                yield near, far


def _outwards(grid: Grid, start: int, *, up: bool) -> Iterator[int]:
    """Yield a neighbour, then twice (or half) the value again and again, to the end."""
    powers = [2**number for number in range(1, _FURTHEST + 1)]
    if up:
        doubled = ((start or 1) * power for power in powers)
        steps = [min(grid.last, index) for index in (start + 1, *doubled)]
    else:
        halved = (start // power for power in powers)
        steps = [max(grid.first, index) for index in (start - 1, *halved)]
    previous = start
    for index in steps:
        if index > previous if up else index < previous:
            yield index
            previous = index
