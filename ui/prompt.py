"""The input line: text as it is typed, and single keys while it is empty."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Input

from .resumed import Picks

__all__ = ["Prompt"]

_ALONE = frozenset("0123456789?[]")
"""Keys that act at once while the line is empty, if whoever is asked wants them."""
_MOST_REMEMBERED = 200


class Prompt(Input):
    """The line under the question; it always has the focus.

    Attributes:
        alone: Keys that act at once while the line is empty.
        ticks: Digits tick options and answer nothing yet.
        answers: A digit answers the question, so that it can be taken back as an answer.
        resumed: The digits that were picked and stand in the line again.
    """

    class Said(Message):
        """A line was finished; it takes the place of the ``instead`` last picks."""

        def __init__(self, line: str, instead: int = 0) -> None:
            super().__init__()
            self.line, self.instead = line, instead

    class Pressed(Message):
        """A key on the empty line: its character or its name."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False  # a blinking cursor is a timer
        self.alone: frozenset[str] = frozenset()
        self.ticks = False
        self.answers = False
        self.resumed = ""
        self._picks = Picks()
        self._said: list[str] = []
        self._returned = ""
        self._back = 0

    async def _on_key(self, event: events.Key) -> None:
        """Take the key here and now.

        Bindings are looked up when a key has bubbled through every parent; by then the next key
        may be in the line, as when somebody types fast or pastes.
        """
        if self._takes(event):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _takes(self, event: events.Key) -> bool:
        key, alone = event.key, event.character or ""
        if not self._is_begun and alone in self.alone and alone in _ALONE:
            self.clear()
            if alone.isdecimal():
                self._picked(alone, event.time)
            self.post_message(self.Pressed(alone))
        elif digits := self._picks.before(self.value, alone, event.time):
            self._resume(digits, alone)
        elif key == "enter":
            self._finish()
        elif key in {"up", "down"}:
            self._step(key)
        elif key in {"tab", "escape", "pageup", "pagedown"} or (
            key in {"home", "end"} and not self.value
        ):
            self.post_message(self.Pressed(key))
        else:
            return False
        return True

    def _picked(self, digit: str, at: float) -> None:
        if not self.ticks:
            self.alone = frozenset()  # a second press is not for a question nobody has seen
        if self.answers or self.ticks:
            self._picks.add(digit, at)

    def _resume(self, digits: str, key: str) -> None:
        """Put picked digits back before what goes on with them."""
        self._picks.forget()
        if self.ticks:
            for digit in digits:
                self.post_message(self.Pressed(digit))  # off again
        else:
            self.resumed = digits
        self.put(f"{digits}{self.value}{key}")

    def clear(self) -> None:
        """Empty the line; what was picked stays so."""
        self.resumed = ""
        super().clear()

    @property
    def _is_begun(self) -> bool:
        """Whether something is being typed: a line that came back is not, until it is edited."""
        return bool(self.value) and not (self.value == self._returned and self.selected_text)

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted as one."""
        self.replace(" ".join(event.text.split()), *self.selection)
        event.stop()
        event.prevent_default()

    def _finish(self) -> None:
        line, self._back = self.value, 0
        if not line.strip():
            self.post_message(self.Pressed("enter"))
            return
        self._said = [*self._said, line][-_MOST_REMEMBERED:]
        instead = len(self.resumed) if line.startswith(self.resumed) else 0
        self.clear()
        self.post_message(self.Said(line, instead))

    def _step(self, key: str) -> None:
        """Move over the options on an empty line, else over what was typed before."""
        if self._is_begun or self._back:
            self.recall(-1 if key == "up" else 1)
        else:
            self.post_message(self.Pressed(key))

    def recall(self, step: int) -> None:
        """Show an earlier or later line."""
        self.resumed = ""
        self._back = min(max(0, self._back - step), len(self._said))
        self.put(self._said[-self._back] if self._back else "")

    def give_back(self, text: str) -> None:
        """Show a line that was not taken, marked: the next key begins anew or edits it."""
        self._returned = text
        with self.prevent(self.Changed):  # a change would take the notice away
            self.put(text)
        self.select_all()

    def put(self, text: str) -> None:
        """Show ``text`` in the line, the cursor behind it."""
        self.value = text
        self.cursor_position = len(text)
