"""Which rules, answers and options some consultations reach, and which none does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.rules.model import Rule, RuleBase
from advisor.rules.record import DECISIONS

__all__ = ["GOTCHAS", "Coverage", "Group", "Run", "coverage_of"]

GOTCHAS = "gotchas"
"""Group of the rules that gotchas are made into."""


@dataclass(frozen=True, slots=True)
class Run:
    """One consultation, as far as coverage looks at it."""

    answers: Mapping[str, Any]
    """Key to value, as given."""
    rules: frozenset[str]
    """Ids of the rules that fired."""
    options: Mapping[str, str]
    """Decision to the option that was chosen."""
    sections: frozenset[str] = frozenset()
    """Sections of the handbook that were cited."""
    asked: frozenset[str] = frozenset()
    """Keys of the questions that an interview asked; empty where none was held."""


@dataclass(frozen=True, slots=True)
class Group:
    """Things of one group: in how many consultations each was reached."""

    reached: Mapping[str, int]
    never: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.reached) + len(self.never)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a set of consultations reaches."""

    runs: int
    rules: Mapping[str, Group]
    """By decision, the gotchas apart; groups without rules are left out."""
    answers: Group
    """Keys of questions."""
    values: Mapping[str, Group]
    """By key of a question with choices."""
    options: Mapping[str, Group]
    """By decision."""
    sections: Group
    """Numbers of sections of the handbook."""
    asked: Group
    """Keys of questions that the interview can ask."""


def coverage_of(
    base: RuleBase,
    choices: Mapping[str, Sequence[str]],
    options: Mapping[str, Sequence[str]],
    runs: Sequence[Run],
    *,
    sections: Sequence[str] = (),
    askable: Sequence[str] = (),
) -> Coverage:
    """Return what ``runs`` reach.

    Args:
        base: All rules.
        choices: Key of every question to the ids of its choices, none for a free one.
        options: Decision to its options.
        runs: The consultations.
        sections: All sections of the handbook.
        askable: All questions that the interview can ask.
    """
    fired = Counter(rule for run in runs for rule in run.rules)
    given = Counter(key for run in runs for key in run.answers)
    values = Counter(
        (key, value) for run in runs for key, found in run.answers.items() for value in _all(found)
    )
    chosen = Counter(pair for run in runs for pair in run.options.items())
    by_group: dict[str, list[str]] = {name: [] for name in (*DECISIONS, GOTCHAS)}
    for rule in base.rules:
        by_group[_group(rule)].append(rule.id)
    return Coverage(
        runs=len(runs),
        rules={name: _counted(ids, fired) for name, ids in by_group.items() if ids},
        answers=_counted(choices, given),
        values={
            key: _counted(ids, {value: values[key, value] for value in ids})
            for key, ids in choices.items()
            if ids
        },
        options={
            decision: _counted(ids, {option: chosen[decision, option] for option in ids})
            for decision, ids in options.items()
        },
        sections=_counted(sections, Counter(name for run in runs for name in run.sections)),
        asked=_counted(askable, Counter(key for run in runs for key in run.asked)),
    )


def _group(rule: Rule) -> str:
    return GOTCHAS if rule.payload.get("kind") == "gotcha" and _is_made(rule) else rule.decision


def _is_made(rule: Rule) -> bool:
    """Tell whether a rule was made of a record of the gotchas, which gives its id."""
    return "id" in rule.payload


def _counted(names: Iterable[str], counts: Mapping[str, int]) -> Group:
    names = tuple(names)
    return Group(
        reached={name: counts[name] for name in names if counts.get(name)},
        never=tuple(name for name in names if not counts.get(name)),
    )


def _all(value: object) -> set[str]:
    if isinstance(value, list | tuple):
        return {str(item) for item in value if isinstance(item, str)}
    if isinstance(value, bool):
        return {"yes" if value else "no"}
    return {value} if isinstance(value, str) else set()
