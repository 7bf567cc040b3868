"""What a set of GPUs costs to rent: whole instances, dated, never a guess."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.store.prices import Price

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["USUAL_CLOUDS", "Quote", "Tariff", "tariff_for"]

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


class Tariff:
    """Prices by GPU, narrowed to what the answers allow."""

    def __init__(
        self,
        prices: Iterable[Price],
        *,
        clouds: frozenset[str] = frozenset(),
        kinds: tuple[str, ...] = ("on_demand",),
        instances: frozenset[str] = frozenset(),
    ) -> None:
        """Keep the prices that may be used.

        Args:
            prices: The catalogue.
            clouds: Providers to rent from; empty for any.
            kinds: Purchase kinds in order of preference; the first that a GPU has counts.
            instances: Instance types to choose from; empty for any.
        """
        self._by_gpu: dict[str, list[Price]] = defaultdict(list)
        for price in prices:
            if clouds and price.provider not in clouds:
                continue
            if instances and price.instance not in instances:
                continue
            if price.kind in kinds:
                self._by_gpu[price.gpu].append(price)
        for gpu, offers in self._by_gpu.items():
            wanted = [price for price in offers if price.kind == kinds[0]]
            self._by_gpu[gpu] = _newest(wanted or offers)

    def quote(self, gpu: str, gpus_per_node: int, nodes: int) -> Quote | None:
        """Return the cheapest set of whole instances for ``nodes`` groups of GPUs.

        Args:
            gpu: Catalogue id.
            gpus_per_node: GPUs that must sit in one machine.
            nodes: How many such groups.
        """
        offers = [price for price in self._by_gpu.get(gpu, ()) if price.gpu_count >= gpus_per_node]
        if not offers:
            return None

        def total(price: Price) -> float:
            return self._instances(price, gpus_per_node, nodes) * price.usd_per_hour

        best = min(offers, key=lambda price: (total(price), price.instance, price.as_of))
        return Quote(
            usd_per_hour=round(total(best), 4),
            instance=best.instance,
            provider=best.provider,
            instances=self._instances(best, gpus_per_node, nodes),
            instance_gpus=best.gpu_count,
            kind=best.kind,
            as_of=best.as_of,
            uncertain=best.uncertain,
        )

    @staticmethod
    def _instances(price: Price, gpus_per_node: int, nodes: int) -> int:
        return math.ceil(nodes / (price.gpu_count // gpus_per_node))


def tariff_for(answers: Answers, knowledge: Knowledge) -> Tariff:
    """Return the prices that the answers allow: of the named cloud, kind and instance types."""
    cloud = answers.get("platform.cloud")
    clouds = USUAL_CLOUDS
    if cloud == "on_prem":
        clouds = _NOBODY
    elif isinstance(cloud, str):
        clouds = frozenset() if cloud == "other" else frozenset({cloud})
    capacity = answers.get("platform.capacity")
    first = str(capacity[0]) if isinstance(capacity, tuple) and capacity else "on_demand"
    # a missing spot price falls back to the rent on demand, and the quote says which it is
    kinds = (first, "on_demand") if first in {"spot", "capacity_block"} else ("on_demand",)
    types = answers.get("platform.instance_type")
    instances = frozenset(str(name) for name in types) if isinstance(types, tuple) else frozenset()
    return _tariff(knowledge, clouds, kinds, instances)


_NOBODY = frozenset({"nobody"})
"""Names no provider, so nothing has a price."""


@lru_cache(maxsize=64)
def _tariff(
    knowledge: Knowledge, clouds: frozenset[str], kinds: tuple[str, ...], instances: frozenset[str]
) -> Tariff:
    return Tariff(knowledge.prices, clouds=clouds, kinds=kinds, instances=instances)


def _newest(offers: list[Price]) -> list[Price]:
    """Keep the newest row of each instance, and doubtful rows only where there is no other."""
    newest: dict[tuple[str, str, str], Price] = {}
    for price in offers:
        key = (price.provider, price.instance, price.kind)
        known = newest.get(key)
        if known is None or (price.as_of, -price.usd_per_hour) > (known.as_of, -known.usd_per_hour):
            newest[key] = price
    sure = [price for price in newest.values() if price.uncertain is None]
    return sure or list(newest.values())
