"""Schema of the price catalogue. Every price is a dated snapshot, none is a quote."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.records import DATE, Strict

__all__ = ["Price", "Purchase", "Trend"]


class Price(Strict):
    """Rent of one instance: Linux, no discount, tax, storage or egress."""

    provider: str
    instance: str
    gpu: str
    """Id in the GPU catalogue."""
    gpu_count: int = Field(ge=1)
    usd_per_hour: float = Field(gt=0)
    """For the whole instance."""
    kind: Literal["on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block"]
    """``reserved``: the monthly price over 730 hours. ``capacity_block``: prepaid block."""
    region: str
    as_of: str = Field(pattern=DATE)
    """Date of the price, not of the file."""
    sources: tuple[str, ...] = Field(min_length=1)
    uncertain: str | None = None
    """Why the figure may be wrong; ``None`` when it was read from a price list."""
    note: str | None = None
    up_to_gpus: int | None = Field(default=None, ge=1)
    """The same offer with more GPUs in one machine, up to so many, at the price times their
    number; ``None`` where only ``gpu_count`` of them are sold."""
    community: bool = False
    """Machines of third parties behind a market place, without a data-centre SLA."""
    lone: bool = False
    """A machine without a fast network to others of its kind: never for a layout over several."""

    @property
    def usd_per_gpu_hour(self) -> float:
        """Return the rent of one GPU of the instance."""
        return self.usd_per_hour / self.gpu_count


class Purchase(Strict):
    """What a card or system was offered for."""

    item: str
    gpu: str
    """Id in the GPU catalogue."""
    gpu_count: int = Field(default=1, ge=1)
    usd: float | None = Field(default=None, gt=0)
    usd_low: float | None = Field(default=None, gt=0)
    usd_high: float | None = Field(default=None, gt=0)
    kind: Literal["street_price", "street_price_used", "discount_price", "quote", "estimate"]
    as_of: str = Field(pattern=DATE)
    sources: tuple[str, ...] = Field(min_length=1)
    uncertain: str | None = None
    note: str | None = None


class Trend(Strict):
    """How one rental price, or the spread of a market, moved."""

    what: str
    usd_per_gpu_hour: dict[str, float | str]
    """Date or provider or class to price; a range is text such as ``1.50-3.00``."""
    as_of: str = Field(pattern=DATE)
    sources: tuple[str, ...] = Field(min_length=1)
    uncertain: str | None = None
    note: str | None = None
