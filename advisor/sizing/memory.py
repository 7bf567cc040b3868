"""What is left for the cache on one GPU, by the engine's own accounting."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.overheads import Overheads

__all__ = ["Available", "Budget", "available_memory"]

_Bounds = tuple[float, float, float]
"""Least, expected, most GiB."""

_WEIGHTS_DOWN, _WEIGHTS_UP = 0.995, 1.01
"""Spread of computed against printed weights (20 cases, median 0.2 %, handbook section 7.3)."""
_PEAK_DOWN, _PEAK_UP = 0.95, 1.10
"""Spread of the computed peak against printed ones (10 cases, worst 6.6 %)."""
_ALWAYS_SHOWN = 4
_NOTHING = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """One GPU, the engine's share of it, and the weights it must hold."""

    total_gib: float
    """What the runtime reports."""
    utilization: float
    """Share the engine may take."""
    weights_gib: float
    weights_stated: bool = False
    """The weights are a printed figure: no spread on them."""
    has_states: bool = False
    """A separate pool for recurrent states, where there is one, takes its share of the rest."""


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


def available_memory(budget: Budget, extra: Overheads, rules: EngineRules) -> Available:
    """Return what the engine leaves for the cache.

    vLLM: ``utilisation * total - weights - non-torch - transient peak - graphs`` (graphs since
    the version that counts them). SGLang: ``fraction * total - weights``. TensorRT-LLM:
    ``fraction * (total - weights - workspace)``. Handbook section 7.3.
    """
    terms = _terms(budget, extra, rules)
    least, expected, most = (sum(bounds[index] for _, bounds in terms) for index in range(3))
    return Available(
        low=_left(budget, rules, most),
        expected=_left(budget, rules, expected),
        high=_left(budget, rules, least),
        outside_gib=(1 - budget.utilization) * budget.total_gib,
        graphs_outside_gib=(0.0, 0.0) if rules.graphs_in_budget else extra.graphs[:2],
        text=_sum_in_words(budget, rules, terms, _left(budget, rules, expected)),
    )


def _terms(budget: Budget, extra: Overheads, rules: EngineRules) -> tuple[tuple[str, _Bounds], ...]:
    """Return what the engine subtracts, by name."""
    weights = budget.weights_gib
    down, up = (1.0, 1.0) if budget.weights_stated else (_WEIGHTS_DOWN, _WEIGHTS_UP)
    counts_all = rules.pool_includes_activations
    peak = extra.activation_peak if counts_all else 0.0
    return (
        ("weights", (weights * down, weights, weights * up)),
        ("non-torch", extra.non_torch if counts_all else _NOTHING),
        ("peak", (peak * _PEAK_DOWN, peak, peak * _PEAK_UP)),
        ("graphs", extra.graphs if rules.graphs_in_budget else _NOTHING),
        ("workspace", extra.workspace),
        ("state copies", extra.state_copies),
    )


def _pool_share(budget: Budget, rules: EngineRules) -> float:
    """Return the share of what is left that becomes this cache; states may have the rest."""
    if budget.has_states and rules.state_pool_ratio is not None:
        return rules.pool_share / (1 + rules.state_pool_ratio)
    return rules.pool_share


def _left(budget: Budget, rules: EngineRules, taken_gib: float) -> float:
    share = _pool_share(budget, rules)
    if rules.utilization_of_free:
        return budget.utilization * (budget.total_gib - taken_gib) * share
    return (budget.utilization * budget.total_gib - taken_gib) * share


def _sum_in_words(
    budget: Budget, rules: EngineRules, terms: tuple[tuple[str, _Bounds], ...], left_gib: float
) -> str:
    shown = [
        f"{name} {bounds[1]:.2f}"
        for index, (name, bounds) in enumerate(terms)
        if index < _ALWAYS_SHOWN or bounds[1]
    ]
    taken = " - ".join(shown)
    share = _pool_share(budget, rules)
    after = f" x {share:.3g}" if share != 1 else ""
    left = f"= {left_gib:.2f} GiB left"
    if rules.utilization_of_free:
        return f"{budget.utilization:g} x ({budget.total_gib:.2f} GiB - {taken}){after} {left}"
    rest = f"{budget.utilization:g} x {budget.total_gib:.2f} GiB - {taken}"
    return f"({rest}){after} {left}" if after else f"{rest} {left}"
