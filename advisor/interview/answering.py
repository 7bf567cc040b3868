"""Answers as they are typed: read, echoed, asked back where they mean several things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from advisor.errors import InputError, Problem
from advisor.interview.interview import Interview, Pending, Reply, refused
from advisor.interview.progress import more_to_ask
from advisor.interview.reading.model import Ambiguous, Reading, Understood, spread
from advisor.interview.reading.reply import read_reply
from advisor.interview.reading.sentence import read_sentence
from advisor.interview.session import Session
from advisor.interview.view import EntryView, LineView

__all__ = ["answer", "chosen", "echoes", "left_out", "read", "taken_over", "unread"]

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
    return replace(reply, notes=unread(reading)) if reply.accepted else reply


def unread(reading: Reading) -> tuple[LineView, ...]:
    """Return what no answer keeps, and the words that said nothing."""
    told = tuple(LineView(note, (), "!") for note in reading.notes)
    if not reading.rest:
        return told
    return (*told, _not_read(reading.rest))


def _not_read(rest: Iterable[str]) -> LineView:
    words = ", ".join(f"“{words}”" for words in rest)
    return LineView(f"Not read: {words}. Say it in other words, or as /set KEY=VALUE.")


def chosen(interview: Interview, text: str) -> Reply:
    """Take the choice that stands open."""
    pending = interview.pending
    assert pending is not None  # noqa: S101 - only asked where one stands open
    word = text.casefold().strip(" .!")
    if word == "0" and pending.without is not None:
        return left_out(interview, text, pending)
    if word in _NO or word == "0":
        interview.pending = None
        return Reply(EntryView(text, "Nothing is changed.", ()))
    if pending.kind != "reading" and word in _YES:
        return taken_over(interview, text, pending, pending.options[0][1])
    if word.isascii() and word.isdecimal() and 1 <= int(word[:9]) <= len(pending.options):
        return _picked(interview, text, pending, int(word[:9]) - 1)
    if pending.kind == "reading":
        named = [n for n, (words, _) in enumerate(pending.options) if word in words.casefold()]
        if len(named) == 1:
            return _picked(interview, text, pending, named[0])
    return _gone_on(interview, text, pending)


def _gone_on(interview: Interview, text: str, pending: Pending) -> Reply:
    """Answer on without a choice; what is certain of the text that it was about stays answered."""
    before, certain = interview.session, pending if pending.kind == "reading" else None
    interview.pending = None
    following: Pending | Session | None = certain
    while isinstance(following, Pending):
        certain = following
        following = following.without() if following.without is not None else None
    if following is not None:
        interview.session = following
    reply = answer(interview, text)
    if not reply.accepted:
        interview.session, interview.pending = before, pending
        return reply
    if interview.session is following:
        interview.keep()
    return replace(reply, notes=(*_told(following, certain), *reply.notes))


def _told(session: Session | None, last: Pending | None) -> tuple[LineView, ...]:
    """Tell what stays of a text whose words were not chosen between."""
    if last is None:
        return ()
    text = last.options[0][1].turns[-1].text
    if session is None:
        return (LineView(f"Not kept, for nothing was chosen of it: “{text}”."),)
    kept = "; ".join(words for _, words in session.turns[-1].understood)
    return (LineView(f"Kept of “{text}”: {kept}."), *last.notes, _not_read([last.words]))


def left_out(interview: Interview, text: str, pending: Pending) -> Reply:
    """Go on without the words that mean several things, with all that is certain."""
    assert pending.without is not None  # noqa: S101 - only asked where something is certain
    following = pending.without()
    if isinstance(following, Pending):
        interview.pending = following
        return Reply(EntryView(text, "One more choice for the same text.", ()))
    reply = taken_over(interview, text, pending, following)
    notes = (*pending.notes, _not_read([pending.words]))
    return replace(reply, notes=notes) if reply.accepted else reply


def _picked(interview: Interview, text: str, pending: Pending, place: int) -> Reply:
    """Take an option; where more words of the same text mean several things, ask on."""
    following = pending.then[place]() if pending.then else None
    if following is None:
        reply = taken_over(interview, text, pending, pending.options[place][1])
        return replace(reply, notes=pending.notes) if reply.accepted else reply
    interview.pending = following
    return Reply(EntryView(text, "One more choice for the same text.", ()))


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
    found = tuple(spread(found))
    values = {one.key: one.value for one in found}
    try:
        said = interview.made(text, values, echoes(found))
        interview.become(interview.session.answered(said))
    except InputError as error:
        return refused(text, error.problems[0])
    return Reply(turn=len(interview.session.turns))


def echoes(found: Iterable[Understood]) -> Mapping[str, str]:
    """Return how words were read: all of them where there are several, else what is not plain."""
    found = tuple(found)
    shown = {}
    for one in found:
        note = f"{one.understood}; {one.note}" if one.note else one.understood
        if len(found) > 1 or note.casefold() != one.text.casefold():
            shown[one.key] = note
    return shown


def _asked_back(interview: Interview, text: str, reading: Reading) -> Reply:
    """Offer the readings of the first words that mean several things; nothing is guessed."""
    asked = _choice(interview, text, reading.found, reading.ambiguous, unread(reading))
    if asked is None:
        return refused(text, _nothing_read(interview))
    interview.pending = asked
    return Reply(EntryView(text, f"“{_first(reading)}” can mean several things.", ()))


def _first(reading: Reading) -> str:
    return reading.ambiguous[0].text


def _choice(
    interview: Interview,
    text: str,
    found: tuple[Understood, ...],
    ambiguous: tuple[Ambiguous, ...],
    notes: tuple[LineView, ...],
) -> Pending | None:
    """Return the choice between the readings of the first words, with those that follow it.

    Args:
        interview: The interview.
        text: As typed.
        found: What is certain, or was chosen.
        ambiguous: Words of which the meaning is still to be chosen.
        notes: What has to be told once all is chosen.
    """
    if not ambiguous:
        return None
    first, *more = ambiguous
    left_out = (*notes, _not_read([first.text]))
    options: list[tuple[str, Session]] = []
    then: list[Callable[[], Pending | None]] = []
    for one in first.readings:
        taken = (*found, one)
        said = tuple(spread(taken))
        try:
            made = interview.made(text, {each.key: each.value for each in said}, echoes(said))
        except InputError:
            continue
        options.append((_words(interview, one, first), interview.session.answered(made)))
        keys = {each.key for each in said}
        left = tuple(other for other in more if not _settled(other, keys))
        then.append(partial(_choice, interview, text, taken, left, notes))
    if not options:
        return None
    return Pending(
        f"What is “{first.text}”?",
        tuple(options),
        "reading",
        then=tuple(then),
        without=partial(_certain, interview, text, found, tuple(more), left_out) if found else None,
        words=first.text,
        notes=notes,
    )


def _certain(
    interview: Interview,
    text: str,
    found: tuple[Understood, ...],
    ambiguous: tuple[Ambiguous, ...],
    notes: tuple[LineView, ...],
) -> Pending | Session:
    """Return the next choice, or the session with what is certain."""
    asked = _choice(interview, text, found, ambiguous, notes)
    if asked is not None:
        return asked
    said = tuple(spread(found))
    made = interview.made(text, {each.key: each.value for each in said}, echoes(said))
    return interview.session.answered(made)


def _settled(other: Ambiguous, keys: set[str]) -> bool:
    """Tell whether words that mean several things are answered by what was chosen before."""
    return all(one.key in keys for one in other.readings)


def _words(interview: Interview, one: Understood, first: Ambiguous) -> str:
    if one.offer:
        return one.offer
    keys = {reading.key for reading in first.readings}
    if len(keys) == 1:
        return (
            f"{one.understood} ({one.note})"
            if one.note and first.readings[0].note != one.note
            else one.understood
        )
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
