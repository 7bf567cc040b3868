"""Loads on equal parts of GPUs: partitions of AMD GPUs, vGPUs of GPUs without MIG.

A GPU is cut into 2, 4 or 8 equal parts (or, as vGPUs, into as many as their types say), each with
that part of the memory and one engine. GPUs of one fleet may be cut differently, one GPU never.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.consult.several.fleet import Part
from advisor.consult.several.loads import SizedLoad, alike
from advisor.consult.several.slices import Sliced, on_parts
from advisor.consult.situation import Card
from advisor.sizing.size import SizingFacts
from advisor.store.gpu import Gpu, Interconnect

__all__ = ["Mode", "compute_modes", "in_equal_parts", "vgpu_types"]

_MODES = (("DPX", 2), ("QPX", 4), ("CPX", 8))
"""Compute modes of AMD Instinct GPUs, with the devices that each shows (section 2.3)."""
_SMALLEST_VGPU_GB = 4
"""The C series starts at 4 GB; its types are whole numbers of GB that divide the card's memory."""
_MOST_ENGINES = 500


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to cut a GPU."""

    name: str
    count: int
    """Equal parts of a GPU."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A load on the smallest parts that carry it."""

    sized: SizedLoad
    part: Part
    base: Part
    """On whole GPUs, in the same format."""
    mode: Mode

    @property
    def taken(self) -> tuple[float, str]:
        """Share of a GPU that all copies take."""
        return self.part.copies / self.mode.count, self.part.candidate.id


@dataclass(slots=True)
class _Gpu:
    mode: Mode
    loads: list[int]


def compute_modes(gpu: Gpu) -> tuple[Mode, ...]:
    """Return the compute modes of an AMD GPU that show several devices, as the catalogue says."""
    said = gpu.partitioning or "none"
    if gpu.vendor != "amd" or said.startswith("none"):
        return ()
    most = max((int(number) for number in re.findall(r"\b\d+\b", said)), default=0)
    return tuple(Mode(name, count) for name, count in _MODES if count <= most)


