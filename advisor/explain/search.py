"""The search for the values at which advice flips.

From the given value outwards the answer is doubled (or halved) until the choice is of another kind;
then halving finds, for what is built and for its kind, two neighbours of which one keeps it and the
other does not. Advice is not monotonic: at 50 users whole machines may be cheapest that at 60 are
not. So gaps are halved too, as far as the number of consultations allows: the widest ones where
what is built is the same at both ends, and those where the kind is and the number is not, the
nearest first. What was consulted is kept, so that nothing is said of values in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.explain.grid import Grid
    from advisor.explain.probe import Probe

__all__ = ["Edge", "Side", "search"]

_FURTHEST = 10
"""Doublings in one direction."""


@dataclass(frozen=True, slots=True)
class Edge:
    """How far something stays what it is, in one direction."""

    holds: float
    """Last value, from the given one outwards, that keeps it and was consulted."""
    flips: float | None
    """The first consulted value that does not; ``None`` where none was found."""
    exact: bool
    """``flips`` is the neighbour of ``holds``."""
    tested: tuple[float, ...]
    """Values between the given one and ``holds`` that were consulted, all of which keep it."""
    every: bool
    """There is no other value between the given one and ``holds``."""


@dataclass(frozen=True, slots=True)
class Side:
    """What was found in one direction."""

    up: bool
    built: Edge
    """What one would build or buy, number of GPUs and machines included."""
    kind: Edge
    """Option, GPU, format and sizes, whatever the number."""
    end: float
    """How far the search went."""
    complete: bool
    """Not stopped by the number of consultations."""


def search(grid: Grid, value: float, probe: Probe, *, up: bool, most: int, closer: int = 0) -> Side:
    """Return where the advice flips in one direction.

    Args:
        grid: Values that are legal.
        value: The given one.
        probe: Consults and counts.
        up: Towards larger values.
        most: Consultations that may be made.
        closer: Of these, what may be spent on gaps between values that keep the advice.
    """
    return _Search(grid, grid.index(value), probe, up, probe.spent + most).side(closer)


class _Search:
    """One direction; values by their number in the grid."""

    def __init__(self, grid: Grid, start: int, probe: Probe, up: bool, until: int) -> None:
        self._grid, self._start, self._probe, self._up = grid, start, probe, up
        self._until = until
        self._seen = {start}
        self._complete = True

    def side(self, closer: int) -> Side:
        self._go_outwards()
        self._halve(self._kind)
        self._look_closer(closer)
        far = max if self._up else min
        return Side(
            up=self._up,
            built=self._edge(self._built),
            kind=self._edge(self._kind),
            end=self._grid.value(far(self._seen)),
            complete=self._complete,
        )

    # ---- what a value leads to ----

    def _built(self, index: int) -> bool:
        return index == self._start or self._probe.same_built(self._grid.value(index))

    def _kind(self, index: int) -> bool:
        return index == self._start or self._probe.same_kind(self._grid.value(index))

    def _consult(self, index: int) -> bool:
        """Consult a value, unless there are no consultations left."""
        if index not in self._seen and self._probe.spent >= self._until:
            self._complete = False
            return False
        self._probe.at(self._grid.value(index))
        self._seen.add(index)
        return True

    # ---- where it flips ----

    def _outwards(self) -> list[int]:
        return sorted(self._seen, reverse=not self._up)

    def _ends(self, keeps: Callable[[int], bool]) -> tuple[int, int | None]:
        """Return the last consulted value that keeps it, and the first that does not."""
        holds = self._start
        for index in self._outwards():
            if not keeps(index):
                return holds, index
            holds = index
        return holds, None

    def _edge(self, keeps: Callable[[int], bool]) -> Edge:
        holds, flips = self._ends(keeps)
        within = [index for index in self._outwards() if not self._beyond(index, holds)]
        value = self._grid.value
        return Edge(
            holds=value(holds),
            flips=None if flips is None else value(flips),
            exact=flips is not None and abs(flips - holds) == 1,
            tested=tuple(value(index) for index in within if index != self._start),
            every=len(within) == abs(holds - self._start) + 1,
        )

    def _beyond(self, index: int, other: int) -> bool:
        return index > other if self._up else index < other

    def _go_outwards(self) -> None:
        for index in _outwards(self._grid, self._start, up=self._up):
            if not self._consult(index):
                return
            self._halve(self._built)
            if not self._kind(index):
                return

    def _halve(self, keeps: Callable[[int], bool]) -> None:
        """Bring the last value that keeps it and the first that does not together."""
        while True:
            holds, flips = self._ends(keeps)
            if flips is None or abs(flips - holds) == 1:
                return
            if not self._consult((flips + holds) // 2):
                return

    # ---- gaps ----

    def _look_closer(self, most: int) -> None:
        """Consult values in gaps, as many as allowed; what they bring to light is halved too."""
        complete = self._complete
        for turn in range(most):
            gap = next(self._gaps(turn % 2 == 0), None) or next(self._gaps(turn % 2 == 1), None)
            if gap is None or self._probe.spent >= self._until:
                break
            self._consult(sum(gap) // 2)
            self._halve(self._built)
            self._halve(self._kind)
        self._complete = complete

    def _gaps(self, of_built: bool) -> Iterator[tuple[int, int]]:
        """Yield gaps in what stays: the widest first, or those between numbers, nearest first."""
        holds, _ = self._ends(self._built if of_built else self._kind)
        order = [index for index in self._outwards() if not self._beyond(index, holds)]
        wide = [gap for gap in pairwise(order) if abs(gap[1] - gap[0]) > 1]
        if of_built:
            yield from sorted(wide, key=lambda gap: -abs(gap[1] - gap[0]))
            return
        size, value = self._probe.size, self._grid.value
        yield from (gap for gap in wide if size(value(gap[0])) != size(value(gap[1])))


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
