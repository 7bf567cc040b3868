"""The order among the survivors, and the sentence that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from advisor.consult.candidates import Candidate
from advisor.sizing.result import RateRange

__all__ = ["PRIORITY_TEXT", "rank"]

Key = tuple[float | int | str, ...]

PRIORITY_TEXT: Mapping[str, str] = {
    "balanced": "cheapest by the hour, then the least GPU memory bought, then the simplest layout",
    "cost": "cheapest by the hour, then the least GPU memory bought, then the simplest layout",
    "latency": "fastest decoding for one user, then cost",
    "throughput": "most output tokens a second where every layout left has an estimate, else cost",
    "simplicity": "published weights, then fewest replicas and GPUs, then cost",
}
"""What each ``objectives.priority`` puts first."""

_UNPRICED = math.inf


def _usd(c: Candidate) -> float:
    """A GPU without a price ranks after all that have one, never as free."""
    return c.quote.usd_per_hour if c.quote is not None else _UNPRICED


def _installed_gib(c: Candidate) -> float:
    """Memory of all GPUs: where no price is known, the best stand-in for what they cost."""
    return c.total_gpus * c.card.memory_gib


def _complexity(c: Candidate) -> int:
    layout = c.layout
    crossing = 4 * (c.nodes_per_replica - 1)
    return (
        (layout.tensor_parallel > 1)
        + 2 * (layout.pipeline_parallel > 1)
        + 2 * layout.expert_parallel
        + crossing
    )


def _cost(c: Candidate, surcharge: float) -> Key:
    return (
        _usd(c) * surcharge,
        _installed_gib(c) * surcharge,
        c.total_gpus,
        _complexity(c),
        c.gpus_per_replica,
        -c.card.gpu.memory_bandwidth_gbs,
        c.id,
    )


def _middle(rate: RateRange | None) -> float:
    return math.sqrt(rate.low * rate.high) if rate and rate.low and rate.high else 0.0


def _estimated(c: Candidate) -> bool:
    return _middle(c.result.total_output_tokens_per_second) > 0


def _latency(c: Candidate, surcharge: float) -> Key:
    speed = _middle(c.result.decode_tokens_per_second) / surcharge
    return (-speed, *_cost(c, surcharge))


def _throughput(c: Candidate, surcharge: float) -> Key:
    speed = _middle(c.result.total_output_tokens_per_second) * c.replicas / surcharge
    return (-speed, *_cost(c, surcharge))


def _simplicity(c: Candidate, surcharge: float) -> Key:
    return (
        not c.published,
        c.replicas * surcharge,
        c.gpus_per_replica * surcharge,
        _complexity(c),
        *_cost(c, surcharge),
    )


_ORDERS: Mapping[str, Callable[[Candidate, float], Key]] = {
    "balanced": _cost,
    "cost": _cost,
    "latency": _latency,
    "throughput": _throughput,
    "simplicity": _simplicity,
}


def rank(
    candidates: list[Candidate], surcharges: Mapping[str, float], priority: str
) -> list[Candidate]:
    """Return the candidates best first.

    A rule that speaks against a candidate without forbidding it makes it dearer, so that a
    much cheaper layout can still win and says what counts against it.

    Args:
        candidates: Survivors of the rules that must hold.
        surcharges: Candidate id to the factor on its cost (and on the time of its tokens).
        priority: Value of ``objectives.priority``.
    """
    order = _ORDERS.get(priority, _cost)
    if priority == "throughput" and not all(_estimated(c) for c in candidates):
        # no estimate is not a rate of zero: without one for all there is no order by rate
        order = _cost
    return sorted(candidates, key=lambda c: order(c, surcharges.get(c.id, 1.0)))
