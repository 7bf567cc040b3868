"""What a set of GPUs costs to rent: whole instances, dated, never a guess."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.offers import Bill, bill_of, newest, offer_of, shaped, sizes_of
from advisor.store.prices import Price

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["USUAL_CLOUDS", "Quote", "Tariff", "left_out", "tariff_for"]

USUAL_CLOUDS = frozenset(
    {"aws", "azure", "gcp", "oci", "coreweave", "lambda", "nebius", "crusoe", "runpod"}
)
"""Providers that ``platform.cloud`` names; market places are asked for, not proposed."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The cheapest known way to rent a layout."""

    usd_per_hour: float
    instance: str
    provider: str
    instances: int
    instance_gpus: int
    """GPUs of one instance; some stay idle where the layout needs fewer."""
    kind: str
    as_of: str
    uncertain: str | None
    used_gpus: int
    """GPUs that the layout takes of those that are billed."""
    region: str = "any"
    """Where the price holds; ``any`` where it does not depend on a region."""
    community: bool = False
    """Third-party hosts behind a market place, without a data-centre SLA."""
    stated: bool = False
    """The price is one that the user brought."""
    folder: str | None = None
    """Name of the user's own knowledge folder that such a price comes from; None: price file."""
    smaller: Price | None = None
    """Where GPUs stay idle: the cheapest offer of fewer GPUs than must sit in one machine."""
    fitting: Price | None = None
    """Where GPUs stay idle: the cheapest offer without idle ones, whose price is uncertain."""
    stands_in_for: str | None = None
    """The kind that was asked for, where no price of it is known and this is another."""
    cheaper_community: Price | None = None
    """A community offer that would be cheaper and is not proposed by default."""

    @property
    def idle_gpus(self) -> int:
        """GPUs that are billed and not used."""
        return self.billed_gpus - self.used_gpus

    @property
    def billed_gpus(self) -> int:
        """GPUs of all instances."""
        return self.instances * self.instance_gpus


