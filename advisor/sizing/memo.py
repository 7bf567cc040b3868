"""A bounded memory of results, keyed on inputs that may not be hashable themselves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["Memo"]

_V = TypeVar("_V")


class Memo(Generic[_V]):
    """Results by key; records take part by identity and are kept alive while remembered.

    Catalogue records are frozen, so identity is enough; holding them keeps an ``id`` from
    being reused for another record.
    """

    __slots__ = ("_held", "_limit", "_values")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[Hashable, _V] = {}
        self._held: dict[int, object] = {}

    def get(self, records: tuple[object, ...], key: Hashable, make: Callable[[], _V]) -> _V:
        """Return the value for ``records`` and ``key``, made on first use."""
        full = (tuple(id(record) for record in records), key)
        found = self._values.get(full)
        if found is not None:
            return found
        if len(self._values) >= self._limit:
            self._values.clear()
            self._held.clear()
        for record in records:
            self._held[id(record)] = record
        value = self._values[full] = make()
        return value
