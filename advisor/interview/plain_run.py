"""Holds the interview line by line: reads, answers, asks on, and says where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TextIO

from advisor.interview.interview import Interview, Reply
from advisor.interview.keeping import farewell
from advisor.interview.plain import (
    WIDTH,
    came_of,
    card_lines,
    entry_lines,
    evidence_lines,
    told_lines,
    turn_lines,
)
from advisor.interview.showing import card_of, closing_of, evidence_of, turn_of
from advisor.interview.view import CardView, EntryView, TurnView
from advisor.reports.advice_words import one_line

__all__ = ["PROMPT", "Reader", "hold_plain", "run_plain"]

PROMPT = "You: "
_CLEARED = "The line is cleared. Ctrl+C again leaves; what was answered is kept."

Reader = Callable[[str], str | None]
"""Shows a prompt and returns the next line; ``None`` at the end.

Raises ``KeyboardInterrupt`` for Ctrl+C.
"""


def run_plain(
    interview: Interview,
    source: Iterable[str],
    out: TextIO,
    *,
    why: str,
    width: int = WIDTH,
    echo: bool = False,
) -> None:
    """Hold the interview with lines that are there already, from a pipe or a list.

    Args:
        interview: The interview; it may have answers already.
        source: Lines as typed.
        out: Where lines go.
        why: Why the plain mode is on, for the first line.
        width: Columns.
        echo: Print what was read, since nobody sees it being typed.
    """
    lines = iter(source)

    def read(prompt: str) -> str | None:
        out.write(prompt)
        out.flush()
        line = next(lines, None)
        if echo or line is None:
            out.write("\n" if line is None else f"{one_line(line)}\n")
        return line

    hold_plain(interview, read, out, why=why, width=width)


def hold_plain(
    interview: Interview, read: Reader, out: TextIO, *, why: str, width: int = WIDTH
) -> None:
    """Hold the interview until there are no more lines or somebody leaves.

    Args:
        interview: The interview.
        read: Reads a line.
        out: Where everything else goes.
        why: Why the plain mode is on.
        width: Columns.
    """
    face = _Face(interview, out, width)
    face.open(why)
    face.ask()
    interrupted, told = False, True
    while True:
        try:
            if not told:
                # in here, so that a second Ctrl+C in the same moment leaves as it does later
                told = True
                face.say("", _CLEARED)
            line = read(PROMPT)
            if line is None:
                break
            reply = interview.say(line)
            face.answer(line, reply)
            interrupted = False
        except KeyboardInterrupt:
            if interrupted:
                break
            interrupted, told = True, False
            continue
        if reply.quit:
            break
    face.close()


class _Face:
    """Prints."""

    def __init__(self, interview: Interview, out: TextIO, width: int) -> None:
        self._interview, self._out, self._width = interview, out, width
        self._shown: CardView | None = None
        self._explained: set[str] = set()

    def say(self, *lines: str) -> None:
        """Print lines at once: somebody may be listening to them."""
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()

    def open(self, why: str) -> None:
        """Say what this is, and what was answered before."""
        interview = self._interview
        stamp = interview.consultation.knowledge
        self.say(
            f"gpu-advisor in plain lines ({why}).",
            f"Handbook {stamp.version}, facts as of {stamp.as_of}.",
            "/help lists the commands; 0 always means: I don't know.",
        )
        if interview.case:
            self.say(f"Case {interview.case}, {len(interview.session.turns)} answered.")
        for entry in _past(interview):
            self.say("", *self._lines(entry))

    def _lines(self, entry: TurnView | EntryView) -> Iterator[str]:
        if isinstance(entry, TurnView):
            return turn_lines(entry, self._width)
        return entry_lines(entry, self._width)

    def ask(self, *, fully: bool = False) -> None:
        """Ask what stands open; what was asked before is not explained again."""
        card = card_of(self._interview)
        if card is None:
            told = closing_of(self._interview.consultation, self._interview.session)
            if fully or self._shown is not None or not self._interview.session.turns:
                self.say("", *told_lines(told, self._width))
        else:
            again = not fully and card.key in self._explained
            self.say("", *card_lines(card, self._width, again=again))
            self._explained.add(card.key)
        self._shown = card

    def answer(self, line: str, reply: Reply) -> None:
        """Say what came of a line, then ask on."""
        if not line.strip():
            self.ask(fully=True)
            return
        if reply.entry is not None:
            self.say(*entry_lines(reply.entry, self._width))
        if reply.section is not None:
            self._open_section()
        if reply.turn is not None and reply.entry is None:
            self.say(*came_of(turn_of(self._interview, reply.turn), self._width))
        self.say(*told_lines(reply.notes, self._width))
        if not reply.quit:
            self.ask()

    def _open_section(self) -> None:
        evidence = evidence_of(self._interview, self._interview.consultation)
        if evidence is not None:
            self.say(*evidence_lines(evidence))

    def close(self) -> None:
        """Say the advice so far, and where the case is kept."""
        from advisor.interview.looking import so_far

        interview = self._interview
        with suppress(KeyboardInterrupt):  # a third Ctrl+C hurries: the place is told all the same
            if interview.pending is not None:  # the lines ended before anything was chosen
                self.answer("/quit", interview.say("/quit"))
            self.say("", *entry_lines(so_far(interview, ""), self._width))
        last = farewell(interview)
        if last:
            self.say("", last)


def _past(interview: Interview) -> Iterator[TurnView | EntryView]:
    """Yield what was said before: a case that goes on."""
    for number in range(1, len(interview.session.turns) + 1):
        yield turn_of(interview, number)
    yield from (entry for _, entry in interview.entries)
