"""The decision ``provisioning``: how nodes come and go, who owns their software."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.consult.consultation import Assumption, Decision, TraceStep
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Fact

__all__ = ["Provisioned", "provision"]


@dataclass(frozen=True, slots=True)
class Provisioned:
    """The decision, and the facts that later rules read of it."""

    decision: Decision
    facts: tuple[Fact, ...] = ()
    """The ``cluster`` fact."""
    assumptions: tuple[Assumption, ...] = ()
    trace: tuple[TraceStep, ...] = ()


def provision(settled: Settled) -> Provisioned:
    """Decide who brings nodes and their software."""
    desk = settled.desk
    from advisor.consult.rulings import Rulings  # placeholder until the rules are there
    from advisor.consult.sections import read_sections
    from advisor.engine.outcome import Outcome

    rulings = Rulings(desk.base, Outcome((), ()), read_sections(desk.knowledge.path / "handbook"))
    decision = Decision(status="open", because="Not decided yet.", citations=rulings.cite("8.4"))
    return Provisioned(decision)
