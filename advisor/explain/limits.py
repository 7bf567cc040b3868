"""Limits: up to which value of a numeric answer the advice stays what it is.

Two ends are told in each direction: up to where the same is built (number of GPUs and machines
included), and up to where it is at least of the same kind (GPU, format, sizes, options). Both sides
of a flip that is told were consulted, so it is one. Advice is not monotonic, and between tested
values another flip may hide: unless every value was tested, those that were are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.answers.record_places import question_at, value_at
from advisor.consult.certainty import telling_first
from advisor.consult.unused import overruled
from advisor.errors import InputError, Problem
from advisor.explain.explanation import Explanation, Line, line
from advisor.explain.grid import Grid, grid_of
from advisor.explain.limit_words import Limit, limit_data, limit_lines
from advisor.explain.probe import Probe
from advisor.explain.search import search
from advisor.explain.words import full_key, key_sections

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["limits", "numeric_answers"]

_SIZED, _SIZED_FOR_ONE = 2_600, 12_000
"""Layouts that may be sized for all answers, and for one that was asked about.

What a consultation takes goes by it.
"""
_MOST, _LEAST = 60, 6
"""Consultations for all answers together."""
_MOST_FOR_ONE, _LEAST_FOR_ONE = 100, 30
"""Consultations for one answer that was asked about."""


@dataclass(slots=True)
class _Budget:
    """Consultations that are left, and how they are shared out."""

    left: int
    alone: bool
    """One answer was asked about: it gets all of them."""

    @property
    def for_next(self) -> int:
        """What the next answer gets; 0 where it is too little to say anything."""
        if self.alone:
            return self.left
        share = max(_LEAST, self.left // 2)
        return 0 if self.left < _LEAST else min(share, self.left)


def limits(
    adviser: Adviser, answers: Answers, key: str | None = None, *, most: int | None = None
) -> Explanation:
    """Return for one numeric answer, or for all that matter, where the advice flips.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        key: The answer; by default all that are given or assumed.
        most: How many consultations it may take; by default as many as the case allows.

    Raises:
        InputError: the key is not known or holds no number, or the answers lead to an error.
    """
    known = numeric_answers(adviser, answers)
    keys = tuple(known) if key is None else (_checked(adviser, answers, key, known),)
    budget = _Budget(most or _bound(adviser, answers, alone=key is not None), key is not None)
    found: list[Limit] = []
    left_out: list[str] = []
    for name in keys:
        share = budget.for_next if budget.left > 0 else 0
        if share == 0:
            left_out.append(name)
            continue
        probe = Probe(adviser, answers, name, known[name][0])
        found.append(_limit(adviser, name, known[name], probe, share))
        budget.left -= probe.spent
    lines = [text for limit in found for text in limit_lines(adviser, limit)]
    lines += _unsearched(adviser, found, left_out, alone=key is not None)
    title = f"How far {keys[0]} may go:" if key else "How far the numbers may go:"
    data = {"limits": [limit_data(limit) for limit in found], "left_out": left_out}
    return Explanation("limits", title, tuple(lines), data)


def _bound(adviser: Adviser, answers: Answers, *, alone: bool) -> int:
    told = adviser.consult(answers)
    considered = 1 if told.candidates is None else max(1, told.candidates.considered)
    if alone:
        return max(_LEAST_FOR_ONE, min(_MOST_FOR_ONE, _SIZED_FOR_ONE // considered))
    return max(_LEAST, min(_MOST, _SIZED // considered))


def _unsearched(
    adviser: Adviser, found: list[Limit], left_out: list[str], *, alone: bool
) -> list[Line]:
    """Return what is said of answers that were not searched, or only here and there."""
    lines = []
    if left_out:
        text = f"Not searched, to stay quick: {', '.join(left_out)}; ask for one: limits KEY."
        lines.append(line(text, key_sections(adviser, left_out[0])))
    rough = [limit.key for limit in found if not limit.exact]
    if rough and not alone:
        text = f"Tried here and there only, to stay quick: {', '.join(rough)}; limits KEY is finer."
        lines.append(line(text, key_sections(adviser, rough[0])))
    if not found:
        lines.append(line("No numeric answer is given or assumed.", ("8",)))
    return lines


def numeric_answers(adviser: Adviser, answers: Answers) -> dict[str, tuple[float, bool]]:
    """Return the numeric answers that are given or assumed, most telling first.

    Each with its value and whether it is assumed.
    """
    told = adviser.consult(answers)
    found: dict[str, tuple[float, bool]] = {}
    for key in (*adviser.questions, *_places_of_loads(answers)):
        question = question_at(adviser.questions, key)
        if question is None or grid_of(question) is None or overruled(answers, key):
            continue
        value = value_at(answers, key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = (value, False)
    for note in told.assumptions:
        question = question_at(adviser.questions, note.key)
        plain = isinstance(note.value, int | float) and not isinstance(note.value, bool)
        if question is None or grid_of(question) is None or not plain:
            continue
        # a number that is assumed in place of what was given is not the answer
        found.setdefault(note.key, (note.value, True))
    return {key: found[key] for key in telling_first(found)}


def _places_of_loads(answers: Answers) -> Iterator[str]:
    """Yield what the records of loads say, record by record."""
    loads = answers.values.get("workloads")
    for index, load in enumerate(loads if isinstance(loads, tuple) else ()):
        yield from (f"workloads[{index}].{name}" for name in load)


def _grid(adviser: Adviser, key: str) -> Grid | None:
    question = question_at(adviser.questions, key)
    return None if question is None else grid_of(question)


def _checked(
    adviser: Adviser, answers: Answers, word: str, known: dict[str, tuple[float, bool]]
) -> str:
    key = full_key(adviser, word)
    if key in known:
        return key
    why = overruled(answers, key)
    if why is not None:
        text = f"This is not taken into account: {why}."
        raise InputError(Problem("not_given", text, key=key, allowed=tuple(known)))
    if _grid(adviser, key) is None:
        text = "This answer is no number, so that it has no limits; see whatif."
        raise InputError(Problem("not_a_number", text, key=key, allowed=tuple(known)))
    text = "No number is given or assumed here; give one to see how far it may go."
    raise InputError(Problem("not_given", text, key=key, allowed=tuple(known)))


def _limit(adviser: Adviser, key: str, at: tuple[float, bool], probe: Probe, most: int) -> Limit:
    value, assumed = at
    grid = _grid(adviser, key)
    assert grid is not None  # noqa: S101 - only numeric keys come here
    grid = grid.around(value)
    up = search(grid, value, probe, up=True, most=most - most // 2, closer=most // 2)
    down = search(grid, value, probe, up=False, most=most - probe.spent, closer=most // 2)
    return Limit(key, value, assumed, (up, down), probe)
