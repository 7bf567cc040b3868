"""The commands that look something up: sections, facts, what is concluded, what is open, help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from advisor.answers.plain import thawed
from advisor.errors import InputError, Problem
from advisor.interview.commands import COMMANDS
from advisor.interview.interview import Interview, Reply
from advisor.interview.next_question import relevant
from advisor.interview.settled import plainly, sign_of
from advisor.interview.view import EntryView, LineView
from advisor.reports.advice_words import TITLES, headline
from advisor.reports.advice_words import said as as_said

__all__ = ["ACTIONS", "so_far"]

_MOST_HITS = 6
_MOST_WARNINGS = 10
_MOST_OPEN = 12


def _cite(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.store.handbook import load_handbook
    from advisor.store.handbook_excerpt import excerpt

    if not arguments:
        raise InputError(Problem("usage", "Say which section: /cite 3.3"))
    book, name = load_handbook(), arguments.lstrip("§")
    section = excerpt(book, name)
    inside = section.anchor != book.section(section.number).anchor
    interview.section = f"{section.number}#{section.anchor}" if inside else section.number
    title = f"{section.label} {section.title}" if section.numbered else section.title
    return Reply(EntryView(said, title, ()), section=section.number)


def _find(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.store.handbook import load_handbook

    del interview
    if not arguments:
        raise InputError(Problem("usage", "Say what: /find do I need passthrough"))
    hits = load_handbook().search(arguments, limit=_MOST_HITS)
    if not hits:
        return Reply(EntryView(said, f"No section speaks of “{arguments}”.", ()))
    lines = [LineView(hit.section.title, (hit.section.number,)) for hit in hits]
    return Reply(EntryView(said, "Sections, best first; /cite opens one:", tuple(lines)))


def _facts(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    told = interview.consultation
    lines = [
        LineView(f"{given.key} = {as_said(given.value)}  ({given.file})") for given in told.answers
    ]
    unknown = sorted(interview.session.answers.unknown)
    lines += [LineView(f"{key}: not known", (), "~") for key in unknown]
    lines += [
        LineView(f"{note.key} = {as_said(thawed(note.value))}, assumed", (note.section,))
        for note in told.assumptions
    ]
    return Reply(EntryView(said, "Known, and assumed:", tuple(lines)))


def _so_far(interview: Interview, arguments: str, said: str) -> Reply:
    return Reply(so_far(interview, said, everything=_everything(arguments)))


def _everything(arguments: str) -> bool:
    return arguments.casefold() in {"all", "--all"}


def so_far(interview: Interview, said: str, *, everything: bool = False) -> EntryView:
    """Return every decision as it stands, and the warnings that matter."""
    told = interview.consultation
    lines = []
    for name, decision in told.decisions.items():
        text = plainly(headline(decision.choice)) if decision.choice else decision.because
        sections = tuple(dict.fromkeys(c.section for c in decision.citations))[:3]
        status = decision.status.replace("_", " ")
        sign = sign_of(decision.status)
        text = f"{TITLES[name]} [{status}]: {text}"
        lines.append(LineView(text, sections, sign, firm=status == "firm"))
    worst = [w for w in told.warnings if w.severity != "info"]
    most = len(worst) if everything else _MOST_WARNINGS
    for warned in worst[:most]:
        sections = tuple(dict.fromkeys(c.section for c in warned.citations))[:2]
        lines.append(LineView(warned.text, sections, "!"))
    return EntryView(said, "So far:", tuple(lines), more=max(0, len(worst) - most))


def _open(interview: Interview, arguments: str, said: str) -> Reply:
    everything = _everything(arguments)
    told, known = interview.consultation, interview.session.answers
    questions = interview.adviser.questions
    found = [(key, names) for key, names in relevant(told).items() if key in questions]
    shown = found if everything else found[:_MOST_OPEN]
    lines = tuple(_open_line(interview, key, names, key in known.unknown) for key, names in shown)
    title = "Questions that could still change something; /set answers any of them:"
    if not found:
        title = "Nothing that is left open could change a decision."
    return Reply(EntryView(said, title, lines, more=len(found) - len(shown)))


def _open_line(interview: Interview, key: str, names: tuple[str, ...], unknown: bool) -> LineView:
    question = interview.adviser.questions[key]
    every = len(names) == len(interview.consultation.decisions) > 1
    moved = "every decision" if every else ", ".join(TITLES[name] for name in names)
    state = " (not known)" if unknown else ""
    return LineView(f"{key}{state}: {question.text} ({moved})", (question.section,), "~")


def _help(interview: Interview, arguments: str, said: str) -> Reply:
    del interview
    lines = tuple(_help_lines(arguments.casefold().lstrip("/")))
    title = "Commands:" if lines else f"No command speaks of “{arguments}”."
    return Reply(EntryView(said, title, lines))


def _help_lines(word: str) -> Iterator[LineView]:
    for command in COMMANDS:
        if word in f"{command.name} {command.help}".casefold():
            yield LineView(f"{command.usage}: {command.help}")
    if not word:
        yield LineView("0 always means: I don't know. Anything else is read as an answer.")


ACTIONS: Mapping[str, Callable[[Interview, str, str], Reply]] = {
    "cite": _cite,
    "find": _find,
    "facts": _facts,
    "so-far": _so_far,
    "open": _open,
    "help": _help,
}
