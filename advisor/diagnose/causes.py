"""Rank the causes of a symptom by what the text and the answers say."""

from __future__ import annotations

import re
from collections.abc import Callable

from advisor.consult.sections import Sections
from advisor.diagnose.diagnosis import RankedCause
from advisor.diagnose.situation import Situation
from advisor.store.gotcha import Cause, Gotcha, Symptom
from advisor.store.loader import Knowledge

__all__ = ["ranked_causes"]

_SHOWN, _FACT, _APPLIES = 3.0, 1.0, 0.5


def ranked_causes(
    record: Symptom | Gotcha,
    around: str,
    situation: Situation,
    knowledge: Knowledge,
    sections: Sections,
) -> tuple[RankedCause, ...]:
    """Return the causes, likeliest first.

    Causes stand in the order of likelihood; what the text says moves one up most, then known facts:
    up when they speak for it, down when they speak against it. What is open moves nothing.

    Args:
        record: A gotcha is its own only cause.
        around: The text around the place where it showed.
        situation: The answers.
        knowledge: Holds the gotchas that causes name.
        sections: Titles of the handbook.
    """
    if isinstance(record, Gotcha):
        return (_of_gotcha(record, sections),)
    weighed = [
        (-_weight(cause, around, situation, knowledge), place, cause)
        for place, cause in enumerate(record.causes)
    ]
    weighed.sort(key=lambda item: item[:2])
    return tuple(
        _ranked(cause.told(knowledge.gotchas), rank, sections, _filled_from(around, record))
        for rank, (_, _, cause) in enumerate(weighed, 1)
    )


def _filled_from(around: str, symptom: Symptom) -> Callable[[str], str]:
    """Return what fills the places of a sentence from the pasted text."""

    def filled(sentence: str) -> str:
        for quote in symptom.quotes:
            sentence = quote.fill(sentence, around)
        return sentence

    return filled


def _weight(cause: Cause, around: str, situation: Situation, knowledge: Knowledge) -> float:
    weight = 0.0
    if any(re.search(pattern, around, re.IGNORECASE) for pattern in cause.shown_by):
        weight += _SHOWN
    weight += _FACT * _sign(situation.any_of(cause.likelier_when))
    weight += _FACT * _sign(situation.in_versions(cause.versions))
    if cause.unlikely_if_it_fits and situation.weights_fit:
        weight -= _FACT
    if cause.gotcha is not None:
        applies = situation.applies(knowledge.gotchas[cause.gotcha].applies)
        weight += _APPLIES * min(
            0, _sign(applies)
        )  # that it holds is no news: many nearly always do
    return weight


def _sign(verdict: bool | None) -> int:
    return 0 if verdict is None else (1 if verdict else -1)


def _ranked(
    told: Cause, rank: int, sections: Sections, filled: Callable[[str], str]
) -> RankedCause:
    return RankedCause(
        id=told.id,
        rank=rank,
        cause=told.cause or "",
        evidence=told.evidence,
        check=filled(told.check or ""),
        fix=filled(told.fix or ""),
        citations=tuple(map(sections.cite, told.sections)),
    )


def _of_gotcha(gotcha: Gotcha, sections: Sections) -> RankedCause:
    return RankedCause(
        id=gotcha.id,
        rank=1,
        cause=gotcha.cause,
        evidence=gotcha.symptom,
        check=gotcha.check,
        fix=gotcha.fix,
        citations=tuple(map(sections.cite, gotcha.sections)),
    )
