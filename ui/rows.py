"""Lays lines of text out in cells: wrapping, hanging indents, and something at the right edge.

Knows nothing of views; the measure is the terminal cell, so that wide characters keep the grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from textual.content import Content
from textual.style import Style

__all__ = ["Row", "clipped", "folded", "join", "link", "spread"]

_NARROWEST = 8
"""Indents give way rather than that text is wrapped narrower than this."""
_WIDEST_CHARACTER = 2


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text before it is wrapped."""

    text: Content
    indent: int = 0
    hang: int = 0
    """Cells that following lines are indented more."""
    right: Content = field(default_factory=Content)
    """Shown at the right edge of the first line."""
    mark: Content = field(default_factory=Content)
    """Stands before the text; following lines are indented as much."""


def link(text: str, action: str, style: str = "$cite") -> Content:
    """Return ``text`` that does ``action`` when it is clicked."""
    content = Content.styled(text, style)
    return content.stylize(Style.from_meta({"@click": action}))


def folded(rows: Iterable[Row], width: int) -> list[Content]:
    """Return the lines of ``rows`` at ``width`` cells."""
    return [line for row in rows for line in _lines(row, width)]


def _lines(row: Row, width: int) -> Iterator[Content]:
    spare = max(0, width - row.mark.cell_length - _NARROWEST)
    indent = min(row.indent, spare)
    hang = min(row.hang, spare - indent)
    before = indent + row.mark.cell_length
    first = width - before - (row.right.cell_length + 2 if row.right else 0)
    if row.right and first < 2 * _NARROWEST:
        yield from _lines(replace(row, right=Content()), width)
        right = clipped(row.right, width)
        yield right.pad_left(width - right.cell_length)
        return
    for number, line in enumerate(_wrapped(row, first, width - before - hang)):
        if number:
            yield line.pad_left(before + hang)
            continue
        shown = (row.mark + line).pad_left(indent)
        yield spread(shown, row.right, width) if row.right else shown


def _wrapped(row: Row, first: int, others: int) -> Iterator[Content]:
    """Yield the text of a row, its first line wrapped at another width than the others."""
    if not row.text:
        yield Content()
        return
    lines = row.text.wrap(max(_WIDEST_CHARACTER, first))
    head = lines[0].rstrip()
    yield head
    if len(lines) > 1:
        rest = row.text[len(head) :]
        rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
        for line in rest.wrap(max(_WIDEST_CHARACTER, others)):
            yield line.rstrip()


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
