"""``advise``: the pure core of the advisor.

>>> from advisor.answers.validate import read_answers
>>> from advisor.consult.advise import advise
>>> answers = read_answers({"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "l4"}})
>>> advise(answers).decisions["gpu"].choice.gpu
'l4'
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.attempt import Attempt, Desk
from advisor.consult.came_up import CameUp, came_up
from advisor.consult.certainty import dependencies, next_questions
from advisor.consult.conflicts import conflicting_answers
from advisor.consult.consultation import (
    Alternative,
    Assumption,
    CandidateCounts,
    Consultation,
    Correction,
    Decision,
    DecisionName,
    Dependency,
    Diagnosis,
    NextQuestion,
    Warned,
)
from advisor.consult.costs import with_costs
from advisor.consult.engine_settings import with_roomier_settings
from advisor.consult.given import given_answers
from advisor.consult.gpu_decision import gpu_decision, none_fits, open_gpu
from advisor.consult.groups import together, warnings_of_all
from advisor.consult.judged import judge
from advisor.consult.measured import measured_facts, open_facts
from advisor.consult.narrow_cache import with_narrow_cache
from advisor.consult.parallelism_decision import parallelism_decision
from advisor.consult.places import all_names, placed
from advisor.consult.platform.consult import second_half
from advisor.consult.platform.settled import Settled
from advisor.consult.questions_asked import special_questions
from advisor.consult.remedies import changed_fleet, remedies, surer_ways
from advisor.consult.rulings import worst_first
from advisor.consult.several.loads import has_several, joined
from advisor.consult.situation import Situation
from advisor.consult.stamp import stamp_of
from advisor.consult.topics import corrections_about
from advisor.consult.training_facts import run_fields
from advisor.consult.understand import single_load, understand
from advisor.consult.unused import unused_answers
from advisor.consult.watched import WatchedAnswers, watched
from advisor.store.in_use import using

if TYPE_CHECKING:
    from advisor.consult.several.consult import SeveralLoads
    from advisor.store.loader import Knowledge
    from advisor.store.prices import Price

__all__ = ["BUILT", "Consultant", "advise", "consult_at"]

BUILT: tuple[DecisionName, ...] = ("gpu", "sharing", "parallelism", "provisioning")
"""The decisions, in the order in which they are told."""
_FIRST_HALF: tuple[DecisionName, ...] = ("gpu", "parallelism")


def advise(
    answers: Answers,
    knowledge: Knowledge | None = None,
    *,
    engine: str | None = None,
    prices: tuple[Price, ...] = (),
) -> Consultation:
    """Work out what the answers lead to. Pure: no clock, no environment, no output.

    Args:
        answers: As read by ``advisor.answers.validate.read_answers``.
        knowledge: The knowledge base; the shipped one by default.
        engine: ``durable``, ``reference`` or ``both``; by default the best that works here.
        prices: What the user brought (``advisor.store.price_file``); a row replaces the
            catalogue's of the same provider, instance and kind.

    Raises:
        InputError: a model, GPU or engine that is neither known nor described.
        KnowledgeError: the knowledge base is inconsistent.
    """
    from advisor.engine import select_engine
    from advisor.store.rules import rules_in_force

    if knowledge is None:
        from advisor.store.loader import load_knowledge

        knowledge = load_knowledge()
    desk = Desk(knowledge, rules_in_force(knowledge), select_engine(engine), prices)
    return consult_at(desk, answers)


def consult_at(desk: Desk, answers: Answers) -> Consultation:
    """Work out what the answers lead to, with the engine and prices of ``desk``.

    Raises:
        InputError: a model, GPU or engine that is neither known nor described.
    """
    with using(desk.knowledge), all_names(answers, desk.knowledge), placed(answers):
        return Consultant(answers, desk).consult()


class Consultant:
    """One consultation, step by step.

    Attributes:
        settled: What its second half started from; ``None`` before :meth:`consult`.
        read: Keys that its first half looked at.
    """

    settled: Settled | None = None
    read: frozenset[str] = frozenset()

    def __init__(self, answers: Answers, desk: Desk) -> None:
        self._given, self._desk = answers, desk
        asked = answers.get("ask")
        wanted = asked if isinstance(asked, tuple) else BUILT
        self._asked = tuple(name for name in BUILT if name in wanted)
        self._answers, note = joined(watched(answers))
        self._notes = (note,) if note else ()

    def consult(self) -> Consultation:
        """Return what the answers lead to.

        Raises:
            InputError: a model, GPU or engine that is neither known nor described.
        """
        if has_several(self._answers):
            return self._several()
        self._answers = self._one_load()
        first, changed = self._attempted()
        attempt = changed or first
        self.read = read = frozenset(self._answers.read)
        made = self._decide(first, changed, read)
        best, rulings = attempt.best, attempt.rulings
        self.settled = self._settled(made, attempt, first.situation)
        later = second_half(self.settled, self._asked)
        made |= later.decisions
        decisions: dict[DecisionName, Decision] = {name: made[name] for name in self._asked}
        warnings = rulings.warnings(best.id if best else None, self._asked or BUILT)
        warnings = warnings_of_all(attempt.groups, warnings, self._asked or BUILT)
        if changed is not None:
            warnings = _with_those_of(first, changed, warnings, self._asked or BUILT)
        judged = tuple(judge(first, self._desk.knowledge))
        unused = unused_answers(self._given, self._answers.read, self._desk.base, rulings)
        if self._asked:
            unused = (*conflicting_answers(self._given, first.situation, rulings), *unused)
        stamp = self._desk.knowledge
        diagnoses = self._diagnoses(first)
        return Consultation(
            engine=self._desk.engine.name,
            knowledge=stamp_of(stamp),
            answers=given_answers(self._given),
            assumptions=(
                *self._notes,
                *attempt.situation.assumptions,
                *_of_the_job(attempt),
                *later.assumptions,
            ),
            decisions=decisions,
            warnings=worst_first(
                (*judged, *warnings, *later.warnings, *(unused if self._asked else ()))
            ),
            diagnoses=diagnoses,
            corrections=_corrections(attempt, came_up(diagnoses, later.warnings, made)),
            sizing=best.result if best and self._asked else None,
            candidates=_counts(attempt),
            next_questions=self._questions(decisions, attempt),
            trace=(*rulings.trace(), *later.trace),
        )

    def _attempted(self) -> tuple[Attempt, Attempt | None]:
        """Return what there is to choose from, and the change where that carries nothing."""
        first = self._desk.attempt(understand(self._answers, self._desk.knowledge))
        if first.ranked:
            return first, None
        # machines of several kinds may carry together what none does alone
        settings = with_roomier_settings(self._desk, first)
        first = settings or together(self._desk, first) or first
        return first, None if first.ranked else changed_fleet(self._desk, first)

    def _settled(
        self, made: dict[DecisionName, Decision], attempt: Attempt, stated: Situation
    ) -> Settled:
        """Return what the second half of the consultation starts from."""
        situation = attempt.situation
        platform = situation.load.kind == "platform"
        named = situation.cards if situation.owned or _names_gpus(self._answers) else ()
        return Settled(
            desk=self._desk,
            answers=self._answers,
            decisions=made,
            cards=named if attempt.best is None else (attempt.best.card,),
            loads=() if platform else (situation.load,),
            kind=situation.load.kind,
            candidate=attempt.best,
            others=attempt.ranked[1:],
            assumptions=(*situation.assumptions, *self._notes),
            measured=measured_facts(stated, attempt.best, self._desk.knowledge),
        )

    def _several(self) -> Consultation:
        """Return what a list of loads leads to."""
        # here, so that one load, the usual question, does without this code
        from advisor.consult.several.consult import consult_several

        found = consult_several(self._answers, self._desk, self._asked, BUILT)
        self._answers.read.update(found.read)
        later = second_half(_settled_fleet(self._desk, self._answers, found), self._asked)
        made = {**found.decisions, **later.decisions}
        unused = unused_answers(
            self._given, found.read, self._desk.base, found.rulings, several=True
        )
        stamp = self._desk.knowledge
        return Consultation(
            engine=self._desk.engine.name,
            knowledge=stamp_of(stamp),
            answers=given_answers(self._given),
            assumptions=(*self._notes, *found.assumptions, *later.assumptions),
            decisions={name: made[name] for name in self._asked},
            warnings=worst_first(
                (*found.warnings, *later.warnings, *(unused if self._asked else ()))
            ),
            diagnoses=self._diagnoses(),
            corrections=found.corrections,
            sizing=found.sizing,
            candidates=found.candidates,
            next_questions=found.next_questions,
            trace=(*found.trace, *later.trace),
        )

    def _one_load(self) -> WatchedAnswers:
        """Return answers with a list of one workload put in its place."""
        plain = single_load(self._answers)
        if plain is self._answers:
            return self._answers
        merged = watched(plain)
        merged.read.update(self._answers.read)
        return merged

    def _decide(
        self, first: Attempt, changed: Attempt | None, read: Collection[str]
    ) -> dict[DecisionName, Decision]:
        decisions: dict[DecisionName, Decision] = {}
        for name in _FIRST_HALF:
            doubted = {note.key for note in first.situation.assumptions}
            doubted &= set(self._answers.values)
            depends = dependencies(self._answers, read, self._desk.base, name, doubted)
            if first.situation.load.kind == "platform":
                decisions[name] = _not_applicable(first)
            elif name == "gpu":
                decisions[name] = self._gpu(first, changed, depends)
            else:
                decisions[name] = parallelism_decision(changed or first, depends)
        return decisions

    def _gpu(
        self, first: Attempt, changed: Attempt | None, depends: tuple[Dependency, ...]
    ) -> Decision:
        if first.situation.open_reasons:
            return open_gpu(first.situation.open_reasons, first.rulings, depends)
        if first.ranked:
            more = (*with_narrow_cache(self._desk, first), *surer_ways(self._desk, first))
            return self._priced(gpu_decision(first, depends, more=more), first)
        ways_out: tuple[Alternative, ...] = tuple(remedies(self._desk, first, changed))
        if changed is not None:
            found = gpu_decision(changed, depends, failed=first, more=ways_out)
            return self._priced(found, changed)
        return none_fits(first, depends, ways_out)

    def _priced(self, decision: Decision, attempt: Attempt) -> Decision:
        best = attempt.ranked[0]
        return with_costs(decision, best, attempt.situation, self._desk.knowledge)

    def _diagnoses(self, attempt: Attempt | None = None) -> tuple[Diagnosis, ...]:
        symptoms = self._given.get("symptoms")
        if not isinstance(symptoms, tuple):
            return ()
        # here, so that a consultation without symptoms does without the search of logs
        from advisor.diagnose.of_answers import diagnoses_of

        return diagnoses_of(symptoms, self._given, self._desk.knowledge, attempt)

    def _questions(
        self, decisions: dict[DecisionName, Decision], attempt: Attempt
    ) -> tuple[NextQuestion, ...]:
        special = special_questions(attempt) if decisions else ()
        for name in BUILT:
            if name in decisions and decisions[name].depends_on:
                return next_questions(decisions[name].depends_on, name, special)
        return special


def _with_those_of(
    failed: Attempt,
    changed: Attempt,
    warnings: tuple[Warned, ...],
    decisions: Collection[DecisionName],
) -> tuple[Warned, ...]:
    """Return warnings about what is owned and fails, and about what is chosen instead.

    Where the job is changed they are about the changed job; what only the stated one brings is
    marked as such.
    """
    first = failed.rulings.warnings(None, decisions)
    if changed.situation.job:
        told = {warned.id for warned in warnings}
        left = (warned for warned in first if warned.id not in told)
        return (*warnings, *(w.model_copy(update={"text": f"{_STATED} {w.text}"}) for w in left))
    told = {warned.id for warned in first}
    return (*first, *(warned for warned in warnings if warned.id not in told))


_STATED = "The job as stated:"


def _settled_fleet(desk: Desk, answers: WatchedAnswers, found: SeveralLoads) -> Settled:
    """Return what the second half starts from, where several loads share a fleet."""
    fleet, first = found.fleet, found.situations[0]
    named = first.cards if first.owned or _names_gpus(answers) else ()
    chosen = {} if fleet is None else {part.card.label: part.card for part in fleet.parts}
    return Settled(
        desk=desk,
        answers=answers,
        decisions=found.decisions,
        cards=tuple(chosen.values()) or named,
        loads=tuple(situation.load for situation in found.situations),
        kind=first.load.kind,
        fleet=fleet,
        assumptions=found.assumptions,
        measured=open_facts(answers, "several loads share the GPUs"),
    )


def _names_gpus(answers: Answers) -> bool:
    """Tell whether the answers say which GPUs they speak of."""
    named = (
        "hardware.gpu",
        "hardware.inventory",
        "hardware.gpu_memory_gib",
        "hardware.architectures",
    )
    return any(answers.is_given(key) for key in named)


def _of_the_job(attempt: Attempt) -> tuple[Assumption, ...]:
    if not attempt.situation.load.trains:
        return ()
    # serving, the usual question, does without the arithmetic of training
    from advisor.consult.training_assumptions import training_assumptions

    return training_assumptions(attempt)


def _not_applicable(attempt: Attempt) -> Decision:
    return Decision(
        status="not_applicable",
        because="A platform has no model of its own to size.",
        citations=attempt.rulings.cite("8"),
    )


def _corrections(attempt: Attempt, found: CameUp) -> tuple[Correction, ...]:
    return tuple(
        Correction(
            id=record.id,
            claim=record.claim,
            right=record.right,
            citations=attempt.rulings.cite(record.section),
        )
        for record in corrections_about(attempt.situation, attempt.best, found)
    )


def _counts(attempt: Attempt) -> CandidateCounts:
    shown = tuple(
        {
            "id": candidate.id,
            "gpu": candidate.card.label,
            "weight_format": candidate.weight_format,
            "total_gpus": candidate.total_gpus,
            "holds": candidate.holds,
            "usd_per_hour": candidate.usd_per_hour,
            "purchase_usd": candidate.money if candidate.bought else None,
            "usd_per_run": run_fields(candidate).get("usd_per_run"),
        }
        for candidate in attempt.ranked
    )
    found = attempt.found
    return CandidateCounts(
        considered=found.considered, rejected_by=found.rejected_by or {}, shown=shown
    )
