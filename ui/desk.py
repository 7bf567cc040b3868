"""Where the interview is held: one thread of its own, one line after the other.

Imports nothing of Textual. The interview is touched by this thread alone; what it tells is frozen,
so that the event loop never waits for a consultation. Lines typed ahead wait their turn.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from advisor.interview.commands import command_of

from .news import Failed, Idle, Left, Replied, Shown, Stopped, Told

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True)
class _Say:
    line: str


@dataclass(frozen=True, slots=True)
class _Read:
    section: str


@dataclass(frozen=True, slots=True)
class _Hold:
    section: str


@dataclass(frozen=True, slots=True)
class _Leave:
    pass


_Job = _Say | _Read | _Hold | _Leave


_MOST_SECONDS_TO_PAINT = 0.3
"""A terminal that takes longer is waited for no longer."""


class _GivenUp(Exception):  # noqa: N818 - nothing is wrong
    """Somebody does not want to wait for what is being looked up."""


_LOOKS = frozenset(
    [
        "why",
        "how",
        "whynot",
        "whatif",
        "limits",
        "compare",
        "cite",
        "find",
        "facts",
        "so-far",
        "open",
        "help",
        "cases",
        "quit",
    ]
)
"""Commands that change nothing: they may be given up, and who leaves need not wait for them."""


def _only_looks(line: str) -> bool:
    command = command_of(line) if line.startswith(("/", "?")) else None
    return command is not None and command[0] in _LOOKS


class Desk:
    """Holds an interview in a thread that ends with the process.

    Attributes:
        interview: The interview, once it has begun; read it only when the desk has left.
        given: How many lines and sections were given to it.
    """

    def __init__(
        self,
        begin: Callable[[], Interview],
        tell: Callable[[Told], object],
        terminal: TextIO | None = None,
    ) -> None:
        self._begin, self._tell, self._terminal = begin, tell, terminal
        self._jobs: deque[_Job] = deque()
        self._wake = threading.Condition()
        self._current: _Job | None = None
        self._given_up = False
        self._held = ""
        self._painted: threading.Event | None = None
        self._done = 0
        self.given = 0
        self.interview: Interview | None = None

    def start(self) -> None:
        """Begin, in a thread that does not keep the process alive."""
        # the thread reads the knowledge that is in use here
        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(self._run,), name="interview", daemon=True).start()

    def say(self, line: str) -> None:
        """Take a line after those that wait."""
        self._put(_Say(line))

    def read(self, section: str) -> None:
        """Open a section without a word in the log."""
        self._put(_Read(section))

    def hold(self, section: str) -> None:
        """Keep a section open whatever is answered; empty: follow what is answered again."""
        self._put(_Hold(section))

    def stop(self) -> None:
        """Give up what is being looked up; answers and what was typed ahead stay."""
        with self._wake:
            line = self.looking
            if line and self._current is None:
                self._jobs.popleft()  # it has not begun
                self.given -= 1
                self._tell(Stopped(line))
                self._tell(Idle(self._done))  # the thread may rest already, and says so once
            self._given_up = bool(line) and self._current is not None

    @property
    def looking(self) -> str:
        """The line in work, or the next one, if it changes nothing; else empty."""
        with self._wake:
            job = next(iter((self._current, *self._jobs) if self._current else self._jobs), None)
            return job.line if isinstance(job, _Say) and _only_looks(job.line) else ""

    def leave(self) -> None:
        """Say :class:`Left` when every answer that was given is taken."""
        with self._wake:
            asked = [job for job in (self._current, *self._jobs) if isinstance(job, _Say)]
            if all(_only_looks(job.line) for job in asked):
                self._jobs.clear()
                self._tell(Left())  # nothing of an answer is on the way
                return
        self._put(_Leave())

    @property
    def waiting(self) -> tuple[str, ...]:
        """Lines that were typed ahead, the one in work first."""
        with self._wake:
            jobs = (self._current, *self._jobs)
            return tuple(job.line for job in jobs if isinstance(job, _Say))

    def close(self) -> None:
        """End the thread after what it is doing; nobody listens any more."""
        with self._wake:
            self._jobs.clear()
            self._jobs.append(_Leave())
            self._wake.notify()

    def _put(self, job: _Job) -> None:
        with self._wake:
            self.given += 1
            self._jobs.append(job)
            self._wake.notify()

    def _run(self) -> None:
        try:
            self._open()
            while self._do(self._next()):
                self._done += 1
        except BaseException as error:  # noqa: BLE001 - told to the event loop, which reports it
            self._tell(Failed(error))

    def _open(self) -> None:
        from advisor.interview.showing import opening_of
        from advisor.store import loader_cache

        loader_cache.switch_on()
        self.interview = self._begin()
        self.interview.terminal = self._terminal
        self.interview.adviser.before_each = self._go_on
        first = opening_of(self.interview)
        if first is not None:
            self._tell(Shown(first))
        self._show(self.interview)
        loader_cache.save()
        self._warm(self.interview)

    def _warm(self, interview: Interview) -> None:
        """Read a sentence, for what the first one needs: nobody waits while the question is read.

        Nothing of it is kept.
        """
        from advisor.interview.answering import read

        with self._wake:
            if self._jobs:
                return
        read(interview, "a model for 2 users")

    def _next(self) -> _Job:
        with self._wake:
            self._current = None
            if not self._jobs:
                self._tell(Idle(self._done))
            while not self._jobs:
                self._wake.wait()
            self._current = self._jobs.popleft()
            return self._current

    def _do(self, job: _Job) -> bool:
        """Do a job; tell whether there may be another."""
        interview = self.interview
        assert interview is not None  # noqa: S101 - opened before the first job
        if isinstance(job, _Leave):
            if interview.pending is not None:
                interview.say("/quit")  # a choice that nobody makes loses nothing
            self._tell(Left())
            return False
        if isinstance(job, _Read):
            self._open_section(interview, job.section)
        elif isinstance(job, _Hold):
            self._held, interview.section = job.section, job.section or None
        elif self._say(interview, job.line):
            self._tell(Left())
            return False
        elif not interview.asked:
            self._show_and_wait(interview)
        self._show(interview)
        return True

    def _say(self, interview: Interview, line: str) -> bool:
        """Say a line to the interview; tell whether it ends it."""
        told: Told
        try:
            reply = interview.say(line)
            told, ends = Replied(line, reply), reply.quit
        except _GivenUp:
            told, ends = Stopped(line), False
        with self._wake:
            self._current = None  # it is taken; what follows can be left off
            self._given_up = False
        self._tell(told)
        return ends

    def _go_on(self) -> None:
        """Be asked before every consultation.

        Raises:
            _GivenUp: nobody waits for what is being looked up any more.
        """
        if self._given_up:
            raise _GivenUp

    def _show_and_wait(self, interview: Interview) -> None:
        """Show what an answer came to, and let it be painted before the next question is sought.

        Both are work of this process: side by side, the answer would be on screen later.
        """
        painted = self._painted = threading.Event()
        self._show(interview, asking=False)
        painted.wait(_MOST_SECONDS_TO_PAINT)

    def painted(self) -> None:
        """Hear that the last view is on screen."""
        if self._painted is not None:
            self._painted.set()

    @staticmethod
    def _open_section(interview: Interview, section: str) -> None:
        from advisor.errors import UnknownNameError
        from advisor.store.handbook import load_handbook

        try:
            interview.section = load_handbook(interview.adviser.knowledge).section(section).number
        except UnknownNameError:
            return  # a number in the text that is no section of ours

    def _show(self, interview: Interview, *, asking: bool = True) -> None:
        from advisor.interview.showing import view_of

        if self._held:
            # an answer opens what moved; the section that is held stays, or the one opened since
            interview.section = self._held = interview.section or self._held
        self._tell(Shown(view_of(interview, asking=asking)))
