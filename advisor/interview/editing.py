"""Changing an earlier answer: the later ones stay, and what would move is shown first."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.answers.questions import UNKNOWN
from advisor.errors import InputError, Problem
from advisor.explain.beside import beside
from advisor.explain.change import Change, changes
from advisor.interview.interview import Interview, Pending, Reply
from advisor.interview.session import Session, Turn, turn
from advisor.interview.settled import named, plainly
from advisor.interview.view import EntryView, LineView
from advisor.reports.advice_words import TITLES

__all__ = ["edit"]

_MOST_SECTIONS = 2


def edit(interview: Interview, arguments: str, said: str) -> Reply:
    """Offer to change one answer.

    Raises:
        InputError: there is no such answer, the new one cannot be read, or it leads to an error.
    """
    number, _, text = arguments.partition(" ")
    turns = interview.session.turns
    if not turns:
        raise InputError(Problem("bad_edit", _nothing_to_edit(interview)))
    if not (number.isascii() and number.isdecimal()) or not 1 <= int(number[:9]) <= len(turns):
        span = "there is only answer 1" if len(turns) == 1 else f"from 1 to {len(turns)}"
        raise InputError(Problem("bad_edit", f"Say which answer, {span}: /edit 1 32k."))
    old = turns[int(number) - 1]
    if not text.strip():
        message = f"Answer {number} is “{old.text}”. Say the new one: /edit {number} ..."
        raise InputError(Problem("bad_edit", message))
    reread, untold = _reread(interview, old, text.strip())
    new = _with_the_rest(old, reread)
    session = interview.session.edited(int(number), new)
    lines = (*_preview(interview, session, int(number)), *untold)
    words = "; ".join(words for _, words in old.understood)
    meant = f" ({words})" if words and len(old.keys) == 1 else ""
    question = f"Change answer {number} from “{old.text}”{meant} to “{text.strip()}”?"
    interview.pending = Pending(question, (("yes, change it", session),), "edit", int(number))
    return Reply(EntryView(said, f"What answer {number} would change:", lines))


def _nothing_to_edit(interview: Interview) -> str:
    """Return why there is no answer to change, and how to change one of a file."""
    start = interview.session.start
    count = len(start.values) + len(start.unknown)
    if not count:
        return "There is no answer to change yet."
    key = next(iter((*start.values, *sorted(start.unknown))))
    answers = "answer comes" if count == 1 else "answers come"
    return f"The {count} {answers} from a file: /set changes one, such as /set {key}=..."


def _reread(interview: Interview, old: Turn, text: str) -> tuple[Turn, tuple[LineView, ...]]:
    """Return the new answer to what an old turn answered, and what was not read of the text."""
    from advisor.interview.answering import unread
    from advisor.interview.reading.model import spread
    from advisor.interview.reading.reply import read_reply
    from advisor.interview.reading.sentence import read_sentence

    key = old.asked or (old.keys[0] if len(old.keys) == 1 else "")
    question = interview.adviser.questions.get(key)
    knowledge = interview.adviser.knowledge
    if question is not None:
        reading = read_reply(text, question, knowledge)
    else:
        reading = read_sentence(text, knowledge)
    if reading.ambiguous:
        several = "; ".join(one.offer or one.understood for one in reading.ambiguous[0].readings)
        message = f"“{reading.ambiguous[0].text}” can mean several things: {several}. Say which."
        raise InputError(Problem("ambiguous", message, key=key or None))
    if reading.problem is not None or not reading.found:
        raise InputError(
            reading.problem or Problem("not_read", "That does not answer the question.")
        )
    found = tuple(spread(reading.found))
    values = {one.key: one.value for one in found}
    echoes = {one.key: one.understood for one in found if one.understood != one.text}
    made = turn(text, values, asked=old.asked, understood=echoes, topic=old.topic)
    return made, unread(reading)


def _with_the_rest(old: Turn, new: Turn) -> Turn:
    """Return the new turn with what the old one said beside and the new one leaves out."""
    said = dict(new.values)
    rest = {key: value for key, value in old.values if key not in said}
    if not rest:
        return new
    understood = {key: words for key, words in old.understood if key in rest}
    return turn(
        new.text,
        {**dict(old.values), **said},
        asked=new.asked,
        understood={**understood, **dict(new.understood)},
        topic=new.topic,
    )


def _preview(interview: Interview, session: Session, number: int) -> Iterator[LineView]:
    """Yield what would move, what is kept of the old answer, and what would not matter then."""
    told, after = interview.consultation, interview.adviser.consult(session.answers)
    moved = changes(told, after)
    for change in moved:
        decision = after.decisions.get(change.decision)
        cited = () if decision is None else decision.citations
        sections = tuple(dict.fromkeys(c.section for c in cited))[:_MOST_SECTIONS]
        yield LineView(f"{TITLES[change.decision]}: {_from_to(change)}", sections)
    old, new = interview.session.turns[number - 1], session.turns[number - 1]
    if not moved:
        keys = (*old.keys, *new.keys)
        rest = "; ".join(beside(told, after, keys))
        yield LineView(f"No decision would move.{f' Beside them: {rest}.' if rest else ''}")
    same = [key for key, value in old.values if dict(new.values).get(key) == value]
    kept = [key for key in same if len(old.keys) > 1]
    if kept:
        yield LineView(f"The rest of answer {number} stays: {', '.join(map(named, kept))}.")
    yield from _said_again(session, number)
    yield from _idle(interview, session, number)


def _from_to(change: Change) -> str:
    text = f"{plainly(change.before)} -> {plainly(change.after)}"
    if not change.reworded:
        return f"{plainly(change.after)} is {change.status_after.replace('_', ' ')} then"
    if change.numbers and not change.moved:
        return f"{', '.join(change.numbers)} ({text})"
    return text


def _said_again(session: Session, number: int) -> Iterator[LineView]:
    """Yield what a later answer says as well: that one counts."""
    for key in session.turns[number - 1].keys:
        last = session.number_of(key)
        if last is not None and last > number:
            text = f"Answer {last} (“{session.turns[last - 1].text}”) says {named(key)} again: "
            yield LineView(f"{text}that one counts.", (), "~")


def _idle(interview: Interview, session: Session, number: int) -> Iterator[LineView]:
    """Yield the later answers that would make no difference: kept, and said."""
    for later, said in enumerate(session.turns[number:], number + 1):
        counting = [key for key, value in said.values if value != UNKNOWN]
        if counting and all(_makes_no_difference(interview, session, key) for key in counting):
            yield LineView(f"Answer {later} (“{said.text}”) is kept and would not matter.", (), "~")


def _makes_no_difference(interview: Interview, session: Session, key: str) -> bool:
    """Tell whether without this answer no decision would depend on it."""
    try:
        without = interview.adviser.probe(session.answers, f"{key}=")
    except InputError:
        return False
    return not any(
        needed.question == key for decision in without.values() for needed in decision.depends_on
    )
