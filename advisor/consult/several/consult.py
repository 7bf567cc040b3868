"""A consultation about several loads: each sized alone, then fleets that carry all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from advisor.consult.attempt import Attempt, Desk
from advisor.consult.cards import grown, market
from advisor.consult.certainty import dependencies, next_questions
from advisor.consult.consultation import (
    Assumption,
    CandidateCounts,
    Correction,
    Decision,
    DecisionName,
    Dependency,
    NextQuestion,
    TraceStep,
    Warned,
)
from advisor.consult.gpu_choice import Option
from advisor.consult.gpu_decision import none_fits, open_gpu
from advisor.consult.platform.stages import stages_of
from advisor.consult.prices import Tariff
from advisor.consult.remedies import remedies
from advisor.consult.rulings import Rulings
from advisor.consult.sections import sections_of
from advisor.consult.several.fleet import Fleet, as_bought
from advisor.consult.several.fleet_decisions import (
    JudgedFleets,
    fleet_gpu_decision,
    fleet_parallelism,
)
from advisor.consult.several.fleet_facts import fleet_facts
from advisor.consult.several.fleet_order import rank_fleets
from advisor.consult.several.fleets import find_fleets, fleets_as_wanted
from advisor.consult.several.loads import OneLoad, SizedLoad, split_loads
from advisor.consult.several.told import counts_of, fewest, trace_of, warnings_of
from advisor.consult.situation import Situation
from advisor.consult.topics import corrections_about
from advisor.consult.understand import Assumptions, understand
from advisor.consult.watched import WatchedAnswers
from advisor.errors import InputError
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.result import SizeResult

__all__ = ["SeveralLoads", "consult_several"]

_FIRST_HALF: tuple[DecisionName, ...] = ("gpu", "parallelism")


@dataclass(frozen=True, slots=True)
class SeveralLoads:
    """What several loads led to; the parts of a consultation that differ from one load's."""

    decisions: dict[DecisionName, Decision]
    assumptions: tuple[Assumption, ...]
    warnings: tuple[Warned, ...]
    corrections: tuple[Correction, ...]
    sizing: SizeResult | None
    candidates: CandidateCounts
    next_questions: tuple[NextQuestion, ...]
    trace: tuple[TraceStep, ...]
    read: frozenset[str]
    rulings: Rulings
    fleet: Fleet | None
    """The choice; ``None`` where nothing carries all loads."""
    situations: tuple[Situation, ...]
    """Of each load, with the GPUs that were compared."""


def consult_several(
    answers: WatchedAnswers,
    desk: Desk,
    asked: tuple[DecisionName, ...],
    built: tuple[DecisionName, ...],
) -> SeveralLoads:
    """Size every load, then choose the fleet.

    Raises:
        InputError: a model, GPU or engine that is neither known nor described.
    """
    loads = split_loads(answers)
    situations = tuple(_understood(load, desk) for load in loads)
    consultant = _Consultant(answers, desk, asked, built, loads, situations)
    return consultant.consult()


def _understood(load: OneLoad, desk: Desk) -> Situation:
    """Return what one load means; an error names the record it is in."""
    try:
        return understand(load.answers, desk.knowledge)
    except InputError as error:
        places = (p if p.key is None else replace(p, key=load.place(p.key)) for p in error.problems)
        raise type(error)(tuple(places)) from error