def vgpu_types(gpu: Gpu) -> tuple[Mode, ...]:
    """Return the vGPU types for compute of a GPU without MIG; none of a GPU that is cut by MIG."""
    shared = gpu.vgpu.supported is True and "time-sliced" in gpu.vgpu.modes
    if not shared or gpu.mig.supported:
        return ()
    memory = round(gpu.memory_gb)
    counts = (n for n in range(2, memory // _SMALLEST_VGPU_GB + 1) if memory % n == 0)
    return tuple(Mode(f"{memory // count}C", count) for count in counts)


def in_equal_parts(
    sized: tuple[SizedLoad, ...],
    whole: list[tuple[Part, ...]],
    modes: Sequence[Mode],
    facts: SizingFacts,
) -> Sliced | None:
    """Return the loads on the fewest GPUs in equal parts; ``None`` where one fits no part.

    The smallest parts say how many GPUs it takes; then loads get back wider weights, those that
    are alike together, and GPUs are cut no finer than their engines ask.

    Args:
        sized: The loads.
        whole: By load, its candidates on whole GPUs of the kind, best first.
        modes: Ways to cut such a GPU.
        facts: What sizing knows.
    """
    card = whole[0][0].candidate.card
    ways = [
        list(_ways(load, parts[0], card, modes, facts))
        for load, parts in zip(sized, whole, strict=True)
    ]
    if not modes or not all(ways):
        return None
    chosen = [min(found, key=lambda way: way.taken) for found in ways]
    if sum(way.part.copies for way in chosen) > _MOST_ENGINES:
        return None
    most = max(len(_placed(chosen)), card.max_gpus or 0)
    for group in alike(sized):
        for pick in range(len(ways[group[0]])):
            tried = [ways[i][pick] if i in group else way for i, way in enumerate(chosen)]
            if len(_placed(tried)) <= most:
                chosen = tried
                break
    return _cut(chosen, card, modes, facts)


def _ways(
    sized: SizedLoad, best: Part, card: Card, modes: Sequence[Mode], facts: SizingFacts
) -> Iterator[_Way]:
    """Yield the load in each format, as ranked, on parts that take least of a GPU."""
    load = sized.attempt.situation.load
    if load.model is None or load.trains:
        return
    near = [c for c in sized.attempt.ranked if c.card.label == card.label]
    for weight_format in dict.fromkeys(candidate.weight_format for candidate in near):
        base = next(c for c in near if c.weight_format == weight_format)
        on_whole = replace(best, candidate=base)
        found = [
            _Way(sized, part, on_whole, mode)
            for mode in modes
            if (part := _on(sized, on_whole, card, mode, facts)) is not None
        ]
        if found:
            yield min(found, key=lambda way: way.taken)


def _on(
    sized: SizedLoad,
    base: Part,
    card: Card,
    mode: Mode,
    facts: SizingFacts,
    most: int | None = None,
) -> Part | None:
    load, candidate = sized.attempt.situation.load, base.candidate
    found = on_parts(load, candidate, card, as_part(card.gpu, mode.count), mode.name, facts, most)
    if found is None:
        return None
    judged = candidate.id if candidate.gpus_per_replica == 1 else None
    return replace(base, candidate=found, profile=mode.name, whole=card, judged=judged)


def as_part(gpu: Gpu, count: int) -> Gpu:
    """Return the GPU that a process in one of ``count`` equal parts sees.

    Memory, bandwidth and arithmetic in equal parts; of vGPUs that take turns, on average.
    """
    rates = {
        name: None if value is None else value / count
        for name, value in gpu.tflops.model_dump().items()
        if value is None or isinstance(value, int | float)
    }
    return gpu.model_copy(
        update={
            "engine_memory_gib": gpu.engine_memory_gib / count,
            "memory_bandwidth_gbs": gpu.memory_bandwidth_gbs / count,
            "tflops": gpu.tflops.model_copy(update=rates),
            "interconnect": Interconnect(pcie_generation=gpu.interconnect.pcie_generation),
            "scale_up_gpus": 1,
            "gpus_per_node": (1,),
        }
    )


def _placed(ways: Sequence[_Way]) -> list[_Gpu]:
    """Return the GPUs that hold all engines: the largest parts first, later ones fill what is left.

    All copies of a load sit in parts of one size.
    """
    gpus: list[_Gpu] = []
    sizes: dict[int, Mode] = {}
    for index in sorted(range(len(ways)), key=lambda i: (ways[i].mode.count, i)):
        for _ in range(ways[index].part.copies):
            size = sizes.get(index)
            free = (gpu for gpu in gpus if len(gpu.loads) < gpu.mode.count)
            gpu = next((gpu for gpu in free if size in {None, gpu.mode}), None)
            if gpu is None:
                gpu = _Gpu(size or ways[index].mode, [])
                gpus.append(gpu)
            gpu.loads.append(index)
            sizes[index] = gpu.mode
    return gpus


def _cut(ways: Sequence[_Way], card: Card, modes: Sequence[Mode], facts: SizingFacts) -> Sliced:
    """Return parts and layouts, with GPUs cut no finer than what sits on them asks."""
    gpus = _placed(ways)
    coarse: dict[Mode, Mode] = {}
    for mode in {gpu.mode for gpu in gpus}:
        fullest = max(len(gpu.loads) for gpu in gpus if gpu.mode == mode)
        enough = (m for m in modes if fullest <= m.count <= mode.count)
        coarse[mode] = min(enough, key=lambda m: m.count, default=mode)
    sizes = {index: coarse[gpu.mode] for gpu in gpus for index in gpu.loads}
    parts = []
    for index, way in enumerate(ways):
        replicas = way.part.candidate.replicas
        wider = _on(way.sized, way.base, card, sizes[index], facts, replicas)
        parts.append(wider or way.part)
    layouts = tuple((coarse[gpu.mode].name,) * coarse[gpu.mode].count for gpu in gpus)
    return Sliced(tuple(parts), layouts)
