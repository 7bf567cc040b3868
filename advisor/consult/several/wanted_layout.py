"""Loads on the instances of a MIG layout that is wanted: it binds, or the choice says why not."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.consult.platform.layouts_of_mig import Layout, stated_layout
from advisor.consult.several.fleet import Part
from advisor.consult.several.loads import SizedLoad, alike
from advisor.consult.several.slices import Sliced, on_instances
from advisor.consult.situation import Card
from advisor.sizing.size import SizingFacts
from advisor.store.mig import MigTable

__all__ = ["Refused", "as_wanted"]

_MOST_TRIED = 5000
"""Ways to spread loads over profiles that are compared."""
_Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a layout that is wanted cannot carry the loads."""

    text: str


def as_wanted(
    sized: tuple[SizedLoad, ...],
    whole: list[tuple[Part, ...]],
    wanted: object,
    tables: Mapping[str, MigTable],
    facts: SizingFacts,
) -> Sliced | Refused:
    """Return the loads on the fewest GPUs that are cut as wanted, or why that cannot be.

    Args:
        sized: The loads.
        whole: By load, its candidates on whole GPUs of the kind, best first.
        wanted: ``tenancy.mig_layout_wanted``: one GPU's profiles, or a list of them.
        tables: MIG profiles by id.
        facts: What sizing knows.
    """
    card = whole[0][0].candidate.card
    table = tables.get(card.gpu.mig.profile_table or "")
    if not card.gpu.mig.supported or table is None:
        return Refused(f"{card.gpu.name} has no MIG profiles in the catalogue")
    stated = stated_layout(wanted, table, card.gpu.name)
    rows = () if stated is None else tuple(row for row in stated.gpus if row)
    if stated is None or not rows:
        return Refused(f"none of its profiles is one of the {card.gpu.name}")
    ways: list[tuple[Part, ...]] = []
    for load, parts in zip(sized, whole, strict=True):
        found = _ways(load, parts[0], card, table, stated, facts)
        if not found:
            return Refused(
                f"{load.load.name} fits no instance of it on {card.gpu.name} ({stated.words})"
            )
        ways.append(found)
    chosen = min(_spreads(ways, sized), key=lambda parts: _cost(parts, rows))
    count = _gpus(chosen, rows)
    return Sliced(chosen, tuple(tuple(rows[i % len(rows)]) for i in range(count)))


def _ways(
    sized: SizedLoad, best: Part, card: Card, table: MigTable, layout: Layout, facts: SizingFacts
) -> tuple[Part, ...]:
    """Return the load on each profile that carries it, in the first format that any does."""
    load = sized.attempt.situation.load
    if load.model is None or load.trains:
        return ()
    names = dict.fromkeys(name for row in layout.gpus for name in row)
    profiles = [profile for name in names if (profile := table.profile(name)) is not None]
    near = [c for c in sized.attempt.ranked if c.card.label == card.label]
    for weight_format in dict.fromkeys(candidate.weight_format for candidate in near):
        base = next(c for c in near if c.weight_format == weight_format)
        judged = base.id if base.gpus_per_replica == 1 else None
        found = [
            replace(best, candidate=made, profile=profile.profile, whole=card, judged=judged)
            for profile in sorted(profiles, key=lambda p: p.memory_slices)
            if (made := on_instances(load, base, card, profile, table, facts)) is not None
        ]
        if found:
            return tuple(found)
    return ()


def _spreads(ways: list[tuple[Part, ...]], sized: tuple[SizedLoad, ...]) -> list[tuple[Part, ...]]:
    """Return ways to spread the loads: each by itself, where too many, those alike together."""
    if math.prod(map(len, ways)) <= _MOST_TRIED:
        return list(itertools.product(*ways))
    groups = alike(sized)
    if math.prod(len(ways[group[0]]) for group in groups) > _MOST_TRIED:
        return [tuple(found[0] for found in ways)]
    place = {index: number for number, group in enumerate(groups) for index in group}
    picks = itertools.product(*(range(len(ways[group[0]])) for group in groups))
    return [tuple(found[pick[place[i]]] for i, found in enumerate(ways)) for pick in picks]


def _cost(parts: Sequence[Part], rows: _Rows) -> tuple[int, int]:
    return _gpus(parts, rows), sum(part.copies for part in parts)


def _gpus(parts: Sequence[Part], rows: _Rows) -> int:
    """Return how many GPUs, cut as the rows say in turn, have an instance for every engine."""
    need: Counter[str] = Counter()
    for part in parts:
        need[str(part.profile)] += part.copies
    free: Counter[str] = Counter()
    for count in itertools.count(1):
        free.update(rows[(count - 1) % len(rows)])
        if all(free[name] >= number for name, number in need.items()):
            return count
    raise AssertionError