class Tariff:
    """Prices by GPU, narrowed to what the answers allow."""

    def __init__(
        self,
        prices: Iterable[Price],
        *,
        clouds: frozenset[str] = frozenset(),
        kinds: tuple[str, ...] = ("on_demand",),
        instances: frozenset[str] = frozenset(),
        stated: Iterable[Price] = (),
        asked: tuple[str, ...] = (),
        quota: float | None = None,
        region: str | None = None,
        machine_gpus: int | None = None,
        folders: Mapping[Price, str] | None = None,
    ) -> None:
        """Keep the prices that may be used.

        Args:
            prices: The catalogue.
            clouds: Providers to rent from; empty for any. A single one was named.
            kinds: Purchase kinds in order of preference; the first that fits a layout counts.
            instances: Instance types to choose from; empty for any.
            stated: What the user brought; a row replaces the catalogue's of the same provider,
                instance and kind.
            asked: Kinds that the answers ask for; another one only stands in for them.
            quota: GPUs of all instances together that may be rented; what is above comes last.
            region: Where the GPUs shall run: its price of an offer goes before others of it.
            machine_gpus: GPUs that every machine shall have; offers of others do not count.
            folders: Which of ``stated`` are of a knowledge folder of the user's, and its name.
        """
        self._kinds, self._asked = kinds, asked
        self._quota = math.inf if quota is None else quota
        self.instances, self._machine_gpus = instances, machine_gpus
        catalogue, brought = tuple(prices), tuple(stated)
        self._stated, self._folders = frozenset(brought), folders or {}
        self._named = len(clouds) == 1
        self._markets = _markets(catalogue)
        replaced = {offer_of(price) for price in brought}
        usual = (p for p in catalogue if offer_of(p) not in replaced and _from(p, clouds))
        by_gpu: dict[str, list[Price]] = defaultdict(list)
        for price in (*_brought_within(brought, clouds, catalogue), *usual):
            if price.kind in kinds and (not instances or price.instance in instances):
                by_gpu[price.gpu].append(price)
        found = {gpu: newest(offers, region) for gpu, offers in by_gpu.items()}
        self._offered = {gpu: sizes_of(offers) for gpu, offers in found.items()}
        if machine_gpus is not None:
            found = {gpu: shaped(offers, machine_gpus) for gpu, offers in found.items()}
        self._by_gpu = {gpu: offers for gpu, offers in found.items() if offers}

    def quote(
        self, gpu: str, gpus_per_node: int, nodes: int, *, spanning: bool = False
    ) -> Quote | None:
        """Return the best set of whole instances for ``nodes`` groups of GPUs.

        The cheapest, but a sure price before a doubtful one, and a provider's own data centre
        before community hosts unless the user named that provider or brought the price.

        Args:
            gpu: Catalogue id.
            gpus_per_node: GPUs that must sit in one machine.
            nodes: How many such groups.
            spanning: A replica spans several of them. Offers of any number of GPUs, and those
                that are ``lone``, are machines apart, without a fast network between them, and do
                not count.
        """
        offers = [
            price
            for price in self._by_gpu.get(gpu, [])
            if not spanning
            or not (price.up_to_gpus is not None or price.lone or self._community(price))
        ]
        least = max(gpus_per_node, self._machine_gpus or 1)
        bills = [bill for price in offers if (bill := bill_of(price, gpus_per_node, nodes, least))]
        if not bills:
            return None
        best = min(bills, key=self._order)
        price, used = best.price, gpus_per_node * nodes
        idle = best.instances * best.gpus > used
        return Quote(
            usd_per_hour=round(best.usd, 4),
            instance=price.instance,
            provider=price.provider,
            instances=best.instances,
            instance_gpus=best.gpus,
            kind=price.kind,
            as_of=price.as_of,
            uncertain=price.uncertain,
            used_gpus=used,
            region=price.region,
            community=self._community(price),
            stated=price in self._stated,
            folder=self._folders.get(price),
            stands_in_for=self._missing(price.kind),
            smaller=self._smaller(offers, gpus_per_node) if idle else None,
            fitting=self._fitting(bills, best, used) if idle else None,
            cheaper_community=self._cheaper_community(bills, best),
        )

    def _order(self, bill: Bill) -> tuple[object, ...]:
        price = bill.price
        return (
            bill.instances * bill.gpus > self._quota,
            self._kinds.index(price.kind),
            self._community(price) and not (self._named or price in self._stated),
            price.uncertain is not None,
            bill.usd,
            bill.instances,
            price.provider,
            price.instance,
            price.as_of,
        )

    @property
    def known(self) -> bool:
        """Whether any offer at all is left."""
        return bool(self._by_gpu)

    def other_machines(self, gpu: str) -> tuple[int, ...]:
        """Return with how many GPUs its machines are offered, where none is of the stated size."""
        return () if gpu in self._by_gpu else self._offered.get(gpu, ())

    def _missing(self, kind: str) -> str | None:
        if not self._asked or kind in self._asked:
            return None
        return "reserved" if self._asked[0] in _RESERVED else self._asked[0]

    def _community(self, price: Price) -> bool:
        return price.community or price.provider in self._markets

    def _smaller(self, offers: Iterable[Price], gpus_per_node: int) -> Price | None:
        fewer = [p for p in offers if max(p.gpu_count, p.up_to_gpus or 0) < gpus_per_node]
        own = [p for p in fewer if not self._community(p) and p.uncertain is None]
        return min(own, key=lambda p: (p.usd_per_gpu_hour, p.instance), default=None)

    def _fitting(self, bills: Iterable[Bill], best: Bill, used: int) -> Price | None:
        """Return the cheapest offer of just what is used, passed over for its uncertain price."""
        whole = [b for b in bills if b.instances * b.gpus == used and b.usd < best.usd]
        passed = [b for b in whole if b.price.uncertain and not self._community(b.price)]
        found = min(passed, key=lambda b: (b.usd, b.price.instance), default=None)
        return None if found is None else found.price

    def _cheaper_community(self, bills: Iterable[Bill], best: Bill) -> Price | None:
        if self._community(best.price):
            return None
        cheaper = [b for b in bills if b.usd < best.usd and self._community(b.price)]
        found = min(cheaper, key=lambda b: (b.usd, b.price.instance), default=None)
        return None if found is None else found.price


def _from(price: Price, clouds: frozenset[str]) -> bool:
    return not clouds or price.provider in clouds


def _brought_within(
    brought: Iterable[Price], clouds: frozenset[str], catalogue: Iterable[Price]
) -> Iterator[Price]:
    """Yield the user's rows that the answers allow: of the named provider, where one is named.

    On premises no cloud rents anything; a provider that the catalogue does not know may be the
    user's own.
    """
    known = {price.provider for price in catalogue}
    for price in brought:
        if clouds == _NOBODY:
            allowed = price.provider not in known
        else:
            allowed = len(clouds) != 1 or price.provider in clouds
        if allowed:
            yield price


def _markets(catalogue: Iterable[Price]) -> frozenset[str]:
    """Return the providers that offer nothing but the machines of third parties."""
    own = {price.provider for price in catalogue if not price.community}
    return frozenset(price.provider for price in catalogue if price.provider not in own)


