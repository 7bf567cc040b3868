"""Consultations of which a test reads the warnings."""

from __future__ import annotations

from typing import Any

from consult_support import nested, told

from advisor.consult.consultation import Consultation
from advisor.store.loader import load_knowledge

__all__ = ["consulted", "gotchas", "shown"]


def consulted(answers: dict[str, Any], engine: str = "reference") -> Consultation:
    return told(nested(dict(answers)), engine)


def shown(answers: dict[str, Any]) -> list[str]:
    return [warning.id for warning in consulted(answers).warnings]


def gotchas(answers: dict[str, Any]) -> set[str]:
    """Return the ids of the gotchas that are shown, without the warnings of other rules."""
    known = load_knowledge().gotchas
    return {name for name in shown(answers) if name in known}
