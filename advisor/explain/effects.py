"""What answers that are still open would move: each value tried by a consultation of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation, Decision, DecisionName, Dependency
from advisor.errors import InputError
from advisor.explain.beside import beside
from advisor.explain.change import changes
from advisor.explain.words import decided

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.answers.questions import Question
    from advisor.explain.adviser import Adviser

__all__ = ["Effect", "Trial", "effects", "open_values", "tried", "with_effects"]

_SIZED = 700
"""Layouts that may be looked at for all values together; what a consultation takes goes by it."""
_MOST = 10
_VALUES = 4
"""A question with more other values is not tried beside advice."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One decision that one value moves."""

    decision: DecisionName
    before: str
    after: str
    kind: bool = True
    """Another kind of choice; else more or fewer of it, on other machines, at another price."""
    numbers: tuple[str, ...] = ()
    """What differs in number: ``GPUs 8 -> 12``."""

    @property
    def words(self) -> str:
        """The new choice beside the old one; the numbers where only they differ."""
        if self.numbers and (not self.kind or self.before == self.after):
            return f": {', '.join(self.numbers)}"
        return f" becomes {self.after} (was {self.before})"

    @property
    def instead(self) -> str:
        """The same for a list of values that share what they would replace."""
        if self.before == self.after:
            return ", ".join(self.numbers) or "the same, built otherwise"
        return self.after


@dataclass(frozen=True, slots=True)
class Trial:
    """One value of one open question, as it was consulted."""

    key: str
    value: str
    label: str
    """The value in words."""
    effects: tuple[Effect, ...]
    """What it moves; empty: nothing."""
    refused: str | None = None
    """What is wrong with the answers then."""
    rules: tuple[str, ...] = ()
    """Rules of the decisions that it moves which speak then and did not before, or the reverse."""
    beside: tuple[str, ...] = ()
    """Where no decision moves, what else does: settings, warnings, assumptions."""

    def on(self, decision: str) -> Effect | None:
        """Return what it does to one decision."""
        return next((effect for effect in self.effects if effect.decision == decision), None)


def open_values(question: Question) -> tuple[tuple[str, str], ...]:
    """Return the values of a discrete question: as ``--set`` takes them, and in words."""
    if question.kind == "bool":
        return (("yes", "yes"), ("no", "no"))
    if question.kind != "enum":
        return ()
    form = "[{}]" if question.list else "{}"
    return tuple(
        (form.format(choice.id), choice.id.replace("_", " ")) for choice in question.values
    )


def tried(
    adviser: Adviser, answers: Answers, key: str, values: Iterable[tuple[str, str]]
) -> Iterator[Trial]:
    """Yield what each value of a question moves, compared with the answers as given.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        key: The question.
        values: As ``--set`` takes them, and in words.
    """
    before = adviser.consult(answers)
    for value, label in values:
        try:
            after = adviser.consult_with(answers, [f"{key}={value}"])
        except InputError as error:
            yield Trial(key, value, label, (), error.problems[0].message)
            continue
        moved = tuple(_moved(before, after))
        rest = () if moved else beside(before, after, (key,))
        rules = dict.fromkeys(
            rule for one in _leading(moved) for rule in _turned(before, after, one)
        )
        yield Trial(key, value, label, moved, rules=tuple(rules), beside=rest)


