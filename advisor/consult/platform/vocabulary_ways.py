"""Words of the rules about ways to share a GPU."""

from __future__ import annotations

__all__ = ["SHARING", "WAY_FIELDS"]

SHARING = (
    "exclusive", "mig", "mig_in_guest", "time_slicing", "mps", "vgpu", "vgpu_mig", "passthrough",
    "amd_partition", "sriov", "multi_lora", "fractional_scheduler", "one_process",
)  # fmt: skip
"""Options of the decision."""
_WALLS = ("hardware", "driver", "software", "none", "not_shared")

WAY_FIELDS: dict[str, str | tuple[str, ...]] = {
    "option": SHARING,
    "name": "str",
    "supported": "bool",
    "on_all_gpus": "bool",
    "memory_wall": _WALLS,
    "fault_wall": _WALLS,
    "compute_wall": _WALLS,
    "trust": ("untrusted", "trusted", "same_owner"),
    "machine": ("any", "bare_metal_or_whole_gpu_vm", "vm", "host"),
    "maturity": ("production", "experimental", "preview"),
    "divides": "bool",
    "in_use": "bool",
    "gpu_name": "str",
    "gpu_has_mig": "bool",
    # the load on a part of the GPU
    "fits": "bool",
    "needs_gib": "number",
    "needs_high_gib": "number",
    "room_gib": "number",
    "largest_gib": "number",
    "percent": "number",
    "unequal": "bool",
    "format": "str",
    "narrow_format": "str",
    "instead": "str",
    # how many parts there are, and how many are wanted
    "wanted": "int",
    "slots": "int",
    "most": "int",
    "short": "bool",
    "cards_needed": "int",
    # MIG
    "profile": "str",
    "profiles": "str",
    "profiles_unknown": "bool",
    "half": "str",
    "quarter": "str",
    "layout": "str",
    "legal": "bool",
    "illegal_because": "str",
    "stated": "str",
    "too_small": "bool",
    "tight": "str",
    "tight_format": "str",
    "uneven": "bool",
    # virtual machines
    "licence_refused": "bool",
    "framebuffer_gb": "int",
    "sizes": "str",
    "per_vm": "int",
    "per_vm_said": "int",
    "per_vm_needed": "int",
    "node_gpus": "int",
    "confidential_per_vm": "str",
}
"""Fields of kind ``way``: one way to share the chosen (or named) GPU, with its numbers."""
