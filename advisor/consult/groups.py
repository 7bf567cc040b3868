"""A mixed fleet carries together what no kind of its machines carries alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from advisor.consult.attempt import Attempt, Desk
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Warned
from advisor.consult.layouts import strained
from advisor.consult.published import as_run
from advisor.consult.rulings import Rulings
from advisor.consult.situation import Card, Situation
from advisor.consult.targets import targets_of
from advisor.counted import counted

__all__ = ["Group", "group_fields", "group_sentences", "together", "warnings_of_all"]


@dataclass(frozen=True, slots=True)
class Group:
    """Equal machines with their part of the load; no replica reaches into another group."""

    candidate: Candidate
    requests: int
    """At once, of those that the whole load has."""
    rulings: Rulings
    """What rules say of it."""


def together(desk: Desk, failed: Attempt) -> Attempt | None:
    """Return the largest part of the load on its machines, with all parts in ``groups``.

    Only machines of an inventory are there together; a list of GPUs names alternatives. All
    groups take the same weights where that is possible, so that they give the same answers, and
    neither stages nor wide splits over slow links where it goes without.
    A speed that all of them must reach together is not shared out.

    Args:
        desk: Sizes, fires and ranks.
        failed: What no kind of machine carries alone.
    """
    situation = failed.situation
    load = situation.load
    targets = targets_of(situation.answers, load)
    if load.trains or situation.open_reasons or len(situation.cards) < 2 or load.concurrency < 2:
        return None
    if not (situation.owned and situation.answers.is_given("hardware.inventory")):
        return None
    if targets.total is not None or targets.prompts.wanted is not None:
        return None
    same_weights = [(name,) for name in load.formats]
    for formats, plain in itertools.product((*same_weights, load.formats), (True, False)):
        same = replace(situation, load=replace(load, formats=formats))
        shares = _shares(desk, same, plain=plain)
        groups = [_group(desk, same, card, share) for card, share in shares]
        found = [group for group in groups if group is not None]
        if found and len(found) == len(groups):
            first = max(found, key=lambda pair: pair[1].requests)
            rest = (group for _, group in found if group is not first[1])
            return replace(first[0], groups=(first[1], *rest), fleet=situation.cards)
    return None


def _shares(desk: Desk, situation: Situation, *, plain: bool) -> list[tuple[Card, int]]:
    """Return the fewest groups that carry the load, each with its part by what it could hold."""
    load = situation.load.concurrency
    most = [(card, _most(desk, situation, card, plain=plain)) for card in situation.cards]
    most.sort(key=lambda pair: -pair[1])
    taken: list[tuple[Card, int]] = []
    for card, held in most:
        if held > 0 and sum(count for _, count in taken) < load:
            taken.append((card, held))
    room = sum(count for _, count in taken)
    if room < load:
        return []
    shares, left = [], load
    for card, held in taken:
        share = min(left, held, math.ceil(load * held / room))
        shares.append((card, share))
        left -= share
    return [(card, share) for card, share in shares if share > 0]


def _most(desk: Desk, situation: Situation, card: Card, *, plain: bool) -> int:
    """Return the most requests at once that machines of one kind surely carry."""
    targets = targets_of(situation.answers, situation.load)

    def carries(requests: int) -> bool:
        found = desk.candidates(_part(situation, card, requests)).kept
        safe = (c for c in found if not (c.borderline or targets.missed_by(c)))
        return any(not (plain and strained(c.layout, c.card)) for c in safe)

    low, high = 0, situation.load.concurrency
    while low < high:
        middle = (low + high + 1) // 2
        if carries(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _part(situation: Situation, card: Card, requests: int) -> Situation:
    load = replace(situation.load, concurrency=requests)
    return replace(situation, cards=(card,), load=load)


def _group(
    desk: Desk, situation: Situation, card: Card, requests: int
) -> tuple[Attempt, Group] | None:
    attempt = desk.attempt(_part(situation, card, requests))
    best = attempt.best
    return None if best is None else (attempt, Group(best, requests, attempt.rulings))


def warnings_of_all(
    groups: tuple[Group, ...], first: tuple[Warned, ...], decisions: Collection[str]
) -> tuple[Warned, ...]:
    """Return the warnings of the first group, and those that only another one has."""
    told = {warned.id: warned for warned in first}
    for group in groups[1:]:
        for warned in group.rulings.warnings(group.candidate.id, decisions):
            told.setdefault(warned.id, warned)
    return tuple(told.values())


def group_fields(groups: tuple[Group, ...]) -> dict[str, Any]:
    """Return what a choice says of its groups, the one that its own figures are of first."""
    if not groups:
        return {}
    return {
        "groups": [_fields(group) for group in groups],
        "fleet_gpus": sum(group.candidate.total_gpus for group in groups),
    }


def _fields(group: Group) -> dict[str, Any]:
    best = group.candidate
    layout = best.layout
    fields: dict[str, Any] = {
        "gpu": best.card.label,
        "count_per_replica": best.gpus_per_replica,
        "replicas": best.replicas,
        "total_gpus": best.total_gpus,
        "nodes": best.nodes,
        "weight_format": as_run(best.weight_format, best.card.gpu),
        "tensor_parallel": layout.tensor_parallel,
        "pipeline_parallel": layout.pipeline_parallel,
        "data_parallel": layout.data_parallel,
        "expert_parallel": layout.expert_ranks if layout.expert_parallel else 1,
        "requests": group.requests,
        "max_num_seqs": best.result.max_num_seqs,
        "gpu_memory_utilization": best.result.gpu_memory_utilization,
    }
    return {name: value for name, value in fields.items() if value is not None}


def group_sentences(groups: tuple[Group, ...]) -> Iterator[str]:
    """Yield how the load is shared out, and what that asks of the router."""
    if not groups:
        return
    requests = sum(group.requests for group in groups)
    parts = "; ".join(_words(group) for group in groups)
    yield (
        f"No kind of the owned machines carries the {counted(requests, 'request')} alone; together "
        f"they do, each with replicas of its own and no replica over unequal cards: {parts}."
    )
    if len({group.requests for group in groups}) > 1:
        yield "The router must weigh them so: equal shares would overload the smaller group."
    if len({group.candidate.weight_format for group in groups}) > 1:
        yield "Their weights differ, so the same question may be answered differently."
    yield f"What follows is of the {groups[0].candidate.card.label} with their part."


def _words(group: Group) -> str:
    best = group.candidate
    each = counted(best.gpus_per_replica, "GPU")
    replicas = f"{counted(best.replicas, 'replica')} of {each}"
    what = f"{best.total_gpus} x {best.card.label} in {best.weight_format}"
    return f"{group.requests} on {what} ({replicas})"