def _leading(moved: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Return the effects that no other GPU brings about: none where sizing comes out otherwise."""
    sized = any(one.decision in {"gpu", "parallelism"} for one in moved)
    return () if sized else moved


def _turned(before: Consultation, after: Consultation, effect: Effect) -> Iterator[str]:
    """Yield the rules on which a decision rests on one side only."""
    old, new = (told.decisions.get(effect.decision) for told in (before, after))
    had = () if old is None else old.rules
    has = () if new is None else new.rules
    yield from (rule for rule in (*has, *had) if (rule in has) != (rule in had))


def _moved(before: Consultation, after: Consultation) -> Iterator[Effect]:
    """Yield the decisions whose choice reads otherwise or is built in other numbers."""
    for change in changes(before, after):
        name = change.decision
        if change.reworded and name in after.decisions:
            was = decided(before.decisions.get(name), brief=True)
            now = decided(after.decisions.get(name), brief=True)
            yield Effect(name, was, now, kind=change.moved, numbers=change.numbers)


def effects(
    adviser: Adviser, answers: Answers, decision: DecisionName, most: int = _MOST
) -> tuple[str, ...]:
    """Return in words what open discrete answers would make of a decision.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        decision: Which.
        most: Consultations that may be made.
    """
    made = adviser.consult(answers).decisions.get(decision)
    keys = () if made is None else tuple(need.question for need in made.depends_on)
    found = []
    for trials in _trials(adviser, answers, keys, most).values():
        for trial in trials:
            effect = trial.on(decision)
            if effect is not None:
                words = effect.instead
                words += f" instead of {effect.before}" if effect.before != effect.after else ""
                found.append(f"if {trial.key} is {trial.label}: {words}")
    return tuple(found)


def with_effects(adviser: Adviser, answers: Answers, told: Consultation) -> Consultation:
    """Return the consultation with what open questions would change told, as far as was tried.

    Of the questions that were tried, ``if`` holds the values that change the choice by themselves
    and ``then`` says to what; those that change it come first and those that do not last. The
    others keep what they have.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        told: What they led to.
    """
    most = _bound(told)
    queues = [[need.question for need in made.depends_on] for made in told.decisions.values()]
    keys = dict.fromkeys(key for row in _rows(queues) for key in row)
    trials = _trials(adviser, answers, tuple(keys), most)
    decisions = {
        name: made.model_copy(update={"depends_on": _told(name, made, trials)})
        for name, made in told.decisions.items()
    }
    return told.model_copy(update={"decisions": decisions})


def _bound(told: Consultation) -> int:
    counts = told.candidates
    considered = 1 if counts is None else max(1, counts.considered)
    # several loads are shared out in many ways: a consultation on them takes many times as long
    several = any(given.key == "workloads" for given in told.answers)
    return 0 if several else min(_MOST, _SIZED // considered)


def _rows(queues: list[list[str]]) -> Iterator[list[str]]:
    """Yield the first question of every decision, then the second, and so on."""
    for place in range(max(map(len, queues), default=0)):
        yield [queue[place] for queue in queues if place < len(queue)]


def _trials(
    adviser: Adviser, answers: Answers, keys: tuple[str, ...], most: int
) -> Mapping[str, tuple[Trial, ...]]:
    """Try all other values of the first questions for which there are consultations left."""
    found: dict[str, tuple[Trial, ...]] = {}
    for key in keys:
        question = adviser.questions.get(key)
        if question is None or key in answers.values or question.list:
            continue
        values = [pair for pair in open_values(question) if pair[0] != _default(question)]
        if not values or len(values) > min(_VALUES, most):
            continue
        found[key] = tuple(tried(adviser, answers, key, values))
        most -= len(values)
    return found


def _default(question: Question) -> str | None:
    if isinstance(question.default, bool):
        return "yes" if question.default else "no"
    return None if question.default is None else str(question.default)


def _told(
    name: DecisionName, made: Decision, trials: Mapping[str, tuple[Trial, ...]]
) -> tuple[Dependency, ...]:
    moving: list[Dependency] = []
    others: list[Dependency] = []
    still: list[Dependency] = []
    for need in made.depends_on:
        tries = trials.get(need.question)
        if tries is None:
            others.append(need)
            continue
        hits = [(trial, effect) for trial in tries if (effect := trial.on(name)) is not None]
        if hits:
            words = "; ".join(f"if {trial.label}: {effect.instead}" for trial, effect in hits)
            replaced = next((e.before for _, e in hits if e.before != e.after), None)
            then = words if replaced is None else f"{words} instead of {replaced}"
            values = tuple(trial.value for trial, _ in hits)
            moving.append(need.model_copy(update={"if_": values, "then": then}))
        else:
            then = f"{need.then}; by itself no other value changes the choice"
            still.append(need.model_copy(update={"if_": (), "then": then}))
    return (*moving, *others, *still)
