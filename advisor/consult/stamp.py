"""Whose knowledge spoke: what a consultation says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.consultation import KnowledgeStamp, OverlayStamp

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["stamp_of"]


def stamp_of(knowledge: Knowledge) -> KnowledgeStamp:
    """Return version and day of a knowledge base and of every overlay on it."""
    overlays = tuple(
        OverlayStamp(name=one.name, version=one.version, as_of=one.as_of)
        for one in knowledge.overlays
    )
    return KnowledgeStamp(version=knowledge.version, as_of=knowledge.as_of, overlays=overlays)
