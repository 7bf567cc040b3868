"""What every record of the knowledge base has in common: identity and provenance."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["SECTION", "Record", "Source", "Strict"]

SECTION = r"^(\d+(\.\d+)?|[a-z][a-z0-9-]*(\.\d+)?)$"
"""Number of a handbook section: ``3.3``, or ``acme.1`` in a folder of one's own."""


class Strict(BaseModel):
    """Base of all data read from files: unknown keys are errors, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(Strict):
    """Where a fact was read."""

    title: str
    url: str | None = None
    date: str | None = None
    """Date of the material, ISO 8601 as far as it is known (``2026-08``)."""
    how: str = "read"
    """``read`` (text seen), ``recalled`` (known, not opened), ``derived`` or ``measured``."""


class Record(Strict):
    """One entry of a catalogue."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._+-]*$")
    sources: tuple[str, ...] = Field(min_length=1)
    """Ids of the file's ``sources`` map."""
    as_of: str = Field(pattern=r"^\d{4}(-\d{2}){0,2}$")
    """Date on which the record was last checked."""
    unverified: tuple[str, ...] = ()
    """Field names whose value was not seen in a primary source."""
    notes: tuple[str, ...] = ()
