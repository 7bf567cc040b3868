"""A stranger's knowledge folder, written piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

VERSION = "name: nord\nversion: '7'\nas_of: '2026-11-30'\n"

CARD = """
gpus:
  - id: nord-card
    name: Nord card
    vendor: nvidia
    architecture: ada
    status: shipping
    form_factor: PCIe
    memory_gb: 96
    engine_memory_gib: 88.8
    engine_memory_basis: derived
    memory_type: GDDR6
    memory_bandwidth_gbs: 1200
    tflops: {bf16: 360, fp8: 720, int8: 720}
    precisions: {bf16: true, fp8: true, int8: true}
    interconnect: {pcie_generation: 4}
    scale_up_gpus: 1
    tdp_w: 350
    cooling: passive air
    cooling_kinds: [air]
    mig: {supported: false}
    vgpu: {supported: false}
    confidential_computing: {supported: false}
    compute_capability: '8.9'
    unverified: [memory_bandwidth_gbs]
    sources: [sheet]
    as_of: '2026-11-30'
sources:
  sheet: {title: Sheet, date: '2026-11'}
"""

PRICES = """
prices:
  - {provider: aws, instance: g6e.xlarge, gpu: l40s, gpu_count: 1, usd_per_hour: 0.11,
     kind: on_demand, region: us-east-1, as_of: '2026-11-30', sources: [contract]}
  - {provider: nord, instance: nord.one, gpu: nord-card, gpu_count: 1, usd_per_hour: 0.01,
     kind: on_demand, region: home, as_of: '2026-11-30', sources: [contract]}
sources:
  contract: {title: Contract, date: '2026-11'}
"""

RULES = """
rules:
  - id: nord-no-l4
    decision: gpu
    for: {c: candidate}
    when: c.gpu == 'l4' and nord.zone == 'inner'
    effect: reject
    strength: must
    set: {option: house}
    because: "The inner zone has no {c.gpu}."
    cite: ["nord.1"]
    as_of: '2026-11-30'
"""

QUESTIONS = """
group: nord
title: House
text: What the house asks.
as_of: '2026-11-30'
sources: [House rules]
questions:
- key: nord.zone
  text: Which zone?
  help: The inner zone has other cards.
  kind: enum
  values: [{id: inner, label: Inner, synonyms: [inside]}, {id: outer, label: Outer}]
  section: nord.1
"""

PAGE = """# House rules {#nord}

Ours.

## nord.1 Zones {#nord-zones}

The inner zone has few cards (§2.1).

**Sources**

- Minutes, 2026-11-12
"""

FILES: Mapping[str, str] = MappingProxyType(
    {
        "version.yaml": VERSION,
        "gpus/cards.yaml": CARD,
        "catalogues/prices.yaml": PRICES,
        "rules/house.yaml": RULES,
        "questions/nord.yaml": QUESTIONS,
        "handbook/nord.md": PAGE,
    }
)


def write_pack(folder: Path, files: Mapping[str, str] = FILES, **changed: str) -> Path:
    """Write ``files`` under ``folder``; a changed one is named by its stem and folder.

    ``version`` stands for ``version.yaml``, ``rules`` for the file in ``rules``, and so on.
    """
    for name, text in files.items():
        key = name.partition("/")[0].removesuffix(".yaml")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(key, text), encoding="utf-8")
    return folder
