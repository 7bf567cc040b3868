"""Other fleets than the one that is chosen, and when each would be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.consult.consultation import Alternative
from advisor.consult.published import as_run, format_bits
from advisor.consult.several.fleet import Fleet, Part
from advisor.consult.several.fleet_choice import fleet_choice
from advisor.counted import counted

if TYPE_CHECKING:
    from advisor.consult.several.fleet_decisions import JudgedFleets

__all__ = ["fleet_alternatives"]

_MOST_ALTERNATIVES = 4
_PARTS = {"mig": "MIG instances", "partition": "compute partitions", "vgpu": "vGPUs"}
_IF_APART = {
    "mig": "If each load had to be isolated, in a MIG instance of its own.",
    "partition": "If each load had to have memory of its own, in a partition of the GPU.",
    "vgpu": "If each load had to have a virtual machine, with a vGPU of its own.",
}


def fleet_alternatives(judged: JudgedFleets) -> Iterator[Alternative]:
    """Yield the best of every other kind of fleet, and one of fewer of the same GPUs."""
    best, *others = judged.ranked
    told: set[tuple[object, ...]] = {(*_kind(best), False)}
    demoted = judged.rulings.rejections("should")
    for fleet in others:
        # GPUs that are there already cost the same idle, so that fewer are no other way then
        kind = (*_kind(fleet), judged.to_be_paid and _fewer(fleet, best))
        if len(told) > _MOST_ALTERNATIVES or kind in told:
            continue
        told.add(kind)
        against = demoted.get(fleet.id)
        yield Alternative(
            choice=fleet_choice(fleet, judged.option),
            because=_in_short(fleet, owned=judged.owned),
            would_be_chosen_if=(
                f"If this did not count: {against.because}"
                if against is not None and against.rule.id not in _against(judged, best)
                else _if(fleet, best)
            ),
            citations=judged.rulings.cite("8.1", "8.2" if fleet.shared else "7.3"),
        )


def _against(judged: JudgedFleets, fleet: Fleet) -> set[str]:
    found = judged.rulings.rejections("should").get(fleet.id)
    return set() if found is None else {found.rule.id}


def _kind(fleet: Fleet) -> tuple[object, ...]:
    return (*fleet.gpus, fleet.manner, fleet.sharing)


def _fewer(fleet: Fleet, best: Fleet) -> bool:
    """Tell whether it takes fewer of the same GPUs."""
    return _kind(fleet) == _kind(best) and fleet.total_gpus < best.total_gpus


def _in_short(fleet: Fleet, *, owned: bool) -> str:
    names = [part.load.name for part in fleet.parts if part.fraction is not None]
    how = f"shared by {', '.join(names)}" if names else "whole GPUs for each load"
    if fleet.layouts:
        how = f"cut into {_PARTS[fleet.cut]}"
    if owned:
        return f"{fleet.what}, {how}."
    if fleet.purchase_usd is not None:
        usd = fleet.purchase_usd
        return f"{fleet.what}, {how}, about {usd.low:,.0f} to {usd.high:,.0f} USD to buy."
    if fleet.quotes is None:
        return f"{fleet.what}, {how}; no price known."
    dated = min(quote.as_of for quote in fleet.quotes)
    return f"{fleet.what}, {how}, {fleet.usd_per_hour or 0.0:.2f} USD an hour as of {dated}."


def _if(fleet: Fleet, best: Fleet) -> str:
    mine, other = fleet.money, best.money
    paid, each = ("cost", "USD less") if best.bought else ("rented for", "USD an hour less")
    if fleet.layouts:
        return _IF_APART[fleet.cut]
    if best.shared and not fleet.shared:
        return "If no load may share a GPU with another."
    if fleet.shared and not best.shared:
        return "If the loads may share GPUs, without isolation of memory or time."
    if mine is not None and other is not None and mine > other:
        gap = f"{mine - other:,.0f}" if best.bought else f"{mine - other:.2f}"
        return f"If it {paid} {gap} {each}."
    if mine is None and other is not None:
        return "If a quote for it were below the price of the choice; no price is known."
    return _if_fewer(fleet, best) if _fewer(fleet, best) else "If the choice could not be had."


def _if_fewer(fleet: Fleet, best: Fleet) -> str:
    """Return what fewer GPUs cost: narrower weights, else what the order counts against them."""
    narrower = [
        f"{_weights(part)} for {part.load.name} instead of {_weights(wide)}"
        for part, wide in zip(fleet.parts, best.parts, strict=True)
        if format_bits(part.candidate.weight_format) < format_bits(wide.candidate.weight_format)
    ]
    fewer = counted(best.total_gpus - fleet.total_gpus, "GPU")
    if not narrower:
        return f"If {fewer} fewer outweigh what speaks against its layouts."
    return f"If {fewer} fewer outweigh narrower weights: {', '.join(narrower)}."


def _weights(part: Part) -> str:
    return as_run(part.candidate.weight_format, part.card.gpu)
