"""The conversation: light bubbles, the last ones mounted, older ones behind one line."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content

from advisor.interview.view import EntryView, LineView, TurnView, View

from .bars import Below
from .bubble import Bubble
from .rows import Row, link
from .waiting import Waiting
from .wording import line_row, log_rows

__all__ = ["Log"]

_AT_ONCE = 2
"""More parts than one answer makes are a case that is resumed: its end is what counts."""
_MOUNTED = 60
"""So many parts of the conversation are on screen or one scroll away."""


class Log(VerticalScroll, can_focus=False):
    """The conversation."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._shown: list[TurnView | EntryView] = []
        self._bubbles: list[Bubble] = []
        self._earlier = Bubble(id="older")
        self._end_words = Bubble(id="closing")
        self._typed_ahead = Waiting(id="waiting")
        self._below = Below()
        self._newest: Bubble | None = None
        self._most = _MOUNTED
        self._view: View | None = None

    async def on_mount(self) -> None:
        """Mount what is always there; stay at the end until somebody scrolls."""
        await self.mount(self._earlier, self._end_words, self._typed_ahead, self._below)
        for bubble in (self._earlier, self._end_words, self._typed_ahead):
            bubble.set_rows(())
        self.anchor()

    async def show(self, view: View) -> None:
        """Show the conversation of a view; only what differs is touched."""
        self._view = view
        wanted = list(view.log[-self._most :])
        hidden = len(view.log) - len(wanted)
        kept = self._dropped_from_the_top(wanted)
        for place in range(kept, min(len(self._shown), len(wanted))):
            if self._shown[place] != wanted[place]:
                self._bubbles[place].set_rows(_spaced(wanted[place]))
        new = [Bubble(_spaced(one)) for one in wanted[len(self._shown) :]]
        gone = self._bubbles[len(wanted) :]
        del self._bubbles[len(wanted) :]
        self._bubbles += new
        self._shown = wanted
        self._earlier.set_rows(_older(hidden))
        self._end_words.set_rows(_closing(view.closing))
        if gone:
            await self.remove_children(gone)
        if new:
            await self.mount(*new, before=self._end_words)
            if len(new) <= _AT_ONCE:
                self._newest = new[0]
                self.call_after_refresh(self._begin_with_newest)

    def follow(self) -> None:
        """Stay at the end, whatever comes."""
        self._newest = None
        self.anchor()
        self.call_after_refresh(self._tell_below)

    def on_resize(self) -> None:
        """Keep the beginning of what is new in sight when the question below it grows."""
        self.call_after_refresh(self._tell_below)
        if self._newest is not None:
            self.call_after_refresh(self._begin_with_newest)

    def release_anchor(self) -> None:
        """Stay where somebody scrolled to."""
        self._newest = None
        super().release_anchor()

    def _begin_with_newest(self) -> None:
        """Show what is new from its beginning, where it is longer than the screen."""
        bubble = self._newest
        if bubble is None or not bubble.is_attached:
            return
        last = self._bubbles[-1] if self._bubbles else bubble
        if last.virtual_region.bottom - 1 - bubble.virtual_region.y > self.size.height:
            self.release_anchor()
            self.scroll_to_widget(bubble, animate=False, top=True)
            self._newest = bubble  # nobody scrolled: it stays so when the question grows

    def _dropped_from_the_top(self, wanted: Sequence[TurnView | EntryView]) -> int:
        """Unmount what has moved out of the window; return from where to compare."""
        if self._shown and wanted and self._shown[0] != wanted[0] and wanted[0] in self._shown:
            count = self._shown.index(wanted[0])
            for bubble in self._bubbles[:count]:
                bubble.remove()
            del self._bubbles[:count], self._shown[:count]
        return 0

    async def show_older(self) -> None:
        """Mount as many older parts again."""
        if self._view is None or self._most >= len(self._view.log):
            return
        self._most += _MOUNTED
        view, self._shown = self._view, []
        await self.remove_children(self._bubbles)
        self._bubbles = []
        await self.show(view)
        self.scroll_home(animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say what is out of sight below."""
        super().watch_scroll_y(old_value, new_value)
        self._tell_below()

    def watch_virtual_size(self) -> None:
        """Say what is out of sight below, when there is more."""
        self.call_after_refresh(self._tell_below)

    def _tell_below(self) -> None:
        lines = round(self.max_scroll_y) - max(0, self.scroll_offset.y)
        if self._anchored and not self._anchor_released:
            lines = 0  # it stands at its end, or will with the next painting
        ends_blank = not (self._end_words.display or self._typed_ahead.display)
        self._below.show(lines - 1 if ends_blank else lines)

    def show_waiting(self, lines: Sequence[str], busy: str, *, stops: bool = False) -> None:
        """Show lines that were typed and not taken yet, and what is being done."""
        self._typed_ahead.show(lines, busy, stops=stops)


def _spaced(shown: TurnView | EntryView) -> list[Row]:
    return [*log_rows(shown), Row(Content())]


def _older(hidden: int) -> list[Row]:
    if not hidden:
        return []
    return [Row(link(f"{hidden} earlier: click, or Home twice", "app.older", "$quiet"), 1)]


def _closing(lines: Sequence[LineView]) -> list[Row]:
    return [line_row(line, 1) for line in lines]
