"""What an answer settled: the lines under each turn."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.answers.questions import UNKNOWN
from advisor.consult.consultation import Consultation, Decision
from advisor.explain.change import Change, changes
from advisor.interview.session import Turn
from advisor.interview.view import LineView
from advisor.reports.advice_words import TITLES, said

__all__ = ["settled_lines"]

_MOST_WARNINGS = 2
_MOST_SECTIONS = 2


def settled_lines(said_: Turn, before: Consultation, after: Consultation) -> tuple[LineView, ...]:
    """Return what moved with one answer, what stays open, and what will bite now.

    Args:
        said_: The turn.
        before: The consultation without it.
        after: The consultation with it.
    """
    lines = [_moved(change, after) for change in changes(before, after) if _worth(change)]
    lines += _assumed(said_, after)
    lines += _bites(before, after)
    if not lines:
        lines.append(LineView("Noted; the advice stays as it is.", ("8",), "="))
    return tuple(lines)


def _worth(change: Change) -> bool:
    return change.moved or change.status_before != change.status_after


def _moved(change: Change, after: Consultation) -> LineView:
    decision = after.decisions.get(change.decision)
    text = f"{TITLES[change.decision]}: {change.after}"
    if change.moved and change.status_before not in {"open", "absent", "not_applicable"}:
        text += f" (was {change.before})"
    state = change.status_after
    sign = "=" if state in {"firm", "provisional"} else "~"
    if state == "firm":
        text += ", whatever else is answered"
    return LineView(text, _sections(decision), sign)


def _sections(decision: Decision | None) -> tuple[str, ...]:
    found = [] if decision is None else [citation.section for citation in decision.citations]
    return tuple(dict.fromkeys(found))[:_MOST_SECTIONS]


def _assumed(said_: Turn, after: Consultation) -> Iterator[LineView]:
    notes = {note.key: note for note in after.assumptions}
    for key, value in said_.values:
        if value != UNKNOWN:
            continue
        note = notes.get(key)
        if note is None:
            yield LineView(f"Not known: what hangs on {key} stays provisional.", ("8",), "~")
        else:
            text = f"Not known; taken for now: {said(note.value)}. {note.why}"
            yield LineView(text, (note.section,), "~")


def _bites(before: Consultation, after: Consultation) -> Iterator[LineView]:
    known = {warned.id for warned in before.warnings}
    new = [w for w in after.warnings if w.severity == "critical" and w.id not in known]
    for warned in new[:_MOST_WARNINGS]:
        sections = tuple(dict.fromkeys(citation.section for citation in warned.citations))
        yield LineView(warned.text, sections[:_MOST_SECTIONS], "!")
    if len(new) > _MOST_WARNINGS:
        more = len(new) - _MOST_WARNINGS
        yield LineView(f"{more} more critical warnings: /so-far", ("10",), "!")
