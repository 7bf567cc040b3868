"""Schema of the GPU catalogue (``knowledge/gpus``)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.records import Record, Strict

__all__ = ["ConfidentialComputing", "Gpu", "Interconnect", "Mig", "Precisions", "Tflops", "Vgpu"]

Architecture = Literal[
    "volta", "turing", "ampere", "ada", "hopper", "blackwell", "rubin",
    "cdna2", "cdna3", "cdna4", "cdna5", "gaudi3",
    "unknown",  # only for cards that a caller describes; never in the catalogue
]  # fmt: skip


class Tflops(Strict):
    """Dense peak rates in TFLOPS (TOPS for int8); ``None`` where not native or unknown."""

    bf16: float | None
    """FP16 rate on cards without bf16."""
    fp8: float | None = None
    fp4: float | None = None
    int8: float | None = None
    note: str | None = None


class Precisions(Strict):
    """Number formats with tensor units of their own."""

    bf16: bool
    fp8: bool
    int8: bool
    fp4_formats: tuple[Literal["nvfp4", "mxfp4"], ...] = ()
    note: str | None = None


class Interconnect(Strict):
    """Links of one GPU. NVLink and fabric rates are the vendor's figure: both directions added."""

    nvlink_generation: int | None = None
    nvlink_bidirectional_gbs: float | None = None
    nvlink_bridge_only: bool = False
    """True for PCIe cards that join only through a bridge."""
    fabric: str | None = None
    fabric_bidirectional_gbs: float | None = None
    pcie_generation: int | None
    note: str | None = None


class Mig(Strict):
    """Multi-Instance GPU support."""

    supported: bool
    profile_table: str | None = None
    """Id in the MIG catalogue."""
    max_instances: int | None = None
    min_driver: str | None = None
    """First driver with MIG on this card, where the MIG guide names one."""
    note: str | None = None


class Vgpu(Strict):
    """Mediated (vGPU) support."""

    supported: bool | None
    modes: tuple[str, ...] = ()
    note: str | None = None


class ConfidentialComputing(Strict):
    """Trusted-execution modes."""

    supported: bool | None
    modes: tuple[str, ...] = ()
    note: str | None = None


class Gpu(Record):
    """One GPU as a buyer, a driver and an engine see it."""

    name: str
    vendor: Literal["nvidia", "amd", "intel"]
    architecture: Architecture
    status: Literal["shipping", "legacy", "consumer", "workstation", "export", "announced"]
    aliases: tuple[str, ...] = ()
    """What people write: ``h100``, ``h100 80gb sxm5``. Compared without case and punctuation."""
    feature_labels: tuple[str, ...] = ()
    """``nvidia.com/gpu.product`` values of GPU feature discovery."""
    smi_names: tuple[str, ...] = ()
    """Names that ``nvidia-smi`` or ``rocm-smi`` prints."""
    form_factor: str
    memory_gb: float = Field(gt=0)
    """The vendor's sold figure; marketing GB."""
    engine_memory_gib: float = Field(gt=0)
    """Total the CUDA or HIP runtime reports; engines multiply it by their utilisation."""
    engine_memory_basis: Literal["measured", "board_report", "derived"]
    """``measured``: seen in an engine or OOM log. ``board_report``: from nvidia-smi or a cloud
    API. ``derived``: sold figure less what the same family loses."""
    runtime_devices: int = Field(default=1, ge=1)
    """Devices that the runtime shows for one card (two on MI250): ``engine_memory_gib`` is of
    one device, every other figure of the whole card."""
    board_memory_gib: float | None = None
    """Total that ``nvidia-smi`` or a cloud API reports; above ``engine_memory_gib`` by what the
    driver keeps. ``None`` where not known or equal to the sold figure."""
    memory_type: str
    memory_bandwidth_gbs: float = Field(gt=0)
    """Peak GB/s (1e9)."""
    unified_memory: bool = False
    """CPU and GPU share it (GB10, GH200 spill excluded): free memory is the OS's."""
    ecc: bool | None = None
    tflops: Tflops
    precisions: Precisions
    interconnect: Interconnect
    scale_up_gpus: int = Field(ge=1)
    """Largest group joined by NVLink or a like fabric, as sold."""
    scale_up_note: str | None = None
    gpus_per_node: tuple[int, ...] = (1, 2, 4, 8)
    """Node shapes that are sold or rented."""
    board_gpus: tuple[int, ...] = ()
    """GPUs of the boards or racks that are sold, where a single one cannot be bought; clouds
    rent parts of them. Empty for cards, and where the unit of sale is not known."""
    host_architecture: Literal["x86_64", "aarch64"] | None = None
    """Of the CPU it is soldered to, or that its racks hold; ``None`` where the buyer chooses."""
    tdp_w: float | None
    cooling: str
    cooling_kinds: tuple[Literal["air", "liquid"], ...]
    mig: Mig
    vgpu: Vgpu
    sriov: bool | None = None
    partitioning: str | None = None
    confidential_computing: ConfidentialComputing
    compute_capability: str | None = None
    """CUDA compute capability, such as ``9.0``; ``None`` for other vendors."""
    gfx_target: str | None = None
    min_cuda: str | None = None
    min_rocm: str | None = None
    min_driver: str | None = None
    cloud: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    released: str | None = None
