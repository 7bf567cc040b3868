"""Loads on MIG instances: which profile carries each, and how few GPUs hold all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from advisor.consult.candidate import Candidate
from advisor.consult.several.fleet import Part
from advisor.consult.several.loads import SizedLoad, alike
from advisor.consult.share_of_load import holds_at_once, size_request
from advisor.consult.situation import Card, Load
from advisor.sizing.layout import Layout
from advisor.sizing.mig_placement import as_slice, fewest_gpus, plain_profiles
from advisor.sizing.size import SizingFacts, size_layout
from advisor.store.gpu import Gpu
from advisor.store.mig import MigProfile, MigTable

__all__ = ["Sliced", "on_instances", "on_parts", "sliced"]

_MOST_ENGINES = 500
_ONE = Layout(tensor_parallel=1)


@dataclass(frozen=True, slots=True)
class Sliced:
    """All loads on instances of one kind of GPU."""

    parts: tuple[Part, ...]
    layouts: tuple[tuple[str, ...], ...]
    """Profiles of each GPU."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One profile for one load."""

    part: Part
    profile: MigProfile


def sliced(
    sized: tuple[SizedLoad, ...],
    whole: list[tuple[Part, ...]],
    tables: Mapping[str, MigTable],
    facts: SizingFacts,
) -> Sliced | None:
    """Return the loads on the fewest GPUs cut into instances; ``None`` where one fits no instance.

    The smallest profiles say how many GPUs it takes; then each load gets back wider weights where
    no GPU more has to be had.

    Args:
        sized: The loads.
        whole: By load, its candidates on whole GPUs of the kind, best first.
        tables: MIG profiles by id.
        facts: What sizing knows.
    """
    card = whole[0][0].candidate.card
    table = tables.get(card.gpu.mig.profile_table or "")
    if not card.gpu.mig.supported or table is None:
        return None
    ways = []
    for load, parts in zip(sized, whole, strict=True):
        found = list(_ways(load, parts[0], card, table, facts))
        if not found:
            return None
        ways.append(found)
    chosen = [min(found, key=_taken) for found in ways]
    if sum(way.part.copies for way in chosen) > _MOST_ENGINES:
        return None
    # owned GPUs that idle save nothing, so that wider weights may take them
    most = max(len(_placed(chosen, table)), card.max_gpus or 0)
    for group in alike(sized):
        for pick in range(len(ways[group[0]])):
            tried = [ways[i][pick] if i in group else way for i, way in enumerate(chosen)]
            if len(_placed(tried, table)) <= most:
                chosen = tried
                break
    layouts = tuple(tuple(p.profile for p in held) for held in _placed(chosen, table))
    return Sliced(tuple(way.part for way in chosen), layouts)


def _taken(way: _Way) -> tuple[int, str]:
    return way.part.copies * way.profile.memory_slices, way.part.candidate.id


def _placed(ways: list[_Way], table: MigTable) -> tuple[tuple[MigProfile, ...], ...]:
    return fewest_gpus([way.profile for way in ways for _ in range(way.part.copies)], table)


def _ways(
    sized: SizedLoad, best: Part, card: Card, table: MigTable, facts: SizingFacts
) -> Iterator[_Way]:
    """Yield the load in each format, as ranked, on the smallest sum of instances that do."""
    load = sized.attempt.situation.load
    if load.model is None or load.trains:
        return
    near = [c for c in sized.attempt.ranked if c.card.label == card.label]
    for weight_format in dict.fromkeys(candidate.weight_format for candidate in near):
        base = next(c for c in near if c.weight_format == weight_format)
        found = [
            way
            for profile in plain_profiles(table)[:-1]
            if (way := _on(load, best, base, card, profile, table, facts)) is not None
        ]
        if found:
            yield min(found, key=_taken)


def _on(
    load: Load,
    best: Part,
    base: Candidate,
    card: Card,
    profile: MigProfile,
    table: MigTable,
    facts: SizingFacts,
) -> _Way | None:
    found = on_instances(load, base, card, profile, table, facts)
    if found is None:
        return None
    judged = base.id if base.gpus_per_replica == 1 else None
    part = replace(best, candidate=found, profile=profile.profile, whole=card, judged=judged)
    return _Way(part, profile)


def on_instances(
    load: Load,
    base: Candidate,
    card: Card,
    profile: MigProfile,
    table: MigTable,
    facts: SizingFacts,
    *,
    most: int | None = None,
    tight: bool = False,
) -> Candidate | None:
    """Return the load on the fewest instances of one profile, an engine in each, or ``None``.

    Args:
        load: What is served.
        base: The load on whole GPUs, whose format is kept.
        card: The GPU that is cut.
        profile: Into which instances.
        table: Of the GPU's profiles.
        facts: What sizing knows.
        most: Instances that it may take; by default one for each request at once.
        tight: Whether an engine that starts by the expected figure only will do.
    """
    part = as_slice(card.gpu, profile, table)
    return on_parts(load, base, card, part, profile.profile, facts, most, tight=tight)


def on_parts(
    load: Load,
    base: Candidate,
    card: Card,
    gpu: Gpu,
    name: str,
    facts: SizingFacts,
    most: int | None = None,
    *,
    tight: bool = False,
) -> Candidate | None:
    """Return the load on the fewest parts of a GPU, an engine in each, or ``None``.

    Args:
        load: What is served.
        base: The load on whole GPUs, whose format is kept.
        card: The GPU that is cut.
        gpu: What a process in one part sees.
        name: Of the part.
        facts: What sizing knows.
        most: Parts that it may take; by default one for each request at once.
        tight: Whether an engine that starts by the expected figure only will do.
    """
    if load.model is None:
        return None
    model = load.model
    part_of = Card(gpu, card.label, gpu.engine_memory_gib, (1,))

    def tried(replicas: int) -> Candidate | None:
        streams = math.ceil(load.concurrency / replicas)
        request = size_request(load, part_of, base.weight_format, streams)
        result = size_layout(request, model, gpu, _ONE, facts)
        holds = holds_at_once(result, _ONE, load) if result.fits else 0
        if holds < streams or (result.borderline and not tight):
            return None
        return replace(
            base, id=f"{base.card.label}:{name}/{base.weight_format}/x{replicas}",
            card=part_of, layout=_ONE, nodes_per_replica=1, replicas=replicas,
            holds=holds, result=result, quote=None,
        )  # fmt: skip

    return _fewest(tried, most or max(1, load.concurrency))


def _fewest(tried: Callable[[int], Candidate | None], most: int) -> Candidate | None:
    """Return what is found with the fewest parts, up to ``most``; more parts never do worse."""
    low, high = 1, most
    found = tried(high)
    while found is not None and low < high:
        middle = (low + high) // 2
        smaller = tried(middle)
        if smaller is None:
            low = middle + 1
        else:
            high, found = middle, smaller
    return found
