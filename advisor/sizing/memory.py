"""What is left for the cache on one GPU, by the engine's own accounting."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.overheads import Overheads

__all__ = ["Available", "available_memory"]

_WEIGHTS_UP, _WEIGHTS_DOWN = 1.01, 0.995
"""Spread of computed against printed weights (20 cases, median 0.2 %, handbook section 7.3)."""
_PEAK_UP, _PEAK_DOWN = 1.10, 0.95
"""Spread of the computed peak against printed ones (10 cases, worst 6.6 %)."""


@dataclass(frozen=True, slots=True)
class Available:
    """GiB for the cache, with the sum that led there."""

    low: float
    expected: float
    high: float
    outside_gib: float
    """Left outside the engine's share for what it does not count."""
    graphs_outside_gib: tuple[float, float]
    """CUDA graphs that the version does not count: least and expected."""
    text: str


def available_memory(
    total_gib: float,
    weights_gib: float,
    extra: Overheads,
    rules: EngineRules,
    utilization: float,
    *,
    weights_stated: bool = False,
    has_states: bool = False,
) -> Available:
    """Return what the engine leaves for the cache.

    vLLM: ``utilisation * total - weights - non-torch - transient peak - graphs`` (graphs since
    the version that counts them). SGLang: ``fraction * total - weights``. TensorRT-LLM:
    ``fraction * (total - weights - workspace)``. Handbook section 7.3.

    Args:
        total_gib: What the runtime reports.
        weights_gib: Weights on this GPU.
        extra: Overheads of this stage.
        rules: Engine version.
        utilization: Share the engine may take.
        weights_stated: The weights are a printed figure: no spread on them.
        has_states: A separate pool for recurrent states takes its share of what is left.
    """
    up, down = (1.0, 1.0) if weights_stated else (_WEIGHTS_UP, _WEIGHTS_DOWN)
    counted = extra.graphs if rules.graphs_in_budget else (0.0, 0.0, 0.0)
    peak = extra.activation_peak if rules.pool_includes_activations else 0.0
    peaks = (peak * _PEAK_DOWN, peak, peak * _PEAK_UP)
    weights = (weights_gib * down, weights_gib, weights_gib * up)
    non_torch = extra.non_torch if rules.pool_includes_activations else (0.0, 0.0, 0.0)

    share_of_rest = rules.pool_share
    if has_states and rules.state_pool_ratio is not None:
        share_of_rest /= 1 + rules.state_pool_ratio

    def left(index: int) -> float:
        taken = weights[index] + non_torch[index] + peaks[index] + counted[index]
        taken += extra.workspace[index] + extra.state_copies[index]
        if rules.utilization_of_free:
            return utilization * (total_gib - taken) * share_of_rest
        return (utilization * total_gib - taken) * share_of_rest

    terms = (
        f"weights {weights_gib:.2f}",
        f"non-torch {non_torch[1]:.2f}",
        f"peak {peak:.2f}",
        f"graphs {counted[1]:.2f}",
        *_named("workspace", extra.workspace[1]),
        *_named("state copies", extra.state_copies[1]),
    )
    share = f"{utilization:g} x {total_gib:.1f} GiB"
    if rules.utilization_of_free:
        text = f"{utilization:g} x ({total_gib:.1f} - {' - '.join(terms)}) = {left(1):.2f} GiB"
    else:
        text = f"{share} - {' - '.join(terms)} = {left(1):.2f} GiB for the cache"
    return Available(
        low=left(2),
        expected=left(1),
        high=left(0),
        outside_gib=(1 - utilization) * total_gib,
        graphs_outside_gib=(0.0, 0.0) if rules.graphs_in_budget else extra.graphs[:2],
        text=text,
    )


def _named(name: str, size: float) -> tuple[str, ...]:
    return (f"{name} {size:.2f}",) if size else ()
