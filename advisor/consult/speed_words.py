"""How fast a layout is by estimate, in words, and whether the answers ask for it."""

from __future__ import annotations

import math

from advisor.consult.candidate import Candidate
from advisor.consult.economics import Band
from advisor.consult.situation import Situation
from advisor.consult.targets import targets_of
from advisor.sizing.result import RateRange

__all__ = [
    "band_of", "fast_words", "middle", "prompts_counted", "speed_asked", "speed_words",
]  # fmt: skip

_MS_PER_SECOND = 1000.0
_FEW = 10.0
"""Below so many a decimal is told."""


def band_of(rate: RateRange | None) -> Band | None:
    """Return an estimate as a range, or ``None`` where there is none."""
    return Band(rate.low, rate.high) if rate and rate.low and rate.high else None


def middle(band: Band | None) -> float | None:
    """Return the geometric middle, by which the ranking compares estimates."""
    return None if band is None else math.sqrt(band.low * band.high)


def speed_asked(situation: Situation) -> bool:
    """Tell whether the answers put speed first or set a limit to it."""
    by_priority = situation.priority in {"latency", "throughput"}
    return not situation.load.trains and (by_priority or targets_of(situation.answers).set_speed)


def prompts_counted(candidate: Candidate) -> bool:
    """Tell whether the rate of one user includes the wait for the prompts of the others."""
    prompts = candidate.prompts
    return prompts.per_output is not None and prompts.counted(candidate.result)


def fast_words(band: Band) -> str:
    """Return tokens a second as a range: ``62 to 102 tokens/s``."""
    return f"{_figure(band.low)} to {_figure(band.high)} tokens/s"


def speed_words(candidate: Candidate) -> str:
    """Return what one user sees: tokens a second and the wait for the first, where known.

    With the same words as the choice's own figure, so that the two stand on one basis.
    """
    one = candidate.user_tokens_per_second
    first = band_of(candidate.result.ttft_ms)
    basis = ", prompts counted" if prompts_counted(candidate) else " while decoding"
    parts = [f"{fast_words(one)} for one user{basis}" if one else "no estimate of its speed"]
    if first is not None:
        low, high = first.low / _MS_PER_SECOND, first.high / _MS_PER_SECOND
        parts.append(f"first token after {low:,.2g} to {high:,.2g} s")
    return ", ".join(parts)


def _figure(value: float) -> str:
    return f"{value:,.1f}" if value < _FEW else f"{value:,.0f}"
