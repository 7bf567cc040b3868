"""What the interview asks, and in which topics (``knowledge/interview/plan.yaml``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from advisor.consult.consultation import DecisionName
from advisor.errors import InputError, KnowledgeError, Problem
from advisor.store.loader_yaml import Parse, parse_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.answers.model import Answers
    from advisor.answers.questions import Question, Vocabulary
    from advisor.store.loader import Knowledge

__all__ = ["FILE", "Asked", "Plan", "Topic", "check_plan", "load_plan"]

FILE = "interview/plan.yaml"
_Case = Mapping[str, tuple[str, ...]]
_Only = tuple[_Case, ...] | _Case


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(_Frozen):
    """One question of the interview."""

    key: str
    first: bool | tuple[str, ...] = False
    """Asked whatever it changes alone, since others hang on it; or for which kinds of work."""
    only: _Only = Field(default_factory=dict)
    """Answers, given or usual, without which the question makes no sense; of several cases any."""
    decides: tuple[DecisionName, ...] = ()
    """Decisions for the sake of which it is asked; empty: any."""
    unlocks: tuple[str, ...] = ()
    """Answers that count only with this one: with one of them given it is asked first of all,
    and never otherwise."""
    after: str = ""
    """The question that comes before this one, where it is asked at all."""
    tried: tuple[Any, ...] = Field(default=(), alias="try")
    """Answers to try out: does any of them change a decision? Empty: all values."""

    def comes_first(self, answers: Answers) -> bool:
        """Tell whether the question is asked before the others of its topic."""
        if isinstance(self.first, bool):
            return self.first
        return answers.values.get("workload.kind", "serving") in self.first

    def values(self, question: Question) -> tuple[str, ...]:
        """Return the answers to try, as they would be typed."""
        if self.tried:
            return tuple(_typed(value) for value in self.tried)
        if question.kind == "bool":
            return ("yes", "no")
        return tuple(choice.id for choice in question.values)


class Topic(_Frozen):
    """Questions that belong together; one topic is finished before the next."""

    id: str
    title: str
    only: _Only = Field(default_factory=dict)
    questions: tuple[Asked, ...]


class Plan(_Frozen):
    """The interview."""

    as_of: str
    sources: tuple[str, ...]
    topics: tuple[Topic, ...]
    stated: tuple[str, ...]
    """Keys that are never asked, but worth stating."""
    told_at_once: tuple[str, ...] = ()
    """Warnings told on the turn that brings them: an answer that does not count, or in part."""

    def topic_of(self, key: str) -> Topic | None:
        """Return the topic that asks for ``key``."""
        for topic in self.topics:
            if any(asked.key == key for asked in topic.questions):
                return topic
        return None

    def unlocking(self, answers: Answers) -> Iterator[tuple[Topic, Asked]]:
        """Yield the questions without which a given answer does not count."""
        for topic in self.topics:
            for asked in self.applicable(topic, answers):
                if any(key in answers.values for key in asked.unlocks):
                    yield topic, asked

    def applicable(self, topic: Topic, answers: Answers) -> Iterator[Asked]:
        """Yield the questions of a topic that make sense after ``answers``."""
        if _holds(topic.only, answers):
            yield from (asked for asked in topic.questions if _holds(asked.only, answers))


def _cases(only: _Only) -> tuple[_Case, ...]:
    return (only,) if isinstance(only, Mapping) else only


def _holds(only: _Only, answers: Answers) -> bool:
    from advisor.answers.questions import load_questions

    def given(key: str) -> object:
        return answers.values.get(key, load_questions()[key].default)

    cases = _cases(only)
    return any(all(given(key) in case[key] for key in case) for case in cases)


def _typed(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value}"


@lru_cache(maxsize=4)
def load_plan(knowledge: Knowledge) -> Plan:
    """Return the plan of a knowledge base.

    Raises:
        KnowledgeError: the file is missing or does not follow the schema.
    """
    plan = _read_plan(knowledge.path / FILE, FILE, knowledge.parse)
    for overlay in knowledge.overlays:
        for file, name in overlay.files(FILE):
            plan = _on_top(plan, _read_plan(file, name, parse_yaml))
    return plan


def _read_plan(path: Path, name: str, parse: Parse) -> Plan:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"The file cannot be read: {error}."
        raise KnowledgeError(Problem("unreadable", message, file=name)) from error
    try:
        return Plan.model_validate(parse(text, name))
    except ValidationError as error:
        raise KnowledgeError([*_faults(error, name)]) from error


def _on_top(lower: Plan, upper: Plan) -> Plan:
    """Return the plan of two layers: topics of one name replaced in place, others added."""
    new = {topic.id: topic for topic in upper.topics}
    topics = tuple(new.pop(topic.id, topic) for topic in lower.topics)
    stated = tuple(dict.fromkeys((*lower.stated, *upper.stated)))
    told = tuple(dict.fromkeys((*lower.told_at_once, *upper.told_at_once)))
    topics = (*topics, *new.values())
    return lower.model_copy(update={"topics": topics, "stated": stated, "told_at_once": told})


def _faults(error: ValidationError, file: str) -> Iterator[Problem]:
    from advisor.store.loader_errors import described

    for fault in error.errors(include_url=False):
        key = ".".join(str(part) for part in fault["loc"])
        code, message, allowed, nearest = described(dict(fault), Plan)
        yield Problem(code, message, file=file, key=key, allowed=allowed, nearest=nearest)


def check_plan(knowledge: Knowledge, vocabulary: Vocabulary) -> list[Problem]:
    """Return what is wrong with the plan of a knowledge base.

    Args:
        knowledge: The knowledge base; it may be without a plan.
        vocabulary: All questions.
    """
    if not (knowledge.path / FILE).exists():
        return []
    try:
        plan = load_plan(knowledge)
    except KnowledgeError as error:
        return list(error.problems)
    return [*_unknown(plan, vocabulary), *_illegal(plan, vocabulary), *_twice(plan)]


def _unknown(plan: Plan, vocabulary: Vocabulary) -> Iterator[Problem]:
    from advisor.answers.nearest import nearest_keys

    every = [asked for topic in plan.topics for asked in topic.questions]
    named = [key for asked in every for key in (asked.key, *asked.unlocks, asked.after) if key]
    for case in _conditions(plan):
        named += case
    for key in (*named, *plan.stated):
        if key not in vocabulary:
            nearest = tuple(nearest_keys(key, vocabulary))
            message = f"There is no question {key}."
            yield Problem("unknown_key", message, file=FILE, key=key, nearest=nearest)


def _conditions(plan: Plan) -> Iterator[_Case]:
    for topic in plan.topics:
        yield from _cases(topic.only)
        for asked in topic.questions:
            yield from _cases(asked.only)


def _illegal(plan: Plan, vocabulary: Vocabulary) -> Iterator[Problem]:
    for case in _conditions(plan):
        for key, values in case.items():
            known = {choice.id for choice in vocabulary[key].values} if key in vocabulary else None
            for value in values:
                if known is not None and value not in known:
                    message = f"{value} is no value of {key}."
                    yield Problem("bad_value", message, file=FILE, key=key)
    for topic in plan.topics:
        for asked in topic.questions:
            if asked.key in vocabulary:
                yield from _untriable(asked, vocabulary[asked.key])


def _untriable(asked: Asked, question: Question) -> Iterator[Problem]:
    from advisor.answers.validate import read_answers

    values = asked.values(question)
    if not values and not asked.first and not asked.unlocks:
        message = "Say under `try` which answers to try out; the question has no list of values."
        yield Problem("nothing_to_try", message, file=FILE, key=asked.key)
    for value in values:
        try:
            read_answers({}, name=FILE, sets=(f"{asked.key}={value}",))
        except InputError as error:
            yield Problem("bad_value", error.problems[0].message, file=FILE, key=asked.key)


def _twice(plan: Plan) -> Iterator[Problem]:
    keys = [asked.key for topic in plan.topics for asked in topic.questions]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield Problem("asked_twice", f"{key} is asked in two places.", file=FILE, key=key)
