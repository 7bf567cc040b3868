"""How a value of a catalogue reads in a table cell, and how a filter compares it."""

from __future__ import annotations

import math

__all__ = ["MISSING", "UNVERIFIED_MARK", "cell_text", "comparable", "figures"]

MISSING = "-"
"""Not known, or does not apply."""
UNVERIFIED_MARK = " ?"
"""Follows a figure that was not seen in a primary source."""


def cell_text(value: object) -> str:
    """Return ``value`` as a reader expects it: yes and no, ``4,800``, lists with commas."""
    if value is None or value in ((), ""):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return figures(value)
    if isinstance(value, tuple):
        return ", ".join(cell_text(item) for item in value)
    return str(value)


def figures(value: float) -> str:
    """Return a number with thousands separators and without trailing zeros.

    >>> figures(327680.0), figures(0.53125), figures(70.55)
    ('327,680', '0.53125', '70.55')
    """
    if not math.isfinite(value):
        return MISSING
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.6f}".rstrip("0").rstrip(".")


def comparable(value: object) -> tuple[str, ...]:
    """Return the texts that select a row with ``value``; one for each element of a list."""
    if isinstance(value, tuple):
        return tuple(text for item in value for text in comparable(item))
    if value is None:
        return ()
    if isinstance(value, bool):
        return ("yes", "true") if value else ("no", "false")
    if isinstance(value, int | float):
        return (f"{value:.10g}",)
    return (str(value).casefold(),)
