"""Which GPUs can be shared in which way, from the catalogue's figures."""

from __future__ import annotations

from collections.abc import Collection

from advisor.consult.situation import Card
from advisor.store.gpu import Gpu

__all__ = ["on_all", "supports"]

_ALWAYS = frozenset({"exclusive", "multi_lora", "one_process"})
_NVIDIA = frozenset({"time_slicing", "mps", "fractional_scheduler"})


def supports(option: str, gpu: Gpu) -> bool:
    """Tell whether ``gpu`` can be shared that way at all."""
    mig, vgpu, amd = gpu.mig.supported, gpu.vgpu, gpu.vendor == "amd"
    special = {
        "mig": mig,
        "mig_in_guest": mig,
        "vgpu": vgpu.supported is True and "time-sliced" in vgpu.modes,
        "vgpu_mig": mig and any("mig-backed" in mode for mode in vgpu.modes),
        "passthrough": gpu.vendor in {"nvidia", "amd"},
        "amd_partition": amd and not (gpu.partitioning or "none").startswith("none"),
        "sriov": amd and gpu.sriov is True,
    }
    if option in _ALWAYS:
        return True
    return gpu.vendor == "nvidia" if option in _NVIDIA else special[option]


def on_all(option: str, cards: Collection[Card]) -> bool | None:
    """Tell whether all GPUs can, or none; ``None`` where they differ or are not known.

    Nothing named: what every NVIDIA GPU of a data centre can is assumed, the rest is open.
    """
    if not cards:
        return True if option in {*_ALWAYS, *_NVIDIA, "passthrough"} else None
    answers = {supports(option, card.gpu) for card in cards}
    return answers.pop() if len(answers) == 1 else None
