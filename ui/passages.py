"""What of a long section the advice rests on: marks for it, and the rest of its tables left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from textual.content import Content

__all__ = ["MARK", "marked", "shortened"]

MARK = ">> "
"""Stands before what the advice rests on; no colour is needed to see it."""


def marked(text: Content) -> Content:
    """Return a heading, or the first cell of a row, as what the advice rests on."""
    return Content.styled(MARK, "bold $fresh") + text.stylize("bold")


def shortened(text: str, passages: Collection[str], section: str) -> str:
    """Return a section with only those rows of tables that a passage names.

    Tables without such a row stay whole; how many rows are left out is said below each.

    Args:
        text: The section, as Markdown.
        passages: Cells that name a row.
        section: Its number, for the command that prints all.
    """
    lines: list[str] = []
    table: list[str] = []
    for line in (*text.split("\n"), ""):
        if line.startswith("|"):
            table.append(line)
            continue
        lines += _rows(table, passages, section)
        table = []
        lines.append(line)
    return "\n".join(lines).rstrip()


def _rows(table: list[str], passages: Collection[str], section: str) -> Iterator[str]:
    head, rows = table[:2], table[2:]
    kept = [row for row in rows if any(f"| {one} |" in row for one in passages)]
    if not kept or len(kept) == len(rows):
        yield from table
        return
    yield from head
    yield from kept
    left = len(rows) - len(kept)
    yield ""
    yield f"{left} more row{'s' if left > 1 else ''}: `gpu-advisor cite {section}` prints all."
