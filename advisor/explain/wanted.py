"""The speeds that are asked for beside what is estimated: met, missed, or not shown to be met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.consult.consultation import Consultation

__all__ = ["verdict", "wanted", "wanted_words"]

_WANTED = {
    "decode_tokens_per_second": ("objectives.tokens_per_second_per_user", "tokens/s for one user"),
    "total_output_tokens_per_second": (
        "objectives.total_output_tokens_per_second",
        "tokens/s for all users",
    ),
    "ttft_ms": ("objectives.ttft_ms", "ms to the first token"),
}
"""Parameter of the choice, the answer that limits it, and its unit."""


def wanted(told: Consultation, parameter: str) -> float | None:
    """Return what is asked of an estimate.

    Args:
        told: A consultation.
        parameter: Of the choice of GPUs, such as ``ttft_ms``.
    """
    key = _WANTED[parameter][0]
    found = next((given.value for given in told.answers if given.key == key), None)
    plain = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if plain else None  # type: ignore[arg-type]


def verdict(told: Consultation, parameter: str) -> str:
    """Return how an estimate stands to what is asked: empty where nothing is.

    Args:
        told: A consultation.
        parameter: Of the choice of GPUs.
    """
    limit = wanted(told, parameter)
    if limit is None:
        return ""
    low, high = _estimate(told, parameter)
    if low is None or high is None:
        return f"the {limit:,.10g} asked for is not shown to be met"
    if parameter == "ttft_ms":
        low, high, limit = -high, -low, -limit
    asked = f"{abs(limit):,.10g} asked for"
    if low >= limit:
        return f"{asked}: met by estimate"
    return f"{asked}: {'missed by estimate' if high < limit else 'within the range'}"


def wanted_words(told: Consultation, *, unmet: bool = False) -> Iterator[str]:
    """Yield what is asked of the chosen GPUs and how it stands.

    Args:
        told: A consultation.
        unmet: Only what has no estimate.
    """
    decision = told.decisions.get("gpu")
    if decision is None or decision.choice is None:
        return
    for parameter, (_, unit) in _WANTED.items():
        limit = wanted(told, parameter)
        known = _estimate(told, parameter)[0] is not None
        if limit is None or (unmet and known):
            continue
        if known:
            yield f"{unit}: {verdict(told, parameter)}"
        else:
            yield f"no estimate of {unit}, so that {limit:,.10g} is not shown to be met"


def _estimate(told: Consultation, parameter: str) -> tuple[float | None, float | None]:
    decision = told.decisions.get("gpu")
    values: Mapping[str, Any] = (
        {} if decision is None or decision.choice is None else decision.choice.model_dump()
    )
    found = values.get(parameter)
    return (found["low"], found["high"]) if isinstance(found, Mapping) else (None, None)
