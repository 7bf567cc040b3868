"""Lays lines of text out in cells: wrapping, hanging indents, and something at the right edge.

Knows nothing of views; the measure is the terminal cell, so that wide characters keep the grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from textual.content import Content
from textual.style import Style

__all__ = ["Row", "clipped", "folded", "join", "link", "spread"]

_NARROWEST = 8
"""Text is never wrapped narrower than this, however deep it is indented."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text before it is wrapped."""

    text: Content
    indent: int = 0
    hang: int = 0
    """Cells that following lines are indented more."""
    right: Content = field(default_factory=Content)
    """Shown at the right edge of the first line."""


def link(text: str, action: str, style: str = "$cite") -> Content:
    """Return ``text`` that does ``action`` when it is clicked."""
    content = Content.styled(text, style)
    return content.stylize(Style.from_meta({"@click": action}))


def folded(rows: Iterable[Row], width: int) -> list[Content]:
    """Return the lines of ``rows`` at ``width`` cells."""
    return [line for row in rows for line in _lines(row, width)]


def _lines(row: Row, width: int) -> Iterator[Content]:
    room = width - row.indent
    first = room - row.right.cell_length - (2 if row.right else 0)
    if first < 2 * _NARROWEST and row.right:
        yield from _lines(Row(row.text, row.indent, row.hang), width)
        yield row.right.pad_left(max(0, width - row.right.cell_length))
        return
    lines = row.text.wrap(max(_NARROWEST, first)) if row.text else [Content()]
    if len(lines) > 1 and row.hang:
        head = lines[0].rstrip()
        rest = row.text[len(head) :]
        rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
        lines = [head, *rest.wrap(max(_NARROWEST, room - row.hang))]
    for number, line in enumerate(lines):
        indent = row.indent + (row.hang if number else 0)
        shown = line.rstrip().pad_left(min(indent, max(0, width - 1)))
        if number == 0 and row.right:
            yield spread(shown, row.right, width)
        else:
            yield shown


def spread(left: Content, right: Content, width: int) -> Content:
    """Return one line with ``left`` and ``right`` at its edges."""
    gap = width - left.cell_length - right.cell_length
    if gap < 1:
        return clipped(left, width)
    return left + Content(" " * gap) + right


def clipped(text: Content, width: int) -> Content:
    """Return ``text`` in at most ``width`` cells, with an ellipsis where it was cut."""
    return text.truncate(width, ellipsis=True) if text.cell_length > width else text


def join(lines: Iterable[Content]) -> Content:
    """Return lines as one text."""
    return Content("\n").join(lines)
