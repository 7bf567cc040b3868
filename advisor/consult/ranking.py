"""The order among the survivors, and the sentence that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from advisor.consult.candidates import Candidate

__all__ = ["PRIORITY_TEXT", "rank"]

Key = tuple[float | int | str, ...]

PRIORITY_TEXT: Mapping[str, str] = {
    "balanced": "cheapest by the hour, then fewest GPUs, then the simplest layout",
    "cost": "cheapest by the hour, then fewest GPUs, then the simplest layout",
    "latency": "fastest decoding for one user, then cost",
    "throughput": "most output tokens a second, then cost",
    "simplicity": "published weights, then fewest replicas and GPUs, then cost",
}
"""What each ``objectives.priority`` puts first."""

_UNPRICED = math.inf


def _usd(c: Candidate) -> float:
    """A GPU without a price ranks after all that have one, never as free."""
    return c.quote.usd_per_hour if c.quote is not None else _UNPRICED


def _complexity(c: Candidate) -> int:
    layout = c.layout
    crossing = 4 * (c.nodes_per_replica - 1)
    return (
        (layout.tensor_parallel > 1)
        + 2 * (layout.pipeline_parallel > 1)
        + 2 * layout.expert_parallel
        + crossing
    )


def _tie(c: Candidate) -> Key:
    newer = -c.card.gpu.memory_bandwidth_gbs
    return (c.total_gpus, _complexity(c), c.gpus_per_replica, newer, c.id)


def _cost(c: Candidate) -> Key:
    return (_usd(c), *_tie(c))


def _latency(c: Candidate) -> Key:
    rate = c.result.decode_tokens_per_second
    middle = math.sqrt(rate.low * rate.high) if rate and rate.low and rate.high else 0.0
    return (-middle, _usd(c), *_tie(c))


def _throughput(c: Candidate) -> Key:
    rate = c.result.total_output_tokens_per_second
    middle = math.sqrt(rate.low * rate.high) if rate and rate.low and rate.high else 0.0
    return (-middle * c.replicas, _usd(c), *_tie(c))


def _simplicity(c: Candidate) -> Key:
    return (not c.published, c.replicas, c.gpus_per_replica, _complexity(c), _usd(c), *_tie(c))


_ORDERS: Mapping[str, Callable[[Candidate], Key]] = {
    "balanced": _cost,
    "cost": _cost,
    "latency": _latency,
    "throughput": _throughput,
    "simplicity": _simplicity,
}


def rank(candidates: list[Candidate], against: Mapping[str, int], priority: str) -> list[Candidate]:
    """Return the candidates best first.

    Args:
        candidates: Survivors of the rules that must hold.
        against: Candidate id to the number of rules that speak against it; fewer come first.
        priority: Value of ``objectives.priority``.
    """
    order = _ORDERS.get(priority, _cost)
    return sorted(candidates, key=lambda c: (against.get(c.id, 0), *order(c)))
