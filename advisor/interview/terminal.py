"""Reads lines from a terminal: with history and completion where the system has them, or by key.

The one module of the interview that knows of ``readline``, ``termios`` and ``msvcrt``; where they
are missing, plain lines are read.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from advisor.interview.completing import completions
from advisor.interview.showing import card_of

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["by_key", "by_line"]

_END = "\x04\x1a"
"""Ctrl+D, and Ctrl+Z where that ends a file."""
_ENTER = "\r\n"
_NOTHING = "\x00"
"""An arrow, say, that means nothing here."""
_MOST_BY_KEY = 9


def by_line(interview: Interview) -> Callable[[str], str | None]:
    """Return what reads whole lines, with history and completion where there is ``readline``."""
    _complete_for(interview)

    def read(prompt: str) -> str | None:
        try:
            return input(prompt)
        except EOFError:
            sys.stdout.write("\n")
            return None

    return read


def by_key(interview: Interview) -> Callable[[str], str | None]:
    """Return what takes one key where the question lists its options, and else whole lines."""
    whole = by_line(interview)

    def read(prompt: str) -> str | None:
        keys = _keys(interview)
        if not keys:
            return whole(prompt)
        with _unbuffered():  # before the prompt: whoever sees it may press a key at once
            sys.stdout.write(prompt)
            sys.stdout.flush()
            key = _first_key()
        if key is None or not key:
            sys.stdout.write("\n")
            return key
        if key in keys:
            sys.stdout.write(f"{key}\n")
            return key
        sys.stdout.write("\r")
        with _begun_with(key):
            return whole(prompt)

    return read


def _first_key() -> str | None:
    """Return the first key that says something; "" for Enter, ``None`` for an end."""
    while True:
        pressed = _key()
        if pressed is None or pressed in _END:
            return None
        if pressed in _ENTER:
            return ""
        if pressed.isprintable():
            return pressed


def _keys(interview: Interview) -> str:
    """Return the keys that act at once; none where a number may have two digits."""
    card = card_of(interview)
    if card is None or not card.options or card.several or len(card.options) > _MOST_BY_KEY:
        return ""
    return "0?" + "".join(str(option.number) for option in card.options)


def _key() -> str | None:
    """Return the next key, one character; ``None`` at the end."""
    if sys.platform == "win32":
        import msvcrt

        key = msvcrt.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        if key in "\x00\xe0":
            msvcrt.getwch()
            return _NOTHING
        return key
    handle = sys.stdin.fileno()
    first = os.read(handle, 1)
    if not first:
        return None
    rest = b""
    while first >= b"\x80" and not _whole(first + rest):
        rest += os.read(handle, 1)
    if first == b"\x1b":
        _pass_over(handle)
        return _NOTHING
    return (first + rest).decode("utf-8", "replace")[:1]


def _pass_over(handle: int) -> None:
    """Read the rest of an arrow or function key, which is there already, and no more."""
    while select.select([handle], [], [], 0)[0]:
        part = os.read(handle, 1)
        if part not in b"[O" and not part.isdigit() and part != b";":
            return


def _whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return len(data) > 3
    return True


@contextmanager
def _unbuffered() -> Iterator[None]:
    """Let keys through as they are pressed; Ctrl+C still interrupts."""
    if sys.platform == "win32":  # msvcrt reads single keys in any mode
        yield
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSANOW)  # at once: what was typed ahead is kept
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)


@contextmanager
def _begun_with(text: str) -> Iterator[None]:
    """Have the next line begin with what was typed."""
    try:
        import readline
    except ImportError:
        yield
        return
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        yield
    finally:
        readline.set_startup_hook(None)


def _complete_for(interview: Interview) -> None:
    try:
        import readline
    except ImportError:
        return
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        if number == 0:
            line = readline.get_line_buffer()[: readline.get_endidx()]
            found[:] = completions(interview, line, word)
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" =,")
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
