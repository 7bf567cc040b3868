"""Fitting a table into a terminal: shrink columns, wrap cells, or turn rows into records."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

__all__ = ["table_lines"]

_GAP = "  "
_WORD_LIMIT = 14
"""Words up to this stay whole; longer ones are broken, the longest first, where room is short."""
_HEIGHT_LIMIT = 8
"""A row of more lines is read more easily as a record than as narrow columns of words."""
_USUAL_HEIGHT_LIMIT = 4
"""The same for the rows of a table on average."""

_NOTHING = ("", "-")
"""Cells that say nothing; columns need them, records do not."""


def table_lines(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int
) -> list[str]:
    """Lay out a table in at most ``width`` characters.

    Args:
        headers: Column titles.
        rows: Cells, as many in each row as there are headers.
        right: For each column, whether it is set flush right (numbers).
        width: Characters available.

    Returns:
        Aligned columns with wrapped cells where that fits, else one record for each row.
    """
    widths = _column_widths([headers, *rows], width)
    if widths is None or _too_high([_height(row, widths) for row in rows]):
        return _records(headers, rows, width)
    lines = _row_lines(headers, widths, right)
    lines.append(_GAP.join("-" * column for column in widths))
    multiline = any(_wrapped(row, widths) for row in rows)
    for position, row in enumerate(rows):
        if multiline and position:
            lines.append("")
        lines += _row_lines(row, widths, right)
    return lines


def _column_widths(rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return a width for each column, or None when not even the words fit side by side."""
    columns = list(zip(*rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    words = [_longest_word(column) for column in columns]
    room = width - len(_GAP) * (len(columns) - 1)
    limit = max(words)
    while limit > _WORD_LIMIT and sum(min(word, limit) for word in words) > room:
        limit -= 1
    floors = [min(word, limit) for word in words]
    if sum(floors) > room:
        return None
    while sum(widths) > room:
        slack = [have - floor for have, floor in zip(widths, floors, strict=True)]
        widest = max(range(len(widths)), key=lambda index: (slack[index] > 0, widths[index]))
        widths[widest] -= 1
    return widths


def _too_high(heights: Sequence[int]) -> bool:
    return any(height > _HEIGHT_LIMIT for height in heights) or (
        sum(heights) > _USUAL_HEIGHT_LIMIT * len(heights)
    )


def _longest_word(column: Sequence[str]) -> int:
    return max((len(word) for cell in column for word in cell.split()), default=1)


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> bool:
    return any(len(cell) > column for cell, column in zip(row, widths, strict=True))


def _height(row: Sequence[str], widths: Sequence[int]) -> int:
    return max(len(lines) for lines in _cells(row, widths))


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    return [
        textwrap.wrap(cell, column, break_on_hyphens=False) or [""]
        for cell, column in zip(row, widths, strict=True)
    ]


def _row_lines(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    cells = _cells(row, widths)
    lines: list[str] = []
    for index in range(max(len(cell) for cell in cells)):
        parts = [cell[index] if index < len(cell) else "" for cell in cells]
        padded = [
            part.rjust(column) if flush else part.ljust(column)
            for part, column, flush in zip(parts, widths, right, strict=True)
        ]
        lines.append(_GAP.join(padded).rstrip())
    return lines


def _records(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return one record for each row: the first cell leads, what is not empty stands under it."""
    lines: list[str] = []
    for row in rows:
        if lines:
            lines.append("")
        for position, (header, cell) in enumerate(zip(headers, row, strict=True)):
            if position and cell in _NOTHING:
                continue
            indent = "  " if position else ""
            lines += textwrap.wrap(
                f"{header}: {cell}".strip(),
                width,
                initial_indent=indent,
                subsequent_indent=f"{indent}  ",
                break_on_hyphens=False,
            )
    return lines
