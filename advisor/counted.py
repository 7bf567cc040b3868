"""How many of something, in words: "1 request", "2,048 requests"."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Return ``number`` with ``noun``, which is given in the singular and takes a plain s."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
