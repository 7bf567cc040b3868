"""Builds the view of an interview: everything on screen, worded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.questions import UNKNOWN
from advisor.consult.consultation import Consultation, Decision
from advisor.explain.change import changes, short
from advisor.interview.card import card_of, first_card
from advisor.interview.cited import facts_for, passages_of
from advisor.interview.progress import left
from advisor.interview.session import Session, Turn
from advisor.interview.settled import named, plainly
from advisor.interview.view import (
    ConclusionView,
    EntryView,
    EvidenceView,
    LineView,
    TurnView,
    View,
)
from advisor.reports.advice_words import TITLES
from advisor.store.in_use import using

if TYPE_CHECKING:
    from advisor.interview.interview import Interview
    from advisor.store.loader import Knowledge

__all__ = [
    "card_of",
    "closing_of",
    "evidence_of",
    "opening_of",
    "so_far_of",
    "turn_of",
    "view_of",
]

_MOST_SECTIONS = 2


def view_of(interview: Interview, *, asking: bool = True) -> View:
    """Return everything that is to be shown now.

    Args:
        interview: The interview.
        asking: Find the next question too, which takes longer than all the rest; without, the
            view has no question (``View.asking``) unless it is known already.
    """
    with using(interview.adviser.knowledge):
        return _view_of(interview, asking=asking)


def _view_of(interview: Interview, *, asking: bool) -> View:
    told = interview.consultation
    if not asking and not interview.asked:
        return _unasked(interview, told)
    session, ask = interview.session, interview.ask
    asking = ask is not None
    return View(
        edition=told.knowledge.version,
        as_of=told.knowledge.as_of,
        case=interview.case,
        saved=interview.saved,
        answered=len(session.turns),
        left=left(interview.adviser, session.answers, session.skipped, asking=asking),
        log=tuple(_log(interview)),
        card=card_of(interview),
        closing=() if asking else tuple(closing_of(told, session)),
        so_far=tuple(so_far_of(interview, told)),
        evidence=evidence_of(interview, told),
        hints=_hints(interview),
    )


def _unasked(interview: Interview, told: Consultation) -> View:
    """Return what an answer came to, while the next question is still sought."""
    session = interview.session
    most = left(interview.adviser, session.answers, session.skipped, asking=True)[1]
    return View(
        edition=told.knowledge.version,
        as_of=told.knowledge.as_of,
        case=interview.case,
        saved=interview.saved,
        answered=len(session.turns),
        left=(1, most),
        log=tuple(_log(interview)),
        card=None,
        closing=(),
        so_far=tuple(so_far_of(interview, told)),
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
        card=first_card(interview, ask, question),
        closing=(),
        so_far=(),
        evidence=None,
        hints=("/help commands", "/quit"),
        asking=True,
    )


def _log(interview: Interview) -> Iterator[TurnView | EntryView]:
    """Yield turns with what commands said between them."""
    entries = list(interview.entries)
    for number in range(1, len(interview.session.turns) + 1):
        while entries and entries[0][0] < number:
            yield entries.pop(0)[1]
        yield turn_of(interview, number)
    yield from (entry for _, entry in entries)


def turn_of(interview: Interview, number: int) -> TurnView:
    """Return one answer, from 1, and what came of it."""
    said = interview.session.turns[number - 1]
    question = interview.adviser.questions.get(said.asked or (said.keys or ("",))[0])
    echoes = () if _only_unknown(said) else said.understood
    understood = "; ".join(_understood(said, key, words) for key, words in echoes)
    return TurnView(
        number=number,
        key=said.asked or ", ".join(said.keys),
        question=question.text if question is not None and said.asked else "",
        section="" if question is None else question.section,
        said="I don't know" if _only_unknown(said) else said.text,
        understood=understood,
        lines=interview.lines_of(number),
    )


def _understood(said: Turn, key: str, words: str) -> str:
    """Return how one answer was read, with its key unless it is plain which is meant."""
    plain = said.keys == (key,) and said.asked == key
    return words if plain else f"{named(key)}: {words}"


def _only_unknown(said: Turn) -> bool:
    return all(value == UNKNOWN for _, value in said.values)


def closing_of(told: Consultation, session: Session) -> Iterator[LineView]:
    """Yield what is said when nothing is left to ask."""
    firm = [TITLES[name] for name, d in told.decisions.items() if d.status == "firm"]
    if told.decisions and len(firm) == len(told.decisions):
        yield LineView("All decisions are firm: no other answer changes them.")
    else:
        yield LineView(
            "Nothing else that is asked would change the advice. A limit that you state still "
            "may: a budget, a card, watts, a quota, a version."
        )
    if session.skipped:
        yield LineView(f"Put off: {', '.join(session.skipped)}. /set KEY=VALUE answers them.")
    yield LineView("/so-far tells it, /open what could still change it, /export takes it along.")


def so_far_of(interview: Interview, told: Consultation) -> Iterator[ConclusionView]:
    """Yield every decision as it stands."""
    fresh = _fresh(interview, told)
    for name, decision in told.decisions.items():
        yield ConclusionView(
            name=name,
            title=TITLES[name],
            state=decision.status.replace("_", " "),
            text=plainly(short(decision.choice)) if decision.choice is not None else "",
            sections=tuple(dict.fromkeys(c.section for c in decision.citations))[:_MOST_SECTIONS],
            fresh=name in fresh,
            needs=_needs(interview, decision),
        )


def _fresh(interview: Interview, told: Consultation) -> frozenset[str]:
    session = interview.session
    if not session.turns:
        return frozenset()
    before = interview.adviser.consult(session.back().answers)
    return frozenset(change.decision for change in changes(before, told) if change.reworded)


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
    number = interview.section or _newest(interview, told)
    if number is None:
        return None
    number, title, text, anchors = _section(interview.adviser.knowledge, number)
    citing = (
        TITLES[name]
        for name, decision in told.decisions.items()
        if any(citation.section == number for citation in decision.citations)
    )
    passages, facts = passages_of(told, text, dict(anchors)), facts_for(interview, told, number)
    return EvidenceView(number, title, text, tuple(citing), passages, facts)


@lru_cache(maxsize=64)
def _section(
    knowledge: Knowledge, number: str
) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    """Return number, title, text and anchors of a section, or of what an anchor in it covers.

    Writing its tables takes its time.
    """
    from advisor.store.handbook import load_handbook, render_section
    from advisor.store.handbook_excerpt import excerpt
    from advisor.store.tables import catalogue_tables

    book = load_handbook(knowledge)
    section = excerpt(book, number)
    inside = ((a.anchor, a.title) for a in book.sub_anchors if a.section == section.number)
    text = render_section(section, catalogue_tables(knowledge))
    return section.number, section.title, text, tuple(inside)


def _newest(interview: Interview, told: Consultation) -> str | None:
    fresh = _fresh(interview, told)
    for name, decision in told.decisions.items():
        if name in fresh:
            return decision.citations[0].section
    question = interview.question if interview.asked else None
    turns = interview.session.turns
    if question is None and turns:
        question = interview.adviser.questions.get(turns[-1].asked)
    if question is not None:
        return question.section
    return next((d.citations[0].section for d in told.decisions.values() if d.citations), None)


def _hints(interview: Interview) -> tuple[str, ...]:
    if interview.pending is not None:
        return ("number picks", "0 leaves it")
    hints = ["/help commands", "? why", "0 don't know"] if interview.ask else ["/help commands"]
    if interview.session.turns:
        hints.append("/back")
    hints += ["/so-far", "/quit"]
    return tuple(hints)
