"""Writes to the terminal past the picture: the clipboard, which works over SSH and in tmux."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import select
import signal
import threading
from collections.abc import Callable

__all__ = ["HUNG_UP", "TERMINATED", "Terminal", "copy", "end_with_terminal", "on_terminate"]

TERMINATED = 143
"""What shells report of a program that was asked to end: 128 and the number of the signal."""


HUNG_UP = 129
"""The same, of a program whose terminal is gone."""


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


def end_with_terminal(handle: int) -> None:
    """End the program when the terminal behind ``handle`` is gone and nobody signals that.

    So it is under nohup, or where the terminal is not the one that controls the program: the
    screen would be drawn, and keys be read, for nobody and for ever. Answers are kept as they are
    given. Waits in a thread, without a timer.
    """
    if not hasattr(select, "poll") or not os.isatty(handle):
        return
    threading.Thread(target=_wait_for_the_end, args=(handle,), daemon=True).start()


def _wait_for_the_end(handle: int) -> None:
    poller = select.poll()
    poller.register(handle, 0)  # no event is asked for: that the other side is gone is always told
    told = poller.poll()
    if any(flags & select.POLLHUP for _, flags in told):
        os._exit(HUNG_UP)


def copy(text: str, write: Callable[[str], object]) -> bool:
    """Give ``text`` to the clipboard of the terminal; tell whether it is short enough for it."""
    from advisor.interview.clipboard import osc52

    sequence = osc52(text, os.environ)
    if sequence is None:
        return False
    write(sequence)
    return True
