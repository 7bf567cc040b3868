"""Writes to the terminal past the picture: the clipboard, which works over SSH and in tmux."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
from collections.abc import Callable

__all__ = ["TERMINATED", "Terminal", "copy", "on_terminate"]

TERMINATED = 143
"""What shells report of a program that was asked to end: 128 and the number of the signal."""


class Terminal(io.StringIO):
    """Passes what is written on to the terminal, between two paintings.

    The interview writes the sequence of its /copy here, from its own thread.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        super().__init__()
        self._pass_on = write

    def write(self, text: str) -> int:
        """Write a sequence."""
        self._pass_on(text)
        return len(text)


def on_terminate(leave: Callable[[], object]) -> None:
    """Have a request to end leave the terminal as it was; answers are kept as they are given."""
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        # not on Windows, and in no other thread than the first
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leave)


def copy(text: str, write: Callable[[str], object]) -> bool:
    """Give ``text`` to the clipboard of the terminal; tell whether it is short enough for it."""
    from advisor.interview.clipboard import osc52

    sequence = osc52(text, os.environ)
    if sequence is None:
        return False
    write(sequence)
    return True
