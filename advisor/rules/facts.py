"""Facts: what rules match on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["ANSWERS", "ITEM", "Fact", "Scalar"]

Scalar = str | int | float | bool
"""A field's value; an unknown value is absent."""

ANSWERS = "answers"
"""Kind of the one fact that holds the scalar answers; its fields are dotted keys."""
ITEM = "item"
"""Kind of the facts that hold list answers, one element each (``key``, ``value``)."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One immutable fact; a field that is missing or was given as None is unknown."""

    kind: str
    id: str
    """Unique among all facts of a consultation."""
    fields: Mapping[str, Scalar]
    open_fields: frozenset[str] = frozenset()
    """Fields that are not settled yet; only three-valued evaluation looks at them."""

    def __post_init__(self) -> None:
        known = {name: value for name, value in self.fields.items() if value is not None}
        object.__setattr__(self, "fields", MappingProxyType(known))

    def __hash__(self) -> int:
        return hash((self.kind, self.id))
