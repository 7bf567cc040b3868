"""Tables in few cells: columns where they fit, one block per row where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from .rows import Row, folded

__all__ = ["table_lines"]

_NARROWEST = 6
_GAP = 2


def table_lines(rows: Sequence[Sequence[Content]], width: int) -> list[Content]:
    """Return a table whose first row is its head, as lines of at most ``width`` cells."""
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return []
    widths = _widths(rows, columns, width - _GAP * (columns - 1))
    if widths is None:
        return list(_stacked(rows, width))
    return list(_side_by_side(rows, widths))


def _widths(rows: Sequence[Sequence[Content]], columns: int, room: int) -> list[int] | None:
    """Return the width of each column, or ``None`` where they would be too narrow to read."""
    natural = [
        max((row[n].cell_length for row in rows if n < len(row)), default=0) for n in range(columns)
    ]
    if sum(natural) <= room:
        return natural
    # long words are not broken: a column is as wide as its longest, if that goes
    words = [
        max((_longest_word(row[n]) for row in rows if n < len(row)), default=0)
        for n in range(columns)
    ]
    least = [min(full, max(_NARROWEST, word)) for full, word in zip(natural, words, strict=True)]
    spare = room - sum(least)
    if spare < 0 or max(natural) > 3 * max(1, room // columns) + spare:
        return None
    return _filled(least, natural, spare)


def _filled(least: Sequence[int], natural: Sequence[int], spare: int) -> list[int]:
    """Return widths with ``spare`` given out: who wants little gets it all, the rest share."""
    widths = list(least)
    wants = sorted(range(len(widths)), key=lambda n: natural[n] - least[n])
    for place, column in enumerate(wants):
        more = min(natural[column] - least[column], spare // (len(wants) - place))
        widths[column] += more
        spare -= more
    return widths


def _longest_word(cell: Content) -> int:
    return max((part.cell_length for part in cell.split(" ")), default=0)


def _side_by_side(rows: Sequence[Sequence[Content]], widths: Sequence[int]) -> Iterator[Content]:
    for number, row in enumerate(rows):
        cells = [folded([Row(cell)], width) for cell, width in zip(row, widths, strict=False)]
        for line in range(max((len(cell) for cell in cells), default=0)):
            shown = Content("")
            for cell, width in zip(cells, widths, strict=False):
                part = cell[line] if line < len(cell) else Content()
                shown = shown + part.pad_right(max(0, width - part.cell_length) + _GAP)
            shown = shown.rstrip()
            yield shown.stylize("bold") if number == 0 else shown
        if number == 0:
            yield Content.styled("-" * (sum(widths) + _GAP * (len(widths) - 1)), "$quiet")


def _stacked(rows: Sequence[Sequence[Content]], width: int) -> Iterator[Content]:
    head = rows[0]
    for row in rows[1:]:
        if not row:
            continue
        yield from folded([Row(row[0].stylize("bold"), 0, 2)], width)
        for name, cell in zip(head[1:], row[1:], strict=False):
            if cell.plain.strip():
                label = Content.styled(f"{name.plain}: ", "$quiet") if name else Content()
                yield from folded([Row(label + cell, 2, 2)], width)
