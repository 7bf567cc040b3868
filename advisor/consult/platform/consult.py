"""The second half of a consultation: sharing, provisioning, and what all of it brings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from advisor.consult.consultation import (
    Assumption,
    Decision,
    DecisionName,
    TraceStep,
    Warned,
)
from advisor.consult.platform.chosen import base_facts
from advisor.consult.platform.completed import assumed_by
from advisor.consult.platform.gotchas import stated_first, version_facts
from advisor.consult.platform.provisioning import provision
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.sharing import share
from advisor.consult.platform.stages import stages_of
from advisor.consult.rulings import Rulings
from advisor.consult.sections import sections_of
from advisor.rules.facts import Fact

__all__ = ["SecondHalf", "later_decisions", "second_half"]


_ALL = ("gpu", "sharing", "parallelism", "provisioning")
"""Whoever asks for no decision gets the warnings of all."""


@dataclass(frozen=True, slots=True)
class SecondHalf:
    """Decisions and warnings that follow from the first half."""

    decisions: dict[DecisionName, Decision]
    """``sharing`` and ``provisioning``."""
    warnings: tuple[Warned, ...]
    assumptions: tuple[Assumption, ...]
    trace: tuple[TraceStep, ...]


def second_half(settled: Settled, asked: Collection[DecisionName]) -> SecondHalf:
    """Decide on sharing and provisioning, then fire what both bring along.

    Args:
        settled: GPU, pattern and answers.
        asked: Decisions of which warnings are wanted.
    """
    shared = share(settled)
    settled = settled.with_decision("sharing", shared.decision)
    provisioned = provision(settled)
    settled = settled.with_decision("provisioning", provisioned.decision)
    rulings = _outcome(settled, (*shared.facts, *provisioned.facts))
    deciding = {*shared.decision.rules, *provisioned.decision.rules}
    base = settled.desk.base
    told = {note.key for note in settled.assumptions}
    assumed = assumed_by(
        (base.rule(name) for name in base.by_id if name in deciding), settled.answers
    )
    notes = (*assumed, *shared.assumptions, *provisioned.assumptions)
    return SecondHalf(
        decisions={"sharing": shared.decision, "provisioning": provisioned.decision},
        warnings=_distinct(
            stated_first(
                rulings.warnings(None, asked or _ALL, of_all=True), base, settled.answers.values
            )
        ),
        assumptions=tuple({n.key: n for n in notes if n.key not in told}.values()),
        trace=(*shared.trace, *provisioned.trace, *rulings.trace()),
    )


def later_decisions(settled: Settled) -> dict[DecisionName, Decision]:
    """Return ``sharing`` and ``provisioning`` alone, without what they bring along."""
    shared = share(settled).decision
    settled = settled.with_decision("sharing", shared)
    return {"sharing": shared, "provisioning": provision(settled).decision}


def _outcome(settled: Settled, more: tuple[Fact, ...]) -> Rulings:
    desk = settled.desk
    facts = [*base_facts(settled), *more, *version_facts(settled), *settled.measured]
    outcome = desk.engine.fire(stages_of(desk.base).outcome, facts)
    return Rulings(desk.base, outcome, sections_of(desk.knowledge))


def _distinct(warnings: tuple[Warned, ...]) -> tuple[Warned, ...]:
    """Return each text once; a rule and a gotcha may tell the same."""
    found: dict[str, Warned] = {}
    for warned in warnings:
        found.setdefault(warned.text, warned)
    return tuple(found.values())
