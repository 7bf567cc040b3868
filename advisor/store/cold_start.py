"""Schema of the parts of a cold start: from "no node" to the first token."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from advisor.store.cited import Cited

__all__ = ["ColdStartPart"]


class ColdStartPart(Cited):
    """One thing that a first request waits for; either seconds, or a rate of reading."""

    name: str
    phase: Literal["node", "driver", "plugin", "image", "weights", "engine"]
    low_s: float | None = Field(None, ge=0)
    high_s: float | None = Field(None, ge=0)
    """Seconds, fast and slow end."""
    low_gb_per_s: float | None = Field(None, gt=0)
    high_gb_per_s: float | None = Field(None, gt=0)
    """GB (1e9 bytes) a second, slow and fast end: the time is the size divided by it."""
    words: str
    """What it covers, and what makes it short or long."""

    @model_validator(mode="after")
    def _seconds_or_rate(self) -> Self:
        seconds, rate = (self.low_s, self.high_s), (self.low_gb_per_s, self.high_gb_per_s)
        given = [None not in pair for pair in (seconds, rate)]
        if given.count(True) != 1 or any((a is None) != (b is None) for a, b in (seconds, rate)):
            message = "give low_s and high_s, or low_gb_per_s and high_gb_per_s"
            raise ValueError(message)
        low, high = seconds if given[0] else rate
        if (low or 0) > (high or 0):
            message = "the low end is above the high end"
            raise ValueError(message)
        return self
