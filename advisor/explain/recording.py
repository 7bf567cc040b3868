"""The firings of one consultation with their facts: what ``how`` and ``whynot`` read.

A consultation's trace names facts by id. Here the same consultation is made with an engine that
keeps what it was given and what it returned, so that every fact has its fields. Attempts that the
consultation threw away (other fleets, other settings) are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from advisor.consult.advise import consult_at
from advisor.consult.attempt import Desk
from advisor.engine.select import Engine, select_engine
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.slots import fill_payload, fill_text
from advisor.rules.world import World

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.engine.outcome import Outcome
    from advisor.explain.adviser import Adviser
    from advisor.rules.model import Rule, RuleBase

__all__ = ["Fired", "Recording", "Stage", "recorded"]


@dataclass(frozen=True, slots=True)
class Fired:
    """One firing, with everything it was about."""

    rule: Rule
    binding: Mapping[str, Fact]
    because: str
    payload: Mapping[str, Any]
    stage: Stage


@dataclass(frozen=True, eq=False)
class Stage:
    """One run of some rules."""

    base: RuleBase
    outcome: Outcome
    _facts: dict[str, Fact] = field(default_factory=dict, repr=False)

    @property
    def facts(self) -> Mapping[str, Fact]:
        """All facts by id."""
        if not self._facts:
            self._facts.update({fact.id: fact for fact in self.outcome.facts})
        return self._facts

    @property
    def answers(self) -> Fact | None:
        """The answers as the rules saw them, usual values filled in."""
        return self.facts.get(ANSWERS)

    def world(self) -> World:
        """Return the facts for evaluating conditions."""
        return World(self.outcome.facts, list_keys=self.base.list_keys)

    def fired(self, rule_id: str) -> Iterator[Fired]:
        """Yield the firings of a rule."""
        if rule_id not in self.base.by_id:
            return
        rule = self.base.rule(rule_id)
        for firing in self.outcome.of_rule(rule_id):
            binding = {alias: self.facts[name] for alias, name in firing.facts}
            yield Fired(
                rule,
                binding,
                fill_text(rule.because, binding, self.answers),
                fill_payload(rule, binding, self.answers),
                self,
            )


@dataclass(frozen=True, slots=True)
class Recording:
    """A consultation and the stages that led to it."""

    told: Consultation
    stages: tuple[Stage, ...]

    def fired(self, rule_id: str) -> tuple[Fired, ...]:
        """Return the firings of a rule."""
        return tuple(one for stage in self.stages for one in stage.fired(rule_id))

    def of_kind(self, kind: str) -> tuple[tuple[Stage, Fact], ...]:
        """Return the facts of a kind, with the stage that read them last."""
        found: dict[str, tuple[Stage, Fact]] = {}
        for stage in self.stages:
            for fact in stage.facts.values():
                if fact.kind == kind:
                    found[fact.id] = (stage, fact)
        return tuple(found.values())


def recorded(adviser: Adviser, answers: Answers) -> Recording:
    """Consult once more and keep the facts; the last recording of an adviser is remembered.

    Raises:
        InputError: a model, GPU or engine that is neither known nor described.
    """
    last = _last.get(adviser)
    if last is not None and last[0] is answers:
        return last[1]
    made = _recorded(adviser, answers)
    _last[adviser] = (answers, made)
    return made


_last: WeakKeyDictionary[Adviser, tuple[Answers, Recording]] = WeakKeyDictionary()


def _recorded(adviser: Adviser, answers: Answers) -> Recording:
    engine = select_engine(adviser.engine)
    kept: list[Stage] = []

    def run(base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
        outcome = engine.run(base, facts, limit)
        kept.append(Stage(base, outcome))
        return outcome

    recorder: Engine = replace(engine, run=run)
    told = consult_at(Desk(adviser.knowledge, adviser.rules, recorder, adviser.prices), answers)
    return Recording(told, tuple(_in_trace(told, kept)))


def _in_trace(told: Consultation, kept: Sequence[Stage]) -> Iterator[Stage]:
    """Yield the stages whose firings the consultation lists, in their order."""
    trace = [(step.rule, tuple(step.facts.items())) for step in told.trace]
    start = 0
    for stage in kept:
        steps = [(firing.rule, firing.facts) for firing in stage.outcome.firings]
        at = _position(trace, steps, start)
        if at is not None:
            start = at + len(steps)
            yield stage


def _position(trace: list[Any], steps: list[Any], start: int) -> int | None:
    for at in range(start, len(trace) - len(steps) + 1):
        if trace[at : at + len(steps)] == steps:
            return at
    return None
