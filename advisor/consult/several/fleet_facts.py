"""The fact ``fleet``: GPUs for all loads with what rules may ask of them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.answers.model import Answers
from advisor.consult.candidate_facts import known_only
from advisor.consult.facts import answer_facts
from advisor.consult.platform.supported import supports
from advisor.consult.several.fleet import Fleet, Part
from advisor.rules.facts import Fact

__all__ = ["fleet_facts"]


def fleet_facts(
    answers: Answers, fleets: tuple[Fleet, ...], *, owned: bool, vms: bool = False
) -> list[Fact]:
    """Return the facts of the answers and of every fleet, in a stable order.

    Args:
        answers: What is said.
        fleets: What carries all loads.
        owned: Whether the GPUs are there.
        vms: Whether vGPUs are to be had.
    """
    return [*answer_facts(answers), *_fleets(fleets, owned=owned, vms=vms)]


def _fleets(fleets: tuple[Fleet, ...], *, owned: bool, vms: bool) -> Iterator[Fact]:
    for fleet in fleets:
        largest, parts = fleet.largest, fleet.parts
        sharing = [part for part in parts if part.fraction is not None]
        tenants = {part.load.tenant for part in sharing or parts}
        fields = known_only(
            what=fleet.what,
            owned=owned,
            kinds=len(fleet.gpus),
            loads=len(parts),
            engines=sum(part.copies for part in sharing or parts),
            sharing=len(sharing),
            sharing_names=" and ".join(part.load.name for part in sharing) or None,
            total_gpus=fleet.total_gpus,
            own_gpus=sum(part.own_gpus for part in parts),
            nodes=fleet.nodes,
            shared=fleet.shared,
            mig=fleet.manner == "mig",
            partitions=fleet.manner == "partition",
            vgpus=fleet.manner == "vgpu",
            vgpu_mig=vms and all(supports("vgpu_mig", part.card.gpu) for part in parts),
            cut_as=_cut_as(fleet),
            instances=sum(map(len, fleet.layouts)) or None,
            fullest_percent=None if fleet.fullest is None else round(100 * fleet.fullest),
            largest=largest.load.name,
            largest_gpus=largest.own_gpus,
            largest_engines=largest.copies,
            usd_per_hour=fleet.usd_per_hour,
            purchase_usd_low=fleet.purchase_usd.low if fleet.purchase_usd else None,
            one_tenant=fleet.one_owner or (len(tenants) == 1 and None not in tenants),
            split_for_others=owned and not fleet.shared and any(map(_split_for_others, parts)),
            named_tenants=len(tenants - {None}),
            busy=all(part.load.busy for part in sharing or parts),
        )
        yield Fact("fleet", fleet.id, fields)


def _cut_as(fleet: Fleet) -> str | None:
    """Return how each kind of cut GPU is cut: ``CPX (8 parts of a GPU)``."""
    if not fleet.layouts or fleet.manner == "mig":
        return None
    kinds = dict.fromkeys((held[0], len(held)) for held in fleet.layouts)
    return " and ".join(f"{name} ({count} parts of a GPU)" for name, count in kinds)


def _split_for_others(part: Part) -> bool:
    """Tell whether stages stand where fast links join the GPUs and alone it has a better way.

    It runs in stages only since other loads hold the GPUs that a legal tensor split would take.
    """
    layout, card = part.candidate.layout, part.candidate.card
    bridged = card.gpu.interconnect.nvlink_bridge_only
    joined = min(card.gpu.scale_up_gpus, card.island_gpus) >= part.width and not bridged
    in_stages = layout.pipeline_parallel > 1 and part.candidate.nodes_per_replica == 1
    return in_stages and joined and part.place > 0
