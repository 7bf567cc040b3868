"""A choice that nobody made: what is certain of the text is kept, what is not is told."""

from __future__ import annotations

from dataclasses import replace

from advisor.errors import InputError
from advisor.interview.answering import left_out
from advisor.interview.interview import Interview, Pending, Reply
from advisor.interview.view import LineView

__all__ = ["leave_open", "text_of"]


def text_of(pending: Pending) -> str:
    """Return the text whose words mean several things, as it was typed."""
    return pending.options[0][1].turns[-1].text


def leave_open(interview: Interview) -> Reply:
    """Leave the choice that stands open, for there is nobody left to make it.

    Nothing that was typed gets lost: what is certain is answered, the other words are told, and a
    text of which nothing is certain is kept as it was said.
    """
    pending = interview.pending
    if pending is None:
        return Reply()
    if pending.kind != "reading":
        interview.pending = None
        return Reply()
    notes = (LineView(f"Not chosen: what “{pending.words}” means."),)
    while pending is not None and pending.without is not None:
        reply = left_out(interview, "", pending)
        if not reply.accepted:
            break
        if interview.pending is None:
            return replace(reply, notes=(*notes, *reply.notes))
        pending = interview.pending
    return replace(_as_said(interview, pending), notes=notes)


def _as_said(interview: Interview, pending: Pending) -> Reply:
    """Keep a text that answers nothing, as it was typed."""
    try:
        interview.become(interview.session.answered(interview.made(text_of(pending), {}, {})))
    except InputError:
        interview.pending = None
        return Reply()
    return Reply(turn=len(interview.session.turns))
