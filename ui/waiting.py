"""What was typed and not taken yet, and the sign that something is being worked out."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from textual.content import Content
from textual.timer import Timer

from .bubble import Bubble
from .rows import Row

__all__ = ["Waiting"]

_WORTH_COUNTING = 2
"""Seconds from which on they are counted; nearly everything is done sooner."""


class Waiting(Bubble):
    """The end of the conversation while something is under way; ticks only then."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._typed: tuple[str, ...] = ()
        self._busy = ""
        self._stops = False
        self._since = 0.0
        self._ticker: Timer | None = None

    def on_mount(self) -> None:
        """Have a clock, which stands still."""
        self._ticker = self.set_interval(1.0, self._show, pause=True)

    def show(self, lines: Sequence[str], busy: str, *, stops: bool = False) -> None:
        """Show lines that wait, the one in work first, and what is being done.

        Args:
            lines: What was typed and not taken yet.
            busy: What is being done; empty: nothing.
            stops: Escape gives it up.
        """
        told = (tuple(lines), busy)
        if told != (self._typed, self._busy):
            self._since = monotonic()
        (self._typed, self._busy), self._stops = told, stops
        if self._ticker is not None:
            (self._ticker.resume if busy else self._ticker.pause)()
        self._show()

    def _show(self) -> None:
        rows = [_said(line) for line in self._typed]
        if self._busy:
            rows.append(Row(Content.styled(f"... {self._words}", "$quiet"), 5))
        self.set_rows(rows)

    @property
    def _words(self) -> str:
        seconds = int(monotonic() - self._since)
        words = f"{self._busy}, {seconds} s" if seconds >= _WORTH_COUNTING else self._busy
        return f"{words} (Esc stops it)" if self._stops else words


def _said(line: str) -> Row:
    indent = 1 if line.startswith(("/", "?")) else 5
    return Row(Content.styled(f"> {line}", "bold $said"), indent, 2)
