"""One line of a handbook table before its columns are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = ["Dated", "Row"]


class Dated(Protocol):
    """What a table needs of a record: its date, and what in it is not confirmed."""

    @property
    def as_of(self) -> str:
        """Day on which it was checked."""

    @property
    def unverified(self) -> tuple[str, ...]:
        """Fields that were not seen in a primary source."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table before columns are chosen."""

    values: Mapping[str, Any]
    """Column name to value; dotted fields are looked up in ``record`` when absent."""
    record: Dated
    """Where the line comes from: its date, and what in it is unverified."""
    words: Mapping[str, tuple[str, ...]]
    """Other spellings that a filter may use, by column: the id beside the name."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Columns that are made of a field of another name: they are as doubtful as that field."""

    def value(self, column: str) -> object:
        """Return the value of ``column``, or ``None``."""
        if column in self.values:
            return self.values[column]
        found: Any = self.record
        for part in column.split("."):
            found = getattr(found, part, None)
        return found

    def is_unverified(self, column: str) -> bool:
        """Tell whether the record lists ``column``, or what it is part of, as unverified."""
        source = self.fields.get(column, column)
        fields = self.record.unverified
        return any(source == name or source.startswith(f"{name}.") for name in fields)
