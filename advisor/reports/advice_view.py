"""The facts of a consultation in reading order: one source for the Markdown and HTML reports.

Owns what is said, in which words and order, and makes every text harmless to show: one line,
no control characters, no marks that reorder text. It knows no markup: escaping is the work of
the report that writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from advisor.consult.consultation import (
    Choice,
    Citation,
    Consultation,
    Decision,
    Dependency,
    Diagnosis,
    Rejection,
    Warned,
)
from advisor.reports.advice_figures import decisive_figures
from advisor.reports.advice_numbers import Pair, number_rows
from advisor.reports.advice_platform import platform_rows
from advisor.reports.advice_words import TITLES, headline, one_line, said, same_reason

__all__ = [
    "AdviceView",
    "AlternativeView",
    "DecisionView",
    "Note",
    "WarningView",
    "advice_view",
]

STATUS_MEANINGS = {
    "firm": "every answer that is still missing leads to this choice",
    "provisional": "the best choice on what was given and assumed; open questions can change it",
    "open": "not enough is known to choose",
    "not_applicable": "the question does not arise here",
}


@dataclass(frozen=True, slots=True)
class Note:
    """A text with the sections that say so."""

    head: str
    text: str
    sections: tuple[str, ...] = ()
    details: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class AlternativeView:
    """A runner-up."""

    headline: str
    because: str
    would_be_chosen_if: str
    sections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WarningView:
    """Something that will bite; ``details`` are symptom, cause, check and fix, those given."""

    severity: str
    kind: str
    decision: str
    text: str
    sections: tuple[str, ...]
    details: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One decision as it is shown."""

    name: str
    title: str
    status: str
    meaning: str
    strength: str
    headline: str | None
    figures: tuple[Pair, ...]
    """The few numbers that decided."""
    because: str
    sections: tuple[str, ...]
    parameters: tuple[Pair, ...]
    alternatives: tuple[AlternativeView, ...]
    rejected: tuple[Note, ...]
    """``head`` names everything that is out for the same reason."""
    depends: tuple[Note, ...]
    """``head`` is the answer key."""
    depends_like: str | None
    """Title of the decision just above whose open questions are the same, shown there."""


@dataclass(frozen=True, slots=True)
class AdviceView:
    """Everything that a report shows, in the order in which it is shown."""

    decisions: tuple[DecisionView, ...]
    numbers: tuple[Pair, ...]
    arithmetic: tuple[str, ...]
    size_notes: tuple[Note, ...]
    considered: tuple[Pair, ...]
    warnings: tuple[WarningView, ...]
    diagnoses: tuple[Note, ...]
    assumptions: tuple[Note, ...]
    answers: tuple[Pair, ...]
    questions: tuple[Note, ...]
    corrections: tuple[Note, ...]
    sections: tuple[Pair, ...]
    """Number and title of every section cited, in the order of the handbook."""
    stamp: str


def advice_view(consultation: Consultation) -> AdviceView:
    """Return what to show of ``consultation``; every text is one harmless line."""
    sizing = consultation.sizing
    notes = sizing.problems if sizing else ()
    return AdviceView(
        decisions=tuple(_decisions(consultation)),
        numbers=tuple((one_line(a), one_line(b)) for a, b in number_rows(sizing)),
        arithmetic=tuple(one_line(line) for line in (sizing.arithmetic if sizing else ())),
        size_notes=tuple(_note(p.code.replace("_", " "), p.text, (p.section,)) for p in notes),
        considered=tuple(_considered(consultation)),
        warnings=tuple(_warning(warned) for warned in consultation.warnings),
        diagnoses=tuple(_diagnosis(diagnosis) for diagnosis in consultation.diagnoses),
        assumptions=tuple(
            _note(f"{a.key} = {said(a.value)}", a.why, (a.section,))
            for a in consultation.assumptions
        ),
        answers=tuple(
            (one_line(given.key), said(given.understood or given.value))
            for given in consultation.answers
        ),
        questions=tuple(
            _note(question.key, question.why) for question in consultation.next_questions
        ),
        corrections=tuple(
            _note(f'Claimed: "{c.claim}"', c.right, _sections(c.citations))
            for c in consultation.corrections
        ),
        sections=_section_list(consultation),
        stamp=one_line(
            f"knowledge {consultation.knowledge.text}, rule engine {consultation.engine}"
        ),
    )


def _decisions(consultation: Consultation) -> Iterator[DecisionView]:
    seen: tuple[Dependency, ...] = ()
    above = ""
    for name, decision in consultation.decisions.items():
        same = bool(decision.depends_on) and decision.depends_on == seen
        figures = decisive_figures(consultation) if name == "gpu" else _settings(name, decision)
        yield _decision(name, decision, figures, above if same else None)
        if not same:
            seen, above = decision.depends_on, TITLES[name]


