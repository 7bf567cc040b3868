"""An interview that is put down while it is held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.answers.model import Answers
from advisor.answers.questions import UNKNOWN, Question
from advisor.explain.adviser import Adviser
from advisor.interview.answering import echoes
from advisor.interview.commands import command_of
from advisor.interview.interview import Interview, Reply
from advisor.interview.reading.reply import read_reply
from advisor.interview.session import Session, Turn
from advisor.interview.showing import view_of
from advisor.interview.view import EntryView, LineView
from advisor.reports.advice_words import TITLES, one_line, said
from advisor.transcripts.markup import Linker, md
from advisor.transcripts.model import END, Asked, Item, Said, Told

__all__ = ["DONT_KNOW", "NOT_HELD", "Heard"]

DONT_KNOW = "I don't know"
NOT_HELD = frozenset({"export", "copy", "save", "restart", "help"})
"""Commands that say nothing about the case, or put it down elsewhere: no transcript holds them."""
_SIGNS = {"~": "Open: ", "!": "Watch out: "}


class Heard(Interview):
    """An interview whose questions, answers and commands are kept as items of a transcript.

    What is refused changes nothing and is not kept.
    """

    def __init__(self, adviser: Adviser, session: Session | None, linker: Linker) -> None:
        """Begin to listen; ``session`` holds only which decisions are asked for."""
        super().__init__(adviser, session)
        self.items: list[Item] = []
        self._linker = linker
        self._shown: str | None = None

    def say(self, line: str) -> Reply:
        """Take one line and keep it with what came of it, unless it was refused."""
        command = command_of(line)
        if not line.strip() or (command is not None and self._is_aside(command[0])):
            return super().say(line)
        kept, shown = len(self.items), self._shown
        self.show()
        question, known = self.question, self.session.answers
        reply = super().say(line)
        if reply.accepted:
            text, understood = self._put(one_line(line), reply, question, known)
            self.items.append(Said(text, tuple(self._reply(reply, understood))))
        else:
            del self.items[kept:]
            self._shown = shown
        return reply

    def _is_aside(self, command: str) -> bool:
        """Tell whether a command says nothing about the case; leaving does before the end."""
        ends = self.ask is None and self.pending is None
        return command in NOT_HELD or (command == "quit" and ends)

    @property
    def left(self) -> bool:
        """Whether somebody left before the end."""
        last = self.items[-1] if self.items else None
        return isinstance(last, Said) and command_of(last.text) == ("quit", "")

    @property
    def open_key(self) -> str:
        """Key of the question that stands open, :data:`END` when none does."""
        return END if self.ask is None else self.ask.key

    def show(self) -> None:
        """Keep the question that stands open, or that nothing is left, unless it was shown."""
        key = self.open_key
        if key != self._shown:
            self.items.append(self._as_asked())
            self._shown = key

    def finished(self) -> tuple[Item, ...]:
        """Return all that was kept, and that nothing is left where that is so."""
        if not self.left:
            self.show()
        return tuple(self.items)

    def _as_asked(self) -> Asked:
        ask, question = self.ask, self.question
        if ask is None or question is None:
            closing = view_of(self).closing[:1]
            cites = self._linker(section for line in closing for section in line.sections)
            return Asked(END, "", cites, " ".join(md(line.text) for line in closing))
        decides = ", ".join(TITLES[name] for name in ask.decides)
        return Asked(ask.key, md(question.text), self._linker((question.section,)), decides)

    def _put(
        self, text: str, reply: Reply, question: Question | None, known: Answers
    ) -> tuple[str, Iterable[str]]:
        """Return what is kept as typed, and how that is read: both must be the same when replayed.

        Args:
            text: What was typed.
            reply: What came of it.
            question: The question that stood open.
            known: What was known then.
        """
        if reply.turn is None or reply.entry is not None:  # an edit: what was typed says yes to it
            return text, ()
        turn = self.session.turns[reply.turn - 1]
        plain = tuple(words for _, words in turn.understood)
        if question is None or turn.keys != (question.key,) or turn.text != text:
            return text, plain
        canonical = _canonical(text, question, turn.values[0][1])
        if canonical == text:
            return text, plain
        found = read_reply(canonical, question, self.adviser.knowledge, known=known).found
        if [(one.key, one.value) for one in found] != list(turn.values):
            return text, plain
        return canonical, echoes(found).values()

    def _reply(self, reply: Reply, understood: Iterable[str]) -> Iterator[Told]:
        if reply.entry is not None:
            yield from self._entry(reply.entry)
        elif reply.turn is not None:
            yield from self._turn(self.session.turns[reply.turn - 1], "; ".join(understood))

    def _entry(self, entry: EntryView) -> Iterator[Told]:
        if entry.title:
            yield Told(md(entry.title))
        for line in entry.lines:
            yield self._line(line)
        if entry.more:
            yield Told(md(f"{entry.more} more with “all”."))

    def _line(self, line: LineView) -> Told:
        text = f"{_SIGNS.get(line.sign, '')}{line.text}"
        return Told(md(text), self._linker(line.sections), line.indent)

    def _turn(self, turn: Turn, understood: str) -> Iterator[Told]:
        if understood:
            yield Told(md(f"Understood: {understood}"))
        notes = {note.key: note for note in self.consultation.assumptions}
        for key, value in turn.values:
            if value != UNKNOWN:
                continue
            note = notes.get(key)
            if note is None:
                text = f"Not known, and nothing is taken for it: what hangs on {key} stays open."
                yield Told(md(text), self._linker(("8",)))
            else:
                text = f"Taken for now: {said(note.value)}. {note.why}"
                yield Told(md(text), self._linker((note.section,)))


def _canonical(text: str, question: Question, value: object) -> str:
    """Return what was typed in a form that stays right when options are renumbered."""
    if value == UNKNOWN:
        return text if text.startswith("/") else DONT_KNOW
    picked = question.kind in {"enum", "bool"} and text.replace(",", "").strip().isdecimal()
    return said(value) if picked else text
