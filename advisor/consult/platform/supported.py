"""Which GPUs can be shared in which way, from the catalogue's figures."""

from __future__ import annotations

from collections.abc import Collection

from advisor.consult.situation import Card
from advisor.store.gpu import Gpu

__all__ = ["on_all", "supports"]

_ALWAYS = frozenset({"exclusive", "multi_lora", "one_process"})
_NVIDIA = frozenset({"time_slicing", "mps", "fractional_scheduler"})


_SILICON = frozenset({"mig", "mig_in_guest", "vgpu", "vgpu_mig", "amd_partition", "sriov"})
"""What the chip decides, so that nobody can tell of a card outside the catalogue."""
_CUT = frozenset({"mig", "mig_in_guest", "vgpu_mig"})
_CUT_CAPABILITIES = frozenset({"8.0", "9.0", "10.0", "10.3", "12.0"})
"""Compute capabilities of the GPUs with MIG (NVIDIA's MIG guide; section 2.1); not all of 12.0."""
_VOLTA = 7.0
_OF_AMD = frozenset({"amd_partition", "sriov"})


def supports(option: str, gpu: Gpu) -> bool | None:
    """Tell whether ``gpu`` can be shared that way at all; ``None`` where nobody knows."""
    if option in _ALWAYS:
        return True
    if option in _NVIDIA:
        return gpu.vendor == "nvidia" and not (option == "mps" and _before_volta(gpu))
    if option == "passthrough":
        return gpu.vendor in {"nvidia", "amd"}
    if gpu.id == "unknown" and option in _SILICON:
        return None if _could(option, gpu) else False
    mig, vgpu, amd = gpu.mig.supported, gpu.vgpu, gpu.vendor == "amd"
    modes = vgpu.modes if vgpu.supported else ()
    unknown = gpu.vendor == "nvidia" and vgpu.supported is None
    special = {
        "mig": mig,
        "mig_in_guest": mig,
        "vgpu": None if unknown else "time-sliced" in modes,
        "vgpu_mig": None if unknown and mig else mig and any("mig-backed" in m for m in modes),
        "amd_partition": amd and not (gpu.partitioning or "none").startswith("none"),
        "sriov": amd and gpu.sriov is True,
    }
    return special[option]


def _before_volta(gpu: Gpu) -> bool:
    """Tell whether clients of MPS would share one context, which the plugin does not serve."""
    return gpu.compute_capability is not None and float(gpu.compute_capability) < _VOLTA


def _could(option: str, gpu: Gpu) -> bool:
    """Tell whether a card outside the catalogue might, by its maker and what it computes with."""
    if (option in _OF_AMD) != (gpu.vendor == "amd"):
        return False
    known = gpu.compute_capability
    return option not in _CUT or known is None or known in _CUT_CAPABILITIES


def on_all(option: str, cards: Collection[Card]) -> bool | None:
    """Tell whether all GPUs can, or none; ``None`` where they differ or are not known.

    Nothing named: what every NVIDIA GPU of a data centre can is assumed, the rest is open.
    """
    if not cards:
        return True if option in {*_ALWAYS, *_NVIDIA, "passthrough"} else None
    answers = {supports(option, card.gpu) for card in cards}
    return answers.pop() if len(answers) == 1 else None
