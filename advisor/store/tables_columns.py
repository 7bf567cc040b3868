"""The columns that a table of the handbook may show, with the words and units of their heads.

One entry per column: its name in a directive, its head, and the field it shows. Add a line to
show another field; a column that no record explains belongs in ``tables_rows``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["COLUMNS", "Column"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one table."""

    head: str
    """With the unit, so that cells are bare numbers."""
    right: bool = False
    """Set flush right: numbers."""


def _number(head: str) -> Column:
    return Column(head, right=True)


_GPUS = {
    "id": Column("id"),
    "name": Column("GPU"),
    "vendor": Column("vendor"),
    "architecture": Column("architecture"),
    "status": Column("status"),
    "form_factor": Column("form factor"),
    "memory_gb": _number("memory sold (GB)"),
    "engine_memory_gib": _number("runtime sees (GiB)"),
    "engine_memory_basis": Column("how known"),
    "board_memory_gib": _number("driver sees (GiB)"),
    "runtime_devices": _number("devices per card"),
    "memory_type": Column("memory type"),
    "memory_bandwidth_gbs": _number("memory bandwidth (GB/s)"),
    "unified_memory": Column("unified memory"),
    "ecc": Column("ECC"),
    "tflops.bf16": _number("bf16 dense (TFLOPS)"),
    "tflops.fp8": _number("fp8 dense (TFLOPS)"),
    "tflops.fp4": _number("fp4 dense (TFLOPS)"),
    "tflops.int8": _number("int8 dense (TOPS)"),
    "precisions.fp8": Column("fp8 units"),
    "precisions.fp4_formats": Column("fp4 formats"),
    "interconnect.nvlink_generation": _number("NVLink generation"),
    "interconnect.nvlink_bidirectional_gbs": _number("NVLink, both directions (GB/s)"),
    "interconnect.nvlink_bridge_only": Column("NVLink by bridge only"),
    "interconnect.fabric": Column("fabric"),
    "interconnect.fabric_bidirectional_gbs": _number("fabric, both directions (GB/s)"),
    "interconnect.pcie_generation": _number("PCIe generation"),
    "scale_up_gpus": _number("largest linked group (GPUs)"),
    "gpus_per_node": Column("GPUs per node"),
    "tdp_w": _number("power (W)"),
    "cooling": Column("cooling"),
    "cooling_kinds": Column("cooling"),
    "mig.supported": Column("MIG"),
    "mig.max_instances": _number("MIG instances"),
    "mig.min_driver": Column("MIG from driver"),
    "vgpu.supported": Column("vGPU"),
    "sriov": Column("SR-IOV"),
    "confidential_computing.supported": Column("confidential computing"),
    "compute_capability": Column("compute capability"),
    "gfx_target": Column("gfx target"),
    "min_cuda": Column("CUDA from"),
    "min_rocm": Column("ROCm from"),
    "min_driver": Column("driver from"),
    "released": Column("released"),
}

_MIG_PROFILES = {
    "table": Column("table"),
    "gpu": Column("GPU"),
    "profile": Column("profile"),
    "compute_slices": _number("compute slices"),
    "memory_slices": _number("memory slices"),
    "memory_gb": _number("memory in the name (GB)"),
    "usable_gib": _number("usable (GiB)"),
    "max_instances": _number("at most per GPU"),
    "sm_count": _number("SMs"),
    "note": Column("note"),
}

_INTERCONNECTS = {
    "id": Column("id"),
    "name": Column("link"),
    "kind": Column("kind"),
    "gbs_per_direction": _number("one direction (GB/s)"),
    "gbs_bidirectional": _number("both directions (GB/s)"),
    "scope": Column("rate of"),
    "status": Column("status"),
}

_ALLREDUCE = {
    "gpu": Column("GPU"),
    "link": Column("link"),
    "message_elements": _number("message (bf16 elements)"),
    "gpus_2": _number("2 GPUs (us)"),
    "gpus_4": _number("4 GPUs (us)"),
    "gpus_8": _number("8 GPUs (us)"),
    "library": Column("kernel"),
}

_FORMATS = {
    "id": Column("id"),
    "name": Column("format"),
    "bits": _number("nominal bits"),
    "bytes_per_weight": _number("bytes per linear weight, scales included"),
    "rate": Column("computes at the rate of"),
    "moe_scope": Column("in a mixture of experts"),
    "native_compute_capabilities": Column("native on NVIDIA compute capability"),
    "weight_only_min_compute_capability": Column("unpacked from NVIDIA compute capability"),
    "native_gfx": Column("native on AMD"),
    "weight_only_gfx": Column("unpacked on AMD"),
    "lossless": Column("lossless"),
    "quality": Column("quality"),
}

_MODELS = {
    "id": Column("id"),
    "name": Column("model"),
    "family": Column("family"),
    "modality": Column("modality"),
    "parameters_b": _number("parameters (1e9)"),
    "active_parameters_b": _number("active per token (1e9)"),
    "layers": _number("layers"),
    "hidden_size": _number("hidden size"),
    "vocab_size": _number("vocabulary"),
    "max_context_tokens": _number("longest context (tokens)"),
    "native_context_tokens": _number("context without rope scaling (tokens)"),
    "kv_bytes_per_token_bf16": _number("cache per token, 16 bits, whole model (bytes)"),
    "published_format": Column("published in"),
    "licence": Column("licence"),
    "gated": Column("gated"),
    "released": Column("released"),
}

_RULES = {
    "decision": Column("decision"),
    "effect": Column("effect"),
    "strength": Column("strength"),
    "option": Column("option"),
    "severity": Column("severity"),
    "title": Column("rule in short"),
    "situation": Column("when"),
    "advice": Column("advice"),
    "because": Column("because"),
    "rule": Column("rule"),
    "sections": Column("sections"),
}

COLUMNS: Mapping[str, Mapping[str, Column]] = MappingProxyType(
    {
        "allreduce": _ALLREDUCE,
        "formats": _FORMATS,
        "gpus": _GPUS,
        "interconnects": _INTERCONNECTS,
        "mig_profiles": _MIG_PROFILES,
        "models": _MODELS,
        "rules": _RULES,
    }
)
"""Table name to its columns; every column can also be a filter."""
