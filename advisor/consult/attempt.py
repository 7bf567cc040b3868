"""One pass: candidates are sized, rules fire on them, the survivors are ranked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.consult.boards import with_purchase
from advisor.consult.candidate import Candidate, Candidates
from advisor.consult.candidates import find_candidates
from advisor.consult.facts import facts_of
from advisor.consult.older_release import with_older_release
from advisor.consult.platform.stages import stages_of
from advisor.consult.prices import Tariff, tariff_for
from advisor.consult.ranking import rank
from advisor.consult.rulings import Rulings
from advisor.consult.sections import sections_of
from advisor.consult.situation import Situation
from advisor.consult.stand_in import with_unknown_heads
from advisor.sizing.by_name import sizing_facts

if TYPE_CHECKING:
    from advisor.consult.groups import Group
    from advisor.consult.situation import Card
    from advisor.engine.select import Engine
    from advisor.rules.model import RuleBase
    from advisor.store.loader import Knowledge
    from advisor.store.prices import Price

__all__ = ["Attempt", "Desk"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one situation led to."""

    situation: Situation
    found: Candidates
    rulings: Rulings
    ranked: tuple[Candidate, ...]
    """Survivors, best first; empty when nothing carries the load within the limits."""
    groups: tuple[Group, ...] = ()
    """Where machines of several kinds share the load: all of them, that of ``ranked`` first."""
    fleet: tuple[Card, ...] = ()
    """All that is owned, where ``situation`` holds the machines of one group only."""

    @property
    def best(self) -> Candidate | None:
        """The choice."""
        return self.ranked[0] if self.ranked else None


@dataclass(frozen=True, slots=True)
class Desk:
    """What every attempt of a consultation works with."""

    knowledge: Knowledge
    base: RuleBase
    engine: Engine
    prices: tuple[Price, ...] = ()
    """What the user brought; they go before the catalogue's."""

    def tariff(self, situation: Situation) -> Tariff:
        """Return what may be rented; nothing where the GPUs are there already."""
        if situation.owned:
            return Tariff(())
        return tariff_for(situation.answers, self.knowledge, self.prices)

    def attempt(self, situation: Situation) -> Attempt:
        """Size, fire and rank."""
        found = self.candidates(situation)
        older = with_older_release(situation, found, self.knowledge)
        if older is not None:
            situation, found = older, self.candidates(older)
        kept = with_unknown_heads(found.kept, situation, sizing_facts(self.knowledge))
        found = replace(found, kept=kept)
        outcome = self.engine.fire(
            stages_of(self.base).fit, facts_of(situation, found.kept, found.unfit)
        )
        sections = sections_of(self.knowledge)
        rulings = Rulings(self.base, outcome, sections, paid=not situation.all_there)
        must = rulings.rejections("must")
        survivors = [c for c in found.kept if c.id not in must]
        ranked = rank(
            survivors, rulings.surcharges(), situation.priority, owned=situation.all_there
        )
        return Attempt(situation, found, rulings, tuple(ranked))

    def candidates(self, situation: Situation) -> Candidates:
        """Return what could carry the load; nothing where that cannot be told."""
        if situation.open_reasons or situation.load.kind == "platform":
            return Candidates()
        tariff = self.tariff(situation)
        bought = self.knowledge.purchases if situation.buys and not situation.owned else None
        if situation.load.trains:
            from advisor.consult.training_candidates import find_training_candidates

            found = find_training_candidates(situation, tariff)
            if bought is None:
                return found
            kept, cut = (
                [with_purchase(c, bought) for c in part] for part in (found.kept, found.cut)
            )
            return replace(found, kept=tuple(kept), cut=tuple(cut))
        return find_candidates(situation, sizing_facts(self.knowledge), tariff, bought)
