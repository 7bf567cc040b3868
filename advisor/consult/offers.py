"""Offers of machines: which count, and what groups of GPUs cost at one of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.store.prices import Price

__all__ = ["Bill", "bill_of", "newest", "offer_of", "same_region", "shaped", "sizes_of"]


@dataclass(frozen=True, slots=True)
class Bill:
    """What one offer costs for a layout."""

    price: Price
    usd: float
    instances: int
    gpus: int
    """Of one instance."""


def offer_of(price: Price) -> tuple[str, str, str]:
    """Return what makes two rows prices of the same thing."""
    return price.provider, price.instance, price.kind


def sizes_of(offers: Iterable[Price]) -> tuple[int, ...]:
    """Return with how many GPUs machines are offered."""
    return tuple(sorted({price.gpu_count for price in offers}))


def shaped(offers: Iterable[Price], machine_gpus: int) -> list[Price]:
    """Return offers of machines with just so many GPUs, or of any number up to that."""
    return [
        price
        for price in offers
        if price.gpu_count == machine_gpus
        or (price.gpu_count < machine_gpus <= (price.up_to_gpus or 0)
            and machine_gpus % price.gpu_count == 0)
    ]  # fmt: skip


def bill_of(price: Price, gpus_per_node: int, nodes: int, least: int) -> Bill | None:
    """Return what ``nodes`` groups cost at one offer, or ``None`` where no machine is that big.

    Args:
        price: The offer.
        gpus_per_node: GPUs of one group.
        nodes: How many groups.
        least: GPUs that a machine has at least.
    """
    gpus = price.gpu_count
    if gpus < least:
        gpus *= math.ceil(least / gpus)
        if gpus > (price.up_to_gpus or price.gpu_count):
            return None
    instances = math.ceil(nodes / (gpus // gpus_per_node))
    return Bill(price, instances * gpus * price.usd_per_gpu_hour, instances, gpus)


def same_region(one: str, other: str) -> bool:
    """Tell whether a price of one region holds in the other; ``any`` and ``unknown`` differ not."""
    plain = one.casefold().strip()
    return plain in {"any", "unknown", other.casefold().strip()}


def newest(offers: Iterable[Price], region: str | None) -> list[Price]:
    """Keep the newest row of each offer, of the stated region where there is one.

    Of equally old ones the cheapest region.
    """
    kept: dict[tuple[str, str, str, int], Price] = {}

    def rank(price: Price) -> tuple[bool, str, float]:
        here = region is not None and same_region(price.region, region)
        return here, price.as_of, -price.usd_per_hour

    for price in offers:
        key = (*offer_of(price), price.gpu_count)
        known = kept.get(key)
        if known is None or rank(price) > rank(known):
            kept[key] = price
    return list(kept.values())