def _settings(name: str, decision: Decision) -> tuple[Pair, ...]:
    """Return the settings of sharing and provisioning that one acts on."""
    if decision.choice is None:
        return ()
    return tuple(platform_rows(name, decision.choice.model_dump()))


def _decision(
    name: str, decision: Decision, figures: tuple[Pair, ...], depends_like: str | None
) -> DecisionView:
    return DecisionView(
        name=name,
        title=TITLES[name],
        status=decision.status.replace("_", " "),
        meaning=STATUS_MEANINGS[decision.status],
        strength=decision.strength,
        headline=headline(decision.choice) if decision.choice else None,
        figures=tuple((label, one_line(text)) for label, text in figures),
        because=one_line(decision.because),
        sections=_sections(decision.citations),
        parameters=_parameters(decision.choice) if decision.choice else (),
        alternatives=tuple(
            AlternativeView(
                headline(other.choice),
                one_line(other.because),
                one_line(other.would_be_chosen_if),
                _sections(other.citations),
            )
            for other in decision.alternatives
        ),
        rejected=tuple(_rejected(decision.rejected)),
        depends=() if depends_like else tuple(_depends(decision.depends_on)),
        depends_like=depends_like,
    )


def _parameters(choice: Choice) -> tuple[Pair, ...]:
    values = choice.model_dump()
    return tuple(
        (one_line(str(key)), said(value))
        for key, value in values.items()
        if key != "option" and value is not None and value not in ([], {}, ())
    )


def _rejected(rejected: Iterable[Rejection]) -> Iterator[Note]:
    for names, line in same_reason(rejected):
        yield _note(", ".join(names), line.because, _sections(line.citations))


def _depends(dependencies: Iterable[Dependency]) -> Iterator[Note]:
    for dependency in dependencies:
        values = f" (when {', '.join(dependency.if_)})" if dependency.if_ else ""
        yield _note(dependency.question, f"{dependency.then}{values}")


def _warning(warned: Warned) -> WarningView:
    parts = (
        ("symptom", warned.symptom),
        ("cause", warned.cause),
        ("check", warned.check),
        ("fix", warned.fix),
    )
    return WarningView(
        severity=warned.severity,
        kind=warned.kind,
        decision=TITLES.get(warned.decision, one_line(warned.decision)),
        text=one_line(warned.text),
        sections=_sections(warned.citations),
        details=tuple((label, one_line(text)) for label, text in parts if text),
    )


def _diagnosis(diagnosis: Diagnosis) -> Note:
    if not diagnosis.causes:
        text = "not known"
        if diagnosis.nearest:
            text += f"; the nearest entries are {', '.join(diagnosis.nearest)}"
        return _note(diagnosis.input, text)
    details = []
    for position, cause in enumerate(diagnosis.causes, 1):
        rank = cause.get("rank", position)
        details.append((f"cause {rank}", said(cause.get("cause", ""))))
        details += [(k, said(cause[k])) for k in ("evidence", "check", "fix") if cause.get(k)]
    return Note(one_line(diagnosis.input), "", (), tuple(details))


def _considered(consultation: Consultation) -> Iterator[Pair]:
    counts = consultation.candidates
    if counts is None:
        return
    yield "layouts considered", f"{counts.considered:,}"
    for reason, number in sorted(counts.rejected_by.items(), key=lambda item: (-item[1], item[0])):
        yield one_line(f"out: {reason.replace('_', ' ')}"), f"{number:,}"


def _note(head: str, text: str, sections: tuple[str, ...] = ()) -> Note:
    return Note(one_line(head), one_line(text), tuple(one_line(name) for name in sections))


def _sections(citations: Iterable[Citation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one_line(citation.section) for citation in citations))


def _section_list(consultation: Consultation) -> tuple[Pair, ...]:
    titles = dict.fromkeys(one_line(a.section) for a in consultation.assumptions)
    if consultation.sizing:
        titles |= dict.fromkeys(one_line(p.section) for p in consultation.sizing.problems)
    found: dict[str, str] = {section: title or "" for section, title in titles.items()}
    for citation in _citations(consultation):
        found[one_line(citation.section)] = one_line(citation.title)
    return tuple(sorted(found.items(), key=lambda item: _order(item[0])))


def _citations(consultation: Consultation) -> Iterator[Citation]:
    for decision in consultation.decisions.values():
        yield from decision.citations
        yield from (c for other in decision.alternatives for c in other.citations)
        yield from (c for rejection in decision.rejected for c in rejection.citations)
    yield from (c for warned in consultation.warnings for c in warned.citations)
    yield from (c for correction in consultation.corrections for c in correction.citations)


def _order(section: str) -> tuple[tuple[int, str], ...]:
    """Sort 2.10 after 2.9, and names after numbers."""
    return tuple(
        (int(part), "") if part.isascii() and part.isdigit() else (10**6, part)
        for part in section.split(".")
    )
