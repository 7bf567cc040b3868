"""Ways that hand GPUs, or parts of them, to virtual machines."""

from __future__ import annotations

import re
from typing import Any

from advisor.consult.candidate import Candidate
from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.carried import Carried
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Scalar
from advisor.store.gpu import Gpu

__all__ = ["framebuffers", "passed_through", "turns"]

_LEAST_GB = 4
"""Framebuffer of the smallest C profile (compute); smaller ones are for desktops."""
_ALL_OF_BOARD = re.compile(r"\b(\d+) GPUs\b.* one VM")
"""As the catalogue writes the mode in which a whole board is one VM's."""
Numbers = tuple[dict[str, Scalar], dict[str, Any]]


def framebuffers(gpu: Gpu) -> tuple[int, ...]:
    """Return the framebuffer sizes in GB of time-shared C profiles, largest first.

    vGPUs of one card are of one size, and the sizes are whole parts of its memory: an L40S of
    48 GB has 48, 24, 16, 12, 8, 6 and 4. Which of them a release of the software offers, only its
    own list says.
    """
    total = round(gpu.memory_gb)
    return tuple(size for size in range(total, _LEAST_GB - 1, -1) if total % size == 0)


def turns(carried: Carried, wanted: int | None) -> Numbers:
    """Return facts and parameters of time-shared vGPUs: how much memory each VM gets."""
    card = carried.settled.card
    if card is None:
        return {}, {}
    gpu = card.gpu
    sizes = framebuffers(gpu)
    if not sizes:  # a card of less than the smallest profile, by what was stated
        return {}, {}
    total = sizes[0]
    most = total // sizes[-1]
    size, base, fits = _size(carried, sizes, wanted)
    fields: dict[str, Scalar] = known_only(
        sizes=", ".join(f"{size}" for size in sizes),
        most=most,
        fits=fits,
        format=None if carried.alone is None else carried.alone.weight_format,
        needs_gib=None if carried.share is None else carried.share * card.memory_gib,
    )
    if size is None:
        return fields, {"framebuffers_gb": list(sizes)}
    slots = total // size
    short = wanted is not None and slots < wanted
    fields |= known_only(
        framebuffer_gb=size,
        room_gib=card.memory_gib * size / total,
        slots=slots,
        short=short,
        cards_needed=-(-wanted // slots) if short and wanted is not None else None,
        narrow_format=_narrow(carried, base),
        instead=_in_formats(carried),
    )
    named = known_only(framebuffer_gb=size, vms_per_gpu=slots, weight_format=_narrow(carried, base))
    return fields, dict(named)


def _narrow(carried: Carried, base: Candidate | None) -> str | None:
    """Return the format where it is not that of the whole GPU."""
    same = base is None or carried.alone is None or base is carried.alone
    return None if same or base is None else base.weight_format


def _in_formats(carried: Carried) -> str | None:
    """Return how many parts of the GPU carry the load in which format."""
    bases = () if carried.alone is None else (carried.alone, *carried.narrower)
    found = [f"{parts} in {base.weight_format}" for base in bases if (parts := carried.parts(base))]
    return " or ".join(found) or None


def _size(
    carried: Carried, sizes: tuple[int, ...], wanted: int | None
) -> tuple[int | None, Candidate | None, bool | None]:
    """Return the framebuffer for each VM in GB, in which format it carries the load, if it does."""
    total, alone = sizes[0], carried.alone
    if carried.too_large or carried.fills:
        return None, None, False
    if alone is None or carried.trains:
        if wanted is None:
            return None, None, None
        enough = [size for size in sizes if total // size >= wanted]
        return (enough[0] if enough else sizes[-1]), None, None
    for base in (alone, *carried.near):
        parts = carried.parts(base) or 0
        held = [size for size in sizes if (wanted or 2) <= total // size <= parts]
        if held:
            return held[0], base, True
    held = [size for size in sizes if 2 <= total // size <= (carried.parts(alone) or 0)]
    return (held[-1], alone, True) if held else (None, None, False)


def passed_through(settled: Settled) -> Numbers:
    """Return facts and parameters of whole GPUs in VMs: how many GPUs one VM gets."""
    needed = _needed(settled)
    said = settled.answers.get("platform.gpus_per_vm")
    machine = _machine(settled)
    per_vm = needed or 1
    if isinstance(said, int):
        per_vm = max(said, per_vm)
    if machine is not None:
        per_vm = max(min(per_vm, machine), needed or 1)
    counts = _confidential_counts(settled)
    if counts and settled.full_answers.get("tenancy.confidential") is True:
        per_vm = next((count for count in counts if count >= per_vm), counts[-1])
    fields = known_only(
        per_vm=per_vm,
        per_vm_said=said if isinstance(said, int) else None,
        per_vm_needed=needed,
        node_gpus=machine,
        confidential_per_vm=" or ".join(map(str, counts)) if counts else None,
    )
    return fields, {"gpus_per_vm": per_vm}


def _needed(settled: Settled) -> int | None:
    """Return how many GPUs of one engine sit in one machine."""
    candidate = settled.candidate
    return None if candidate is None else candidate.gpus_per_replica // candidate.nodes_per_replica


def _machine(settled: Settled) -> int | None:
    """Return the GPUs of one machine, where that is said."""
    said = settled.answers.get("hardware.gpus_per_node")
    return said if isinstance(said, int) else None


def _confidential_counts(settled: Settled) -> tuple[int, ...]:
    """Return how many GPUs one confidential VM may have; empty where any number goes.

    On Hopper boards either each VM has one GPU, or one VM has all and the switches.
    """
    if settled.card is None:
        return ()
    modes = settled.card.gpu.confidential_computing.modes
    found: set[int] = set()
    for mode in modes:
        whole = _ALL_OF_BOARD.search(mode)
        if whole is not None:
            found.add(int(whole.group(1)))
        elif mode.startswith("single-GPU"):
            found.add(1)
        else:
            return ()
    return tuple(sorted(found))
