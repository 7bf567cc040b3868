"""Answers as they are typed: read, echoed, asked back where they mean several things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.errors import InputError, Problem
from advisor.interview.interview import Interview, Pending, Reply, refused
from advisor.interview.progress import more_to_ask
from advisor.interview.reading.model import Ambiguous, Reading, Understood
from advisor.interview.reading.reply import read_reply
from advisor.interview.reading.sentence import read_sentence
from advisor.interview.session import Session
from advisor.interview.view import EntryView, LineView

__all__ = ["answer", "chosen", "read", "taken_over"]

_YES = frozenset({"y", "yes", "ok", "apply", "keep"})
_NO = frozenset({"n", "no", "cancel", "escape"})


def read(interview: Interview, text: str) -> Reading:
    """Return ``text`` as an answer to the open question and others, or as a sentence."""
    knowledge, known = interview.adviser.knowledge, interview.session.answers
    question = interview.question
    if question is None:
        return read_sentence(text, knowledge, known=known)
    return read_reply(text, question, knowledge, known=known)


def answer(interview: Interview, text: str) -> Reply:
    """Take an answer: add a turn, ask back, or say what is wrong."""
    reading = read(interview, text)
    if interview.question is None and not any(map(str.isalpha, text)):
        return refused(text, Problem("nothing", "No question is open."))
    if reading.ambiguous:
        return _asked_back(interview, text, reading)
    if not reading.found:
        return refused(text, reading.problem or _nothing_read(interview))
    if reading.problem is not None:
        return refused(text, reading.problem)
    reply = _taken(interview, text, reading.found)
    return replace(reply, notes=_unread(reading)) if reply.accepted else reply


def _unread(reading: Reading) -> tuple[LineView, ...]:
    """Return the words that said nothing: better told than passed over."""
    if not reading.rest:
        return ()
    words = ", ".join(f"“{words}”" for words in reading.rest)
    return (LineView(f"Not read: {words}. Say it in other words, or as /set KEY=VALUE."),)


def chosen(interview: Interview, text: str) -> Reply:
    """Take the choice that stands open."""
    pending = interview.pending
    assert pending is not None  # noqa: S101 - only asked where one stands open
    word = text.casefold().strip(" .!")
    if word in _NO or word == "0":
        interview.pending = None
        return Reply(EntryView(text, "Nothing is changed.", ()))
    if pending.kind != "reading" and word in _YES:
        return taken_over(interview, text, pending, pending.options[0][1])
    if word.isascii() and word.isdecimal() and 1 <= int(word[:9]) <= len(pending.options):
        return taken_over(interview, text, pending, pending.options[int(word[:9]) - 1][1])
    if pending.kind == "reading":
        named = [session for words, session in pending.options if word in words.casefold()]
        if len(named) == 1:
            return taken_over(interview, text, pending, named[0])
    # neither a choice nor a refusal: whoever goes on has changed their mind
    kept, interview.pending = interview.pending, None
    reply = answer(interview, text)
    if not reply.accepted:
        interview.pending = kept
    return reply


def taken_over(interview: Interview, text: str, pending: Pending, session: Session) -> Reply:
    """Take an option of a choice that stands open.

    Args:
        interview: The interview.
        text: As typed.
        pending: The choice.
        session: What the option leads to.
    """
    before = interview.session.answers
    try:
        interview.become(session)
    except InputError as error:
        return refused(text, error.problems[0])
    if pending.kind == "edit":
        new = session.turns[pending.number - 1]
        more = more_to_ask(interview.adviser, before, session.answers, new.keys)
        title = f"Answer {pending.number} is “{new.text}” now."
        return Reply(EntryView(text, title, tuple(more)), turn=pending.number)
    return Reply(turn=len(session.turns))


def _taken(interview: Interview, text: str, found: Iterable[Understood]) -> Reply:
    values = {one.key: one.value for one in found}
    try:
        said = interview.made(text, values, _echoes(found))
        interview.become(interview.session.answered(said))
    except InputError as error:
        return refused(text, error.problems[0])
    return Reply(turn=len(interview.session.turns))


def _echoes(found: Iterable[Understood]) -> Mapping[str, str]:
    """Return how words were read: all of them where there are several, else what is not plain."""
    found = tuple(found)
    echoes = {}
    for one in found:
        note = f"{one.understood}; {one.note}" if one.note else one.understood
        if len(found) > 1 or note.casefold() != one.text.casefold():
            echoes[one.key] = note
    return echoes


def _asked_back(interview: Interview, text: str, reading: Reading) -> Reply:
    """Offer the readings of the first words that mean several things; nothing is guessed."""
    first, options = reading.ambiguous[0], []
    for one in first.readings:
        found = (*reading.found, one)
        values = {each.key: each.value for each in found}
        try:
            said = interview.made(text, values, _echoes(found))
        except InputError:
            continue
        options.append((_words(interview, one, first), interview.session.answered(said)))
    if not options:
        return refused(text, _nothing_read(interview))
    interview.pending = Pending(f"What is “{first.text}”?", tuple(options), "reading")
    return Reply(EntryView(text, f"“{first.text}” can mean several things.", ()))


def _words(interview: Interview, one: Understood, first: Ambiguous) -> str:
    keys = {reading.key for reading in first.readings}
    if len(keys) == 1:
        return one.understood
    question = interview.adviser.questions[one.key]
    return f"{one.understood}: {question.text}"


def _nothing_read(interview: Interview) -> Problem:
    question = interview.question
    if question is None:
        message = "No question is open, and that says nothing this advisor reads; see /help."
        return Problem("not_read", message)
    example = f" For example: {question.example}." if question.example else ""
    options = tuple(choice.id for choice in question.values)
    message = f"That does not answer the question.{example} 0 means: I don't know."
    return Problem("not_read", message, key=question.key, allowed=options)
