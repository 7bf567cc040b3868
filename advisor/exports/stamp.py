"""Whose knowledge an export shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["stamp_text"]


def stamp_text(knowledge: Knowledge) -> str:
    """Return one line: program, version and day of the knowledge and of what lies on it."""
    from advisor import __version__
    from advisor.consult.stamp import stamp_of

    return f"gpu-advisor {__version__}, knowledge {stamp_of(knowledge).text}"
