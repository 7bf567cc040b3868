"""``advise``: the pure core of the advisor.

>>> from advisor.answers.validate import read_answers
>>> from advisor.consult.advise import advise
>>> answers = read_answers({"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "l4"}})
>>> advise(answers).decisions["gpu"].choice.gpu
'l4'
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.candidates import Candidate, Candidates, find_candidates
from advisor.consult.certainty import dependencies, next_questions
from advisor.consult.consultation import (
    Alternative,
    CandidateCounts,
    Consultation,
    Correction,
    Decision,
    Dependency,
    Diagnosis,
    Given,
    KnowledgeStamp,
)
from advisor.consult.facts import facts_of
from advisor.consult.gpu_decision import gpu_choice, gpu_decision, none_fits, open_gpu
from advisor.consult.parallelism_decision import parallelism_decision
from advisor.consult.prices import USUAL_CLOUDS, Tariff
from advisor.consult.ranking import rank
from advisor.consult.rulings import Rulings
from advisor.consult.situation import Situation
from advisor.consult.topics import corrections_about
from advisor.consult.training_candidates import (
    find_training_candidates,
    smaller_jobs,
    training_assumptions,
)
from advisor.consult.understand import understand
from advisor.sizing.by_name import sizing_facts

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["BUILT", "advise"]

BUILT = ("gpu", "parallelism")
"""Decisions that this version makes; others are absent from a consultation."""


def advise(
    answers: Answers, knowledge: Knowledge | None = None, *, engine: str | None = None
) -> Consultation:
    """Work out what the answers lead to. Pure: no clock, no environment, no output.

    Args:
        answers: As read by ``advisor.answers.validate.read_answers``.
        knowledge: The knowledge base; the shipped one by default.
        engine: ``durable``, ``reference`` or ``both``; by default the best that works here.

    Raises:
        InputError: a model, GPU or engine that is neither known nor described.
        KnowledgeError: the knowledge base is inconsistent.
    """
    if knowledge is None:
        from advisor.store.loader import load_knowledge

        knowledge = load_knowledge()
    return _Consultant(answers, knowledge, engine).consult()


@lru_cache(maxsize=64)
def _tariff(
    knowledge: Knowledge, clouds: frozenset[str], kinds: tuple[str, ...], instances: frozenset[str]
) -> Tariff:
    return Tariff(knowledge.prices, clouds=clouds, kinds=kinds, instances=instances)


class _Consultant:
    """One consultation, step by step."""

    def __init__(self, answers: Answers, knowledge: Knowledge, engine: str | None) -> None:
        self._answers, self._knowledge, self._engine = answers, knowledge, engine

    def consult(self) -> Consultation:
        from advisor.engine import select_engine
        from advisor.store.handbook import load_handbook
        from advisor.store.rules import load_rule_base

        situation = understand(self._answers, self._knowledge)
        if situation.load.trains:
            extra = training_assumptions(situation)
            situation = replace(situation, assumptions=situation.assumptions + extra)
        found = self._candidates(situation)
        base = load_rule_base(self._knowledge)
        engine = select_engine(self._engine)
        outcome = engine.fire(base, facts_of(situation, found.kept))
        rulings = Rulings(base, outcome, load_handbook())
        must = rulings.rejections("must")
        survivors = [c for c in found.kept if c.id not in must]
        ranked = rank(survivors, rulings.surcharges(), situation.priority)
        decisions = self._decide(situation, found, ranked, rulings)
        best = ranked[0] if ranked else None
        asked = frozenset(self._asked())
        return Consultation(
            engine=engine.name,
            knowledge=KnowledgeStamp(version=self._knowledge.version, as_of=self._knowledge.as_of),
            answers=self._given(),
            assumptions=situation.assumptions,
            decisions=decisions,
            warnings=rulings.warnings(best.id if best else None, asked or frozenset(BUILT)),
            diagnoses=self._diagnoses(),
            corrections=self._corrections(situation, best, rulings),
            sizing=best.result if best else None,
            candidates=_counts(found, ranked),
            next_questions=self._questions(decisions),
            trace=rulings.trace(),
        )

    def _asked(self) -> tuple[str, ...]:
        asked = self._answers.get("ask")
        wanted = asked if isinstance(asked, tuple) else BUILT
        return tuple(name for name in BUILT if name in wanted)

    def _candidates(self, situation: Situation) -> Candidates:
        if situation.open_reasons or situation.load.kind == "platform":
            return Candidates((), (), 0, {})
        tariff = self._tariff_of(situation)
        if situation.load.trains:
            return find_training_candidates(situation, tariff)
        return find_candidates(situation, sizing_facts(self._knowledge), tariff)

    def _tariff_of(self, situation: Situation) -> Tariff:
        cloud = self._answers.get("platform.cloud")
        clouds = USUAL_CLOUDS
        if isinstance(cloud, str):
            clouds = frozenset() if cloud == "other" else frozenset({cloud})
        if situation.owned or cloud == "on_prem":
            clouds = frozenset({"nobody"})
        capacity = self._answers.get("platform.capacity")
        first = str(capacity[0]) if isinstance(capacity, tuple) and capacity else "on_demand"
        # a missing spot price falls back to the rent on demand, and the quote says which it is
        kinds = (first, "on_demand") if first in {"spot", "capacity_block"} else ("on_demand",)
        types = self._answers.get("platform.instance_type")
        instances = frozenset(str(name) for name in types) if isinstance(types, tuple) else None
        return _tariff(self._knowledge, clouds, kinds, instances or frozenset())

    def _decide(
        self,
        situation: Situation,
        found: Candidates,
        ranked: list[Candidate],
        rulings: Rulings,
    ) -> dict[str, Decision]:
        from advisor.store.rules import load_rule_base

        base = load_rule_base(self._knowledge)
        kind = situation.load.kind
        depends = {name: dependencies(self._answers, base, name, kind) for name in self._asked()}
        if kind == "platform":
            return {
                name: Decision(
                    status="not_applicable",
                    because="A platform has no model of its own to size.",
                    citations=rulings.cite("8"),
                )
                for name in depends
            }
        decisions: dict[str, Decision] = {}
        best = ranked[0] if ranked else None
        if "gpu" in depends:
            decisions["gpu"] = self._gpu(situation, found, ranked, rulings, depends["gpu"])
        if "parallelism" in depends:
            decisions["parallelism"] = parallelism_decision(
                best, rulings, situation, depends["parallelism"]
            )
        return decisions

    def _gpu(
        self,
        situation: Situation,
        found: Candidates,
        ranked: list[Candidate],
        rulings: Rulings,
        depends: tuple[Dependency, ...],
    ) -> Decision:
        if situation.open_reasons:
            return open_gpu(situation.open_reasons, rulings, depends)
        if not ranked:
            return none_fits(found, rulings, situation, depends, self._remedies(situation, rulings))
        return gpu_decision(ranked, found, rulings, situation, depends)

    def _remedies(self, situation: Situation, rulings: Rulings) -> tuple[Alternative, ...]:
        """Return the smallest changes that make something fit."""
        tariff = self._tariff_of(situation)
        if situation.load.trains:
            return tuple(
                Alternative(
                    choice=gpu_choice(best, situation),
                    because=f"With {text} it fits {best.total_gpus} x {best.card.label}.",
                    would_be_chosen_if=f"If the job used {text}.",
                    citations=rulings.cite("7.5"),
                )
                for text, best in smaller_jobs(situation, tariff)
            )
        return self._narrower(situation, rulings, tariff)

    def _narrower(
        self, situation: Situation, rulings: Rulings, tariff: Tariff
    ) -> tuple[Alternative, ...]:
        """Return the nearest formats that fit, unless narrower weights are not allowed."""
        forbidden = self._answers.get("workload.quantization") == "not_allowed"
        if forbidden or situation.load.model is None or not situation.load.format_fixed:
            return ()
        found = []
        for name in ("fp8", "awq_int4"):
            if name in situation.load.formats:
                continue
            trial = replace(situation, load=replace(situation.load, formats=(name,), build=None))
            kept = find_candidates(trial, sizing_facts(self._knowledge), tariff).kept
            if kept:
                found.append(
                    Alternative(
                        choice=gpu_choice(kept[0], trial),
                        because=f"In {name} it fits {kept[0].total_gpus} x {kept[0].card.label}.",
                        would_be_chosen_if=f"If weights in {name} were allowed.",
                        citations=rulings.cite("7.3"),
                    )
                )
        return tuple(found)

    def _given(self) -> tuple[Given, ...]:
        from advisor.answers.plain import thawed

        given = []
        for key, value in self._answers.values.items():
            origin = self._answers.origin.get(key)
            given.append(
                Given(
                    key=key,
                    value=thawed(value),
                    file=origin.file if origin else self._answers.name,
                    line=origin.line if origin else None,
                    text=origin.text if origin else None,
                    understood=origin.understood if origin else None,
                )
            )
        return tuple(given)

    def _diagnoses(self) -> tuple[Diagnosis, ...]:
        symptoms = self._answers.get("symptoms")
        if not isinstance(symptoms, tuple):
            return ()
        return tuple(Diagnosis(input=str(text)) for text in symptoms)

    def _corrections(
        self, situation: Situation, best: Candidate | None, rulings: Rulings
    ) -> tuple[Correction, ...]:
        return tuple(
            Correction(
                id=record.id,
                claim=record.claim,
                right=record.right,
                citations=rulings.cite(record.section),
            )
            for record in corrections_about(situation, best)
        )

    def _questions(self, decisions: dict[str, Decision]) -> tuple[object, ...]:
        for name in BUILT:
            if name in decisions:
                return next_questions(decisions[name].depends_on, name)
        return ()


def _counts(found: Candidates, ranked: list[Candidate]) -> CandidateCounts:
    shown = tuple(
        {
            "id": candidate.id,
            "gpu": candidate.card.label,
            "weight_format": candidate.weight_format,
            "total_gpus": candidate.total_gpus,
            "holds": candidate.holds,
            "usd_per_hour": candidate.quote.usd_per_hour if candidate.quote else None,
        }
        for candidate in ranked
    )
    return CandidateCounts(considered=found.considered, rejected_by=found.rejected_by, shown=shown)
