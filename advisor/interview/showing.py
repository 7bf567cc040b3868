"""Builds the view of an interview: everything on screen, worded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.answers.questions import UNKNOWN, Question
from advisor.consult.consultation import Consultation, Decision
from advisor.explain.change import changes, short
from advisor.interview.next_question import Ask, askable
from advisor.interview.session import Turn
from advisor.interview.view import (
    CardView,
    ConclusionView,
    EntryView,
    EvidenceView,
    LineView,
    OptionView,
    TurnView,
    View,
)
from advisor.reports.advice_words import TITLES
from advisor.reports.advice_words import said as as_said

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["card_of", "evidence_of", "opening_of", "view_of"]

_MOST_SECTIONS = 2
_KINDS = {
    "bool": "yes or no",
    "integer": "a number",
    "number": "a number",
    "size_tokens": "tokens: 8192, 8k, 128k",
    "size_gib": "memory: 24 GB, 80 GiB",
    "version": "a version",
    "text": "a name, or words",
}


def view_of(interview: Interview, *, asking: bool = True) -> View:
    """Return everything that is to be shown now.

    Args:
        interview: The interview.
        asking: Find the next question too, which takes longer than all the rest; without, the
            view has no question (``View.asking``) unless it is known already.
    """
    told = interview.consultation
    if not asking and not interview.asked:
        return _unasked(interview, told)
    session, ask = interview.session, interview.ask
    most = len([k for k in askable(interview.adviser, session.answers) if k not in session.skipped])
    return View(
        edition=told.knowledge.version,
        as_of=told.knowledge.as_of,
        case=interview.case,
        saved=interview.saved,
        answered=len(session.turns),
        left=(1, max(1, most)) if ask is not None else (0, 0),
        log=tuple(_log(interview)),
        card=card_of(interview),
        closing=() if ask is not None else tuple(_closing(told)),
        so_far=tuple(_so_far(interview, told)),
        evidence=evidence_of(interview, told),
        hints=_hints(interview),
    )


def _unasked(interview: Interview, told: Consultation) -> View:
    """Return what an answer came to, while the next question is still sought."""
    session = interview.session
    most = len([k for k in askable(interview.adviser, session.answers) if k not in session.skipped])
    return View(
        edition=told.knowledge.version,
        as_of=told.knowledge.as_of,
        case=interview.case,
        saved=interview.saved,
        answered=len(session.turns),
        left=(min(1, most), most),
        log=tuple(_log(interview)),
        card=None,
        closing=(),
        so_far=tuple(_so_far(interview, told)),
        evidence=evidence_of(interview, told),
        hints=("/quit",),
        asking=True,
    )


def opening_of(interview: Interview) -> View | None:
    """Return the first question alone, where it takes no consultation; else ``None``."""
    session = interview.session
    if session.turns or session.answers.values or session.answers.unknown:
        return None
    ask, question = interview.ask, interview.question
    if ask is None or question is None:
        return None
    knowledge = interview.adviser.knowledge
    return View(
        edition=knowledge.version,
        as_of=knowledge.as_of,
        case=interview.case,
        saved=interview.saved,
        answered=0,
        left=(1, 1),
        log=(),
        card=_card(interview, ask, question, 1, _by_default(question)),
        closing=(),
        so_far=(),
        evidence=None,
        hints=("/help commands", "/quit"),
        asking=True,
    )


def _log(interview: Interview) -> Iterator[TurnView | EntryView]:
    """Yield turns with what commands said between them."""
    entries = list(interview.entries)
    for number, said in enumerate(interview.session.turns, 1):
        while entries and entries[0][0] < number:
            yield entries.pop(0)[1]
        yield _turn(interview, number, said)
    yield from (entry for _, entry in entries)


def _turn(interview: Interview, number: int, said: Turn) -> TurnView:
    question = interview.adviser.questions.get(said.asked or (said.keys or ("",))[0])
    understood = "; ".join(words for _, words in said.understood)
    return TurnView(
        number=number,
        key=said.asked or ", ".join(said.keys),
        question=question.text if question is not None and said.asked else "",
        section="" if question is None else question.section,
        said="I don't know" if _only_unknown(said) else said.text,
        understood=understood,
        lines=interview.lines_of(number),
    )


def _only_unknown(said: Turn) -> bool:
    return all(value == UNKNOWN for _, value in said.values)


def card_of(interview: Interview) -> CardView | None:
    """Return the question that stands open, or the choice that does."""
    number = len(interview.session.turns) + 1
    pending = interview.pending
    if pending is not None:
        options = tuple(
            OptionView(n, words, words) for n, (words, _) in enumerate(pending.options, 1)
        )
        return CardView(
            "", pending.text, "", options, False, "a number; 0 leaves it", "", "", (), "", "",
            number, pending=True,
        )  # fmt: skip
    ask, question = interview.ask, interview.question
    if ask is None or question is None:
        return None
    return _card(interview, ask, question, number, _usual(question, interview.consultation))


def _card(interview: Interview, ask: Ask, question: Question, number: int, usual: str) -> CardView:
    from advisor.interview.plan import load_plan

    topic = next(t for t in load_plan(interview.adviser.knowledge).topics if t.id == ask.topic)
    return CardView(
        key=ask.key,
        text=question.text,
        help=question.help,
        options=_options(question),
        several=question.list and bool(question.values),
        hint=_hint(question),
        usual=usual,
        find_out=question.find_out or "",
        decides=tuple(TITLES[name] for name in ask.decides),
        section=question.section,
        topic=topic.title,
        number=number,
    )


def _options(question: Question) -> tuple[OptionView, ...]:
    if question.kind == "bool":
        return (OptionView(1, "yes", "Yes"), OptionView(2, "no", "No"))
    if question.kind != "enum":
        return ()
    return tuple(OptionView(n, c.id, c.label) for n, c in enumerate(question.values, 1))


def _hint(question: Question) -> str:
    if question.kind == "enum":
        return "numbers, 1,3 for several" if question.list else "a number, or the words"
    hint = _KINDS.get(question.kind, "words")
    if question.unit and question.kind in {"integer", "number"}:
        hint = f"{hint}, in {question.unit.replace('_', ' ')}"
    return f"{hint}; for example {question.example}" if question.example else hint


def _usual(question: Question, told: Consultation) -> str:
    """Return what is assumed until the question is answered."""
    for note in told.assumptions:
        if note.key == question.key:
            return f"{as_said(note.value)}: {note.why}"
    return _by_default(question)


def _by_default(question: Question) -> str:
    if question.default is None:
        return ""
    return f"{as_said(question.default)}: {question.default_because}"


def _closing(told: Consultation) -> Iterator[LineView]:
    firm = [TITLES[name] for name, d in told.decisions.items() if d.status == "firm"]
    if told.decisions and len(firm) == len(told.decisions):
        yield LineView("All decisions are firm: no other answer changes them.", ("8",), "=")
        return
    yield LineView(
        "Nothing else that is asked would change the advice. A limit that you state still may: "
        "a budget, a card, watts, a quota, a version.",
        ("8",),
        "=",
    )
    yield LineView("/so-far tells it, /open what could still change it, /export takes it along.")


def _so_far(interview: Interview, told: Consultation) -> Iterator[ConclusionView]:
    fresh = _fresh(interview, told)
    for name, decision in told.decisions.items():
        yield ConclusionView(
            name=name,
            title=TITLES[name],
            state=decision.status.replace("_", " "),
            text=short(decision.choice) if decision.choice is not None else "",
            sections=tuple(dict.fromkeys(c.section for c in decision.citations))[:_MOST_SECTIONS],
            fresh=name in fresh,
            needs=_needs(interview, decision),
        )


def _fresh(interview: Interview, told: Consultation) -> frozenset[str]:
    session = interview.session
    if not session.turns:
        return frozenset()
    before = interview.adviser.consult(session.back().answers)
    return frozenset(change.decision for change in changes(before, told) if change.moved)


def _needs(interview: Interview, decision: Decision) -> str:
    """Return the questions of most weight that could still change a decision, by their keys."""
    unknown = interview.session.answers.unknown
    keys = [needed.question for needed in decision.depends_on]
    hanging = [key for key in keys if key in unknown] or keys
    if not hanging:
        return ""
    more = f" and {len(hanging) - 1} more" if len(hanging) > 1 else ""
    return f"{hanging[0].partition('.')[2] or hanging[0]}{more}".replace("_", " ")


def evidence_of(interview: Interview, told: Consultation) -> EvidenceView | None:
    """Return the section that is open, or else the one behind what moved last."""
    from advisor.store.handbook import load_handbook, render_section
    from advisor.store.tables import catalogue_tables

    number = interview.section or _newest(interview, told)
    if number is None:
        return None
    section = load_handbook().section(number)
    citing = (
        TITLES[name]
        for name, decision in told.decisions.items()
        if any(citation.section == section.number for citation in decision.citations)
    )
    text = render_section(section, catalogue_tables(interview.adviser.knowledge))
    return EvidenceView(section.number, section.title, text, tuple(citing))


def _newest(interview: Interview, told: Consultation) -> str | None:
    fresh = _fresh(interview, told)
    for name, decision in told.decisions.items():
        if name in fresh:
            return decision.citations[0].section
    if not interview.asked:
        turns = interview.session.turns
        asked = interview.adviser.questions.get(turns[-1].asked) if turns else None
        return None if asked is None else asked.section
    question = interview.question
    return None if question is None else question.section


def _hints(interview: Interview) -> tuple[str, ...]:
    if interview.pending is not None:
        return ("number picks", "0 leaves it")
    hints = ["/help commands", "? why", "0 don't know"] if interview.ask else ["/help commands"]
    if interview.session.turns:
        hints.append("/back")
    hints += ["/so-far", "/quit"]
    return tuple(hints)
