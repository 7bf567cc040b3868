"""A sentence that begins with a digit, typed where a digit picks an option at once.

The digit has answered before the rest is typed. Nothing waits for that rest: a space (or the x of
"8x H100") that follows shortly brings the digit back into the line, and the finished line takes
the place of the pick.
"""

from __future__ import annotations

__all__ = ["Picks", "instead_of"]

_GOES_ON = frozenset(" xX")
"""Keys that begin no answer, and go on with a number."""
_REST = 5.0
"""Seconds within which a rest belongs to the digit before."""
_NEXT = 1.0
"""Seconds within which a digit belongs to the one before, as in 16."""


class Picks:
    """The digits that were picked last."""

    def __init__(self) -> None:
        self._digits = ""
        self._at = 0.0

    def add(self, digit: str, at: float) -> None:
        """Note a digit that was pressed ``at`` a time in seconds."""
        near = at - self._at <= _NEXT
        self._digits = self._digits + digit if near else digit
        self._at = at

    def forget(self) -> None:
        """Leave what was picked as it is."""
        self._digits = ""

    def before(self, value: str, key: str, at: float) -> str:
        """Return the picked digits that ``value`` and ``key`` go on with; empty where they do not.

        Args:
            value: What stands in the line already.
            key: The character that is typed now.
            at: When, in seconds.
        """
        if key not in _GOES_ON or not key or at - self._at > _REST:
            return ""
        return self._digits if not value or value.isdecimal() else ""


def instead_of(digits: str) -> str:
    """Return what becomes of picked digits that stand in the line again; empty without any."""
    if not digits:
        return ""
    return f"Enter says this in place of the pick ({', '.join(digits)}); Esc lets the pick stand."
