"""The values that a numeric answer is tried at: a grid, by number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.answers.questions import Question

__all__ = ["Grid", "grid_of"]

_WHOLE = frozenset({"integer", "size_tokens"})
_REAL = frozenset({"number", "size_gib"})
_DIGITS = 3
"""Significant digits of a number that is not whole."""
_MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """Legal values of a question, ``index / 10**decimals``."""

    low: float
    high: float
    decimals: int = 0

    @property
    def _steps(self) -> int:
        """Steps in 1."""
        return int(10**self.decimals)

    def around(self, value: float) -> Grid:
        """Return the grid whose steps suit numbers as large as ``value``."""
        if self.decimals == 0 or value == 0:
            return self
        digits = _DIGITS - 1 - math.floor(math.log10(abs(value)))
        exponent = Decimal(str(value)).normalize().as_tuple().exponent
        written = -exponent if isinstance(exponent, int) else 0
        return replace(self, decimals=max(0, digits, min(written, _MOST_DECIMALS)))

    def value(self, index: int) -> float:
        """Return the value with that number."""
        if self.decimals == 0:
            return index
        return round(index / self._steps, self.decimals)

    def index(self, value: float) -> int:
        """Return the number of a value."""
        return round(value * self._steps)

    @property
    def first(self) -> int:
        """Number of the least legal value."""
        return math.ceil(round(self.low * self._steps, 6))

    @property
    def last(self) -> int:
        """Number of the largest legal value."""
        return math.floor(round(self.high * self._steps, 6))


def grid_of(question: Question) -> Grid | None:
    """Return the grid of a question that takes one number, else ``None``."""
    if question.list or question.max is None or question.kind not in _WHOLE | _REAL:
        return None
    whole = question.kind in _WHOLE
    if question.min is not None:
        return Grid(question.min, question.max, 0 if whole else 1)
    above = question.above or 0.0
    # the least value above is one step away; for real numbers a thousandth stands for it
    return Grid(above + (1 if whole else 0.001), question.max, 0 if whole else 1)
