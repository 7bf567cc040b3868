"""An interview under way: takes what is typed, keeps the session, says what came of it.

The one place that changes state; every face (terminal, plain lines, transcripts, the library) puts
lines in with :meth:`Interview.say` and shows :meth:`Interview.view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TextIO

from advisor.answers.questions import UNKNOWN, Question
from advisor.consult.consultation import Consultation
from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.commands import command_of
from advisor.interview.keeper import Keeps, Kept
from advisor.interview.knowing import with_its_knowledge
from advisor.interview.next_question import Ask, next_question
from advisor.interview.pending import Pending
from advisor.interview.plan import load_plan
from advisor.interview.progress import more_to_ask
from advisor.interview.session import Session, Turn, turn
from advisor.interview.settled import settled_lines
from advisor.interview.store import Store
from advisor.interview.unheeded import unheeded_lines
from advisor.interview.view import EntryView, LineView

__all__ = ["Interview", "Pending", "Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one line."""

    entry: EntryView | None = None
    """What a command said, or what is wrong; ``None`` where a turn was added, which says itself."""
    accepted: bool = True
    """False: nothing changed, and the text is worth keeping in the input line."""
    turn: int | None = None
    """Number of the turn that was added or changed, from 1; where it was changed, not the last."""
    quit: bool = False
    section: str | None = None
    """The section of the handbook that was opened."""
    notes: tuple[LineView, ...] = ()
    """What has to be told beside: the case is not saved, or goes on under another name."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The interview that was left for a new one."""

    session: Session
    entries: tuple[tuple[int, EntryView], ...]
    keeper: Keeps | None


