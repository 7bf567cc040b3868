"""Writes to the terminal past the picture: the clipboard, which works over SSH and in tmux."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

__all__ = ["Terminal", "copy"]


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


def copy(text: str, write: Callable[[str], object]) -> bool:
    """Give ``text`` to the clipboard of the terminal; tell whether it is short enough for it."""
    from advisor.interview.clipboard import osc52

    sequence = osc52(text, os.environ)
    if sequence is None:
        return False
    write(sequence)
    return True
