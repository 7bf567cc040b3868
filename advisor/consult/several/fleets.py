"""Which fleets carry all loads: one kind of GPU for all, or each load on its own best."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from advisor.consult.candidate import Candidate
from advisor.consult.prices import Tariff
from advisor.consult.several.fleet import Fleet, Part, machines_for, quotes_for
from advisor.consult.several.loads import SizedLoad
from advisor.consult.several.packing import Packed, least_share, packed
from advisor.consult.several.slices import Sliced, sliced
from advisor.consult.situation import Card
from advisor.sizing.size import SizingFacts
from advisor.store.mig import MigTable

__all__ = ["find_fleets"]

_MOST_MIXES = 256
"""Ways to spread loads over kinds of owned machines that are tried."""
_LEAST_SHARING = 2
"""Loads that share a GPU, at least."""
_MOST_TRIED = 3
"""Candidates of a load on one GPU of which the one with the smallest share is taken."""


def find_fleets(
    sized: tuple[SizedLoad, ...],
    tariff: Tariff,
    facts: SizingFacts,
    tables: Mapping[str, MigTable],
    *,
    owned: bool,
) -> tuple[Fleet, ...]:
    """Return every fleet that carries all loads and, of what is owned, is there."""
    options = [_options(load) for load in sized]
    found: dict[str, Fleet] = {}
    for parts in _assignments(options, owned=owned):
        fleet = _fleet(parts, tariff)
        if fleet is not None:
            found.setdefault(fleet.id, fleet)
    for label in _common(options):
        whole = [option[label] for option in options]
        made = [_fleet(parts, tariff) for parts in _sharing(sized, whole, facts)]
        made.append(_of_instances(sliced(sized, whole, tables, facts), tariff))
        found |= {fleet.id: fleet for fleet in made if fleet is not None}
    return tuple(found.values())


def _of_instances(cut: Sliced | None, tariff: Tariff) -> Fleet | None:
    """Return GPUs cut into MIG instances; ``None`` where none is saved or too few are there."""
    if cut is None or len(cut.layouts) >= sum(part.own_gpus for part in cut.parts):
        return None
    card = cut.parts[0].card
    gpus = {card.label: len(cut.layouts)}
    machines = machines_for({1: len(cut.layouts)}, card)
    if machines is None or not _there(card, len(cut.layouts), machines):
        return None
    quotes = quotes_for(cut.parts, gpus, tariff)
    return Fleet(cut.parts, gpus, machines, quotes, layouts=cut.layouts)


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


def _sharing(
    sized: tuple[SizedLoad, ...], whole: list[tuple[Part, ...]], facts: SizingFacts
) -> Iterator[tuple[Part, ...]]:
    """Yield fleets of one kind of GPU in which the smaller loads share, the larger do not.

    All share, then all but the largest, and so on; what cannot share never does. Of a load that
    does not share, its best and its smallest layout are tried.

    Args:
        sized: The loads.
        whole: By load, its candidates on whole GPUs of the kind, best first.
        facts: What sizing knows.
    """
    shares = [_shares(load, parts[0], facts) for load, parts in zip(sized, whole, strict=True)]
    order = sorted(range(len(sized)), key=lambda i: -whole[i][-1].own_gpus)
    unable = {i for i, found in enumerate(shares) if not found}
    for count in range(len(order) - 1):
        alone = unable | set(order[:count])
        together = [i for i in range(len(sized)) if i not in alone]
        if len(together) < _LEAST_SHARING:
            return
        chosen = _packed_parts([shares[i] for i in together])
        if chosen is None:
            continue
        shared = dict(zip(together, chosen, strict=True))
        for pick in (0, -1):
            yield tuple(shared.get(i) or whole[i][pick] for i in range(len(sized)))


def _packed_parts(ways: list[list[Part]]) -> list[Part] | None:
    """Return a share for each load; ``None`` where sharing saves nothing.

    The smallest shares say how many GPUs it takes; then each load gets back what it would take
    alone, wider weights for example, as long as no GPU more is needed.
    """
    parts = [min(found, key=_memory_taken) for found in ways]
    base = packed(parts)
    if base is None:
        return None
    for index, found in enumerate(ways):
        for part in found:
            tried = [*parts[:index], part, *parts[index + 1 :]]
            fits = packed(tried)
            if fits is not None and fits.gpus <= base.gpus:
                parts = tried
                break
    return parts


def _shares(sized: SizedLoad, whole: Part, facts: SizingFacts) -> list[Part]:
    """Return the load on shares of one kind of GPU, best first; none where it needs whole ones."""
    label, planned = whole.candidate.card.label, sized.attempt.situation.load
    near = [c for c in sized.attempt.ranked if c.card.label == label][:_MOST_TRIED]
    narrow = (least_share(candidate, planned, facts) for candidate in near)
    return [_share(sized, candidate) for candidate in narrow if candidate is not None]


def _share(sized: SizedLoad, candidate: Candidate) -> Part:
    against = sized.attempt.rulings.surcharges().get(candidate.id, 1.0)
    return Part(sized.load, candidate, 0, against, candidate.result.gpu_memory_utilization)


def _memory_taken(part: Part) -> tuple[float, str]:
    return part.own_gpus * (part.fraction or 1.0), part.candidate.id


def _fleet(parts: tuple[Part, ...], tariff: Tariff) -> Fleet | None:
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
            packing = packed(sharing)
            if packing is None:
                return None
            gpus[label] += packing.gpus
        machines = _machines(whole, sharing, card, packing)
        if machines is None or not _there(card, gpus[label], machines):
            return None
        nodes += machines
    fullest = None if packing is None else packing.fullest
    beside = () if packing is None else packing.beside
    return Fleet(parts, gpus, nodes, quotes_for(parts, gpus, tariff), fullest, beside)


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
