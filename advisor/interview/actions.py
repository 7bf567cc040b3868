"""What the commands do: each returns what it says and changes at most the session."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from advisor.answers.questions import UNKNOWN
from advisor.answers.record_places import list_of
from advisor.answers.validate import read_answers
from advisor.errors import GpuAdvisorError, InputError, Problem
from advisor.explain.explanation import Explanation
from advisor.interview.commands import COMMANDS
from advisor.interview.interview import Interview, Pending, Reply, refused
from advisor.interview.session import Turn
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
    command = next(one for one in COMMANDS if one.name == name)
    if arguments and not command.takes_words:
        message = f"Nothing stands behind /{name}; it was not carried out. /{name}: {command.help}."
        return refused(said, Problem("too_many_words", message))
    try:
        return action(interview, arguments, said)
    except GpuAdvisorError as error:
        return refused(said, error.problems[0])


def _actions() -> Mapping[str, _Action]:
    from advisor.interview import documents, editing, explaining, keeping, looking

    return {
        "back": _back,
        "redo": _redo,
        "edit": editing.edit,
        "unknown": _unknown,
        "skip": _skip,
        "set": _set,
        "keep": _keep,
        "whatif": _whatif,
        **explaining.ACTIONS,
        **looking.ACTIONS,
        **documents.ACTIONS,
        **keeping.ACTIONS,
    }


def _told(said: str, title: str, *lines: LineView) -> Reply:
    return Reply(EntryView(said, title, tuple(lines)))


def _count(text: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdecimal()) or int(text[:9]) < 1:
        raise InputError(Problem("bad_count", f"“{text}” is not a number of answers: /back 2."))
    return int(text[:9])


def _back(interview: Interview, arguments: str, said: str) -> Reply:
    if interview.pending is not None:
        interview.pending = None
        return _told(said, "Nothing is changed.")
    if not interview.session.turns:
        if interview.go_back_to_old_case():
            name = f" {interview.case}" if interview.case else ""
            return _told(said, f"Back in the old case{name}.")
        return refused(said, Problem("nothing", "Nothing to take back."))
    before = interview.session
    interview.become(before.back(_count(arguments)))
    taken = before.turns[len(interview.session.turns) :]
    texts = ", ".join(f"“{one.text}”" for one in taken)
    again = "/redo puts it" if len(taken) == 1 else f"/redo {len(taken)} puts them"
    return _told(said, f"Taken back: {texts}. {again} on again.")


def _redo(interview: Interview, arguments: str, said: str) -> Reply:
    if not interview.session.undone:
        return refused(said, Problem("nothing", "Nothing was taken back."))
    interview.become(interview.session.redo(_count(arguments)))
    return Reply(turn=len(interview.session.turns))


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
    return _told(said, f"Put off, and not asked again: /set {ask.key}=... answers it later.")


_KEY = re.compile(r"[a-z_]+(\.[a-z_]+)*(\[[0-9]+\]\.[a-z_]+)?")


def _sets(interview: Interview, arguments: str) -> dict[str, str]:
    """Return ``key=value`` words by full key; a value may hold blanks, in brackets anything."""
    from advisor.explain.words import full_key

    values: dict[str, str] = {}
    for word in _joined(arguments.split()):
        key, equals, value = word.partition("=")
        last = next(reversed(values), "")
        if _is_open(values.get(last, "")):
            values[last] = f"{values[last]} {word}"
        elif equals and (_KEY.fullmatch(key.casefold()) or not values):
            values[full_key(interview.adviser, key.casefold())] = value
        elif values:
            values[last] = f"{values[last]} {word}"
    if not values:
        raise InputError(Problem("bad_set", "Say key=value, such as workload.concurrency=50."))
    return values


def _joined(words: list[str]) -> list[str]:
    """Return the words with blanks around an equals sign closed up: ``key = value``.

    Inside brackets and quotations they stay.
    """
    found: list[str] = []
    value = ""
    for word in words:
        before = found[-1] if found else ""
        if not _is_open(value) and _go_together(before, word):
            found[-1] = f"{before}{word}"
            value = found[-1].partition("=")[2]
            continue
        found.append(word)
        key, equals, first = word.partition("=")
        begins = equals and _KEY.fullmatch(key.casefold()) and not _is_open(value)
        value = first if begins else f"{value} {word}"
    return found


def _go_together(before: str, word: str) -> bool:
    """Tell whether a blank stands in ``key = value`` between two words."""
    key, equals, value = before.partition("=")
    if equals:
        begins = "=" in word and _KEY.fullmatch(word.partition("=")[0].casefold())
        return not value and not begins and bool(_KEY.fullmatch(key.casefold()))
    return word.startswith("=") and bool(_KEY.fullmatch(before.casefold()))


def _is_open(value: str) -> bool:
    """Tell whether a list, a mapping or a quotation has begun and not ended."""
    from advisor.answers.overrides import override_node

    try:
        override_node(f"value={value}")
    except InputError:
        return True
    return False


def _turn_of(interview: Interview, said: str, sets: Mapping[str, str]) -> Turn:
    """Return the turn that sets answers, written as on the command line."""
    words = tuple(f"{key}={value}" for key, value in sets.items())
    if any(list_of(key) != key for key in sets):
        # a record is part of its list, and a turn answers the whole list
        replaced = interview.adviser.override(interview.session.answers, words)
        told = replaced.as_dict()
        keys = dict.fromkeys(list_of(key) for key in sets)
        return interview.made(said, {key: _in(told, key) for key in keys}, {})
    read = read_answers({}, name=said, sets=words)
    values = {key: UNKNOWN if key in read.unknown else read.values.get(key, "") for key in sets}
    return interview.made(said, values, {})


def _in(nested: Mapping[str, object], key: str) -> object:
    """Return the value of a dotted key in nested answers; empty where there is none."""
    group, _, name = key.rpartition(".")
    inner = nested.get(group, {}) if group else nested
    return inner.get(name, "") if isinstance(inner, Mapping) else ""


def _set(interview: Interview, arguments: str, said: str) -> Reply:
    made = _turn_of(interview, said, _sets(interview, arguments))
    interview.become(interview.session.answered(made))
    return Reply(turn=len(interview.session.turns))


def _whatif(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.whatif import whatif
    from advisor.interview.explaining import entry_of

    values = _sets(interview, arguments)
    sets = tuple(f"{key}={value}" for key, value in values.items())
    found: Explanation = whatif(interview.adviser, interview.session.answers, sets)
    made = _turn_of(interview, f"/set {' '.join(sets)}", values)
    session = interview.session.answered(made)
    interview.pending = Pending("Keep what was tried?", (("keep it", session),), "whatif")
    shown = entry_of(said, found, everything=False)
    left = LineView("Only tried: /keep takes it over, 0 or an answer leaves it.")
    return Reply(replace(shown, lines=(*shown.lines, left)))


def _keep(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.interview.answering import taken_over

    del arguments
    pending = interview.pending
    if pending is None or pending.kind == "reading":
        return refused(said, Problem("nothing", "Nothing was tried: /whatif KEY=VALUE first."))
    return taken_over(interview, said, pending, pending.options[0][1])
