"""The interview in plain lines: one column, nothing redrawn, every line labelled.

For screen readers, pipes, ``TERM=dumb`` and whoever likes scrollback. Renders the same view as the
terminal interface, with the same words; transcripts are written in it, so it cannot rot.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TextIO

from advisor.interview.interview import Interview, Reply
from advisor.interview.showing import card_of, view_of
from advisor.interview.view import CardView, EntryView, LineView, TurnView, View

__all__ = ["card_lines", "entry_lines", "run_plain", "turn_lines"]

_LABELS = {"=": "Settled", "~": "Open", "!": "Watch out", "": "Note"}
_WIDTH = 80


def run_plain(
    interview: Interview,
    source: Iterable[str],
    out: TextIO,
    *,
    why: str,
    width: int = _WIDTH,
    echo: bool = False,
    farewell: str = "",
) -> None:
    """Hold the interview line by line until the source ends or somebody leaves.

    Args:
        interview: The interview; it may have answers already.
        source: Lines as typed; a terminal, a pipe, a list.
        out: Where lines go.
        why: Why the plain mode is on, for the first line.
        width: Columns.
        echo: Print what was read, since nobody sees it being typed.
        farewell: The last line: where the case is kept, how to go on.
    """
    face = _Face(out, width)
    face.say(*_opening(view_of(interview), why))
    for turn in (entry for entry in view_of(interview).log if isinstance(entry, TurnView)):
        face.say(*turn_lines(turn, width))
    face.ask(interview)
    for line in source:
        text = line.rstrip("\r\n")
        if echo:
            face.say(text)
        reply = interview.say(text)
        face.reply(interview, reply)
        if reply.quit:
            break
        if text.strip():
            face.ask(interview)
        else:
            face.prompt()
    face.close(interview, farewell)


class _Face:
    """Prints, wrapped."""

    def __init__(self, out: TextIO, width: int) -> None:
        self._out, self._width = out, width

    def say(self, *lines: str) -> None:
        for line in lines:
            self._out.write(f"{line}\n")
        self._out.flush()

    def prompt(self) -> None:
        self._out.write("You: ")
        self._out.flush()

    def ask(self, interview: Interview) -> None:
        card = card_of(interview)
        if card is None:
            self.say("", *_told(view_of(interview).closing, self._width))
        else:
            self.say("", *card_lines(card, self._width))
        self.prompt()

    def reply(self, interview: Interview, reply: Reply) -> None:
        if reply.entry is not None:
            self.say(*entry_lines(reply.entry, self._width))
        if reply.turn is not None:
            turns = [e for e in view_of(interview).log if isinstance(e, TurnView)]
            self.say(*_came_of(turns[reply.turn - 1], self._width))
        if reply.entry is not None and reply.entry.said.startswith(("/cite", "/section")):
            self.say(*_evidence(view_of(interview)))

    def close(self, interview: Interview, farewell: str) -> None:
        view = view_of(interview)
        self.say("", "", *_so_far(view, self._width))
        if farewell:
            self.say("", farewell)


def _opening(view: View, why: str) -> Iterator[str]:
    case = f" Case {view.case}." if view.case else ""
    yield f"gpu-advisor in plain lines ({why})."
    yield f"Handbook {view.edition}, facts as of {view.as_of}.{case}"
    yield "/help lists the commands; 0 always means: I don't know."


def card_lines(card: CardView, width: int = _WIDTH) -> Iterator[str]:
    """Yield the open question, labelled."""
    if card.pending:
        yield from _wrapped(f"Choose: {card.text}", width)
    else:
        head = f"Question {card.number} ({card.topic}): {card.text} [§{card.section}]"
        yield from _wrapped(head, width)
        yield from _wrapped(f"Meaning: {card.help}", width)
    if card.options:
        yield "Options:"
        for option in card.options:
            yield from _wrapped(f"{option.number}  {option.label}", width, 2)
        yield "  0  none of these" if card.pending else "  0  I don't know"
    elif card.hint:
        yield from _wrapped(f"Type: {card.hint}. 0 means: I don't know.", width)
    if card.usual:
        yield from _wrapped(f"Until then: {card.usual}", width)
    if card.find_out:
        yield from _wrapped(f"To find out: {card.find_out}", width)
    if card.decides:
        yield from _wrapped(f"Decides: {', '.join(card.decides)}. ? says why it is asked.", width)


def turn_lines(turn: TurnView, width: int = _WIDTH) -> Iterator[str]:
    """Yield one turn of the past: question, answer, what it settled."""
    if turn.question:
        yield from _wrapped(f"Question {turn.number}: {turn.question} [§{turn.section}]", width)
    yield from _wrapped(f"You: {turn.said}", width)
    yield from _came_of(turn, width)


def _came_of(turn: TurnView, width: int) -> Iterator[str]:
    if turn.understood:
        yield from _wrapped(f"Understood: {turn.understood}", width)
    yield from _told(turn.lines, width)


def entry_lines(entry: EntryView, width: int = _WIDTH) -> Iterator[str]:
    """Yield what a command said."""
    if entry.title:
        yield from _wrapped(f"Answer: {entry.title}", width)
    for line in entry.lines:
        if entry.problem:
            yield from _wrapped(f"Problem: {_cited(line)}", width)
        elif line.sign:
            yield from _wrapped(f"{_LABELS[line.sign]}: {_cited(line)}", width, 2)
        else:
            yield from _wrapped(_cited(line), width, 2 + 2 * line.indent)
    if entry.more:
        yield f"  {entry.more} more: the same with the word all"


def _told(lines: Iterable[LineView], width: int) -> Iterator[str]:
    for line in lines:
        yield from _wrapped(f"{_LABELS[line.sign]}: {_cited(line)}", width)


def _cited(line: LineView) -> str:
    cited = " ".join(f"§{section}" for section in line.sections)
    return f"{line.text} [{cited}]" if cited else line.text


def _evidence(view: View) -> Iterator[str]:
    if view.evidence is not None:
        yield view.evidence.markdown.rstrip()
        if view.evidence.cited_by:
            yield f"Cited by: {', '.join(view.evidence.cited_by)}"


def _so_far(view: View, width: int) -> Iterator[str]:
    yield f"So far ({view.progress}):"
    for one in view.so_far:
        cited = " ".join(f"§{section}" for section in one.sections)
        text = f"{one.title}: {one.state}"
        text += f", {one.text}" if one.text else ""
        text += f"; needs {one.needs}" if one.needs and one.state != "firm" else ""
        yield from _wrapped(f"{text} [{cited}]" if cited else text, width, 2)


def _wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 20),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
