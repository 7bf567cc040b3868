"""How small a part of the GPU carries the one load, as chosen and in narrower weight formats."""

from __future__ import annotations

from functools import cached_property

from advisor.consult.candidate import Candidate
from advisor.consult.candidate_facts import bits_of
from advisor.consult.platform.settled import Settled
from advisor.consult.several.packing import least_share
from advisor.consult.several.slices import on_instances
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.mig_placement import instance_memory_gib, plain_profiles
from advisor.store.mig import MigProfile, MigTable

__all__ = ["ROOM", "Carried", "Held"]

ROOM = 0.95
"""Shares of one GPU add up to this at most."""
_OF_A_PART = 0.92
"""Of the memory of a part an engine takes so much."""

_EIGHT_BIT = 8
"""Narrower weights change the answers noticeably (handbook 7.3)."""

Held = tuple[MigProfile, Candidate]
"""An instance, and the load as it was sized in it."""


class Carried:
    """The load beside which others may sit; everything is worked out once."""

    def __init__(self, settled: Settled) -> None:
        self.settled = settled
        self._facts = sizing_facts(settled.desk.knowledge)

    @cached_property
    def alone(self) -> Candidate | None:
        """The one load on one GPU; ``None`` where it takes several, or nothing is known of it."""
        candidate = self.settled.candidate
        if candidate is None or self.settled.load is None or candidate.gpus_per_replica > 1:
            return None
        return candidate

    @property
    def too_large(self) -> bool:
        """Whether one engine spans GPUs."""
        candidate = self.settled.candidate
        return candidate is not None and candidate.gpus_per_replica > 1

    @property
    def trains(self) -> bool:
        """Whether the load is a training job."""
        return self.settled.load is not None and self.settled.load.trains

    @cached_property
    def narrower(self) -> tuple[Candidate, ...]:
        """The load on one such GPU in each format of fewer bits that may be chosen, widest first.

        Whether a format may be chosen, the ranking has settled: formats that are fixed or ruled
        out have no candidate there. Simplicity keeps the published format.
        """
        base = self.alone
        if base is None or self.settled.answers.get("objectives.priority") == "simplicity":
            return ()
        found: dict[str, Candidate] = {}
        for other in self.settled.others:
            near = other.card.label == base.card.label and other.gpus_per_replica == 1
            if near and bits_of(other) < bits_of(base):
                found.setdefault(other.weight_format, other)
        return tuple(sorted(found.values(), key=bits_of, reverse=True))

    @property
    def near(self) -> tuple[Candidate, ...]:
        """Those of 8 bits or more, which lose little; what loses more is never taken unasked."""
        return tuple(other for other in self.narrower if bits_of(other) >= _EIGHT_BIT)

    @cached_property
    def walls_asked(self) -> bool:
        """Whether several loads are to be held apart on one GPU, so that parts are wanted."""
        answers = self.settled.full_answers
        return (
            answers.get("tenancy.tenants") == "untrusted"
            or answers.get("tenancy.isolation") in {"hardware", "vm"}
            or answers.get("tenancy.sla") == "hard"
            or answers.get("tenancy.crash_isolation") is True
        )

    @cached_property
    def share(self) -> float | None:
        """The least share of a GPU's memory with which an engine carries its load."""
        return self.share_of(self.alone)

    def share_of(self, candidate: Candidate | None) -> float | None:
        """Return that share for the load in the format of ``candidate``."""
        load = self.settled.load
        if candidate is None or load is None or load.trains:
            return None
        found = least_share(candidate, load, self._facts)
        return None if found is None else found.result.gpu_memory_utilization

    @property
    def fills(self) -> bool:
        """Whether the load needs more of the GPU than can be shared out."""
        return self.alone is not None and self.share is None and not self.trains

    def parts(self, candidate: Candidate) -> int | None:
        """Return how many equal, closed parts of the GPU could each carry the load."""
        share = self.share_of(candidate)
        return None if share is None else int(_OF_A_PART / share + 1e-9)

    def on_instance(
        self, profile: MigProfile, table: MigTable, base: Candidate, *, tight: bool = False
    ) -> Candidate | None:
        """Return the load in one instance, in the format of ``base``.

        With ``tight`` it may be one in which the engine starts by the expected figure only.
        """
        load = self.settled.load
        if load is None:
            return None
        if load.trains:
            total = base.result.total_gib_per_gpu
            gib = instance_memory_gib(base.card.gpu, profile, table)
            return base if total is not None and total.high <= gib else None
        return on_instances(load, base, base.card, profile, table, self._facts, most=1, tight=tight)

    def smallest(self, table: MigTable, base: Candidate, count: int = 1) -> Held | None:
        """Return the smallest instance, of ``count`` a GPU or more, that carries the whole load."""
        for profile in plain_profiles(table)[:-1]:
            if profile.max_instances < count:
                continue
            found = self.on_instance(profile, table, base)
            if found is not None:
                return profile, found
        return None
