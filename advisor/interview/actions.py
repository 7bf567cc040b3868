"""What the commands do: each returns what it says and changes at most the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from advisor.answers.overrides import split_override
from advisor.answers.questions import UNKNOWN
from advisor.errors import GpuAdvisorError, InputError, Problem
from advisor.explain.change import changes
from advisor.explain.explanation import Explanation
from advisor.interview.commands import COMMANDS
from advisor.interview.interview import Interview, Pending, Reply, refused
from advisor.interview.session import Session, Turn, turn
from advisor.interview.view import EntryView, LineView

__all__ = ["act"]

_Action = Callable[[Interview, str, str], Reply]


def act(interview: Interview, name: str, arguments: str, *, said: str) -> Reply:
    """Carry out a command.

    Args:
        interview: The interview.
        name: Of the command; unknown ones are told with the nearest.
        arguments: What follows the name.
        said: The whole line.
    """
    action = _actions().get(name)
    if action is None:
        from advisor.answers.nearest import nearest_words

        names = [command.name for command in COMMANDS]
        nearest = tuple(f"/{word}" for word in nearest_words(name, names))
        return refused(said, Problem("unknown_command", f"There is no /{name}.", nearest=nearest))
    try:
        return action(interview, arguments, said)
    except GpuAdvisorError as error:
        return refused(said, error.problems[0])


def _actions() -> Mapping[str, _Action]:
    from advisor.interview import documents, explaining, looking

    return {
        "back": _back,
        "redo": _redo,
        "edit": _edit,
        "unknown": _unknown,
        "skip": _skip,
        "set": _set,
        "keep": _keep,
        "whatif": _whatif,
        "restart": _restart,
        "quit": _quit,
        **explaining.ACTIONS,
        **looking.ACTIONS,
        **documents.ACTIONS,
    }


def _told(said: str, title: str, *lines: LineView) -> Reply:
    return Reply(EntryView(said, title, tuple(lines)))


def _count(text: str) -> int:
    if not text:
        return 1
    if not text.isdecimal() or int(text) < 1:
        raise InputError(Problem("bad_count", f"{text} is not a number of answers."))
    return int(text)


def _back(interview: Interview, arguments: str, said: str) -> Reply:
    if interview.pending is not None:
        interview.pending = None
        return _told(said, "Nothing is changed.")
    if not interview.session.turns:
        return refused(said, Problem("nothing", "Nothing to take back."))
    before = interview.session
    interview.become(before.back(_count(arguments)))
    taken = before.turns[len(interview.session.turns) :]
    texts = ", ".join(f"“{one.text}”" for one in taken)
    return _told(said, f"Taken back: {texts}. /redo puts it on again.")


def _redo(interview: Interview, arguments: str, said: str) -> Reply:
    if not interview.session.undone:
        return refused(said, Problem("nothing", "Nothing was taken back."))
    interview.become(interview.session.redo(_count(arguments)))
    return Reply(turn=len(interview.session.turns))


def _edit(interview: Interview, arguments: str, said: str) -> Reply:
    number, _, text = arguments.partition(" ")
    turns = interview.session.turns
    if not number.isdecimal() or not 1 <= int(number) <= len(turns):
        message = f"Say which answer, from 1 to {len(turns)}: /edit 2 32k."
        raise InputError(Problem("bad_edit", message))
    old = turns[int(number) - 1]
    if not text.strip():
        raise InputError(Problem("bad_edit", f"Say the new answer: /edit {number} ..."))
    new = _reread(interview, old, text.strip())
    session = interview.session.edited(int(number), new)
    lines = _preview(interview, session)
    interview.pending = Pending(f"Change answer {number}?", (("yes, change it", session),), "edit")
    title = f"Answer {number} would be “{new.text}” instead of “{old.text}”. Change it? yes or no"
    return _told(said, title, *lines)


def _reread(interview: Interview, old: Turn, text: str) -> Turn:
    """Return the new answer to what an old turn answered, later ones kept in mind."""
    from advisor.interview.reading.reply import read_reply
    from advisor.interview.reading.sentence import read_sentence

    key = old.asked or (old.keys[0] if len(old.keys) == 1 else "")
    knowledge = interview.adviser.knowledge
    if key:
        reading = read_reply(text, interview.adviser.questions[key], knowledge)
    else:
        reading = read_sentence(text, knowledge)
    if reading.problem is not None or not reading.found:
        problem = reading.problem or Problem("not_read", "That does not answer the question.")
        if reading.ambiguous:
            several = ", ".join(one.understood for one in reading.ambiguous[0].readings)
            problem = Problem("ambiguous", f"That can mean several things: {several}.", key=key)
        raise InputError(problem)
    values = {one.key: one.value for one in reading.found}
    echoes = {one.key: one.understood for one in reading.found if one.understood != one.text}
    return turn(text, values, asked=old.asked, understood=echoes, topic=old.topic)


def _preview(interview: Interview, session: Session) -> list[LineView]:
    """Return what would move, and which later answers would no longer matter."""
    before, after = interview.consultation, interview.adviser.consult(session.answers)
    moved = [
        LineView(f"{change.decision}: {change.before} → {change.after}", _cited(after, change), "=")
        for change in changes(before, after)
        if change.moved
    ]
    idle = [w for w in after.warnings if w.id == "unused-answers"]
    lines = moved or [LineView("No decision would move.", ("8",), "=")]
    return [*lines, *(LineView(w.text, (), "~") for w in idle)]


def _cited(told: object, change: object) -> tuple[str, ...]:
    decision = told.decisions.get(change.decision)  # type: ignore[attr-defined]
    return () if decision is None else (decision.citations[0].section,)


def _unknown(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    ask = interview.ask
    if ask is None:
        return refused(said, Problem("nothing", "No question is open."))
    made = interview.made(said, {ask.key: UNKNOWN}, {})
    interview.become(interview.session.answered(made))
    return Reply(turn=len(interview.session.turns))


def _skip(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    ask = interview.ask
    if ask is None:
        return refused(said, Problem("nothing", "No question is open."))
    interview.become(interview.session.skip(ask.key))
    return _told(said, "Put off; it is not asked again. /set answers it later.")


def _values(arguments: str) -> dict[str, str]:
    """Return ``key=value`` words; a value may hold blanks, and in brackets or quotes anything."""
    values: dict[str, str] = {}
    for word in arguments.split():
        last = next(reversed(values), "")
        if "=" in word and not _is_open(values.get(last, "")):
            key, value = split_override(word)
            values[key] = value
        elif values:
            values[last] = f"{values[last]} {word}"
    if not values:
        raise InputError(Problem("bad_set", "Say key=value, such as workload.concurrency=50."))
    return values


def _is_open(value: str) -> bool:
    """Tell whether a list, a mapping or a quotation has begun and not ended."""
    from advisor.answers.overrides import override_node

    try:
        override_node(f"value={value}")
    except InputError:
        return True
    return False


def _full(interview: Interview, values: Mapping[str, str]) -> dict[str, str]:
    from advisor.explain.words import full_key

    return {full_key(interview.adviser, key): value for key, value in values.items()}


def _set(interview: Interview, arguments: str, said: str) -> Reply:
    values = _legal(_full(interview, _values(arguments)))
    made = interview.made(said, values, {})
    interview.become(interview.session.answered(made))
    return Reply(turn=len(interview.session.turns))


def _legal(values: Mapping[str, str]) -> dict[str, object]:
    """Return the values as an answers file would give them; lists and mappings as YAML."""
    from advisor.answers.overrides import SET
    from advisor.answers.plain import thawed
    from advisor.answers.validate import read_answers

    sets = tuple(f"{key}={value}" for key, value in values.items())
    read = read_answers({}, name=SET, sets=sets)
    return {key: UNKNOWN if key in read.unknown else thawed(read.values[key]) for key in values}


def _whatif(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.whatif import whatif
    from advisor.interview.explaining import entry_of

    values = _full(interview, _values(arguments))
    sets = tuple(f"{key}={value}" for key, value in values.items())
    found: Explanation = whatif(interview.adviser, interview.session.answers, sets)
    made = interview.made(f"/set {' '.join(sets)}", _legal(values), {})
    session = interview.session.answered(made)
    interview.pending = Pending("Only tried.", (("keep it", session),), "whatif")
    shown = entry_of(said, found, everything=False)
    left = LineView("Only tried: /keep takes it over, anything else leaves it.")
    return Reply(replace(shown, lines=(*shown.lines, left)))


def _keep(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    pending = interview.pending
    if pending is None or pending.kind == "reading":
        return refused(said, Problem("nothing", "Nothing was tried; see /whatif."))
    interview.become(pending.options[0][1])
    return Reply(turn=len(interview.session.turns))


def _restart(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    interview.become(replace(interview.session.back(len(interview.session.turns)), skipped=()))
    return _told(said, "Started anew; /redo puts the answers on again one by one.")


def _quit(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    interview.keep()
    return Reply(EntryView(said, "Left.", ()), quit=True)
