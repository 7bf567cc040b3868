"""A model of which a part is not published: nothing was found not to fit, nothing can be summed."""

from __future__ import annotations

import math

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Unfit
from advisor.consult.published import format_bits, runs_as
from advisor.store.model import Model

__all__ = ["why_unsized"]

_GIB = 2**30


def why_unsized(attempt: Attempt) -> str | None:
    """Return why the memory cannot be summed up, and what is known; ``None`` where it was.

    That the cache is not known says nothing about whether the model fits, so no GPU is ruled out.
    """
    load = attempt.situation.load
    if load.model is None or "attention" not in load.model.unknown_shapes:
        return None
    unsized = [unfit for unfit in attempt.found.unfit if _may_hold(unfit, load.model)]
    if not unsized:
        return None
    weights = _weights_gib(load.model)
    counts = ", ".join(f"{least} x {label}" for label, least in _least(unsized, weights))
    return (
        f"what a request of {load.label} takes in the cache is not known, so neither is on how "
        f"many GPUs it fits. Its weights alone, {weights:,.0f} GiB in {runs_as(load.model)}, "
        f"ask for {counts} at least; the cache comes on top. Give workload.model_config once the "
        "engine's own is known, or try the exact build."
    )


def _may_hold(unfit: Unfit, model: Model) -> bool:
    """Tell whether there may be so many of a card that the weights fit; how they split is open."""
    if unfit.reason == "format_unsupported_on_gpu":
        return False
    most = unfit.card.max_gpus
    return most is None or most * unfit.card.memory_gib > _weights_gib(model)


def _weights_gib(model: Model) -> float:
    """Return the size of the published weights: of their files where those were counted."""
    published = runs_as(model)
    for build in model.builds:
        if build.format == published and build.checkpoint_gb is not None:
            return build.checkpoint_gb * 1e9 / _GIB
    return model.parameters_b * 1e9 * format_bits(published) / 8 / _GIB


def _least(unsized: list[Unfit], weights: float) -> list[tuple[str, int]]:
    """Return for each card the fewest that hold the weights, three cards at most."""
    cards = {unfit.card.label: unfit.card.memory_gib for unfit in unsized}
    counts = [(label, math.ceil(weights / memory)) for label, memory in cards.items()]
    return sorted(counts, key=lambda pair: pair[1])[:3]
