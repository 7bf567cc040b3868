"""The order among fleets, and the sentence that explains it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from advisor.consult.published import format_bits
from advisor.consult.several.fleet import Fleet

__all__ = ["fleet_order_text", "rank_fleets"]

Key = tuple[float | int | str, ...]

_ORDER_TEXT: Mapping[str, str] = {
    "cost": "the lowest rent of all loads together, then what no rule speaks against",
    "balanced": (
        "the lowest rent of all loads together, dearer by what rules hold against it, then the "
        "wider weights and the least GPU memory"
    ),
}
_BY_LOAD = "what each load would take alone under priority {priority}, then the lowest rent"
_OWNED = (
    "what no rule speaks against, whole GPUs for each load before shared ones, then what each load "
    "would take alone"
)
_GROWN = "the least GPU memory to add, dearer by what rules hold against it and by narrower weights"
_NARROW = 1.4
"""With GPUs of one's own narrower weights are an objection of this weight (``ranking``)."""


def fleet_order_text(
    priority: str, *, owned: bool, grown: bool = False, bought: bool = False
) -> str:
    """Return what comes first, in words."""
    if grown:
        return _GROWN
    if owned:
        return _OWNED
    text = _ORDER_TEXT.get(priority, _BY_LOAD.format(priority=priority))
    return text.replace("rent", "purchase price") if bought else text


def rank_fleets(
    fleets: tuple[Fleet, ...],
    surcharges: Mapping[str, float],
    priority: str,
    *,
    owned: bool,
    grown: bool = False,
) -> tuple[Fleet, ...]:
    """Return the fleets best first.

    Args:
        fleets: Survivors of the rules that must hold.
        surcharges: Fleet id to the factor on its cost.
        priority: Value of ``objectives.priority``.
        owned: Whether the GPUs are there already: then idle ones save nothing.
        grown: Whether more of the same are to be had, without a price.
    """

    def key(fleet: Fleet) -> Key:
        rules = surcharges.get(fleet.id, 1.0)
        surcharge = rules * fleet.weighed(_NARROW if owned else 1.0)
        if grown:
            return (fleet.installed_gib * surcharge, surcharge, *_rest(fleet))
        if owned:
            return (
                rules,
                fleet.sharing,
                bool(fleet.layouts),
                _places(fleet),
                surcharge,
                *_rest(fleet),
            )
        if priority == "cost":
            return (_usd(fleet), surcharge, *_rest(fleet))
        if priority == "balanced":
            return (_usd(fleet) * surcharge, fleet.installed_gib * surcharge, *_rest(fleet))
        return (
            fleet.sharing,
            bool(fleet.layouts),
            _places(fleet),
            _usd(fleet) * surcharge,
            surcharge,
            *_rest(fleet),
        )

    return tuple(sorted(fleets, key=key))


def _usd(fleet: Fleet) -> float:
    """A fleet without a price ranks after all that have one, never as free."""
    return math.inf if fleet.money is None else fleet.money


def _places(fleet: Fleet) -> int:
    return sum(part.place for part in fleet.parts)


def _rest(fleet: Fleet) -> Key:
    bits = sum(format_bits(part.candidate.weight_format) for part in fleet.parts)
    published = sum(not part.candidate.published for part in fleet.parts)
    return (published, -bits, fleet.installed_gib, fleet.total_gpus, fleet.sharing, fleet.id)
