"""Small catalogue files into which tests plant faults."""

from __future__ import annotations

from collections.abc import Callable

from advisor.store.loader import Knowledge

CARD = """\
gpus:
  - id: card-a
    name: Card A
    vendor: nvidia
    architecture: hopper
    status: shipping
    aliases: [first card]
    form_factor: PCIe
    memory_gb: 80
    engine_memory_gib: 79.2
    engine_memory_basis: measured
    memory_type: HBM3
    memory_bandwidth_gbs: 3350
    tflops: {bf16: 989, fp8: 1979}
    precisions: {bf16: true, fp8: true, int8: true}
    interconnect: {pcie_generation: 5}
    scale_up_gpus: 1
    tdp_w: 700
    cooling: air
    cooling_kinds: [air]
    mig: {supported: false}
    vgpu: {supported: null}
    confidential_computing: {supported: null}
    compute_capability: '9.0'
    sources: [sheet]
    as_of: '2026-11-29'
"""
SOURCES = """\
sources:
  sheet: {title: Data sheet}
"""

Plant = Callable[..., Knowledge]
