"""The question card: what is asked, its options, the caret, and what it decides."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from advisor.interview.view import CardView, View

from .card_rows import Marks, card_lines, offered
from .rows import join

__all__ = ["Card"]

_LEAST, _FRAME, _SHORT, _TALL = 3, 2, 20, 30


class Card(Widget):
    """The question that stands open."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.card: CardView | None = None
        self.marks = Marks()
        self._room = _LEAST
        self._words = "Reading the handbook ..."

    def show(self, view: View) -> None:
        """Show the question of a view; the caret stays while the question does."""
        if view.card is None or self.card is None or view.card.key != self.card.key:
            self.marks = Marks()
        self.card = view.card
        self._words = "Finding the next question ..." if view.asking else "Nothing is left to ask."
        self.border_title, self.border_subtitle = _titles(view)
        self.refresh(layout=True)

    def type(self, text: str) -> None:
        """Narrow the options to what is typed."""
        if self.card is not None and self.card.options and text != self.marks.typed:
            self._mark(Marks(None, self.marks.picked, text))

    def move(self, step: int) -> bool:
        """Move the caret; tell whether there is anything to move it over."""
        if self.card is None or not self.card.options:
            return False
        numbers = [o.number for o in offered(self.card, self.marks.typed)]
        caret = self.marks.caret
        if caret not in numbers:
            caret = numbers[0] if step > 0 else numbers[-1]
        else:
            caret = numbers[(numbers.index(caret) + step) % len(numbers)]
        self._mark(Marks(caret, self.marks.picked, self.marks.typed))
        return True

    def tick(self, number: int) -> None:
        """Tick or untick an option where several may be picked."""
        picked = self.marks.picked ^ {number}
        self._mark(Marks(self.marks.caret, picked, self.marks.typed))

    @property
    def chosen(self) -> str:
        """What Enter says on an empty line: the ticked options, or the one at the caret."""
        if self.marks.picked:
            return ", ".join(str(number) for number in sorted(self.marks.picked))
        return "" if self.marks.caret is None else str(self.marks.caret)

    def _mark(self, marks: Marks) -> None:
        self.marks = marks
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that the question needs, or may have."""
        del container
        part = 0.4 if _SHORT <= viewport.height < _TALL else 0.5
        self._room = max(_LEAST, int(viewport.height * part) - _FRAME)
        return len(self._lines(width))

    def render(self) -> Content:
        """Return the question."""
        return join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        if self.card is None:
            return [Content.styled(f" {self._words}", "$quiet")]
        return card_lines(self.card, self.marks, width, self._room)


def _titles(view: View) -> tuple[str, str]:
    card = view.card
    if card is None:
        return "", ""
    if card.pending:
        return "choose", ""
    least, most = view.left
    about = max(card.number, card.number - 1 + (least + most + 1) // 2)
    count = f"{card.number}" if view.asking else f"{card.number} of about {about}"
    title = f"{count} · {card.topic}"
    return title, f"asked by §{card.section}" if card.section else ""
