"""All findings about the rules of a knowledge base, by severity."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from advisor.analysis.ages import days_of_change, old_rules, stale
from advisor.analysis.cases import Case
from advisor.analysis.clashes import conflicts, masked, unsatisfiable
from advisor.analysis.dead import dead
from advisor.analysis.domains import Limits
from advisor.analysis.gaps import gaps
from advisor.analysis.study import Finding, Study
from advisor.analysis.unread import unasked, unused
from advisor.rules.model import RuleBase
from advisor.rules.vocabulary import Vocabulary

__all__ = ["WARNINGS", "Asked", "analyse_rules", "unused_questions"]

WARNINGS = frozenset({"gap_not_searched", "unused_question", "ended_record"})
"""Codes that a maintainer should look at and that do not fail ``kb check``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the questions say that the analysis needs."""

    kinds: Mapping[str, str]
    """Key of a question to its kind."""
    limits: Limits = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()
    """Keys with a default."""


def analyse_rules(
    base: RuleBase,
    vocabulary: Vocabulary,
    asked: Asked,
    day: dt.date | None,
    worlds: Mapping[str, Sequence[Case]] | None = None,
) -> list[Finding]:
    """Return what is wrong with the rules among themselves, in no particular order.

    Args:
        base: Rules that loaded without a fault.
        vocabulary: What they were compiled against.
        asked: The questions of the same knowledge base.
        day: The day of the knowledge base. The rules are searched as they hold on it, and on each
            later day on which a window begins or ends; without it, windows are not looked at.
        worlds: As in :class:`advisor.analysis.study.Study`.
    """
    study = Study(base, vocabulary, asked.limits, asked.defaults, worlds or {})
    days = () if day is None else days_of_change(study, day)
    tables = [_on(study, one) for one in days] or [study]
    checks: tuple[Iterable[Finding], ...] = (
        *(gaps(table) for table in tables),
        *(conflicts(table) for table in tables),
        *(masked(table) for table in tables),
        unsatisfiable(study),
        dead(study),
        unasked(study, asked.kinds),
        *((stale(study, day), old_rules(study, day)) if day else ()),
    )
    return list(dict.fromkeys(finding for check in checks for finding in check))


def _on(study: Study, day: dt.date) -> Study:
    """Return a study of the rules that hold on ``day``; the same one where all do."""
    held = study.base.at(day)
    return study if held is study.base else replace(study, base=held)


def unused_questions(
    base: RuleBase, questions: Iterable[str], hinted: AbstractSet[str]
) -> list[str]:
    """Return the keys of questions that neither rules nor code nor hints read."""
    return list(unused(base, questions, hinted))