def tariff_for(answers: Answers, knowledge: Knowledge, stated: tuple[Price, ...] = ()) -> Tariff:
    """Return the prices that the answers allow: of the named cloud, kind and instance types.

    Args:
        answers: Name the cloud, the way of buying and instance types.
        knowledge: Holds the price catalogue; prices of folders of one's own were brought, too.
        stated: Prices that the user brought; they have the last word.
    """
    clouds = _clouds(answers.get("platform.cloud"))
    capacity = answers.get("platform.capacity")
    kinds, asked = _kinds(capacity), _asked(capacity)
    types, most = answers.get("platform.instance_type"), answers.get("platform.gpu_quota")
    quota = float(most) if isinstance(most, int | float) else None
    instances = frozenset(str(name) for name in types) if isinstance(types, tuple) else frozenset()
    place = answers.get("platform.region")
    region = place if isinstance(place, str) else None
    machine_gpus = _machine(answers)
    return _tariff(knowledge, clouds, kinds, instances, asked, quota, region, machine_gpus, stated)


def _machine(answers: Answers) -> int | None:
    """Return how many GPUs a rented machine shall have; of owned ones the answer says nothing."""
    shape = answers.get("hardware.gpus_per_node")
    owned = answers.get("hardware.acquisition") == "owned"
    return shape if isinstance(shape, int) and not owned else None


def _clouds(cloud: object) -> frozenset[str]:
    if cloud == "on_prem":
        return _NOBODY
    if isinstance(cloud, str):
        return frozenset() if cloud == "other" else frozenset({cloud})
    return USUAL_CLOUDS


_RESERVED = ("reserved_1y", "reserved_3y")


def _asked(capacity: object) -> tuple[str, ...]:
    """Return the kinds of price that are asked for, in order of preference."""
    names = [str(name) for name in capacity] if isinstance(capacity, tuple) else []
    kinds = (_RESERVED if name == "reserved" else (name,) for name in names)
    return tuple(dict.fromkeys(kind for group in kinds for kind in group))


def _kinds(capacity: object) -> tuple[str, ...]:
    """Return the same with the rent on demand last: it stands in, and the quote says so."""
    return tuple(dict.fromkeys((*_asked(capacity), "on_demand")))


def left_out(answers: Answers, knowledge: Knowledge, stated: tuple[Price, ...]) -> dict[str, int]:
    """Return how many of the user's own prices the answers leave out, by the reason.

    Args:
        answers: Name the cloud, the way of buying and instance types.
        knowledge: Its prices say which providers are known.
        stated: What the user brought.
    """
    if answers.get("hardware.acquisition") == "owned":
        return {"the GPUs are owned, so nothing is rented": len(stated)} if stated else {}
    reasons: Counter[str] = Counter()
    for price in stated:
        reason = _reason_against(price, answers, knowledge)
        if reason is not None:
            reasons[reason] += 1
    return dict(reasons)


def _reason_against(price: Price, answers: Answers, knowledge: Knowledge) -> str | None:
    cloud, types = answers.get("platform.cloud"), answers.get("platform.instance_type")
    clouds = _clouds(cloud)
    if not [*_brought_within([price], clouds, knowledge.prices)]:
        return f"they are of {price.provider}, and platform.cloud is {cloud}"
    if price.kind not in _kinds(answers.get("platform.capacity")):
        return f"they are of kind {price.kind}, which platform.capacity does not ask for"
    if isinstance(types, tuple) and types and price.instance not in {str(name) for name in types}:
        return "platform.instance_type names other instances"
    machine = _machine(answers)
    if machine is not None and not shaped([price], machine):
        return f"hardware.gpus_per_node is {machine}, and they are of other machines"
    return None


_NOBODY = frozenset({"nobody"})
"""Names no provider, so nothing has a price."""


@lru_cache(maxsize=64)
def _tariff(
    knowledge: Knowledge,
    clouds: frozenset[str],
    kinds: tuple[str, ...],
    instances: frozenset[str],
    asked: tuple[str, ...],
    quota: float | None,
    region: str | None,
    machine_gpus: int | None,
    stated: tuple[Price, ...],
) -> Tariff:
    own, all_prices = knowledge.own_prices, knowledge.prices
    shipped = [price for price in all_prices if price not in own] if own else all_prices
    replaced = {offer_of(price) for price in stated}
    brought = (*stated, *(price for price in own if offer_of(price) not in replaced))
    return Tariff(
        shipped, clouds=clouds, kinds=kinds, instances=instances, stated=brought, asked=asked,
        quota=quota, region=region, machine_gpus=machine_gpus,
        folders={p: own[p] for p in own if p not in stated},
    )  # fmt: skip
