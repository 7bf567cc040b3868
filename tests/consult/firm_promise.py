"""What *firm* and `depends_on` promise, tried with random answers; for tests and a benchmark.

A decision depends on the questions under its `depends_on` and on no others: whatever is answered to
all other questions, the decision stays. A firm one depends on none.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from random_answers_of_all_keys import random_document_with_known_names
from random_situations import GPUS, MODELS, random_situation

from advisor.answers.questions import Question, load_questions
from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation, Decision
from advisor.errors import InputError

sys.path.append(str(Path(__file__).parents[1] / "answers"))
from answers_random import _answer

__all__ = ["Broken", "broken_promises", "promised"]

_ROUNDS = 6
_NOT_DRAWN = frozenset({"ask", "workload.model_config", "symptoms"})
"""What is asked for is no answer; a path would have to exist; texts are tried elsewhere."""
_CORE = {
    "gpu": ("option", "gpu", "count_per_replica", "weight_format"),
    "sharing": ("option",),
    "parallelism": (
        "option", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel",
    ),
    "provisioning": ("option",),
}  # fmt: skip
"""What the design promises of each decision."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A decision that changed though it does not depend on what was answered."""

    decision: str
    before: tuple[object, ...]
    after: tuple[object, ...]
    document: Mapping[str, Any]
    answered: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.decision}: {self.before} became {self.after} with {dict(self.answered)}"


def promised(decision: Decision | None, name: str) -> tuple[object, ...]:
    """Return what of a decision must stay."""
    if decision is None:
        return ()
    if decision.choice is None:
        return (decision.status,)
    values = decision.choice.model_dump()
    return tuple(values.get(key) for key in _CORE[name])


def broken_promises(seed: int, *, tries: int = 2) -> Iterator[Broken]:
    """Yield what breaks while a random situation is answered question by question.

    Args:
        seed: Of the situation and of all answers.
        tries: Completions for each round and decision.
    """
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    make = random_situation if seed % 3 else random_document_with_known_names
    document = {key: value for key, value in make(seed).items() if key != "ask"}
    told = _told(document)
    for _ in range(_ROUNDS):
        if told is None:
            return
        yield from _tried(document, told, dice, tries)
        missing = {d.question for c in told.decisions.values() for d in c.depends_on}
        missing &= set(load_questions())  # inside records there are more
        if not missing:
            return
        some = [key for key in sorted(missing) if dice.random() < 0.7] or sorted(missing)
        document, told = _more(document, some, dice)


def _tried(
    document: Mapping[str, Any], told: Consultation, dice: random.Random, tries: int
) -> Iterator[Broken]:
    """Yield decisions that move with answers on which they do not depend."""
    given = {answer.key for answer in told.answers}
    seen: set[frozenset[str]] = set()
    for decision in told.decisions.values():
        if decision.status == "not_applicable":
            continue
        free = _free(given | {needed.question for needed in decision.depends_on})
        if frozenset(free) in seen:
            continue
        seen.add(frozenset(free))
        for _ in range(tries):
            share = dice.choice((0.05, 0.3, 0.8))
            answers = {key: _value(key, dice) for key in free if dice.random() < share}
            yield from _moved(document, told, answers, dice)


def _moved(
    document: Mapping[str, Any],
    told: Consultation,
    answers: dict[str, Any],
    dice: random.Random,
) -> Iterator[Broken]:
    other, answers = _completed(document, answers, dice)
    if other is None:
        return
    for name, decision in told.decisions.items():
        if any(needed.question in answers for needed in decision.depends_on):
            continue
        before, after = promised(decision, name), promised(other.decisions.get(name), name)
        if before != after:
            yield Broken(name, before, after, document, _fewest(document, name, before, answers))


def _completed(
    document: Mapping[str, Any], answers: dict[str, Any], dice: random.Random
) -> tuple[Consultation | None, dict[str, Any]]:
    """Return the consultation with more answers; without those that contradict the others."""
    for _ in range(6):
        try:
            return advise(read_answers(_with(document, answers)), engine="reference"), answers
        except InputError as error:
            keys = {problem.key for problem in error.problems} & set(answers)
            drop = keys or set(dice.sample(sorted(answers), len(answers) // 2))
            if not drop:
                return None, answers
            answers = {key: value for key, value in answers.items() if key not in drop}
    return None, answers


def _fewest(
    document: Mapping[str, Any], name: str, before: tuple[object, ...], answers: dict[str, Any]
) -> dict[str, Any]:
    """Return few of the answers that still move the decision."""
    for key in sorted(answers):
        less = {other: value for other, value in answers.items() if other != key}
        told = _told(_with(document, less))
        if told is not None and promised(told.decisions.get(name), name) != before:  # type: ignore[call-overload]
            answers = less
    return answers


def _more(
    document: Mapping[str, Any], keys: Collection[str], dice: random.Random
) -> tuple[dict[str, Any], Consultation | None]:
    answers = {key: _value(key, dice) for key in keys if key not in _NOT_DRAWN}
    told, answers = _completed(document, answers, dice)
    return _with(document, answers), told


def _told(document: Mapping[str, Any]) -> Consultation | None:
    try:
        return advise(read_answers(dict(document)), engine="reference")
    except InputError:
        return None


def _free(taken: Collection[str]) -> list[str]:
    return [key for key in load_questions() if key not in taken and key not in _NOT_DRAWN]


def _with(document: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    changed = {g: dict(v) if isinstance(v, dict) else v for g, v in document.items()}
    for key, value in answers.items():
        group, _, name = key.partition(".")
        if name:
            changed.setdefault(group, {})[name] = value
        else:
            changed[group] = value
    return changed


def _value(key: str, dice: random.Random) -> object:
    """Return a legal value that the catalogues know; now and then an everyday one."""
    question: Question = load_questions()[key]
    names = {"workload.model": MODELS, "hardware.gpu": GPUS}.get(key)
    if names is not None:
        return dice.choice(names)
    if key == "hardware.inventory":
        return [{"gpu": dice.choice(GPUS), "gpus_per_node": dice.choice((1, 2, 4, 8))}]
    if key == "workloads":
        return [{"name": "one"}, {"name": "two", "model": dice.choice(MODELS)}]
    if question.default is not None and dice.random() < 0.3:
        return question.default
    return _answer(question, dice)
