"""What to ask next: the question whose answer can change most of what is still open.

A question is asked when one of the answers that the plan tries would change a decision, found by
consulting with it. What cannot matter any more is never asked: neither what no decision depends on
(proven, see ``advisor.consult.live``), nor what changes nothing when tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from advisor.answers.model import Answers
from advisor.answers.questions import Question
from advisor.consult.consultation import Consultation, Decision, DecisionName
from advisor.errors import InputError
from advisor.explain.adviser import Adviser
from advisor.explain.change import core
from advisor.interview.plan import Asked, Plan, Topic, load_plan

__all__ = ["Ask", "askable", "next_question", "relevant"]

_COMPARED = 2
"""So many questions of a topic that matter are weighed against each other."""
_OF_PARAMETERS = 0.2
"""What changed parameters weigh beside a changed choice."""
_WORTH = 0.4
"""A question is worth asking from here on: an answer changes so many choices on average."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The question to ask now."""

    key: str
    topic: str
    decides: tuple[DecisionName, ...]
    """Decisions that an answer can change, by trying."""
    value: float
    """How much of what is asked for an answer changes, from 0 to 1; 1 for first questions."""


def next_question(
    adviser: Adviser,
    answers: Answers,
    *,
    topic: str | None = None,
    skipped: Collection[str] = (),
) -> Ask | None:
    """Return what to ask next, or ``None`` when no question of the plan changes anything.

    Args:
        adviser: Consults and remembers.
        answers: What is known; what is unknown is not asked again.
        topic: The topic of the question before: it is finished first.
        skipped: Questions that were put off.

    Raises:
        InputError: ``answers`` lead to an error.
    """
    plan = load_plan(adviser.knowledge)
    done = {*answers.values, *answers.unknown, *skipped}
    if "workloads" in answers.values:
        done |= {key for key in adviser.questions if key.startswith("workload.")}
    before: Consultation | None = None
    unlocking = [pair for pair in plan.unlocking(answers) if pair[1].key not in done]
    if unlocking:
        before = adviser.consult(answers)
        open_keys = relevant(before)
        for stage, asked in unlocking:
            if asked.key in open_keys:
                return Ask(asked.key, stage.id, open_keys[asked.key], 1.0)
    for stage in _in_turn(plan, topic):
        open_here = [
            ask
            for ask in plan.applicable(stage, answers)
            if ask.key not in done and not ask.unlocks
        ]
        if not open_here:
            continue
        if stage is plan.topics[0]:
            return Ask(open_here[0].key, stage.id, _asked_for(answers), 1.0)
        before = before or adviser.consult(answers)
        found = _most_telling(adviser, answers, before, stage, open_here)
        if found is not None:
            return found
    return None


def askable(adviser: Adviser, answers: Answers) -> tuple[str, ...]:
    """Return the questions of the plan that may still be asked, in its order.

    An upper bound: those that change nothing when tried will be left out.

    Raises:
        InputError: ``answers`` lead to an error.
    """
    plan = load_plan(adviser.knowledge)
    done = {*answers.values, *answers.unknown}
    open_keys = _open_keys(adviser.consult(answers))
    unlocking = {asked.key for _, asked in plan.unlocking(answers)}
    return tuple(
        asked.key
        for topic in plan.topics
        for asked in plan.applicable(topic, answers)
        if asked.key not in done
        and (topic is plan.topics[0] or asked.key in open_keys)
        and (not asked.unlocks or asked.key in unlocking)
    )


def relevant(consultation: Consultation) -> Mapping[str, tuple[DecisionName, ...]]:
    """Return the questions that decisions depend on, with these decisions."""
    found: dict[str, tuple[DecisionName, ...]] = {}
    for name, decision in consultation.decisions.items():
        for needed in decision.depends_on:
            found[needed.question] = (*found.get(needed.question, ()), name)
    return found


def _open_keys(consultation: Consultation) -> frozenset[str]:
    return frozenset(relevant(consultation))


def _asked_for(answers: Answers) -> tuple[DecisionName, ...]:
    from advisor.consult.advise import BUILT

    asked = answers.values.get("ask")
    return tuple(name for name in BUILT if not isinstance(asked, tuple) or name in asked)


def _in_turn(plan: Plan, topic: str | None) -> Iterator[Topic]:
    """Yield the topics: what it is for, then the topic under way, then the others."""
    head = plan.topics[0]
    current = [stage for stage in plan.topics if stage.id == topic and stage is not head]
    yield head
    yield from current
    yield from (stage for stage in plan.topics[1:] if stage not in current)


def _most_telling(
    adviser: Adviser,
    answers: Answers,
    before: Consultation,
    topic: Topic,
    candidates: list[Asked],
) -> Ask | None:
    open_keys = relevant(before)
    found: list[Ask] = []
    for asked in candidates:
        if asked.key not in open_keys:
            continue
        if asked.comes_first(answers):
            return Ask(asked.key, topic.id, open_keys[asked.key], 1.0)
        ask = _tried(adviser, answers, before, topic, asked)
        if ask.value * len(before.decisions) >= _WORTH:
            found.append(ask)
        if len(found) == _COMPARED:
            break
    best = max(found, key=lambda ask: ask.value, default=None)
    return None if best is None else _in_order(best, candidates, open_keys)


def _in_order(
    best: Ask, candidates: list[Asked], open_keys: Mapping[str, tuple[DecisionName, ...]]
) -> Ask:
    """Return the question, or the one that comes before it and is open as well."""
    before = {asked.key: asked.after for asked in candidates}
    first = before.get(best.key, "")
    if first not in before or first not in open_keys:
        return best
    return Ask(first, best.topic, open_keys[first], best.value)


def _tried(
    adviser: Adviser, answers: Answers, before: Consultation, topic: Topic, asked: Asked
) -> Ask:
    """Return how much the answers to a question change, on average over those that are tried."""
    question = adviser.questions[asked.key]
    values = asked.values(question)
    usual = _usual(question)
    moved: dict[DecisionName, float] = {}
    for value in values:
        if value == usual:
            continue  # it is assumed already
        for name, weight in _moved(adviser, answers, before, f"{asked.key}={value}").items():
            moved[name] = moved.get(name, 0.0) + weight
    total = sum(moved.values()) / (len(values) * max(1, len(before.decisions)))
    decides = tuple(name for name in before.decisions if name in moved)
    if asked.decides and not set(asked.decides) & set(decides):
        total = 0.0
    return Ask(asked.key, topic.id, decides, total)


def _usual(question: Question) -> str | None:
    """Return the default as it would be typed."""
    if isinstance(question.default, bool):
        return "yes" if question.default else "no"
    return None if question.default is None else str(question.default)


def _moved(
    adviser: Adviser, answers: Answers, before: Consultation, change: str
) -> Mapping[DecisionName, float]:
    try:
        after = adviser.probe(answers, change)
    except InputError:
        return {}  # an answer that contradicts the others changes nothing
    return {
        name: weight
        for name, decision in before.decisions.items()
        if (weight := _weight(name, decision, after.get(name))) > 0
    }


def _weight(name: DecisionName, before: Decision, after: Decision | None) -> float:
    if core(before, name) != core(after, name):
        return 1.0
    return 0.0 if after is None or before.choice == after.choice else _OF_PARAMETERS
