"""The input line: text as it is typed, and single keys while it is empty."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

__all__ = ["Prompt"]

_ALONE = frozenset("0123456789?[]")
"""Keys that act at once while the line is empty, if whoever is asked wants them."""
_MOST_REMEMBERED = 200


class Prompt(Input):
    """The line under the question; it always has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", show=False),
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
        Binding("home", "edge('home')", show=False),
        Binding("end", "edge('end')", show=False),
        Binding("pageup", "app.scroll_log(-1)", show=False),
        Binding("pagedown", "app.scroll_log(1)", show=False),
        Binding("tab", "complete", show=False),
        Binding("escape", "escape", show=False),
    ]

    class Said(Message):
        """A line was finished."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    class Pressed(Message):
        """A key on the empty line: its character or its name."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False  # a blinking cursor is a timer
        self.alone: frozenset[str] = frozenset()
        self._said: list[str] = []
        self._back = 0

    async def _on_key(self, event: events.Key) -> None:
        key = event.character or ""
        if not self.value and key in _ALONE and key in self.alone:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pressed(key))
            return
        await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted as one."""
        self.insert_text_at_cursor(" ".join(event.text.split()))
        event.stop()
        event.prevent_default()

    def action_enter(self) -> None:
        """Finish the line."""
        line, self._back = self.value, 0
        if not line.strip():
            self.post_message(self.Pressed("enter"))
            return
        self._said = [*self._said, line][-_MOST_REMEMBERED:]
        self.clear()
        self.post_message(self.Said(line))

    def action_step(self, step: int) -> None:
        """Move over the options on an empty line, else over what was typed before."""
        if not self.value or self.value.startswith("/"):
            self.post_message(self.Pressed("up" if step < 0 else "down"))
        else:
            self.recall(step)

    def recall(self, step: int) -> None:
        """Show an earlier or later line."""
        self._back = min(max(0, self._back - step), len(self._said))
        self.put(self._said[-self._back] if self._back else "")

    def action_edge(self, key: str) -> None:
        """Go to an edge of the line, or of the conversation while the line is empty."""
        if not self.value:
            self.post_message(self.Pressed(key))
        elif key == "home":
            self.action_home()
        else:
            self.action_end()

    def action_complete(self) -> None:
        """Ask for what the line may become."""
        self.post_message(self.Pressed("tab"))

    def action_escape(self) -> None:
        """Leave what was begun."""
        self.post_message(self.Pressed("escape"))

    def put(self, text: str) -> None:
        """Show ``text`` in the line, the cursor behind it."""
        self.value = text
        self.cursor_position = len(text)
