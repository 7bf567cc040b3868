"""An interview under way: takes what is typed, keeps the session, says what came of it.

The one place that changes state; every face (terminal, plain lines, transcripts, the library) puts
lines in with :meth:`Interview.say` and shows :meth:`Interview.view`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from advisor.answers.questions import UNKNOWN, Question
from advisor.consult.consultation import Consultation
from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.commands import command_of
from advisor.interview.next_question import Ask, next_question
from advisor.interview.session import Session, Turn, turn
from advisor.interview.settled import settled_lines
from advisor.interview.view import EntryView, LineView

__all__ = ["Interview", "Pending", "Reply"]


@dataclass(frozen=True, slots=True)
class Pending:
    """A choice that is needed before the interview goes on."""

    text: str
    """What is asked."""
    options: tuple[tuple[str, Session], ...]
    """Words of each option, and the session it leads to."""
    kind: str
    """``reading``, ``edit`` or ``whatif``."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one line."""

    entry: EntryView | None = None
    """What a command said, or what is wrong; ``None`` where a turn was added."""
    accepted: bool = True
    """False: nothing changed, and the text is worth keeping in the input line."""
    turn: int | None = None
    """Number of the turn that was added or changed."""
    quit: bool = False


Saver = Callable[[Session], str]
"""Keeps a session; returns ``saved``, or why it could not."""


class Interview:
    """One interview.

    Attributes:
        adviser: Consults and remembers.
        session: What was answered; replaced with every change.
        entries: What commands said, each with the number of turns before it.
        pending: A choice that stands open, if any.
        section: The section that is open for reading, if one was opened.
        case: Name of the case.
        saved: ``saved``, or why it is not.
    """

    def __init__(
        self,
        adviser: Adviser,
        session: Session | None = None,
        *,
        save: Saver | None = None,
        case: str = "",
    ) -> None:
        self.adviser = adviser
        self.session = session or Session()
        self.entries: tuple[tuple[int, EntryView], ...] = ()
        self.pending: Pending | None = None
        self.section: str | None = None
        self.case = case
        self.saved = "" if save is None else "saved"
        self._save = save
        self._asked: tuple[Session, Ask | None] | None = None

    # ---- what follows from the session ----

    @property
    def consultation(self) -> Consultation:
        """What the answers so far lead to.

        Raises:
            InputError: only where a session was made elsewhere with answers that lead nowhere.
        """
        return self.adviser.consult(self.session.answers)

    @property
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

    def lines_of(self, number: int) -> tuple[LineView, ...]:
        """Return what turn ``number`` (from 1) settled."""
        turns = self.session.turns
        before = replace(self.session, turns=turns[: number - 1]).answers
        after = replace(self.session, turns=turns[:number]).answers
        try:
            return settled_lines(
                turns[number - 1], self.adviser.consult(before), self.adviser.consult(after)
            )
        except InputError as error:
            # after an edit, an answer in between may contradict what stood before it
            return (LineView(error.problems[0].message, (), "!"),)

    # ---- what is typed ----

    def say(self, line: str) -> Reply:
        """Take one line: an answer, a sentence, or a command. Never raises for what is typed."""
        text = line.strip()
        if not text:
            return Reply(accepted=False)
        command = command_of(text)
        if command is not None and not self._is_option(text):
            from advisor.interview.actions import act

            return self._noted(act(self, *command, said=text))
        if self.pending is not None:
            from advisor.interview.answering import chosen

            return self._noted(chosen(self, text))
        from advisor.interview.answering import answer

        return self._noted(answer(self, text))

    def _is_option(self, text: str) -> bool:
        """Tell whether a bare word is an answer to the open question rather than a command."""
        if text.startswith("/") or text == "?":
            return False
        question = self.question
        return question is not None and question.choice(text) is not None

    def _noted(self, reply: Reply) -> Reply:
        if reply.entry is not None and reply.accepted:
            self.entries = (*self.entries, (len(self.session.turns), reply.entry))
        return reply

    # ---- changes ----

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
        """Save the session where it is saved."""
        if self._save is not None:
            self.saved = self._save(self.session)

    def saving(self, save: Saver | None) -> None:
        """Save elsewhere from now on."""
        self._save = save
        self.keep()

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
