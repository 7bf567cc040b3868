"""What every record of the knowledge base has in common: identity and provenance."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DATE", "ID", "SECTION", "VERSION", "Record", "Source", "Strict"]

DATE = r"^\d{4}(-\d{2}){0,2}$"
"""``2026``, ``2026-11`` or ``2026-11-30``; whether the day exists is said by ``kb check``."""
ID = r"^[a-z0-9][a-z0-9._+-]*$"
"""Name of a record."""
VERSION = r"^\d+(\.\d+)*([-.]?(a|alpha|b|beta|rc|dev|post)[0-9.]*)?$"
"""A version without a leading v: ``1.36.2``, ``595.91.07``, ``4.6.0-4.8.3`` is written 4.6.0."""

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

    id: str = Field(pattern=ID)
    sources: tuple[str, ...] = Field(min_length=1)
    """Ids of the file's ``sources`` map."""
    as_of: str = Field(pattern=DATE)
    """Date on which the record was last checked."""
    unverified: tuple[str, ...] = ()
    """Field names whose value was not seen in a primary source."""
    notes: tuple[str, ...] = ()
