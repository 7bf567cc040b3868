"""A fleet: GPUs that carry all loads, each load on whole GPUs or on a share of some."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from advisor.consult.boards import price_to_buy
from advisor.consult.candidate import Candidate
from advisor.consult.economics import Band
from advisor.consult.prices import Quote, Tariff
from advisor.consult.several.loads import OneLoad
from advisor.consult.situation import Card

if TYPE_CHECKING:
    from advisor.store.prices import Purchase

__all__ = ["FULL", "Cut", "Fleet", "Manner", "Part", "as_bought", "machines_for", "quotes_for"]

FULL = 0.95
"""Shares on one GPU add up to this at most: every process keeps a CUDA context beside its own."""
Cut = Literal["mig", "partition", "vgpu"]
"""MIG instances, AMD partitions, or vGPUs that take turns on the engines."""
Manner = Literal["mig", "partition", "vgpu", "shared", "own"]


@dataclass(frozen=True, slots=True)
class Part:
    """One load in a fleet."""

    load: OneLoad
    candidate: Candidate
    place: int
    """Place among what carries this load alone, best first."""
    surcharge: float = 1.0
    """Factor of the rules that speak against the candidate."""
    fraction: float | None = None
    """Share of each GPU's memory that its engine may take; ``None`` for whole GPUs."""
    profile: str | None = None
    """MIG profile, compute mode or vGPU type of the part that each engine has to itself."""
    whole: Card | None = None
    """The GPU that the part is cut from."""
    judged: str | None = None
    """Id of the candidate on a whole GPU whose warnings hold for the instance too."""

    @property
    def card(self) -> Card:
        """The GPU as it is bought or rented."""
        return self.whole or self.candidate.card

    @property
    def copies(self) -> int:
        """Engine instances: replicas of every copy of the load."""
        return self.candidate.replicas * self.load.instances

    @property
    def at_once(self) -> int:
        """Requests that one engine runs at once: what its cache holds, within its limit."""
        holds, most = self.candidate.holds, self.candidate.result.max_num_seqs
        return holds if most is None else min(holds, most * self.candidate.layout.data_parallel)

    @property
    def width(self) -> int:
        """GPUs of one engine instance."""
        return self.candidate.gpus_per_replica

    @property
    def own_gpus(self) -> int:
        """GPUs that the load takes when nobody shares them."""
        return self.copies * self.width


@dataclass(frozen=True, slots=True)
class Fleet:
    """GPUs for all loads."""

    parts: tuple[Part, ...]
    """In the order of the answers."""
    gpus: dict[str, int]
    """By GPU, how many."""
    nodes: int
    quotes: tuple[Quote, ...] | None
    """What is rented; ``None`` where a price is missing."""
    fullest: float | None = None
    """Sum of the shares on the fullest GPU, where loads share."""
    beside: tuple[tuple[str, ...], ...] = ()
    """Names of the loads on each GPU that several share."""
    layouts: tuple[tuple[str, ...], ...] = ()
    """Profiles or partitions of each GPU, where loads have parts of their own."""
    cut: Cut = "mig"
    """How GPUs with a layout are cut."""
    most_beside: int = 1
    """Engines on the GPU that most share."""
    one_owner: bool = False
    """Whether, where loads share, nobody shares a GPU with another tenant."""
    as_wanted: bool = False
    """Whether the GPUs are cut by a MIG layout that is wanted."""
    refused: str = ""
    """Why a MIG layout that is wanted is not kept."""
    bought: bool = False
    """Whether the GPUs are to be bought, so that their price stands for the rent."""
    purchase_usd: Band | None = None
    """Of all GPUs, where the price of each is known."""

    @property
    def id(self) -> str:
        """A name that no candidate has."""
        names = "+".join(f"{part.candidate.id}*{part.copies}" for part in self.parts)
        apart = "/apart" if self.shared and self.one_owner else ""
        return f"fleet/{self.manner}{self.sharing}{apart}/{names}"

    @property
    def manner(self) -> Manner:
        """How loads hold GPUs: parts of one cut, ``shared`` or ``own``."""
        if self.layouts:
            return self.cut
        return "shared" if self.shared else "own"

    @property
    def even(self) -> bool:
        """Whether equal shares do: all loads share, on one GPU each, and the largest fits all."""
        if not self.shared or any(part.fraction is None or part.width > 1 for part in self.parts):
            return False
        largest = max(part.fraction or 0.0 for part in self.parts)
        return largest * self.most_beside <= FULL + 1e-9

    @property
    def shared(self) -> bool:
        """Whether several engines share a GPU."""
        return self.fullest is not None

    @property
    def sharing(self) -> int:
        """How many loads share a GPU."""
        return sum(part.fraction is not None for part in self.parts)

    @property
    def total_gpus(self) -> int:
        """GPUs of all loads."""
        return sum(self.gpus.values())

    @property
    def what(self) -> str:
        """The GPUs in words."""
        return " and ".join(f"{count} x {label}" for label, count in self.gpus.items())

    @property
    def largest(self) -> Part:
        """The load that takes most: what one GPU of the fleet has to hold."""
        return max(self.parts, key=lambda part: (part.width, part.own_gpus, -part.load.index))

    @property
    def usd_per_hour(self) -> float | None:
        """Rent of whole instances, where every price is known."""
        return None if self.quotes is None else sum(quote.usd_per_hour for quote in self.quotes)

    @property
    def money(self) -> float | None:
        """What is compared: the middle of the purchase price, else USD an hour of rent."""
        if not self.bought:
            return self.usd_per_hour
        return None if self.purchase_usd is None else self.purchase_usd.middle

    def weighed(self, narrow: float = 1.0) -> float:
        """Return the factor of what speaks against the parts, by the memory that each takes.

        Args:
            narrow: Factor for weights that are not as published.
        """
        taken = [(part, part.own_gpus * part.candidate.card.memory_gib) for part in self.parts]
        factors = (
            gib * part.surcharge * (1.0 if part.candidate.published else narrow)
            for part, gib in taken
        )
        return sum(factors) / sum(gib for _, gib in taken)

    @property
    def installed_gib(self) -> float:
        """Memory of all GPUs: what stands in for their cost where no price is known."""
        memory = {part.card.label: part.card.memory_gib for part in self.parts}
        return sum(memory[label] * count for label, count in self.gpus.items())


