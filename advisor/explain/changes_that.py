"""The fewest answers that would have to differ so that something becomes the choice.

Single answers are tried first, then pairs; every hit is a consultation that was made. The number
of consultations is bounded, and what was tried is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.explain.values import other_texts

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.explain.adviser import Adviser
    from advisor.explain.target import Target
    from advisor.rules.conditions import Atom

__all__ = ["Found", "Tried", "changes_that"]

_HITS = 3
"""Single answers that are told."""
_SINGLES = 0.6
"""Share of the consultations that single answers may take."""
_VALUES_IN_PAIRS = 3
_OPEN_MARKET = "hardware.gpu="
"""Takes away the name of the GPU: then all GPUs are compared, which takes many times as long."""
_OPEN_COST = 24


@dataclass(frozen=True, slots=True)
class Found:
    """Changed answers under which the target is the choice."""

    sets: tuple[str, ...]
    told: Consultation


@dataclass(frozen=True, slots=True)
class Tried:
    """What the search found, and how far it went."""

    found: tuple[Found, ...]
    singles: int
    pairs: int
    keys: tuple[str, ...]
    complete: bool
    """Whether every single value was tried."""

    @property
    def count(self) -> int:
        """Consultations in all."""
        return self.singles + self.pairs


def changes_that(
    adviser: Adviser,
    answers: Answers,
    target: Target,
    keys: Mapping[str, Sequence[Atom]],
    most: int,
) -> Tried:
    """Return the smallest changes of answers that make ``target`` the choice.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        target: What is to be chosen.
        keys: The answers that may differ, most promising first, with the failed tests on them.
        most: Consultations that may be made.
    """
    values = {key: texts for key in keys if (texts := _texts(adviser, answers, key, keys[key]))}
    singles = [*_in_turns(values)]
    # what takes longest comes last, so that it does not keep quick ones from being tried
    singles.sort(key=lambda pair: _cost((f"{pair[0]}={pair[1]}",)))
    total = sum(_cost((f"{key}={text}",)) for key, text in singles)
    limit = most if total <= most else max(1, int(most * _SINGLES))
    found: list[Found] = []
    tried, spent = 0, 0
    for key, text in singles:
        alone = (f"{key}={text}",)
        if len(found) == _HITS or spent + _cost(alone) > limit:
            break
        tried, spent = tried + 1, spent + _cost(alone)
        hit = _hit(adviser, answers, target, alone)
        found += [hit] if hit else []
    pairs = 0
    for sets in () if found else _pairs(values):
        if spent + _cost(sets) > most:
            break
        pairs, spent = pairs + 1, spent + _cost(sets)
        hit = _hit(adviser, answers, target, sets)
        if hit:
            found.append(hit)
            break
    return Tried(tuple(found), tried, pairs, tuple(values), tried == len(singles))


def _cost(sets: tuple[str, ...]) -> int:
    """Return the cost of a consultation, in usual ones."""
    return _OPEN_COST if _OPEN_MARKET in sets else 1


def _texts(adviser: Adviser, answers: Answers, key: str, atoms: Sequence[Atom]) -> tuple[str, ...]:
    question = adviser.questions.get(key)
    if question is None or question.kind == "list_of_records":
        return ()
    told = adviser.consult(answers)
    assumed = next((note.value for note in told.assumptions if note.key == key), None)
    return other_texts(question, answers, atoms, assumed)


def _in_turns(values: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the first value of every key, then the second of every key, and so on."""
    longest = max((len(texts) for texts in values.values()), default=0)
    for place in range(longest):
        for key, texts in values.items():
            if place < len(texts):
                yield key, texts[place]


def _pairs(values: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of values of two keys, those whose places sum to the least first."""
    keys = list(values)
    ordered = sorted(
        (first + second + one + other, one, other, first, second)
        for one in range(len(keys))
        for other in range(one + 1, len(keys))
        for first in range(min(_VALUES_IN_PAIRS, len(values[keys[one]])))
        for second in range(min(_VALUES_IN_PAIRS, len(values[keys[other]])))
    )
    for _, one, other, first, second in ordered:
        yield (
            f"{keys[one]}={values[keys[one]][first]}",
            f"{keys[other]}={values[keys[other]][second]}",
        )


def _hit(adviser: Adviser, answers: Answers, target: Target, sets: tuple[str, ...]) -> Found | None:
    try:
        told = adviser.consult_with(answers, sets)
    except InputError:
        return None
    return Found(sets, told) if target.holds(told) else None
