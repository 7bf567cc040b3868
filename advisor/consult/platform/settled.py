"""What is settled before sharing and provisioning are: the GPU, the pattern, the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from advisor.answers.model import Answers
from advisor.consult.attempt import Desk
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Assumption, Decision, DecisionName
from advisor.consult.platform.completed import completed
from advisor.consult.several.fleet import Fleet
from advisor.consult.situation import Card, Load
from advisor.consult.watched import WatchedAnswers
from advisor.rules.facts import Fact
from advisor.store.loader import Knowledge

__all__ = ["Settled"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The first half of a consultation, as the second half reads it."""

    desk: Desk
    answers: WatchedAnswers
    """As given; looking at a key is noted."""
    decisions: Mapping[DecisionName, Decision]
    """``gpu`` and ``parallelism``; ``sharing`` too once it is made."""
    cards: tuple[Card, ...]
    """The chosen GPUs; those that are named where none is chosen; none where nothing is said."""
    loads: tuple[Load, ...]
    """One, or several of a fleet; none for a platform."""
    kind: str
    """Of the first load."""
    candidate: Candidate | None = None
    """The chosen GPUs and layout of one load."""
    others: tuple[Candidate, ...] = ()
    """What else carries the one load within the limits, best first."""
    fleet: Fleet | None = None
    """The chosen GPUs of several loads."""
    assumptions: tuple[Assumption, ...] = ()
    """Taken before."""
    measured: tuple[Fact, ...] = ()
    """What was observed, beside its estimate."""

    @property
    def full_answers(self) -> Answers:
        """The answers with the usual values of platform and tenancy filled in."""
        return completed(self.answers, _clouds(self.desk.knowledge))

    @property
    def card(self) -> Card | None:
        """The GPU, where it is one kind only."""
        return self.cards[0] if len(self.cards) == 1 else None

    @property
    def vendors(self) -> frozenset[str]:
        """Makers of the GPUs; where none is named, those that were said without NVIDIA."""
        if self.cards:
            return frozenset(card.gpu.vendor for card in self.cards)
        said = self.answers.get("hardware.vendors")
        vendors = frozenset(map(str, said)) if isinstance(said, tuple) else frozenset()
        return frozenset() if "nvidia" in vendors else vendors

    @property
    def load(self) -> Load | None:
        """The load, where it is one only and has a model."""
        if len(self.loads) != 1 or self.loads[0].model is None:
            return None
        return self.loads[0]

    def parameter(self, decision: DecisionName, name: str) -> object:
        """Return a parameter of a choice that is made, or ``None``."""
        made = self.decisions.get(decision)
        if made is None or made.choice is None:
            return None
        return made.choice.model_dump().get(name)

    def with_decision(self, name: DecisionName, decision: Decision) -> Settled:
        """Return this with one decision more."""
        return replace(self, decisions={**self.decisions, name: decision})


@lru_cache(maxsize=8)
def _clouds(knowledge: Knowledge) -> Mapping[str, str]:
    """Return the cloud of each Kubernetes that one cloud alone has."""
    found: dict[str, set[str]] = {}
    for place in knowledge.platforms.values():
        for provider in place.providers:
            found.setdefault(provider, set()).update(place.clouds or {"", "any"})
    return {name: next(iter(clouds)) for name, clouds in found.items() if len(clouds) == 1}
