"""What the rules said, sorted by candidate and effect, with texts filled and sections cited."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from advisor.consult.consultation import Citation, TraceStep, Warned
from advisor.consult.sections import Sections
from advisor.engine.outcome import Firing, Outcome
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.model import Rule, RuleBase
from advisor.rules.slots import fill_payload, fill_text

__all__ = ["Ruling", "Rulings", "worst_first"]

_SURCHARGE = 1.5
"""What a rule against a candidate multiplies its cost by, unless it names another factor."""
_JUDGED = frozenset({"candidate", "fleet", "way", "pool"})
_ORCHESTRATOR = "platform.orchestrator"
_SEVERITY = {"critical": 0, "warning": 1, "info": 2}


class Ruling:
    """One firing; its texts are filled when somebody reads them, which is seldom.

    Attributes:
        rule: The rule that fired.
        candidate: Id of what the rule judges: a candidate, a fleet, a way to share or a pool of
            nodes.
    """

    __slots__ = ("_answers", "_because", "_binding", "_payload", "candidate", "rule")

    def __init__(
        self, rule: Rule, candidate: str | None, binding: Mapping[str, Fact], answers: Fact | None
    ) -> None:
        self.rule, self.candidate = rule, candidate
        self._binding, self._answers = binding, answers
        self._because: str | None = None
        self._payload: Mapping[str, Any] | None = None

    @property
    def because(self) -> str:
        """The rule's reason, its slots filled from the facts."""
        if self._because is None:
            self._because = fill_text(self.rule.because, self._binding, self._answers)
        return self._because

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the rule sets, its slots filled from the facts."""
        if self._payload is None:
            self._payload = fill_payload(self.rule, self._binding, self._answers)
        return self._payload


def worst_first(warnings: Iterable[Warned]) -> tuple[Warned, ...]:
    """Return warnings by severity, each gotcha once; equals keep their order."""
    kept: dict[object, Warned] = {}
    for number, warned in enumerate(warnings):
        kept.setdefault(warned.id if warned.kind == "gotcha" else number, warned)
    return tuple(sorted(kept.values(), key=lambda warned: _SEVERITY[warned.severity]))


class Rulings:
    """All firings of a consultation."""

    def __init__(
        self, base: RuleBase, outcome: Outcome, sections: Sections, *, paid: bool = False
    ) -> None:
        """Sort what fired.

        Args:
            base: All rules.
            outcome: What fired.
            sections: For citations.
            paid: Whether GPUs are rented or bought, so that what a rule makes dearer is a bill.
        """
        self._base, self._sections, self._paid = base, sections, paid
        self._outcome = outcome
        self._facts = {fact.id: fact for fact in outcome.facts}
        self._answers = self._facts.get(ANSWERS)
        self.all = tuple(self._ruling(firing) for firing in outcome.firings)
        self._by_effect: dict[str, list[Ruling]] = {}
        for ruling in self.all:
            self._by_effect.setdefault(ruling.rule.effect, []).append(ruling)
        self._surcharges: dict[str, float] | None = None

    def _ruling(self, firing: Firing) -> Ruling:
        rule = self._base.rule(firing.rule)
        binding: dict[str, Fact] = {
            alias: self._facts[fact] for alias, fact in firing.facts if fact in self._facts
        }
        kinds = dict(rule.aliases)
        bound = next((fact for alias, fact in firing.facts if kinds.get(alias) in _JUDGED), None)
        return Ruling(rule, bound, binding, self._answers)

    def cite(self, *sections: str) -> tuple[Citation, ...]:
        """Return citations of sections, each once."""
        return tuple(self._sections.cite(section) for section in dict.fromkeys(sections))

    def of(self, effect: str, decision: str | None = None) -> Iterator[Ruling]:
        """Yield rulings with one effect, in rule order."""
        for ruling in self._by_effect.get(effect, ()):
            if decision is None or ruling.rule.decision == decision:
                yield ruling

    def rejections(self, strength: str) -> dict[str, Ruling]:
        """Return, by candidate, the first rule of that strength that rejects it."""
        found: dict[str, Ruling] = {}
        for ruling in self.of("reject"):
            strong = ruling.rule.strength == "must"
            if ruling.candidate is not None and strong == (strength == "must"):
                found.setdefault(ruling.candidate, ruling)
        return found

    def surcharges(self) -> Mapping[str, float]:
        """Return by what the rules that speak against a candidate multiply its cost.

        Each rule counts once, with the factor it names under ``surcharge``; where GPUs are paid
        for, under ``surcharge_paid`` if it names one.
        """
        if self._surcharges is not None:
            return self._surcharges
        factors: dict[str, dict[str, float]] = {}
        for ruling in self.of("reject"):
            if ruling.candidate is not None and ruling.rule.strength != "must":
                factor = self._factor(ruling.payload)
                factors.setdefault(ruling.candidate, {})[ruling.rule.id] = factor
        self._surcharges = {name: math.prod(found.values()) for name, found in factors.items()}
        return self._surcharges

    def _factor(self, payload: Mapping[str, Any]) -> float:
        usual = payload.get("surcharge", _SURCHARGE)
        return float(payload.get("surcharge_paid", usual) if self._paid else usual)

    def recommended(self, decision: str, candidate: str) -> tuple[Ruling, ...]:
        """Return the rules that speak for ``candidate`` in one decision."""
        return tuple(r for r in self.of("recommend", decision) if r.candidate == candidate)

    def warnings(
        self, chosen: str | None, decisions: Collection[str], *, of_all: bool = False
    ) -> tuple[Warned, ...]:
        """Return the warnings that the chosen candidate or no candidate brings, worst first.

        Args:
            chosen: Id of the chosen candidate or fleet.
            decisions: Of which decisions warnings are wanted.
            of_all: Whether warnings about options that are not chosen count too.
        """
        found: dict[str, Warned] = {}
        fired = {ruling.rule.id for ruling in self.of("warn")}
        for ruling in self.of("warn"):
            if not of_all and ruling.candidate is not None and ruling.candidate != chosen:
                continue
            told = not fired.isdisjoint(ruling.payload.get("told_by", ()))
            if ruling.rule.decision in decisions and not told:
                warned = self._warned(ruling)
                found.setdefault(warned.id, warned)
        return worst_first(found.values())

    def _warned(self, ruling: Ruling) -> Warned:
        payload = {**ruling.payload, **self._elsewhere(ruling)}
        return Warned(
            id=payload.get("id", ruling.rule.id),
            kind=payload.get("kind", "risk"),
            severity=payload.get("severity", "warning"),
            decision=ruling.rule.decision,
            text=payload.get("text") or ruling.because,
            symptom=payload.get("symptom", ""),
            cause=payload.get("cause", ""),
            check=payload.get("check", ""),
            fix=payload.get("fix", ""),
            citations=self.cite(*ruling.rule.cite),
            rule=ruling.rule.id,
        )

    def _elsewhere(self, ruling: Ruling) -> Mapping[str, Any]:
        """Return what a warning says where something else than Kubernetes starts the work."""
        texts: Mapping[str, Any] = ruling.payload.get("without_kubernetes", {})
        stated = None if self._answers is None else self._answers.fields.get(_ORCHESTRATOR)
        return texts if stated not in {None, "kubernetes"} else {}

    def trace(self) -> tuple[TraceStep, ...]:
        """Return every firing, in rule order."""
        return tuple(
            TraceStep.model_construct(
                rule=firing.rule,
                facts=dict(firing.facts),
                effect=self._base.rule(firing.rule).effect,
            )
            for firing in self._outcome.firings
        )
