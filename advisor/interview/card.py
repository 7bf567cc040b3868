"""The question that stands open, worded: options, what may be typed, what is taken until then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.questions import Question
from advisor.consult.consultation import Consultation
from advisor.interview.next_question import Ask
from advisor.interview.progress import left
from advisor.interview.settled import taken_words
from advisor.interview.view import CardView, OptionView
from advisor.reports.advice_words import TITLES

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["card_of", "first_card"]

_NONE = {
    "reading": "none of these",
    "edit": "no, leave it as it is",
    "whatif": "no, leave it as it was",
}
"""What 0 means where a choice stands open."""
_KINDS = {
    "bool": "yes or no",
    "integer": "a number",
    "number": "a number",
    "size_tokens": "tokens: 8192, 8k, 128k",
    "size_gib": "memory: 24 GB, 80 GiB",
    "version": "a version",
    "text": "a name, or words",
}


def card_of(interview: Interview) -> CardView | None:
    """Return the question that stands open, or the choice that does."""
    number = len(interview.session.turns) + 1
    pending = interview.pending
    if pending is not None:
        options = tuple(
            OptionView(n, words, words) for n, (words, _) in enumerate(pending.options, 1)
        )
        return CardView(
            "", pending.text, "", options, False, "a number", "", "", (), "", "", number,
            pending=True, none=_NONE[pending.kind],
        )  # fmt: skip
    ask, question = interview.ask, interview.question
    if ask is None or question is None:
        return None
    answers, skipped = interview.session.answers, interview.session.skipped
    found = _card(interview, ask, question, _usual(question, interview.consultation))
    return replace(found, most_left=left(interview.adviser, answers, skipped, asking=True)[1])


def first_card(interview: Interview, ask: Ask, question: Question) -> CardView:
    """Return the first question, which takes no consultation."""
    return _card(interview, ask, question, _by_default(question))


def _card(interview: Interview, ask: Ask, question: Question, usual: str) -> CardView:
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
        number=len(interview.session.turns) + 1,
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
            return taken_words(question, note.value, note.why)
    return _by_default(question)


def _by_default(question: Question) -> str:
    if question.default is None:
        return ""
    return taken_words(question, question.default, question.default_because or "")
