"""The columns that a table of the handbook may show, with the words and units of their heads.

One entry per column: its name in a directive, its head, and the field it shows. Add a line to
show another field; a column that no record explains belongs in ``tables_rows``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.store.tables_column import Column, number
from advisor.store.tables_columns_kubernetes import KUBERNETES_COLUMNS

__all__ = ["COLUMNS", "Column"]


_GPUS = {
    "id": Column("id"),
    "name": Column("GPU"),
    "vendor": Column("vendor"),
    "architecture": Column("architecture"),
    "status": Column("status"),
    "form_factor": Column("form factor"),
    "memory_gb": number("memory sold (GB)"),
    "engine_memory_gib": number("runtime sees (GiB)"),
    "engine_memory_basis": Column("how known"),
    "board_memory_gib": number("driver sees (GiB)"),
    "runtime_devices": number("devices per card"),
    "memory_type": Column("memory type"),
    "memory_bandwidth_gbs": number("memory bandwidth (GB/s)"),
    "unified_memory": Column("unified memory"),
    "ecc": Column("ECC"),
    "tflops.bf16": number("bf16 dense (TFLOPS)"),
    "tflops.fp8": number("fp8 dense (TFLOPS)"),
    "tflops.fp4": number("fp4 dense (TFLOPS)"),
    "tflops.int8": number("int8 dense (TOPS)"),
    "precisions.fp8": Column("fp8 units"),
    "precisions.fp4_formats": Column("fp4 formats"),
    "interconnect.nvlink_generation": number("NVLink generation"),
    "interconnect.nvlink_bidirectional_gbs": number("NVLink, both directions (GB/s)"),
    "interconnect.nvlink_bridge_only": Column("NVLink by bridge only"),
    "interconnect.fabric": Column("fabric"),
    "interconnect.fabric_bidirectional_gbs": number("fabric, both directions (GB/s)"),
    "interconnect.pcie_generation": number("PCIe generation"),
    "scale_up_gpus": number("largest linked group (GPUs)"),
    "gpus_per_node": Column("GPUs per node"),
    "tdp_w": number("power (W)"),
    "cooling": Column("cooling"),
    "cooling_kinds": Column("cooling"),
    "mig.supported": Column("MIG"),
    "mig.max_instances": number("MIG instances"),
    "mig.min_driver": Column("MIG from driver"),
    "vgpu.supported": Column("vGPU"),
    "sriov": Column("SR-IOV"),
    "confidential_computing.supported": Column("confidential computing"),
    "confidential_computing.modes": Column("confidential modes"),
    "confidential_computing.note": Column("on confidential computing"),
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
    "compute_slices": number("compute slices"),
    "memory_slices": number("memory slices"),
    "memory_gb": number("memory in the name (GB)"),
    "usable_gib": number("usable (GiB)"),
    "max_instances": number("at most per GPU"),
    "sm_count": number("SMs"),
    "note": Column("note"),
}

_MIG_SIZES = {
    "table": Column("table"),
    "gpu": Column("GPU"),
    "slices_1": number("1g"),
    "slices_1_largest": number("largest 1g"),
    "slices_2": number("2g"),
    "slices_3": number("3g"),
    "slices_4": number("4g"),
    "slices_7": number("7g"),
    "whole": Column("whole GPU"),
    "instances": number("instances"),
}

_INTERCONNECTS = {
    "id": Column("id"),
    "name": Column("link"),
    "kind": Column("kind"),
    "gbs_per_direction": number("one direction (GB/s)"),
    "gbs_bidirectional": number("both directions (GB/s)"),
    "scope": Column("rate of"),
    "status": Column("status"),
}

_ALLREDUCE = {
    "gpu": Column("GPU"),
    "link": Column("link"),
    "message_elements": number("message (bf16 elements)"),
    "gpus_2": number("2 GPUs (us)"),
    "gpus_4": number("4 GPUs (us)"),
    "gpus_8": number("8 GPUs (us)"),
    "library": Column("kernel"),
}

_FORMATS = {
    "id": Column("id"),
    "name": Column("format"),
    "bits": number("nominal bits"),
    "bytes_per_weight": number("bytes per linear weight, scales included"),
    "rate": Column("computes at the rate of"),
    "moe_scope": Column("in a mixture of experts"),
    "native_compute_capabilities": Column("native on NVIDIA compute capability"),
    "weight_only_min_compute_capability": Column("unpacked from NVIDIA compute capability"),
    "native_gfx": Column("native on AMD"),
    "weight_only_gfx": Column("unpacked on AMD"),
    "lossless": Column("lossless"),
    "quality": Column("quality"),
}

_ENGINES = {
    "id": Column("id"),
    "name": Column("engine"),
    "newest_version": Column("newest read"),
    "oldest_version": Column("oldest told apart"),
    "as_of": Column("checked"),
}

_MODELS = {
    "id": Column("id"),
    "name": Column("model"),
    "family": Column("family"),
    "modality": Column("modality"),
    "parameters_b": number("parameters (1e9)"),
    "active_parameters_b": number("active per token (1e9)"),
    "layers": number("layers"),
    "hidden_size": number("hidden size"),
    "vocab_size": number("vocabulary"),
    "max_context_tokens": number("longest context (tokens)"),
    "native_context_tokens": number("context without rope scaling (tokens)"),
    "kv_bytes_per_token_bf16": number("cache per token, 16 bits, whole model (bytes)"),
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
        "engines": _ENGINES,
        "formats": _FORMATS,
        "gpus": _GPUS,
        "interconnects": _INTERCONNECTS,
        "mig_profiles": _MIG_PROFILES,
        "mig_sizes": _MIG_SIZES,
        "models": _MODELS,
        "rules": _RULES,
        **KUBERNETES_COLUMNS,
    }
)
"""Table name to its columns; every column can also be a filter."""
