"""Which fleets carry all loads: one kind of GPU for all, or each load on its own best."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from advisor.consult.prices import Tariff
from advisor.consult.several.equal_parts import compute_modes, in_equal_parts, vgpu_types
from advisor.consult.several.fleet import Cut, Fleet, Part, machines_for, quotes_for
from advisor.consult.several.loads import SizedLoad
from advisor.consult.several.packing import Packed, packed
from advisor.consult.several.sharers import ways_to_share
from advisor.consult.several.slices import Sliced, sliced
from advisor.consult.several.wanted_layout import Refused, as_wanted
from advisor.consult.situation import Card
from advisor.sizing.size import SizingFacts
from advisor.store.mig import MigTable

__all__ = ["find_fleets", "fleets_as_wanted"]

_MOST_MIXES = 256
"""Ways to spread loads over kinds of owned machines that are tried."""


def find_fleets(
    sized: tuple[SizedLoad, ...],
    tariff: Tariff,
    facts: SizingFacts,
    tables: Mapping[str, MigTable],
    *,
    owned: bool,
    vms: bool = False,
) -> tuple[Fleet, ...]:
    """Return every fleet that carries all loads and, of what is owned, is there.

    Args:
        sized: The loads.
        tariff: What may be rented.
        facts: What sizing knows.
        tables: MIG profiles by id.
        owned: Whether only what is there counts.
        vms: Whether vGPUs are to be had, for virtual machines that hold a part of a GPU.
    """
    options = [_options(load) for load in sized]
    found: dict[str, Fleet] = {}
    for parts in _assignments(options, owned=owned):
        fleet = _fleet(parts, tariff)
        if fleet is not None:
            found.setdefault(fleet.id, fleet)
    for label in _common(options):
        whole = [option[label] for option in options]
        made = [_fleet(p, tariff, apart=apart) for p, apart in ways_to_share(sized, whole, facts)]
        made.append(_of_parts(sliced(sized, whole, tables, facts), "mig", tariff))
        made += (_of_parts(cut, way, tariff) for cut, way in _cut(sized, whole, facts, vms=vms))
        found |= {fleet.id: fleet for fleet in made if fleet is not None}
    return tuple(found.values())


def fleets_as_wanted(
    sized: tuple[SizedLoad, ...],
    tariff: Tariff,
    facts: SizingFacts,
    tables: Mapping[str, MigTable],
    wanted: object,
) -> tuple[tuple[Fleet, ...], str]:
    """Return the fleets whose GPUs are cut as is wanted, or none and why there are none.

    Args:
        sized: The loads.
        tariff: What may be rented.
        facts: What sizing knows.
        tables: MIG profiles by id.
        wanted: ``tenancy.mig_layout_wanted``.
    """
    options = [_options(load) for load in sized]
    labels = _common(options) if all(options) else ()
    found: list[Fleet] = []
    why = "no GPU that is allowed carries every load"
    for label in labels:
        made = as_wanted(sized, [option[label] for option in options], wanted, tables, facts)
        if isinstance(made, Refused):
            why = made.text
            continue
        fleet = _of_parts(made, "mig", tariff, bound=True)
        if fleet is None:
            why = f"it takes {len(made.layouts)} x {label}, more than are there"
        else:
            found.append(fleet)
    return tuple(found), "" if found else why


def _cut(
    sized: tuple[SizedLoad, ...], whole: list[tuple[Part, ...]], facts: SizingFacts, *, vms: bool
) -> Iterator[tuple[Sliced | None, Cut]]:
    """Yield the loads on partitions of AMD GPUs, and on vGPUs where those are to be had."""
    gpu = whole[0][0].candidate.card.gpu
    yield in_equal_parts(sized, whole, compute_modes(gpu), facts), "partition"
    if vms:
        yield in_equal_parts(sized, whole, vgpu_types(gpu), facts), "vgpu"


def _of_parts(cut: Sliced | None, way: Cut, tariff: Tariff, *, bound: bool = False) -> Fleet | None:
    """Return GPUs cut into parts; ``None`` where too few are there, or none is saved.

    Args:
        cut: The loads on parts.
        way: How the GPUs are cut.
        tariff: What may be rented.
        bound: Whether they are to be cut so, whatever it saves.
    """
    if cut is None:
        return None
    if not bound and len(cut.layouts) >= sum(part.own_gpus for part in cut.parts):
        return None
    card = cut.parts[0].card
    gpus = {card.label: len(cut.layouts)}
    machines = machines_for({1: len(cut.layouts)}, card)
    if machines is None or not _there(card, len(cut.layouts), machines):
        return None
    quotes = quotes_for(cut.parts, gpus, tariff)
    return Fleet(cut.parts, gpus, machines, quotes, layouts=cut.layouts, cut=way)


def _options(sized: SizedLoad) -> dict[str, tuple[Part, ...]]:
    """Return, by GPU, the best candidate of a load and those after it that take fewer GPUs."""
    surcharges = sized.attempt.rulings.surcharges()
    found: dict[str, list[Part]] = {}
    for candidate in sized.attempt.ranked:
        label = candidate.card.label
        known = found.get(label)
        part = Part(sized.load, candidate, len(found), surcharges.get(candidate.id, 1.0))
        if known is None:
            found[label] = [part]
        elif part.own_gpus < known[-1].own_gpus:
            known.append(replace(part, place=known[-1].place + 1))
    return {label: tuple(parts) for label, parts in found.items()}


def _common(options: list[dict[str, tuple[Part, ...]]]) -> tuple[str, ...]:
    """Return the GPUs that carry every load."""
    first, *others = options
    return tuple(label for label in first if all(label in other for other in others))


def _assignments(
    options: list[dict[str, tuple[Part, ...]]], *, owned: bool
) -> Iterator[tuple[Part, ...]]:
    """Yield one GPU for all, each load on its best, and, of owned kinds, every mix.

    Of owned GPUs there may be too few for the best of every load, so that narrower ones count.
    """
    if not all(options):
        return
    for label in _common(options):
        yield tuple(option[label][0] for option in options)
        yield tuple(option[label][-1] for option in options)
    yield tuple(next(iter(option.values()))[0] for option in options)
    if not owned:
        return
    ways = [[part for parts in option.values() for part in parts] for option in options]
    yield from itertools.islice(itertools.product(*ways), _MOST_MIXES)


def _fleet(parts: tuple[Part, ...], tariff: Tariff, *, apart: bool = False) -> Fleet | None:
    """Return the fleet of these parts; ``None`` where the GPUs are not there or save nothing."""
    cards = {part.candidate.card.label: part.candidate.card for part in parts}
    packing: Packed | None = None
    gpus: dict[str, int] = {}
    nodes = 0
    for label, card in cards.items():
        here = [part for part in parts if part.candidate.card.label == label]
        whole = [part for part in here if part.fraction is None]
        sharing = [part for part in here if part.fraction is not None]
        gpus[label] = sum(part.own_gpus for part in whole)
        if sharing:
            packing = packed(sharing, apart=apart)
            if packing is None:
                return None
            gpus[label] += packing.gpus
        machines = _machines(whole, sharing, card, packing)
        if machines is None or not _there(card, gpus[label], machines):
            return None
        nodes += machines
    quotes = quotes_for(parts, gpus, tariff)
    if packing is None:
        return Fleet(parts, gpus, nodes, quotes)
    return Fleet(
        parts, gpus, nodes, quotes, packing.fullest, packing.beside,
        most_beside=packing.most, one_owner=packing.one_owner,
    )  # fmt: skip


def _machines(
    whole: list[Part], sharing: Iterable[Part], card: Card, packing: Packed | None
) -> int | None:
    widths: Counter[int] = Counter()
    for part in whole:
        widths[part.width] += part.copies
    if any(part.candidate.nodes_per_replica > 1 for part in whole):
        gpus = sum(part.own_gpus for part in whole) + (0 if packing is None else packing.gpus)
        return math.ceil(gpus / max(card.per_node))
    if packing is not None:
        widest = max(part.width for part in sharing)
        widths[widest] += packing.gpus // widest
        if packing.gpus % widest:
            widths[packing.gpus % widest] += 1
    return machines_for(widths, card)


def _there(card: Card, gpus: int, machines: int) -> bool:
    """Tell whether owned cards suffice, in number and in machines."""
    if card.max_gpus is not None and gpus > card.max_gpus:
        return False
    return card.max_gpus is None or card.nodes is None or machines <= card.nodes
