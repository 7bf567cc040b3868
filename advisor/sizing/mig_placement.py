"""Where MIG instances may sit on a GPU, and how few GPUs hold a set of them.

A GPU has memory slices 0..M-1 (8, or 4 on A30 and RTX PRO) and compute slices 0..C-1 (7, or 4).
An instance of m memory slices starts at a multiple of m, takes m memory slices in a row, and its
compute slices begin at the same number, so that ``start + compute_slices <= C``. That one rule
gives the start positions that ``nvidia-smi mig -lgipp`` prints and the largest counts of NVIDIA's
profile tables (section 3.3); a test compares it with every table of the catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.store.gpu import Gpu, Interconnect
from advisor.store.mig import MigProfile, MigTable

__all__ = [
    "as_slice",
    "fewest_gpus",
    "instance_memory_gib",
    "placement",
    "plain_profiles",
    "starts",
]

_LOST_GIB = 0.2
"""An instance shows up to so much less than its share (H100: 9.75 GiB of 79.2 / 8 = 9.90)."""


def plain_profiles(table: MigTable) -> tuple[MigProfile, ...]:
    """Return the sizes without media or graphics variants, smallest first."""
    plain = (p for p in table.profiles if p.profile.endswith("gb"))
    return tuple(sorted(plain, key=lambda p: (p.memory_slices, p.compute_slices)))


def starts(profile: MigProfile, table: MigTable) -> tuple[int, ...]:
    """Return the memory slices at which an instance may start."""
    size = profile.memory_slices
    return tuple(
        start
        for start in range(0, table.memory_slices - size + 1, size)
        if start + profile.compute_slices <= table.compute_slices
    )


def placement(profiles: Sequence[MigProfile], table: MigTable) -> tuple[int, ...] | None:
    """Return a start for each instance on one GPU, in the order given, or ``None``.

    Exact: every legal arrangement is tried, the largest instances first.
    """
    order = sorted(range(len(profiles)), key=lambda i: -profiles[i].memory_slices)
    found: dict[int, int] = {}

    def place(depth: int, taken: int) -> bool:
        if depth == len(order):
            return True
        profile = profiles[order[depth]]
        for start in reversed(starts(profile, table)):
            mask = ((1 << profile.memory_slices) - 1) << start
            if taken & mask:
                continue
            found[order[depth]] = start
            if place(depth + 1, taken | mask):
                return True
        return False

    too_many = sum(p.memory_slices for p in profiles) > table.memory_slices
    too_much = sum(p.compute_slices for p in profiles) > table.compute_slices
    if too_many or too_much or not place(0, 0):
        return None
    return tuple(found[index] for index in range(len(profiles)))


def fewest_gpus(
    demand: Sequence[MigProfile], table: MigTable
) -> tuple[tuple[MigProfile, ...], ...]:
    """Return the instances of each GPU: all of ``demand`` on as few GPUs as first fit finds.

    Largest first, each on the first GPU that still has a legal place for it. Sizes halve from one
    to the next, so first fit wastes no memory slice; only the compute slice that 3g and 4g leave
    unused may cost a GPU that a cleverer order would save.
    """
    key = lambda p: (-p.memory_slices, -p.compute_slices, p.profile)  # noqa: E731
    gpus: list[list[MigProfile]] = []
    for profile in sorted(demand, key=key):
        for held in gpus:
            if _fits(tuple(held), profile, table):
                held.append(profile)
                break
        else:
            gpus.append([profile])
    return tuple(tuple(held) for held in gpus)


def _fits(held: tuple[MigProfile, ...], profile: MigProfile, table: MigTable) -> bool:
    return placement((*held, profile), table) is not None


def instance_memory_gib(gpu: Gpu, profile: MigProfile, table: MigTable) -> float:
    """Return the memory that the runtime shows in an instance, GiB.

    As printed by the driver where that was seen; else the share of the GPU's memory less what
    instances were seen to lose.
    """
    if profile.usable_gib is not None:
        return profile.usable_gib
    if profile.memory_slices == table.memory_slices:
        return gpu.engine_memory_gib
    return gpu.engine_memory_gib * profile.memory_slices / table.memory_slices - _LOST_GIB


def as_slice(gpu: Gpu, profile: MigProfile, table: MigTable) -> Gpu:
    """Return the GPU that a process in one instance sees.

    Memory and bandwidth by memory slices, arithmetic by compute slices; no link to any other
    instance, since MIG has no peer-to-peer access.
    """
    memory = profile.memory_slices / table.memory_slices
    compute = profile.compute_slices / table.compute_slices
    rates = {
        name: None if value is None else value * compute
        for name, value in gpu.tflops.model_dump().items()
        if value is None or isinstance(value, int | float)
    }
    return gpu.model_copy(
        update={
            "engine_memory_gib": instance_memory_gib(gpu, profile, table),
            "memory_bandwidth_gbs": gpu.memory_bandwidth_gbs * memory,
            "tflops": gpu.tflops.model_copy(update=rates),
            "interconnect": Interconnect(pcie_generation=gpu.interconnect.pcie_generation),
            "scale_up_gpus": 1,
            "gpus_per_node": (1,),
        }
    )
