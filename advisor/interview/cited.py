"""What a section of the handbook is open for: the passages that are cited, the answers it reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from advisor.answers.plain import thawed
from advisor.consult.consultation import Citation, Consultation
from advisor.interview.settled import named
from advisor.reports.advice_words import said

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["facts_for", "passages_of"]

_MOST_FACTS = 12


def passages_of(told: Consultation, text: str, anchors: dict[str, str]) -> tuple[str, ...]:
    """Return what of a section the advice rests on: headings, and rules of its tables.

    Args:
        told: What the answers lead to.
        text: The section.
        anchors: The anchors inside the section, each with its heading.
    """
    found = [anchors[one.anchor] for one in _citations(told) if one.anchor in anchors]
    for decision in told.decisions.values():
        found += [rule for rule in decision.rules if f"| {rule} |" in text]
    return tuple(dict.fromkeys(found))


def _citations(told: Consultation) -> Iterator[Citation]:
    decisions = (decision.citations for decision in told.decisions.values())
    warnings = (warned.citations for warned in told.warnings if warned.severity != "info")
    return chain.from_iterable(chain(decisions, warnings))


def facts_for(interview: Interview, told: Consultation, section: str) -> tuple[str, ...]:
    """Return the answers and assumptions that a section is about, each with where it is from."""
    questions, session = interview.adviser.questions, interview.session
    found = [
        f"{named(given.key)}: {_words(given.value)} ({given.file})"
        for given in told.answers
        if given.key in questions and questions[given.key].section == section
    ]
    found += [
        f"{named(key)}: not known (answer {session.number_of(key)})"
        for key in sorted(session.answers.unknown)
        if key in questions and questions[key].section == section and session.number_of(key)
    ]
    found += [
        f"{named(note.key)}: {_words(thawed(note.value))} (assumed)"
        for note in told.assumptions
        if note.section == section
    ]
    return tuple(found[:_MOST_FACTS])


def _words(value: object) -> str:
    """Return a value as it is said; large counts with their thousands apart."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return said(value)
