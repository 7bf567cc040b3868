"""How a fleet is shared, for the decision on sharing: which load sits where, in which part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.consult.several.fleet import Fleet, Part

__all__ = ["of_fleet", "sharers"]

_SLOTS = frozenset({"time_slicing", "mps"})
"""Ways in which the device plugin shows each GPU several times."""


def of_fleet(fleet: Fleet, option: str) -> dict[str, Any]:
    """Return the parameters of a way to share: where loads sit, what GPUs are cut into.

    Args:
        fleet: The chosen GPUs.
        option: Way to share; what the fleet was sized for is told of the ways that it goes with.
    """
    found: dict[str, Any] = {"placement": list(_placement(fleet))}
    if fleet.layouts:
        found["layout"] = [list(held) for held in fleet.layouts]
    if fleet.shared and option in _SLOTS:
        found["replicas"] = fleet.most_beside
        found["memory_fraction"] = max(part.fraction or 0.0 for part in fleet.parts)
    if fleet.manner == "partition":
        modes = dict.fromkeys((held[0], len(held)) for held in fleet.layouts)
        if len(modes) == 1:
            (found["profile"], found["partitions"]) = next(iter(modes))
    return found


def sharers(fleet: Fleet) -> dict[str, Any]:
    """Return what rules on sharing ask of the loads that share."""
    held = [part for part in fleet.parts if part.fraction is not None] or list(fleet.parts)
    tenants = {part.load.tenant for part in held}
    return {
        "fleet_even": fleet.even,
        "fleet_as_wanted": fleet.as_wanted,
        "layout_refused": fleet.refused or None,
        "fleet_rests": all(part.load.rests for part in held),
        "fleet_tenants": len(tenants - {None}),
        "fleet_one_tenant": fleet.one_owner or (len(tenants) == 1 and None not in tenants),
    }


def _placement(fleet: Fleet) -> Iterator[dict[str, Any]]:
    for part in fleet.parts:
        line = {
            "workload": part.load.name,
            "gpu": part.card.label,
            "gpus": _gpus(part),
            "replicas": part.copies,
            "profile": part.profile,
            "memory_fraction": part.fraction,
        }
        yield {key: value for key, value in line.items() if value is not None}


def _gpus(part: Part) -> int | None:
    """Return how many whole GPUs the load has; ``None`` where it holds parts."""
    return part.own_gpus if part.fraction is None and part.profile is None else None
