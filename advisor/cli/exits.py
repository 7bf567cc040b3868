"""Exit codes: a promise to scripts."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """What the process returns."""

    DONE = 0
    """Answered; a model that does not fit is data, not an error."""
    FINDINGS = 1
    """Answered, and there is something to act on (``--strict``, faults in the knowledge base)."""
    BAD_INPUT = 2
    """The command line or a file could not be used."""
    INTERNAL = 3
    """A fault of this program."""
