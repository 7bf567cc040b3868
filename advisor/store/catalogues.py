"""Records that more than one small catalogue uses."""

from __future__ import annotations

from advisor.store.records import Record

__all__ = ["Statement"]


class Statement(Record):
    """A fact that is a sentence, not a figure."""

    text: str
