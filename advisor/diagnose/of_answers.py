"""Diagnoses of the symptoms that an answers file lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.answers.model import Answers
from advisor.consult.as_it_runs import weights_fit
from advisor.consult.attempt import Attempt
from advisor.consult.consultation import Diagnosis
from advisor.diagnose.diagnose import diagnose
from advisor.diagnose.diagnosis import DiagnosisReport
from advisor.store.loader import Knowledge

__all__ = ["diagnoses_of"]

_OTHERS = 3
_NOTHING_SAID = {"", "unknown"}


def diagnoses_of(
    symptoms: Iterable[object],
    answers: Answers,
    knowledge: Knowledge,
    attempt: Attempt | None = None,
) -> tuple[Diagnosis, ...]:
    """Return one diagnosis for each symptom, in order; the answers rank the causes.

    ``unknown`` says, as under every key, that nothing was said.

    Args:
        symptoms: Texts.
        answers: What is known.
        knowledge: The knowledge base.
        attempt: What sizing found of the one load there is.
    """
    fit = attempt is not None and weights_fit(attempt)
    texts = (str(text) for text in symptoms)
    return tuple(
        _diagnosis(text, diagnose(text, knowledge, answers, weights_fit=fit))
        for text in texts
        if text.strip().lower() not in _NOTHING_SAID
    )


def _diagnosis(text: str, report: DiagnosisReport) -> Diagnosis:
    causes = tuple(cause | {"rank": rank} for rank, cause in enumerate(_causes(report), 1))
    return Diagnosis(input=text, causes=causes, nearest=report.nearest)


def _causes(report: DiagnosisReport) -> Iterator[dict[str, Any]]:
    """Yield all causes of the best match, then of each other one the likeliest that is new."""
    told: set[str] = set()
    for place, match in enumerate(report.matches[: _OTHERS + 1]):
        new = [cause for cause in match.causes if cause.cause not in told]
        for cause in new if place == 0 else new[:1]:
            told.add(cause.cause)
            yield cause.model_dump(mode="json")
