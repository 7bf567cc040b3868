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

if TYPE_CHECKING:
    from advisor.interview.interview import Interview, Reply
    from advisor.interview.view import View

__all__ = ["Desk", "Failed", "Idle", "Left", "Replied", "Shown", "Told"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A new view."""

    view: View


@dataclass(frozen=True, slots=True)
class Replied:
    """What came of a line; the view that shows it follows."""

    line: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot go on: bad input at the start, or a fault."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is being done."""

    done: int
    """How many lines and sections were taken so far."""


@dataclass(frozen=True, slots=True)
class Left:
    """Every line before the leaving was taken."""


Told = Shown | Replied | Failed | Idle | Left


@dataclass(frozen=True, slots=True)
class _Say:
    line: str


@dataclass(frozen=True, slots=True)
class _Read:
    section: str


@dataclass(frozen=True, slots=True)
class _Leave:
    pass


_Job = _Say | _Read | _Leave


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
"""Commands that change nothing: who leaves need not wait for them."""


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
        from advisor.interview.showing import opening_of, view_of
        from advisor.store import loader_cache

        loader_cache.switch_on()
        self.interview = self._begin()
        self.interview.terminal = self._terminal
        first = opening_of(self.interview)
        if first is not None:
            self._tell(Shown(first))
        self._tell(Shown(view_of(self.interview)))
        loader_cache.save()

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
        from advisor.interview.showing import view_of

        interview = self.interview
        assert interview is not None  # noqa: S101 - opened before the first job
        if isinstance(job, _Leave):
            self._tell(Left())
            return False
        if isinstance(job, _Read):
            interview.section = job.section
        else:
            reply = interview.say(job.line)
            with self._wake:
                self._current = None  # it is taken; what follows can be left off
            self._tell(Replied(job.line, reply))
            if reply.quit:
                self._tell(Left())
                return False
            if not interview.asked:
                self._tell(Shown(view_of(interview, asking=False)))
        self._tell(Shown(view_of(interview)))
        return True
