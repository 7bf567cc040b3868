"""A light widget of wrapped text: one for each part of the conversation, and in the panels."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from .rows import Row, folded, join

__all__ = ["Bubble"]


class Bubble(Widget):
    """Rows of text, laid out at whatever width there is."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = tuple(rows)
        self._laid: tuple[int, list[Content]] | None = None

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self._rows, self._laid = tuple(rows), None
        self.display = bool(rows)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines at ``width``."""
        del container, viewport
        return len(self._lines(width))

    def render(self) -> Content:
        """Return the lines."""
        return join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        if self._laid is None or self._laid[0] != width:
            self._laid = (width, folded(self._rows, width))
        return self._laid[1]
