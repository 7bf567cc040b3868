"""Schemas of links inside and between machines, and of measured collective times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from advisor.store.records import Record, Strict

__all__ = ["AllReduce", "AllReducePoint", "Link", "MemoryGeneration", "Ratio"]


class Link(Record):
    """One kind of link. Vendors add both directions up; network cards state one direction."""

    name: str
    kind: Literal["nvlink", "chip_to_chip", "fabric", "pcie", "infiniband", "roce", "efa"]
    gbs_per_direction: float = Field(gt=0)
    """GB/s (1e9) one way."""
    gbs_bidirectional: float = Field(gt=0)
    scope: str
    """What the rate is for: a GPU, a slot, a port, a node of eight GPUs."""
    status: Literal["shipping", "announced"] = "shipping"


class Ratio(Record):
    """Two links worth comparing; the ratio is computed, not written down."""

    name: str
    faster: str
    """Id of a link."""
    slower: str

    def value(self, links: Mapping[str, Link]) -> float:
        """Return how many times faster one direction of ``faster`` is."""
        return links[self.faster].gbs_per_direction / links[self.slower].gbs_per_direction


class MemoryGeneration(Record):
    """Peak rate of one HBM stack; products run lower or higher by binning."""

    name: str
    gbs_per_stack_low: float = Field(gt=0)
    gbs_per_stack_high: float = Field(gt=0)


class AllReducePoint(Strict):
    """Time of one all-reduce."""

    gpus: int = Field(ge=2)
    message_elements: int = Field(ge=1)
    """bf16 elements: tokens x hidden size."""
    microseconds: float = Field(gt=0)
    library: Literal["custom", "nccl"] = "custom"
    """``custom``: the engine's one- or two-shot kernel; ``nccl`` for large messages."""


class AllReduce(Record):
    """Measured all-reduce times of one GPU (bf16, one node, CUDA graphs on)."""

    gpu: str
    """Id in the GPU catalogue."""
    link: str
    """Id of the link that joined the GPUs."""
    points: tuple[AllReducePoint, ...] = Field(min_length=1)
