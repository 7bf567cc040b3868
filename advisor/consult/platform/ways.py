"""Ways to share the GPU: what each would mean here, with its numbers, for the rules to judge."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.carried import ROOM, Carried
from advisor.consult.platform.chosen import wanted_per_gpu
from advisor.consult.platform.gke import sized_by_pool
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.supported import on_all, supports
from advisor.consult.platform.ways_mig import Cut, cut, cut_unknown
from advisor.consult.platform.ways_vm import passed_through, turns
from advisor.consult.situation import Card
from advisor.rules.facts import Fact, Scalar
from advisor.store.mig import MigTable
from advisor.store.sharing_mode import SharingMode

__all__ = ["Way", "find_ways"]

_CLIENTS = 48
"""Clients that one MPS server takes (NVIDIA's MPS documentation; section 3.2)."""
_ENGINES_TAKE = 0.9
"""Of the memory, dealt out among engines whose needs are not known."""
_SHARED = frozenset({"time_slicing", "mps", "one_process", "fractional_scheduler"})
_CUT = frozenset({"mig", "mig_in_guest", "vgpu_mig"})
_DIVIDES = _SHARED | _CUT | {"vgpu", "amd_partition"}
_MODES = (("DPX", 2), ("QPX", 4), ("CPX", 8))
"""Compute modes of AMD Instinct GPUs, with the devices that each shows (section 2.3)."""
_NOW = {
    "time_slicing": "time_slicing", "mps": "mps", "mig": "mig", "vgpu": "vgpu",
    "hami": "fractional_scheduler", "kai": "fractional_scheduler", "exclusive": "exclusive",
}  # fmt: skip
"""Values of ``platform.sharing_now`` to options."""


@dataclass(frozen=True, slots=True)
class Way:
    """One option of the decision ``sharing``."""

    option: str
    fields: dict[str, Scalar]
    """What rules read."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """What the choice would say."""

    @property
    def fact(self) -> Fact:
        """The fact of kind ``way``."""
        return Fact("way", f"way:{self.option}", {"option": self.option, **self.fields})


def find_ways(settled: Settled) -> tuple[Way, ...]:
    """Return the ways of the catalogue, in its order, that this vendor has or that are in use."""
    finder = _Finder(settled)
    modes = settled.desk.knowledge.sharing_modes
    return tuple(finder.way(mode) for mode in modes.values() if finder.considers(mode))


class _Finder:
    """Works out the numbers that several ways have in common once."""

    def __init__(self, settled: Settled) -> None:
        self.settled, self.answers = settled, settled.answers
        card = settled.card
        self.card, self.carried = card, Carried(settled)
        tables = settled.desk.knowledge.mig_tables if card else {}
        self.table: MigTable | None = (
            tables.get(card.gpu.mig.profile_table or "")
            if card is not None and card.gpu.mig.supported
            else None
        )

    def considers(self, mode: SharingMode) -> bool:
        """Tell whether the way is worth a word: ways of another vendor are not, unless in use."""
        if mode.id == "exclusive":
            # a whole accelerator can be had of every maker
            return True
        vendors = self.settled.vendors or {"nvidia"}
        return not vendors.isdisjoint(mode.vendors) or mode.id in self._in_use

    def way(self, mode: SharingMode) -> Way:
        """Return one way with facts and parameters."""
        option = mode.id
        fields: dict[str, Scalar] = known_only(
            name=mode.name,
            supported=on_all(option, self.settled.cards),
            memory_wall=mode.isolation.memory,
            fault_wall=mode.isolation.faults,
            compute_wall=mode.isolation.compute,
            trust=mode.trust,
            machine=mode.machine,
            maturity=mode.maturity,
            divides=option in _DIVIDES,
            in_use=option in self._in_use,
            wanted=self.wanted,
            gpu_name=None if self.card is None else self.card.gpu.name,
            gpu_has_mig=None if self.card is None else supports("mig", self.card.gpu),
            licence_refused=self.answers.get("tenancy.vgpu_license") is False,
        )
        parameters: dict[str, Any] = known_only(gpu=None if self.card is None else self.card.label)
        found, more = self._numbers(option)
        return Way(option, fields | found, parameters | more)

    def _numbers(self, option: str) -> tuple[dict[str, Scalar], dict[str, Any]]:
        """Return what the option would mean for this GPU and these loads."""
        if option in _SHARED:
            return self._of_shares(option), self._shares(option)
        if option in _CUT and self.table is not None:
            return self._cut
        if option in _CUT and self.card is not None and self.card.gpu.mig.supported:
            return cut_unknown(self.carried, self.wanted)
        if option == "vgpu":
            return turns(self.carried, self.wanted)
        if option == "amd_partition" and self.card is not None:
            return self._partitions(self.card)
        return passed_through(self.settled) if option in {"passthrough", "sriov"} else ({}, {})

    @cached_property
    def _cut(self) -> tuple[dict[str, Scalar], dict[str, Any]]:
        if self.table is None:
            return {}, {}
        even = sized_by_pool(self.answers)
        return cut(Cut(self.carried, self.table, self.wanted, even=even))

    def _partitions(self, card: Card) -> tuple[dict[str, Scalar], dict[str, Any]]:
        """Return the compute mode with enough partitions, of equal shares of the memory.

        Where none that carries the load is as fine as is wanted, the finest that does.
        """
        alone, wanted = self.carried.alone, self.wanted or 2
        parts = _MODES[-1][1] if alone is None else self.carried.parts(alone) or 0
        able = [mode for mode in _MODES if mode[1] <= parts]
        found = next((mode for mode in able if mode[1] >= wanted), able[-1] if able else None)
        form = None if alone is None else alone.weight_format
        if found is None or self.carried.too_large:
            return known_only(fits=False, format=form, largest_gib=card.memory_gib / 2), {}
        name, count = found
        gib = card.memory_gib / count
        short = count < wanted
        fields = known_only(
            profile=name, slots=count, room_gib=gib, fits=None if alone is None else True,
            short=short, cards_needed=-(-wanted // count) if short else None, format=form,
            most=parts, instead=self._partitions_in_formats(),
        )  # fmt: skip
        return fields, {"profile": name, "partitions": count, "instance_memory_gib": round(gib, 1)}

    def _partitions_in_formats(self) -> str | None:
        """Return how many partitions carry the load in which format, the chosen one first."""
        found = []
        for base in (self.carried.alone, *self.carried.narrower):
            parts = 0 if base is None else self.carried.parts(base) or 0
            count = max((mode[1] for mode in _MODES if mode[1] <= parts), default=0)
            if base is not None and count:
                found.append(f"{count} in {base.weight_format}")
        return " or ".join(found) or None

    @cached_property
    def _in_use(self) -> frozenset[str]:
        now = self.answers.get("platform.sharing_now")
        named = {str(name) for name in now} if isinstance(now, tuple) else set()
        if self.answers.get("platform.mig_layout_now"):
            named.add("mig")
        more = {"vgpu_mig"} if {"mig", "vgpu"} <= named else set()
        more |= {"mig_in_guest"} if "mig" in named else set()
        return frozenset({*(_NOW.get(name, "") for name in named), *more})

    @cached_property
    def wanted(self) -> int | None:
        """Loads that one GPU shall carry, where that is said or configured."""
        return wanted_per_gpu(self.answers)

    def _of_shares(self, option: str) -> dict[str, Scalar]:
        share, card, wanted = self.carried.share, self.card, self.wanted
        replicas = self._replicas
        fits: bool | None = None
        if self.carried.fills:
            fits = False
        elif share is not None:
            fits = share * (wanted or 2) <= ROOM
        most = _CLIENTS if option == "mps" else None
        if most is not None and replicas is not None and replicas > most:
            fits = False
        return known_only(
            fits=fits,
            percent=None if share is None else 100 * share,
            needs_gib=None if share is None or card is None else share * card.memory_gib,
            room_gib=None if card is None else card.memory_gib * _ENGINES_TAKE / (wanted or 2),
            slots=None if share is None else int(ROOM / share),
            most=most,
            short=None if most is None or replicas is None else replicas > most,
            format=None if self.carried.alone is None else self.carried.alone.weight_format,
            instead=None if fits is not False else self._in_formats(),
        )

    def _in_formats(self) -> str | None:
        """Return how many engines fit in which format, those that are wanted last."""
        alone = self.carried.alone
        if alone is None:
            return None
        found = []
        for base in (alone, *self.carried.narrower):
            share = self.carried.share_of(base)
            if share is not None:
                count = int(ROOM / share)
                found.append(f"{count} in {base.weight_format}")
                if count >= (self.wanted or 2):
                    break
        return ", ".join(found) or None

    @property
    def _replicas(self) -> int | None:
        share = self.carried.share
        slots = None if share is None else int(ROOM / share)
        return self.wanted or slots

    def _shares(self, option: str) -> dict[str, Any]:
        """Return how many engines share, and the share of each; all shares add up to 0.95."""
        share, replicas = self.carried.share, self._replicas
        if replicas is None or replicas < 1:
            return {}
        fraction = _floored(_ENGINES_TAKE / replicas)
        if share is not None:
            fraction = max(round(share, 2), fraction)
        found = {"memory_fraction": fraction}
        return found if option == "one_process" else {"replicas": replicas, **found}


def _floored(fraction: float) -> float:
    """Return it with two digits that count, never more than it is."""
    digits = max(2, 1 - math.floor(math.log10(fraction)))
    scale = 10.0**digits
    return math.floor(fraction * scale + 1e-9) / scale
