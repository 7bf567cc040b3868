"""Whether the durable back end can be trusted on this machine."""

from __future__ import annotations

__all__ = ["durable_trouble"]


def durable_trouble() -> str | None:
    """Return why the durable back end cannot be used here, or None."""
    return "not built in"
