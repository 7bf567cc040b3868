"""Schema of names that mean several records (``ambiguous_names`` of GPUs and models)."""

from __future__ import annotations

from pydantic import Field

from advisor.store.records import ID, Strict

__all__ = ["AmbiguousName"]


class AmbiguousName(Strict):
    """A name people use for several products, and which one is meant most often."""

    id: str = Field(pattern=ID)
    names: tuple[str, ...] = Field(min_length=1)
    """What people write: ``H100``."""
    candidates: tuple[str, ...] = Field(min_length=1)
    """Record ids, most common first; the first that matches the rest of the text is assumed."""
    differs: str
    """One clause on what the choice changes; shown with the assumption."""
    refuse: bool = False
    """True when no candidate is common enough to assume: the user must say which."""
