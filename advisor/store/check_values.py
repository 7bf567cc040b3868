"""``kb check`` inside a record: days that no calendar has, numbers below nothing, names twice.

Schemas check the form of a value; what is wrong here has the right form.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from pydantic import BaseModel

from advisor.store.loader_yaml import KeyPath
from advisor.store.records import DATE

__all__ = ["value_faults"]

Fault = tuple[str, str, KeyPath]
"""Code, message, and the path of the key inside the record."""

_NAMES = ("id", "profile")
"""Fields by which parts of a record are told apart."""


def value_faults(record: BaseModel) -> Iterator[Fault]:
    """Yield what cannot be true of a single value anywhere inside a record."""
    yield from _below_nothing(record, ())
    yield from _no_days(record, ())
    yield from _twice(record, ())


def _below_nothing(value: Any, path: KeyPath) -> Iterator[Fault]:  # noqa: ANN401 - any value
    """Find negative numbers: memory, rates, prices, counts and times never are."""
    if isinstance(value, int | float):
        if value < 0:
            yield "contradiction", f"{value:g} is below zero.", path
        return
    for inner, key in _inside(value):
        yield from _below_nothing(inner, (*path, key))


def _no_days(value: Any, path: KeyPath) -> Iterator[Fault]:  # noqa: ANN401 - any value
    """Find dates of the right form that no calendar has, whatever their field is called."""
    fields = type(value).model_fields if isinstance(value, BaseModel) else {}
    for name, field in fields.items():
        text = getattr(value, name)
        dated = any(getattr(item, "pattern", None) == DATE for item in field.metadata)
        if name != "as_of" and dated and isinstance(text, str) and not _is_day(text):
            yield "bad_date", f"{text} is no date.", (*path, name)
    for inner, key in _inside(value):
        yield from _no_days(inner, (*path, key))


def _twice(value: Any, path: KeyPath) -> Iterator[Fault]:  # noqa: ANN401 - any value
    """Find parts of a record, such as causes or profiles, of which two have one name."""
    seen: set[str] = set()
    for inner, key in _inside(value):
        for field in _NAMES if isinstance(value, tuple) else ():
            name = getattr(inner, field, None)
            if isinstance(name, str) and name in seen:
                message = f"Another part of this record is called {name} already."
                yield "duplicate_id", message, (*path, key, field)
            elif isinstance(name, str):
                seen.add(name)
        yield from _twice(inner, (*path, key))


def _inside(value: Any) -> Iterator[tuple[Any, str | int]]:  # noqa: ANN401 - any value
    """Yield what a record, list or mapping holds, with its key."""
    if isinstance(value, BaseModel):
        yield from ((getattr(value, name), name) for name in type(value).model_fields)
    elif isinstance(value, tuple):
        yield from ((item, position) for position, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((item, str(key)) for key, item in value.items())


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        return False
    return True
