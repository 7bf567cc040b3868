"""When enough layouts were sized: what is simpler, and the fewest replicas for which it holds."""

from __future__ import annotations

from collections.abc import Callable

from advisor.consult.candidate import Candidate
from advisor.consult.layouts import ANY_LINK, strained
from advisor.sizing.layout import Layout

__all__ = ["enough", "joined", "least_for", "narrow", "plain", "settled"]


def joined(candidate: Candidate) -> bool:
    """Tell whether a layout runs without stages and splits no wider than its links carry."""
    return plain(candidate) and not strained(candidate.layout, candidate.card)


def plain(candidate: Candidate) -> bool:
    """Tell whether a layout runs without stages, in one machine."""
    return candidate.layout.pipeline_parallel == 1 and candidate.nodes_per_replica == 1


def narrow(candidate: Candidate) -> bool:
    """Tell whether what talks in every layer is no wider than its links, with stages or without."""
    width = candidate.layout.gpus // candidate.layout.pipeline_parallel
    return width <= max(ANY_LINK, candidate.card.gpu.scale_up_gpus)


def enough(found: list[Candidate]) -> bool:
    """Return whether a plain layout carries the whole load in one replica, with one to compare.

    A split that waits for its links does not settle it: stages of the same GPUs may be better.
    """
    one = any(c.replicas == 1 and c.layout.pipeline_parallel == 1 and narrow(c) for c in found)
    return one and len(found) > 1


def settled(found: list[Candidate], layout: Layout, nodes: int) -> bool:
    """Return whether simpler layouts carry the load with no more GPUs than this one takes.

    Simpler than one over nodes is any inside a node; than one with stages, one without and with
    a split narrow enough for any link.
    """
    fewer = [c for c in found if c.total_gpus <= layout.gpus]
    if nodes > 1:
        return any(c.nodes_per_replica == 1 for c in fewer)
    return layout.pipeline_parallel > 1 and any(
        c.layout.pipeline_parallel == 1 and c.layout.tensor_parallel <= 2 for c in fewer
    )


def least_for(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least number in ``low..high`` for which ``holds``; it is true for ``high``.

    It is mostly near ``low``, so steps that grow find it before halving would.
    """
    top, step = low, 1
    while top < high and not holds(top):
        low, top, step = top + 1, min(high, top + step), 2 * step
    while low < top:
        middle = (low + top) // 2
        if holds(middle):
            top = middle
        else:
            low = middle + 1
    return low