@dataclass(frozen=True, slots=True)
class _Consultant:
    answers: WatchedAnswers
    desk: Desk
    asked: tuple[DecisionName, ...]
    built: tuple[DecisionName, ...]
    loads: tuple[OneLoad, ...]
    situations: tuple[Situation, ...]

    def consult(self) -> SeveralLoads:
        judged, failed = self._judge()
        decisions = {name: self._decide(name, judged, failed) for name in _FIRST_HALF}
        best = judged.ranked[0] if judged.ranked else None
        first = decisions["gpu"] if self.asked else None
        read = frozenset().union(*(load.answers.read for load in self.loads), self.answers.read)
        return SeveralLoads(
            decisions=decisions,
            assumptions=tuple(self._assumptions()),
            warnings=warnings_of(judged, best, self.asked or self.built),
            corrections=tuple(self._corrections(judged, best)),
            sizing=best.largest.candidate.result if best and self.asked else None,
            candidates=counts_of(judged),
            next_questions=() if first is None else next_questions(first.depends_on, "gpu"),
            trace=tuple(trace_of(judged)),
            read=read,
            rulings=judged.rulings,
            fleet=best,
            situations=self.situations,
        )

    @property
    def _open(self) -> tuple[str, ...]:
        return tuple(
            f"load {load.name}: {reason}"
            for load, situation in zip(self.loads, self.situations, strict=True)
            for reason in situation.open_reasons
        )

    def _judge(self) -> tuple[JudgedFleets, JudgedFleets | None]:
        """Return the fleets to choose from, and those of what is owned where none carries all."""
        owned = all(situation.owned for situation in self.situations)
        first = self._fleets(lambda s: s, "use_owned" if owned else "buy_or_rent", owned=owned)
        if first.ranked or not owned or self._open:
            return first, None
        more = self._fleets(_grown, "change_owned", owned=True)
        changed = (
            more if more.ranked else self._fleets(self._elsewhere, "change_owned", owned=False)
        )
        return replace(changed, note=self._not_enough(first)), first

    def _elsewhere(self, situation: Situation) -> Situation:
        answers = situation.answers
        cards, out = market(answers, self.desk.knowledge, Assumptions(answers))
        return replace(situation, cards=cards, owned=False, ruled_out=out, elsewhere=True)

    def _fleets(
        self, change: Callable[[Situation], Situation], option: Option, *, owned: bool
    ) -> JudgedFleets:
        changed = tuple(map(change, self.situations))
        sized = self._sized(changed)
        tariff = self.desk.tariff(changed[0])
        found, rulings, survivors = self._bound(sized, tariff, owned=owned)
        priority = self.situations[0].priority
        grown_fleet = owned and option == "change_owned"
        factors = rulings.surcharges()
        ranked = rank_fleets(survivors, factors, priority, owned=owned, grown=grown_fleet)
        as_of = self.desk.knowledge.as_of
        return JudgedFleets(sized, found, ranked, rulings, option, owned, priority, as_of)

    def _bound(
        self, sized: tuple[SizedLoad, ...], tariff: Tariff, *, owned: bool
    ) -> tuple[tuple[Fleet, ...], Rulings, tuple[Fleet, ...]]:
        """Return fleets, what rules say, and what they leave: of a wanted layout, where it holds.

        Where it does not, every other fleet says why.
        """
        wanted, why = self.answers.get("tenancy.mig_layout_wanted"), ""
        if isinstance(wanted, tuple) and not self._open:
            knowledge = self.desk.knowledge
            tables, facts = knowledge.mig_tables, sizing_facts(knowledge)
            found, why = fleets_as_wanted(sized, tariff, facts, tables, wanted)
            kept = tuple(replace(fleet, as_wanted=True) for fleet in found)
            judged = self._ruled(self._priced(kept, owned=owned), owned=owned)
            if judged[2]:
                return judged
            must = judged[1].rejections("must")
            why = why or next(must[fleet.id].because.rstrip(".") for fleet in found)
        fleets = () if self._open else self._found(sized, tariff, owned=owned)
        return self._ruled(tuple(replace(f, refused=why) for f in fleets), owned=owned)

    def _ruled(
        self, found: tuple[Fleet, ...], *, owned: bool
    ) -> tuple[tuple[Fleet, ...], Rulings, tuple[Fleet, ...]]:
        outcome = self.desk.engine.fire(
            stages_of(self.desk.base).fit,
            fleet_facts(self.answers, found, owned=owned, vms=self._vgpus),
        )
        sections = sections_of(self.desk.knowledge)
        rulings = Rulings(self.desk.base, outcome, sections)
        must = rulings.rejections("must")
        return found, rulings, tuple(fleet for fleet in found if fleet.id not in must)

    def _found(
        self, sized: tuple[SizedLoad, ...], tariff: Tariff, *, owned: bool
    ) -> tuple[Fleet, ...]:
        knowledge = self.desk.knowledge
        facts = sizing_facts(knowledge)
        found = find_fleets(
            sized, tariff, facts, knowledge.mig_tables, owned=owned, vms=self._vgpus
        )
        return self._priced(found, owned=owned)

    def _priced(self, found: tuple[Fleet, ...], *, owned: bool) -> tuple[Fleet, ...]:
        """Return the fleets as they are had: with the price to buy, where they are bought."""
        knowledge = self.desk.knowledge
        if owned or not self.situations[0].buys:
            return found
        return tuple(as_bought(fleet, knowledge.purchases) for fleet in found)

    @property
    def _vgpus(self) -> bool:
        """Whether virtual machines with a part of a GPU each are asked for and licensed."""
        licensed = self.answers.get("tenancy.vgpu_license") is True
        now = self.answers.get("platform.sharing_now")
        in_use = isinstance(now, tuple) and "vgpu" in now
        return self.answers.get("tenancy.isolation") == "vm" and (licensed or in_use)

    def _sized(self, situations: tuple[Situation, ...]) -> tuple[SizedLoad, ...]:
        """Size every load; equal ones once."""
        done: list[tuple[OneLoad, Attempt]] = []
        sized = []
        for load, situation in zip(self.loads, situations, strict=True):
            attempt = next((a for other, a in done if other.answers == load.answers), None)
            if attempt is None:
                attempt = self.desk.attempt(situation)
                done.append((load, attempt))
            sized.append(SizedLoad(load, attempt))
        return tuple(sized)

    def _decide(
        self, name: DecisionName, judged: JudgedFleets, failed: JudgedFleets | None
    ) -> Decision:
        depends = self._depends(name)
        if self._open:
            return open_gpu(self._open, judged.rulings, depends)
        if not judged.ranked:
            return self._nothing(name, failed or judged, depends)
        if name == "gpu":
            return fleet_gpu_decision(judged, depends)
        return fleet_parallelism(judged, depends)

    def _nothing(
        self, name: DecisionName, judged: JudgedFleets, depends: tuple[Dependency, ...]
    ) -> Decision:
        """Return what blocks the load that fits nothing, else the fleets that rules forbid."""
        if name != "gpu":
            return Decision(
                status="open",
                because="The pattern follows from the GPU, and none is chosen.",
                citations=judged.rulings.cite("8.3"),
                depends_on=depends,
            )
        for sized in judged.sized:
            if not sized.attempt.ranked:
                ways_out = tuple(remedies(self.desk, sized.attempt))
                found = none_fits(sized.attempt, depends, ways_out)
                text = f"{sized.load.name}: {found.because}"
                return found.model_copy(update={"because": text})
        return none_fits(judged.sized[0].attempt, depends, ()).model_copy(
            update={"because": self._together(judged)}
        )

    def _together(self, judged: JudgedFleets) -> str:
        must = judged.rulings.rejections("must")
        why = next((must[fleet.id].because for fleet in judged.found if fleet.id in must), None)
        text = "Each load fits by itself; no fleet carries all of them within the limits."
        return text if why is None else f"{text} {why}"

    def _not_enough(self, judged: JudgedFleets) -> str:
        alone = [sized.load.name for sized in judged.sized if not sized.attempt.ranked]
        if alone:
            names = " and ".join(alone)
            return f"What is owned does not carry {names}, even alone."
        needs = ", ".join(map(fewest, judged.sized))
        there = sum(card.max_gpus or 0 for card in self.situations[0].cards)
        shared = judged.rulings.rejections("must")
        why = next((shared[f.id].because for f in judged.found if f.id in shared), "")
        text = (
            f"What is owned ({there} GPUs) does not carry all loads together, which take at least "
            f"{needs}."
        )
        return f"{text} {why}".strip()

    def _depends(self, name: DecisionName) -> tuple[Dependency, ...]:
        found: dict[str, Dependency] = {}
        shared: dict[str, Dependency] = {}
        pairs = list(zip(self.loads, self.situations, strict=True))
        # what keeps a load from being sized is asked first; the sort is stable
        pairs.sort(key=lambda pair: not pair[1].open_reasons)
        for load, situation in pairs:
            doubted = {note.key for note in situation.assumptions} & set(load.answers.values)
            read = frozenset({*load.answers.read, *self.answers.read})
            for needed in dependencies(
                load.answers, read, self.desk.base, name, doubted, several=True
            ):
                key = load.place(needed.question)
                found.setdefault(key, needed.model_copy(update={"question": key}))
                if key != needed.question:
                    shared[needed.question] = needed
        # what `workload` says holds for every load that says nothing itself
        for key, needed in shared.items():
            found.setdefault(key, needed)
        return tuple(d for d in found.values() if d.question != "workloads")

    def _assumptions(self) -> Iterator[Assumption]:
        told: set[str] = set()
        for load, situation in zip(self.loads, self.situations, strict=True):
            for note in map(load.told, situation.assumptions):
                if note.key not in told:
                    told.add(note.key)
                    yield note

    def _corrections(self, judged: JudgedFleets, best: Fleet | None) -> Iterator[Correction]:
        told: set[str] = set()
        for index, sized in enumerate(judged.sized):
            chosen = best.parts[index].candidate if best else None
            for record in corrections_about(sized.attempt.situation, chosen):
                if record.id not in told:
                    told.add(record.id)
                    yield Correction(
                        id=record.id,
                        claim=record.claim,
                        right=record.right,
                        citations=judged.rulings.cite(record.section),
                    )


def _grown(situation: Situation) -> Situation:
    return replace(situation, cards=tuple(map(grown, situation.cards)))
