"""Light widgets of wrapped text: parts of the conversation, what panels hold, sections."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from .rows import Row, folded, join

__all__ = ["Bubble", "Lines"]


class Lines(Widget):
    """Lines of text, laid out at whatever width there is; only those in sight are painted."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._laid: tuple[int, Sequence[Content]] | None = None

    @abstractmethod
    def laid_out(self, width: int) -> Sequence[Content]:
        """Return the lines at ``width`` cells."""

    def lines(self, width: int) -> Sequence[Content]:
        """Return the lines at ``width`` cells, laid out once."""
        if self._laid is None or self._laid[0] != width:
            self._laid = (width, self.laid_out(width))
        return self._laid[1]

    def changed(self) -> None:
        """Lay out anew."""
        self._laid = None
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines at ``width``."""
        del container, viewport
        return len(self.lines(width))

    def render(self) -> Content:
        """Return all lines, for what is marked with the mouse."""
        return join(self.lines(self.content_size.width))

    def render_line(self, y: int) -> Strip:
        """Return one line: long texts are painted as far as they are seen."""
        lines = self.lines(self.content_size.width)
        if self.text_selection is not None or y >= len(lines):
            return super().render_line(y)
        width = self.content_size.width
        strips = Visual.to_strips(self, lines[y], width, 1, self.visual_style)
        return strips[0].apply_offsets(0, y) if strips else Strip.blank(width)


class Bubble(Lines):
    """Rows of text."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = tuple(rows)

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        if tuple(rows) == self._rows and self.display == bool(rows):
            return
        self._rows = tuple(rows)
        self.display = bool(rows)
        self.changed()

    def laid_out(self, width: int) -> Sequence[Content]:
        """Return the rows, wrapped."""
        return folded(self._rows, width)
