"""MIG layouts: as wanted, for a number of equal loads, or around one load; legal or why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.sizing.mig_placement import placement, plain_profiles
from advisor.store.mig import MigProfile, MigTable

__all__ = [
    "Layout",
    "equal_slices",
    "filled",
    "largest_equal",
    "profiles_in_words",
    "stated_layout",
    "uniform",
]

_COMPUTE = re.compile(r"[1-7]c\.")
_MEDIA = "+me"
"""In the names of profiles that carry the media engines, which one instance of a GPU may have."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What GPUs are cut into."""

    gpus: tuple[tuple[str, ...], ...]
    """Profiles of each GPU that was named; an empty one stays whole."""
    fault: str = ""
    """Why the layout that was stated is not to be had; empty where it is."""

    @property
    def plain(self) -> list[str] | list[list[str]]:
        """One GPU's profiles as a list, those of several as a list of lists."""
        if len(self.gpus) == 1:
            return list(self.gpus[0])
        return [list(held) for held in self.gpus]

    @property
    def words(self) -> str:
        """As a sentence says it: ``3 x 2g.20gb + 1 x 1g.10gb``."""
        shown = dict.fromkeys(self.gpus)
        return "; ".join(_in_words(held) for held in shown)


def _in_words(held: Sequence[str]) -> str:
    counts = {name: held.count(name) for name in dict.fromkeys(held)}
    return " + ".join(f"{count} x {name}" for name, count in counts.items()) or "whole"


def uniform(layout: Layout) -> bool:
    """Tell whether every GPU is cut into instances of one and the same profile."""
    return len({name for held in layout.gpus for name in held}) == 1 and all(layout.gpus)


def profiles_in_words(table: MigTable) -> str:
    """Return the plain profiles with how many of each fit a GPU."""
    return ", ".join(f"{p.max_instances} x {p.profile}" for p in plain_profiles(table))


def filled(first: Sequence[MigProfile], table: MigTable) -> tuple[str, ...]:
    """Return the instances and what else a GPU holds beside them, largest first.

    More of the same come first, then nothing larger than the smallest that is asked for, so that
    equal loads get equal slices and only the rest is cut finer.
    """
    held = list(first)
    least = min((p.memory_slices for p in held), default=table.memory_slices)
    sizes = [p for p in reversed(plain_profiles(table)) if p.memory_slices <= least]
    for profile in (*dict.fromkeys(first), *sizes):
        while placement((*held, profile), table) is not None:
            held.append(profile)
    return tuple(p.profile for p in held)


def equal_slices(count: int, table: MigTable) -> tuple[str, ...] | None:
    """Return the largest equal slices for so many loads on a GPU, the rest cut finer."""
    best = largest_equal(count, table)
    return None if best is None else filled([best] * count, table)


def largest_equal(count: int, table: MigTable) -> MigProfile | None:
    """Return the largest profile of which so many fit on a GPU."""
    fit = [p for p in plain_profiles(table) if p.max_instances >= count]
    if not fit or count < 1:
        return None
    return max(fit, key=lambda p: (p.memory_slices, p.compute_slices))


def stated_layout(value: object, table: MigTable, gpu: str) -> Layout | None:
    """Return the layout that answers state, in this GPU's own profiles, and what is wrong with it.

    What finds no place is left out, so that what is returned can be had.

    Args:
        value: One GPU's profiles, or a sequence of them.
        table: The profiles of the GPU.
        gpu: Its name, for the text.
    """
    if not isinstance(value, tuple) or not value:
        return None
    nested = all(isinstance(held, tuple) for held in value)
    rows = value if nested else (value,)
    faults: list[str] = []
    found: list[tuple[str, ...]] = []
    for row in rows:
        names = tuple(map(str, row))
        parts = [name for name in names if _COMPUTE.match(name)]
        apart = equal_slices(len(names), table) if parts else None
        if apart is not None:
            faults.append(_of_compute(parts))
            found.append(apart)
            continue
        profiles = [_nearest(name, table, gpu, faults) for name in names]
        known = _not_too_many([p for p in profiles if p is not None], table, gpu, faults)
        if placement(known, table) is None:
            faults.append(_too_much(known, table, gpu))
            known = _that_fit(known, table)
        found.append(tuple(p.profile for p in known))
    return Layout(tuple(found), " ".join(dict.fromkeys(faults)))


def _of_compute(parts: Sequence[str]) -> str:
    """Return what is wrong with compute instances in place of GPU instances (MIG guide)."""
    return (
        f"{_in_words(parts)}: a name with c is a compute instance, a share of the compute inside "
        "one GPU instance; all share its memory and its faults, so loads need GPU instances."
    )


def _not_too_many(
    wanted: Sequence[MigProfile], table: MigTable, gpu: str, faults: list[str]
) -> list[MigProfile]:
    """Return the instances without those of which a GPU has fewer, noting the fault.

    Sums of slices do not show it: the media engines go to one small instance of a GPU
    (NVIDIA's MIG guide: "a single 1g profile can include media extensions"). What is too many is
    replaced by the plain profile of the size.
    """
    held: list[MigProfile] = []
    media = max((p.max_instances for p in table.profiles if _MEDIA in p.profile), default=0)
    for profile in wanted:
        alike = sum(p.profile == profile.profile for p in held)
        carry = sum(_MEDIA in p.profile for p in held)
        special = not profile.profile.endswith("gb")
        over = special and alike >= profile.max_instances
        over = over or (_MEDIA in profile.profile and carry >= media)
        if not over:
            held.append(profile)
            continue
        faults.append(f"A {gpu} takes {profile.max_instances} x {profile.profile} at most.")
        plain = table.profile(profile.profile.partition("+")[0].partition("-")[0])
        held += [] if plain is None else [plain]
    return held


def _that_fit(wanted: Sequence[MigProfile], table: MigTable) -> list[MigProfile]:
    """Return the instances, in the order in which they are wanted, that find a place together."""
    held: list[MigProfile] = []
    for profile in wanted:
        if placement((*held, profile), table) is not None:
            held.append(profile)
    return held


def _nearest(name: str, table: MigTable, gpu: str, faults: list[str]) -> MigProfile | None:
    """Return the profile, else the one of as many compute slices, noting the fault."""
    exact = table.profile(name)
    if exact is not None:
        return exact
    slices = name.partition("g.")[0].rpartition("c.")[2]
    same = [p for p in plain_profiles(table) if str(p.compute_slices) == slices]
    told = f"{name} is no profile of the {gpu}"
    if same:
        best = same[0]
        faults.append(f"{told}; its {slices}g profile is {best.profile}.")
        return best
    faults.append(f"{told}; it has {profiles_in_words(table)}.")
    return None


def _too_much(held: Sequence[MigProfile], table: MigTable, gpu: str) -> str:
    memory = sum(p.memory_slices for p in held)
    compute = sum(p.compute_slices for p in held)
    words = _in_words([p.profile for p in held])
    counted = (
        f"{compute} of {table.compute_slices} compute slices and {memory} of "
        f"{table.memory_slices} memory slices"
    )
    over = memory > table.memory_slices or compute > table.compute_slices
    why = "more than there is" if over else "and no legal set of start positions"
    return f"{words} take {counted} of a {gpu}, {why}."