def machines_for(widths: Mapping[int, int], card: Card) -> int | None:
    """Return how many machines hold the engines, or ``None`` where one is too wide.

    Widest first, each into the fullest machine that still has room; an engine never spans
    machines here.

    Args:
        widths: GPUs of one engine to the number of such engines.
        card: With the shape of its machines.
    """
    room = max(card.per_node)
    if card.max_gpus is not None and card.nodes:
        room = card.max_gpus // card.nodes  # a machine may hold several islands
    machines: Counter[int] = Counter()
    for width in sorted(widths, reverse=True):
        if width > room:
            return None
        left = widths[width]
        for free in sorted(free for free in machines if free >= width):
            taken = min(machines[free], -(-left // (free // width)))
            left -= _fill(machines, free, width, min(left, taken * (free // width)))
        while left > 0:
            machines[room] += -(-left // (room // width))
            left -= _fill(machines, room, width, left)
    return sum(machines.values())


def _fill(machines: Counter[int], free: int, width: int, engines: int) -> int:
    """Put engines into machines with ``free`` GPUs, as many into each as it holds."""
    each = free // width
    full, rest = divmod(engines, each)
    machines[free] -= full + (rest > 0)
    machines[free - each * width] += full
    if rest:
        machines[free - rest * width] += 1
    return engines


def quotes_for(
    parts: tuple[Part, ...], gpus: dict[str, int], tariff: Tariff
) -> tuple[Quote, ...] | None:
    """Return the cheaper of machines that loads fill together and machines of each load.

    Returns ``None`` where a GPU has no price.
    """
    by_card: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_card[part.card.label].append(part)
    found: list[Quote] = []
    for label, held in by_card.items():
        together = _together(held, gpus[label], tariff)
        apart = (
            _apart(held, tariff)
            if all(part.fraction is None and part.profile is None for part in held)
            else None
        )
        best = min(filter(None, (together, apart)), key=_sum, default=None)
        if best is None:
            return None
        found += best
    return tuple(found)


def _sum(quotes: tuple[Quote, ...]) -> float:
    return sum(quote.usd_per_hour for quote in quotes)


def _together(parts: list[Part], gpus: int, tariff: Tariff) -> tuple[Quote, ...] | None:
    """Return machines of the widest engine's size for all: narrower ones fill what is left."""
    if any(part.candidate.nodes_per_replica > 1 for part in parts):
        return None
    widest = max(part.width for part in parts)
    gpu = parts[0].card.gpu.id
    quote = tariff.quote(gpu, widest, math.ceil(gpus / widest))
    return None if quote is None else (quote,)


def _apart(parts: list[Part], tariff: Tariff) -> tuple[Quote, ...] | None:
    quotes = []
    for part in parts:
        nodes = part.candidate.nodes_per_replica
        quote = tariff.quote(
            part.candidate.card.gpu.id, part.width // nodes, nodes * part.copies, spanning=nodes > 1
        )
        if quote is None:
            return None
        quotes.append(quote)
    return tuple(quotes)


def as_bought(fleet: Fleet, purchases: Iterable[Purchase]) -> Fleet:
    """Return the fleet as one that is bought: whole boards, no rent."""
    low = high = 0.0
    known = True
    catalogue = tuple(purchases)
    for label, gpus in fleet.gpus.items():
        held = [part for part in fleet.parts if part.card.label == label]
        widest = max(part.width for part in held)
        gpu = held[0].card.gpu
        price = price_to_buy(catalogue, gpu, widest, 1, math.ceil(gpus / widest)).usd
        if price is None:
            known = False
            continue
        low, high = low + price.low, high + price.high
    usd = Band(low, high) if known else None
    return replace(fleet, quotes=None, bought=True, purchase_usd=usd)
