"""Schemas of number formats: what a weight or a cached key costs, and who computes in it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.records import Record, Strict

__all__ = ["GroupedBytes", "KvFormatRecord", "WeightFormatRecord"]


class GroupedBytes(Strict):
    """Bytes per weight at one quantisation group size."""

    group_size: int = Field(ge=1)
    """Weights that share one scale."""
    bytes_per_weight: float = Field(gt=0)
    """Scales and zero points included."""
    zero_points: bool = False


class WeightFormatRecord(Record):
    """One weight format. ``id`` is the value of ``workload.weight_format``."""

    name: str
    aliases: tuple[str, ...] = ()
    bits: float | None = Field(default=None, gt=0)
    """Nominal bits per weight, without scales; ``None`` for ``other``."""
    bytes_per_weight: float | None = Field(default=None, gt=0)
    """Bytes per *linear* weight with scales, at the usual group size."""
    groups: tuple[GroupedBytes, ...] = ()
    """Other group sizes."""
    block: tuple[int, int] | None = None
    """Scale block (rows, columns): a tensor-parallel shard must hold whole ones."""
    moe_scope: Literal["all_linear", "experts"] = "all_linear"
    """What the name means for a mixture of experts unless a build says otherwise."""
    rate: Literal["bf16", "fp8", "fp4", "int8"] | None = None
    """Which column of ``tflops`` applies where the format runs natively."""
    native_compute_capabilities: tuple[str, ...] = ()
    """NVIDIA GPUs whose tensor units compute in it."""
    weight_only_min_compute_capability: str | None = None
    """Oldest NVIDIA GPU on which kernels unpack it and compute in 16 bit."""
    native_gfx: tuple[str, ...] = ()
    weight_only_gfx: tuple[str, ...] = ()
    """AMD targets."""
    native_other: tuple[str, ...] = ()
    """Architectures of other vendors."""
    quality: str
    """Caveat to show whenever it is narrower than the published weights."""
    lossless: bool = False
    """True for the 16- and 32-bit formats."""


class KvFormatRecord(Record):
    """One KV-cache format. ``id`` is the value of ``workload.kv_format``."""

    name: str
    bytes_per_element: float = Field(gt=0)
    native_compute_capabilities: tuple[str, ...] = ()
    storage_min_compute_capability: str | None = None
    """Oldest NVIDIA GPU that can store it and up-cast, with some attention kernels."""
    native_gfx: tuple[str, ...] = ()
    quality: str
    lossless: bool = False
