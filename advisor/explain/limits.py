"""Limits: up to which value of a numeric answer the advice stays what it is.

Both sides of a flip that is told were consulted, so it is one. Advice is not monotonic, and
between tested values another flip may hide: what was tested is said (``search``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.consult.certainty import telling_first
from advisor.errors import InputError, Problem
from advisor.explain.explanation import Explanation, Line, line
from advisor.explain.grid import grid_of
from advisor.explain.probe import Probe
from advisor.explain.search import Side, search
from advisor.explain.words import full_key, key_sections, sections, title_of, value_words

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["Limit", "limits", "numeric_answers"]

_SIZED = 5_000
"""Layouts that may be sized for all answers together; what a consultation takes goes by it."""
_MOST, _LEAST = 72, 12
"""Consultations for all answers together."""
_MOST_FOR_ONE = 80
"""Consultations for one answer that was asked about."""
_CLOSER, _CLOSER_OF_ALL = 24, 4
"""Consultations for gaps in one direction: of one answer, of all of them where that is quick."""
_QUICK = 70
"""From so many consultations on there is time to look into gaps."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One numeric answer."""

    key: str
    value: float
    assumed: bool
    sides: tuple[Side, ...]


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
    told = adviser.consult(answers)
    known = numeric_answers(adviser, answers)
    keys = tuple(known) if key is None else (_checked(adviser, key, known),)
    considered = 0 if told.candidates is None else told.candidates.considered
    budget = most or (
        _MOST_FOR_ONE if key else max(_LEAST, min(_MOST, _SIZED // max(1, considered)))
    )
    closer = _CLOSER if key else _CLOSER_OF_ALL if budget >= _QUICK else 0
    found: list[Limit] = []
    left_out: list[str] = []
    for name in keys:
        if budget <= 0 or (found and budget < _LEAST // 2):
            left_out.append(name)
            continue
        probe = Probe(adviser, answers, name, min(budget, _MOST_FOR_ONE))
        found.append(_limit(adviser, name, known[name], probe, closer))
        budget -= probe.spent
    lines = [text for limit in found for text in _told(adviser, limit)]
    if left_out:
        text = f"Not searched, to stay quick: {', '.join(left_out)}; ask for one: limits KEY."
        lines.append(line(text, key_sections(adviser, left_out[0])))
    if not found:
        lines.append(line("No numeric answer is given or assumed.", ("8",)))
    title = f"How far {keys[0]} may go:" if key else "How far the numbers may go:"
    data = {"limits": [_as_dict(limit) for limit in found], "left_out": left_out}
    return Explanation("limits", title, tuple(lines), data)


def numeric_answers(adviser: Adviser, answers: Answers) -> dict[str, tuple[float, bool]]:
    """Return the numeric answers that are given or assumed, most telling first.

    Each with its value and whether it is assumed.
    """
    told = adviser.consult(answers)
    found: dict[str, tuple[float, bool]] = {}
    for key in adviser.questions:
        if grid_of(adviser.questions[key]) is None:
            continue
        value = answers.values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = (value, False)
    for note in told.assumptions:
        question = adviser.questions.get(note.key)
        plain = isinstance(note.value, int | float) and not isinstance(note.value, bool)
        if question is None or grid_of(question) is None or not plain:
            continue
        # a number that is assumed in place of what was given is not the answer
        found.setdefault(note.key, (note.value, True))
    return {key: found[key] for key in telling_first(found)}


def _checked(adviser: Adviser, word: str, known: dict[str, tuple[float, bool]]) -> str:
    key = full_key(adviser, word)
    if key in known:
        return key
    if grid_of(adviser.questions[key]) is None:
        text = "This answer is no number, so that it has no limits; see whatif."
        raise InputError(Problem("not_a_number", text, key=key, allowed=tuple(known)))
    text = "No number is given or assumed here; give one to see how far it may go."
    raise InputError(Problem("not_given", text, key=key, allowed=tuple(known)))


def _limit(adviser: Adviser, key: str, at: tuple[float, bool], probe: Probe, closer: int) -> Limit:
    value, assumed = at
    grid = grid_of(adviser.questions[key])
    assert grid is not None  # noqa: S101 - only numeric keys come here
    grid = grid.around(value)
    sides = tuple(search(grid, value, probe, up=up, closer=closer) for up in (True, False))
    return Limit(key, value, assumed, sides)


def _told(adviser: Adviser, limit: Limit) -> Iterator[Line]:
    cited = key_sections(adviser, limit.key)
    start = f"{limit.key} = {value_words(limit.value)}{' (assumed)' if limit.assumed else ''}"
    parts, moved = [], []
    for side in limit.sides:
        parts.append(_side_words(side))
        moved += [name for name, _, _ in side.moves]
    names = dict.fromkeys(moved)
    more = [section for name in names for section in sections(None, name)]
    text = "; ".join(part for part in parts if part)
    yield line(f"{start}: {text or 'it is the only value that is allowed'}", (*cited, *more))
    for side in limit.sides:
        if side.tested or side.flips is not None:
            yield line(_tested_words(side), cited, indent=1, detail=True)


def _side_words(side: Side) -> str:
    way = "up" if side.up else "down"
    if not side.tested and side.flips is None:
        return ""
    if side.flips is None:
        short = "" if side.complete else "; the search stopped there"
        return f"no limit found {way} to {value_words(side.end)}{short}"
    if side.refused is not None:
        what = side.refused
    else:
        what = ", ".join(
            f"{title_of(name)} {after} (was {before})" for name, before, after in side.moves
        )
    between = f"holds {way} to {value_words(side.holds)}"
    return f"{between}; {'at' if side.complete else 'by'} {value_words(side.flips)}: {what}"


def _tested_words(side: Side) -> str:
    shown = ", ".join(value_words(value) for value in side.tested) or "nothing between"
    way = "up" if side.up else "down"
    return f"{way}: nothing flips at {shown}; a flip between tested values would not be seen"


def _as_dict(limit: Limit) -> dict[str, object]:
    return {
        "key": limit.key,
        "value": limit.value,
        "assumed": limit.assumed,
        **{
            ("up" if side.up else "down"): {
                "holds": side.holds,
                "flips": side.flips,
                "moves": [
                    {"decision": name, "before": before, "after": after}
                    for name, before, after in side.moves
                ],
                "tested": list(side.tested),
                "end": side.end,
                "complete": side.complete,
                "refused": side.refused,
            }
            for side in limit.sides
        },
    }
