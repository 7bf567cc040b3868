"""How many GPUs hold several engines, each on a share of the memory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from advisor.consult.candidate import Candidate
from advisor.consult.several.fleet import FULL, Part
from advisor.consult.share_of_load import holds_at_once, size_request
from advisor.consult.situation import Load
from advisor.sizing.size import SizingFacts, size_layout

__all__ = ["Packed", "least_share", "packed"]

_STEP = 0.01
_WIDEST_SHARE = 0.90
"""A load that needs more of a GPU than this has no neighbour."""
_MOST_ENGINES = 500


@dataclass(frozen=True, slots=True)
class Packed:
    """Where the engines sit."""

    gpus: int
    fullest: float
    beside: tuple[tuple[str, ...], ...] = ()
    """Names of the loads on each GPU that several share."""
    most: int = 1
    """Engines on the GPU that has most of them."""
    one_owner: bool = False
    """Whether nobody shares a GPU with another tenant, or with one who is not named."""


def least_share(candidate: Candidate, load: Load, facts: SizingFacts) -> Candidate | None:
    """Return the candidate with the smallest memory share at which it still carries its load.

    ``None`` where it needs (nearly) the whole GPU, or where that cannot be told.
    """
    if load.model is None or load.trains or candidate.nodes_per_replica > 1:
        return None
    model = load.model
    streams = math.ceil(load.concurrency / candidate.replicas)

    def sized(steps: int) -> Candidate | None:
        request = size_request(
            load, candidate.card, candidate.weight_format, streams,
            gpu_memory_utilization=round(steps * _STEP, 2),
        )  # fmt: skip
        result = size_layout(request, model, candidate.card.gpu, candidate.layout, facts)
        holds = holds_at_once(result, candidate.layout, load) if result.fits else 0
        if holds < streams or result.borderline:
            return None
        return replace(candidate, result=result, holds=holds)

    low, high = 1, round(_WIDEST_SHARE / _STEP)
    found = sized(high)
    if found is None:
        return None
    while low < high:
        middle = (low + high) // 2
        smaller = sized(middle)
        if smaller is None:
            low = middle + 1
        else:
            high, found = middle, smaller
    return found


def packed(parts: Iterable[Part], *, apart: bool = False) -> Packed | None:
    """Return the GPUs that hold all engines, widest and largest first, each where it fits first.

    Args:
        parts: Loads, each with a share of memory.
        apart: Whether loads of different tenants never meet on a GPU.

    Engines of several GPUs take the same share of each. ``None`` where some load takes whole
    GPUs only, where there are too many engines to place one by one, or where nothing is saved.
    """
    held = tuple(parts)
    if any(part.fraction is None for part in held):
        return None
    if sum(part.copies for part in held) > _MOST_ENGINES:
        return None
    widest = max(part.width for part in held)
    order = sorted(held, key=lambda part: (-part.width, -(part.fraction or 0.0), part.load.index))
    groups: list[list[_Gpu]] = []
    for part in order:
        for _ in range(part.copies):
            _place(groups, widest, part, apart=apart)
    filled = [gpu for group in groups for gpu in group if gpu.names]
    if len(filled) >= sum(part.own_gpus for part in held):
        return None
    beside = dict.fromkeys(tuple(gpu.names) for gpu in filled if len(gpu.names) > 1)
    return Packed(
        gpus=len(filled),
        fullest=max(gpu.used for gpu in filled),
        beside=tuple(beside),
        most=max(len(gpu.names) for gpu in filled),
        one_owner=all(gpu.one_owner for gpu in filled),
    )


@dataclass(slots=True)
class _Gpu:
    """One GPU while engines are placed."""

    used: float = 0.0
    names: list[str] = field(default_factory=list)
    tenants: set[str | None] = field(default_factory=set)

    @property
    def one_owner(self) -> bool:
        """Whether all engines here belong to one tenant who is named."""
        return len(self.names) <= 1 or (len(self.tenants) == 1 and None not in self.tenants)

    def takes(self, part: Part, *, apart: bool) -> bool:
        """Tell whether one more engine may come here."""
        if self.used + (part.fraction or 0.0) > FULL + 1e-9:
            return False
        alone = not self.names or (
            part.load.tenant is not None and self.tenants == {part.load.tenant}
        )
        return alone or not apart


def _place(groups: list[list[_Gpu]], widest: int, part: Part, *, apart: bool) -> None:
    """Put one engine on the fullest GPUs of the first group that still have room for it."""
    for group in groups:
        room = [i for i, gpu in enumerate(group) if gpu.takes(part, apart=apart)]
        if len(room) >= part.width:
            break
    else:
        group = [_Gpu() for _ in range(widest)]
        groups.append(group)
        room = list(range(widest))
    for index in sorted(room, key=lambda i: (-group[i].used, i))[: part.width]:
        group[index].used += part.fraction or 0.0
        group[index].names.append(part.load.name)
        group[index].tenants.add(part.load.tenant)