class Interview:
    """One interview.

    Attributes:
        adviser: Consults and remembers.
        session: What was answered; replaced with every change.
        entries: What commands said, each with the number of turns before it.
        pending: A choice that stands open, if any.
        section: The section that is open for reading, if one was opened; ``7.3#worked-70b``
            where it is only what an anchor covers.
        saved: ``saved``, why it is not, or empty where nothing is kept at all.
        command: What starts this interview, for the line that says how to go on.
        terminal: Takes the sequence for the clipboard; ``None`` where there is no terminal.
        refused_path: Where an export would have written over a file: the same again does.
    """

    def __init__(
        self,
        adviser: Adviser,
        session: Session | None = None,
        *,
        keeper: Keeps | None = None,
        command: str = "gpu-advisor",
    ) -> None:
        self.adviser = adviser
        self.session = session or Session()
        self.entries: tuple[tuple[int, EntryView], ...] = ()
        self.pending: Pending | None = None
        self.section: str | None = None
        self.saved = "" if keeper is None else "saved"
        self.command = command
        self.terminal: TextIO | None = None
        self.refused_path = ""
        self._keeper = keeper
        self._notes: tuple[LineView, ...] = ()
        self._before: _Before | None = None
        self._asked: tuple[Session, Ask | None] | None = None
        self._came_of: list[tuple[Turn, tuple[LineView, ...]]] = []
        self._came_of_start: object = None

    # ---- what follows from the session ----

    @property
    def case(self) -> str:
        """The name of the case; empty while there is none."""
        return "" if self._keeper is None else self._keeper.name

    @property
    def store(self) -> Store | None:
        """Where cases are kept; ``None`` where this one is not."""
        return None if self._keeper is None else self._keeper.store

    @property
    @with_its_knowledge
    def consultation(self) -> Consultation:
        """What the answers so far lead to.

        Raises:
            InputError: only where a session was made elsewhere with answers that lead nowhere.
        """
        return self.adviser.consult(self.session.answers)

    @property
    @with_its_knowledge
    def ask(self) -> Ask | None:
        """The question that stands open; ``None`` when nothing is left to ask."""
        if self._asked is None or self._asked[0] is not self.session:
            session = self.session
            found = next_question(
                self.adviser, session.answers, topic=session.topic, skipped=session.skipped
            )
            self._asked = (session, found)
        return self._asked[1]

    @property
    def asked(self) -> bool:
        """Whether the question that stands open is known already, or a choice stands instead."""
        known = self._asked is not None and self._asked[0] is self.session
        return known or self.pending is not None

    @property
    def question(self) -> Question | None:
        """The question that stands open, in full."""
        return None if self.ask is None else self.adviser.questions[self.ask.key]

    @with_its_knowledge
    def lines_of(self, number: int) -> tuple[LineView, ...]:
        """Return what turn ``number`` (from 1) settled; worked out once while it stands so."""
        turns, known = self.session.turns, self._came_of
        if self._came_of_start is not self.session.start:
            known.clear()
            self._came_of_start = self.session.start
        for place, (one, _) in enumerate(known[:number]):
            if one is not turns[place]:  # it was edited or taken back: what follows moved too
                del known[place:]
                break
        while len(known) < number:
            known.append((turns[len(known)], self._lines_of(len(known) + 1)))
        return known[number - 1][1]

    def _lines_of(self, number: int) -> tuple[LineView, ...]:
        turns = self.session.turns
        before = replace(self.session, turns=turns[: number - 1]).answers
        after = replace(self.session, turns=turns[:number]).answers
        try:
            was, told = self.adviser.consult(before), self.adviser.consult(after)
            return (
                *settled_lines(turns[number - 1], was, told),
                *unheeded_lines(was, told, load_plan(self.adviser.knowledge)),
                *more_to_ask(self.adviser, before, after, turns[number - 1].keys),
            )
        except InputError as error:
            # after an edit, an answer in between may contradict what stood before it
            return (LineView(error.problems[0].message, (), "!"),)

    # ---- what is typed ----

    @with_its_knowledge
    def say(self, line: str) -> Reply:
        """Take one line: an answer, a sentence, or a command. Never raises for what is typed."""
        # half a character can neither be kept in a file nor be shown
        text = line.encode("utf-8", "replace").decode().strip()
        if not text:
            return Reply(accepted=False)
        return self._noted(self._heard(text))

    def _heard(self, text: str) -> Reply:
        command = command_of(text)
        if command is not None and not self._is_option(text):
            from advisor.interview.actions import act

            return act(self, *command, said=text)
        if self.pending is not None:
            from advisor.interview.answering import chosen

            return chosen(self, text)
        from advisor.interview.answering import answer

        return answer(self, text)

    def _is_option(self, text: str) -> bool:
        """Tell whether a bare word is an answer to the open question rather than a command."""
        if text.startswith("/") or text == "?":
            return False
        question = self.question
        return question is not None and question.choice(text) is not None

    def _noted(self, reply: Reply) -> Reply:
        if reply.entry is not None and reply.accepted:
            self.entries = (*self.entries, (len(self.session.turns), reply.entry))
        notes, self._notes = (*reply.notes, *self._notes), ()
        if notes:
            told = EntryView("", "", notes)
            self.entries = (*self.entries, (len(self.session.turns), told))
        return replace(reply, notes=notes)

    # ---- changes ----

    @with_its_knowledge
    def become(self, session: Session) -> None:
        """Take another session over and keep it.

        Raises:
            InputError: its answers lead to an error; then nothing has changed.
        """
        self.adviser.consult(session.answers)
        self.session, self.pending, self.section = session, None, None
        dropped = len(session.turns)
        self.entries = tuple(entry for entry in self.entries if entry[0] <= dropped)
        self.keep()

    def keep(self) -> None:
        """Write the session down, where it is kept."""
        if self._keeper is not None:
            self._is(self._keeper.keep(self.session, self.consultation))

    def rename(self, name: str) -> None:
        """Keep the case under another name.

        Raises:
            InputError: nothing is kept here, or the name cannot be had.
        """
        if self._keeper is None:
            raise InputError(Problem("not_kept", "This interview is not kept; see /export."))
        self._is(self._keeper.rename(name, self.session, self.consultation))

    def _is(self, kept: Kept) -> None:
        self.saved = kept.state
        self._notes = (*self._notes, *(LineView(note) for note in kept.notes))

    def restart(self) -> None:
        """Begin anew; the case that was under way stays as it is kept."""
        self._before = _Before(self.session, self.entries, self._keeper)
        self._keeper = None if self._keeper is None else self._keeper.anew()
        self.entries = ()
        self.become(Session())

    def go_back_to_old_case(self) -> bool:
        """Take the case up again that was left with :meth:`restart`, if any was."""
        if self._before is None:
            return False
        old, self._before = self._before, None
        self._keeper = old.keeper
        self.become(old.session)
        self.entries = old.entries
        return True

    @with_its_knowledge
    def made(self, said: str, values: Mapping[str, object], understood: Mapping[str, str]) -> Turn:
        """Return a turn that answers the open question, or others.

        Raises:
            InputError: a value that is not legal.
        """
        ask = self.ask
        keys = set(values)
        asked = ask.key if ask is not None and ask.key in keys else ""
        topic = ask.topic if ask is not None and asked else ""
        return turn(said, values, asked=asked, understood=understood, topic=topic)


def refused(said: str, problem: Problem) -> Reply:
    """Return the reply to what cannot be used; the text is kept by whoever shows it."""
    lines = [LineView(problem.message)]
    if problem.nearest:
        lines.append(LineView(f"Nearest: {', '.join(problem.nearest)}", indent=1))
    elif problem.allowed:
        lines.append(LineView(f"Allowed: {', '.join(map(str, problem.allowed))}", indent=1))
    return Reply(EntryView(said, "", tuple(lines), problem=True), accepted=False)


def is_unknown(value: object) -> bool:
    """Tell whether a value says "I don't know"."""
    return value == UNKNOWN
