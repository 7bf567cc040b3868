"""The fact ``fleet``: GPUs for all loads with what rules may ask of them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.answers.model import Answers
from advisor.consult.candidate_facts import known_only
from advisor.consult.facts import answer_facts
from advisor.consult.several.fleet import Fleet
from advisor.rules.facts import Fact

__all__ = ["fleet_facts"]


def fleet_facts(answers: Answers, fleets: tuple[Fleet, ...], *, owned: bool) -> list[Fact]:
    """Return the facts of the answers and of every fleet, in a stable order."""
    return [*answer_facts(answers), *_fleets(fleets, owned=owned)]


def _fleets(fleets: tuple[Fleet, ...], *, owned: bool) -> Iterator[Fact]:
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
            mig=bool(fleet.layouts),
            instances=sum(map(len, fleet.layouts)) or None,
            fullest_percent=None if fleet.fullest is None else round(100 * fleet.fullest),
            largest=largest.load.name,
            largest_gpus=largest.own_gpus,
            largest_engines=largest.copies,
            usd_per_hour=fleet.usd_per_hour,
            purchase_usd_low=fleet.purchase_usd.low if fleet.purchase_usd else None,
            one_tenant=len(tenants) == 1 and None not in tenants,
            named_tenants=len(tenants - {None}),
            busy=all(_busy(part.load.answers) for part in sharing or parts),
        )
        yield Fact("fleet", fleet.id, fields)


def _busy(answers: Answers) -> bool:
    return answers.get("tenancy.duty") == "sustained"
