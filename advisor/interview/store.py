"""The cases on disk: one file each, written whole or not at all, never over another's work.

Owns files, names and the lock between processes. What is in a file is ``case_file``'s; whose turn
it is to write is ``keeper``'s.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.errors import InputError, Problem, UnknownNameError
from advisor.interview.case_file import SUFFIX, Case, case_of, case_text
from advisor.interview.case_place import case_name, cases_folder
from advisor.interview.settled import plainly

__all__ = ["Listed", "Store", "TakenError", "store_of"]

_WAITS, _WAIT_SECONDS = 40, 0.05
"""How long another process may hold the lock: a write takes milliseconds."""


class TakenError(Exception):
    """The file is another's: it was written since, or it is no case that can be read."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A case in the list."""

    name: str
    changed: str
    """When it was kept, in ISO 8601; empty where the file cannot be read."""
    said: str
    """In one sentence: how many answers and what they led to, or what is wrong."""
    good: bool = True


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Store:
    """The cases of one folder.

    Attributes:
        folder: Where they are; made with the first case.
        now: The clock.
    """

    def __init__(self, folder: Path, now: Callable[[], dt.datetime] = _now) -> None:
        self.folder, self.now = folder, now

    def path(self, name: str) -> Path:
        """Return the file of a case."""
        return self.folder / f"{name}{SUFFIX}"

    def names(self) -> tuple[str, ...]:
        """Return the names of all files that may be cases."""
        try:
            found = [path for path in self.folder.iterdir() if path.suffix == SUFFIX]
        except OSError:
            return ()
        return tuple(sorted(path.stem for path in found if not path.name.startswith(".")))

    def listed(self) -> tuple[Listed, ...]:
        """Return all cases, the newest first; files that cannot be read come last."""
        found = [self._listed(name) for name in self.names()]
        good = sorted((one for one in found if one.good), key=lambda one: one.changed)
        return (*reversed(good), *(one for one in found if not one.good))

    def _listed(self, name: str) -> Listed:
        try:
            case = self.load(name)
        except InputError as error:
            return Listed(name, "", error.problems[0].message, good=False)
        count = len(case.session.turns)
        decided = case.decided.get("gpu") or next(iter(case.decided.values()), None)
        words = f"{count} answer{'' if count == 1 else 's'}"
        return Listed(name, case.changed, f"{words}; {plainly(decided.said)}" if decided else words)

    def load(self, name: str) -> Case:
        """Return a case.

        Raises:
            UnknownNameError: there is none of this name; names the nearest.
            InputError: its file cannot be read, is damaged or is none of ours.
        """
        known = case_name(name)
        if not known or not self.path(known).exists():
            from advisor.answers.nearest import nearest_words

            message = f"There is no case {name}."
            names = self.names()
            if not names:
                message = f"There is no case {name}; none has been kept in {self.folder}."
            nearest = tuple(nearest_words(known, names))
            raise UnknownNameError(Problem("unknown_case", message, nearest=nearest))
        return case_of(self.path(known))

    def newest(self) -> Case:
        """Return the case that was kept last.

        Raises:
            UnknownNameError: there is none that can be read.
        """
        good = [one for one in self.listed() if one.good]
        if not good:
            message = f"There is no case to go on with in {self.folder}."
            raise UnknownNameError(Problem("unknown_case", message))
        return self.load(good[0].name)

    def free(self, name: str) -> str:
        """Return ``name``, with a counter where it is taken."""
        taken = set(self.names())
        count, found = 1, name
        while found in taken or self.path(found).exists():
            count += 1
            found = f"{name}-{count}"
        return found

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against other processes; without a lock where there are none.

        Raises:
            OSError: the folder cannot be made, or another process does not let go.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        lock = os.open(self.folder / ".lock", flags, 0o600)
        try:
            _hold(lock)
            yield
        finally:
            os.close(lock)  # which also lets the lock go

    def put(self, case: Case, known: tuple[int, str] | None) -> Case:
        """Write a case under its name; call it while the lock is held.

        Args:
            case: The case; its revision is counted here.
            known: Revision and writer of the file as last seen; ``None`` for a new file.

        Raises:
            TakenError: the file is not as last seen.
            OSError: it cannot be written; what was there is still there.
        """
        path = self.path(case.name)
        if path.exists():
            try:
                there = case_of(path)
            except InputError as error:
                raise TakenError from error
            if (there.revision, there.writer) != known:
                raise TakenError
        revision = 1 if known is None else known[0] + 1
        written = replace(case, revision=revision, changed=self.now().isoformat())
        _write(path, case_text(written).encode("utf-8", "replace"))
        return written

    def drop(self, name: str, known: tuple[int, str]) -> None:
        """Take away the old file of a case that was renamed, unless another has written it."""
        with contextlib.suppress(OSError, InputError):
            there = case_of(self.path(name))
            if (there.revision, there.writer) == known:
                self.path(name).unlink()


def store_of(environment: Mapping[str, str]) -> Store:
    """Return the user's own store.

    Raises:
        InputError: there is no home folder and none was named.
    """
    return Store(cases_folder(environment))


def _hold(lock: int) -> None:
    for _ in range(_WAITS):
        if _held(lock):
            return
        time.sleep(_WAIT_SECONDS)
    message = "another session is writing"
    raise TimeoutError(message)


def _held(lock: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks; revisions still tell who wrote last
        return True
    return True


def _write(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all, readable by this user alone.

    Raises:
        OSError: It cannot be written; what was there is still there.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Make the new name last too, where folders can be flushed."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
