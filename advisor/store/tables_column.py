"""The head of one column of a handbook table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Column", "number"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of one table."""

    head: str
    """With the unit, so that cells are bare numbers."""
    right: bool = False
    """Set flush right: numbers."""
    each: bool = False
    """Stands for several columns, one for each value that the catalogue has: see ``spread``
    in ``tables_rows``."""


def number(head: str) -> Column:
    """Return a column of numbers."""
    return Column(head, right=True)
