"""Ways to share the GPU: what each would mean here, with its numbers, for the rules to judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from advisor.consult.candidate import Candidate
from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.chosen import wanted_per_gpu
from advisor.consult.platform.layouts_of_mig import (
    Layout,
    equal_slices,
    filled,
    profiles_in_words,
    stated_layout,
)
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.supported import on_all
from advisor.consult.several.packing import least_share
from advisor.consult.several.slices import on_instances
from advisor.consult.situation import Card
from advisor.rules.facts import Fact, Scalar
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.mig_placement import instance_memory_gib, plain_profiles
from advisor.store.mig import MigProfile, MigTable
from advisor.store.sharing_mode import SharingMode

__all__ = ["Way", "find_ways"]

_ROOM = 0.95
"""Shares of one GPU add up to this at most."""
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
        self.card = card
        tables = settled.desk.knowledge.mig_tables if card else {}
        self.table: MigTable | None = (
            tables.get(card.gpu.mig.profile_table or "")
            if card is not None and card.gpu.mig.supported
            else None
        )

    def considers(self, mode: SharingMode) -> bool:
        """Tell whether the way is worth a word: ways of another vendor are not, unless in use."""
        vendors = {card.gpu.vendor for card in self.settled.cards} or {"nvidia"}
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
        )
        parameters: dict[str, Any] = known_only(gpu=None if self.card is None else self.card.label)
        if option in _SHARED:
            return Way(option, fields | self._of_shares(), parameters | self._shares(option))
        if option in _CUT and self.table is not None:
            found, more = self._cut(self.table)
            return Way(option, fields | found, parameters | more)
        if option == "amd_partition" and self.card is not None:
            found, more = self._partitions(self.card)
            return Way(option, fields | found, parameters | more)
        if option in {"passthrough", "sriov"}:
            parameters |= {"gpus_per_vm": self._per_vm()}
        return Way(option, fields, parameters)

    def _per_vm(self) -> int:
        stated = self.answers.get("platform.gpus_per_vm")
        if isinstance(stated, int):
            return stated
        candidate = self.settled.candidate
        return 1 if candidate is None else candidate.gpus_per_replica // candidate.nodes_per_replica

    def _partitions(self, card: Card) -> tuple[dict[str, Scalar], dict[str, Any]]:
        """Return the compute mode with enough partitions, of equal shares of the memory."""
        found = next((mode for mode in _MODES if mode[1] >= (self.wanted or 2)), None)
        if found is None:
            return {"fits": False}, {}
        name, count = found
        gib = card.memory_gib / count
        fits = None if self._share is None else self._share <= 1 / count
        fields = known_only(profile=name, slots=count, room_gib=gib, fits=fits)
        return fields, {"profile": name, "partitions": count, "instance_memory_gib": round(gib, 1)}

    @cached_property
    def _in_use(self) -> frozenset[str]:
        now = self.answers.get("platform.sharing_now")
        named = {str(name) for name in now} if isinstance(now, tuple) else set()
        both = {"vgpu_mig"} if {"mig", "vgpu"} <= named else set()
        return frozenset({*(_NOW.get(name, "") for name in named), *both})

    @cached_property
    def wanted(self) -> int | None:
        """Loads that one GPU shall carry, where that is said or configured."""
        return wanted_per_gpu(self.answers)

    @cached_property
    def _alone(self) -> Candidate | None:
        """The one load on one GPU; ``None`` where it takes several, or nothing is known of it."""
        candidate = self.settled.candidate
        if candidate is None or self.settled.load is None or candidate.gpus_per_replica > 1:
            return None
        return candidate

    @cached_property
    def _share(self) -> float | None:
        """The least share of a GPU's memory with which an engine carries its load."""
        candidate, load = self._alone, self.settled.load
        if candidate is None or load is None or load.trains:
            return None
        facts = sizing_facts(self.settled.desk.knowledge)
        found = least_share(candidate, load, facts)
        return None if found is None else found.result.gpu_memory_utilization

    def _of_shares(self) -> dict[str, Scalar]:
        share, card = self._share, self.card
        full = self._alone is not None and share is None and not self._trains
        fits: bool | None = None
        if full:
            fits = False
        elif share is not None and self.wanted is not None:
            fits = share * self.wanted <= _ROOM
        elif share is not None:
            fits = 2 * share <= _ROOM
        return known_only(
            fits=fits,
            percent=None if share is None else 100 * share,
            needs_gib=None if share is None or card is None else share * card.memory_gib,
            room_gib=None if card is None else card.memory_gib * _ENGINES_TAKE / (self.wanted or 2),
            slots=None if share is None else int(_ROOM / share),
        )

    @property
    def _trains(self) -> bool:
        return self.settled.load is not None and self.settled.load.trains

    def _shares(self, option: str) -> dict[str, Any]:
        slots = None if self._share is None else int(_ROOM / self._share)
        replicas = self.wanted or slots
        if replicas is None or replicas < 1:
            return {}
        fraction = round(_ENGINES_TAKE / replicas, 2)
        if self._share is not None:
            fraction = max(round(self._share, 2), min(fraction, round(_ROOM / replicas, 2)))
        found = {"memory_fraction": fraction}
        return found if option == "one_process" else {"replicas": replicas, **found}

    def _cut(self, table: MigTable) -> tuple[dict[str, Scalar], dict[str, Any]]:
        """Return facts and parameters of MIG: as stated, for the load, or for a number of loads."""
        fields: dict[str, Scalar] = {"profiles": profiles_in_words(table)}
        layout, profile, more = self._layout(table)
        if layout is None:
            # nothing says into what: the choice is among these
            more["profiles"] = [p.profile for p in plain_profiles(table)]
        if profile is not None:
            fields |= {"profile": profile.profile, "slots": profile.max_instances, "fits": True}
            more["profile"] = profile.profile
            if self.card is not None:
                gib = instance_memory_gib(self.card.gpu, profile, table)
                fields["room_gib"] = gib
                more["instance_memory_gib"] = round(gib, 2)
        elif self._alone is not None or self._too_large:
            fields["fits"] = False
        elif layout is not None:
            fields["fits"] = True
        if layout is not None:
            fields |= {"layout": layout.words, "legal": not layout.fault}
            fields |= {"illegal_because": layout.fault} if layout.fault else {}
            more["layout"] = layout.plain
        return fields, more

    @property
    def _too_large(self) -> bool:
        candidate = self.settled.candidate
        return candidate is not None and candidate.gpus_per_replica > 1

    def _layout(self, table: MigTable) -> tuple[Layout | None, MigProfile | None, dict[str, Any]]:
        name = "" if self.card is None else self.card.gpu.name
        for key in ("tenancy.mig_layout_wanted", "platform.mig_layout_now"):
            stated = stated_layout(self.answers.get(key), table, name)
            if stated is not None:
                held = {p for gpu in stated.gpus for p in gpu}
                only = table.profile(held.pop()) if len(held) == 1 else None
                return stated, only, {}
        if self._alone is not None:
            found = self._instance(table)
            if found is None:
                return None, None, {}
            profile, candidate = found
            count = min(self.wanted or 1, profile.max_instances)
            layout = Layout((filled([profile] * count, table),))
            return layout, profile, _settings(candidate)
        if self.wanted is not None:
            held_names = equal_slices(self.wanted, table)
            if held_names is not None:
                return Layout((held_names,)), table.profile(held_names[0]), {}
        return None, None, {}

    def _instance(self, table: MigTable) -> tuple[MigProfile, Candidate] | None:
        """Return the smallest instance that carries the whole load, with its sizing."""
        base, load, card = self._alone, self.settled.load, self.card
        if base is None or load is None or card is None or load.trains:
            return None
        facts = sizing_facts(self.settled.desk.knowledge)
        for profile in plain_profiles(table)[:-1]:
            if self.wanted is not None and profile.max_instances < self.wanted:
                continue
            found = on_instances(load, base, card, profile, table, facts, most=1)
            if found is not None:
                return profile, found
        return None


def _settings(candidate: Candidate) -> dict[str, Any]:
    """Return what the engine in an instance is told."""
    result = candidate.result
    return {
        key: value
        for key, value in {
            "max_model_len": result.max_model_len,
            "max_num_seqs": result.max_num_seqs,
            "gpu_memory_utilization": result.gpu_memory_utilization,
            "requests_at_once": candidate.holds,
        }.items()
        if value is not None
    }
