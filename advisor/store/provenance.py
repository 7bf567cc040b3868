"""Showing one record of a catalogue with where each fact comes from (``kb show``)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from advisor.errors import Problem, UnknownNameError
from advisor.store.loader import Knowledge
from advisor.store.loader_errors import nearest_names
from advisor.store.loader_files import Entry
from advisor.store.loader_layout import CATALOGUES
from advisor.store.records import Source

__all__ = ["catalogue_names", "describe_record", "find_entry", "record_as_dict"]

_UNITS: dict[str, str] = {
    "_gib": "GiB", "_gb": "GB", "_gbs": "GB/s", "_w": "W", "_usd": "USD", "usd_per_hour": "USD/h",
    "_tokens": "tokens", "_parameters_b": "x 1e9", "parameters_b": "x 1e9",
    "gbs_per_direction": "GB/s", "gbs_bidirectional": "GB/s",
    "gbs_per_stack_low": "GB/s", "gbs_per_stack_high": "GB/s",
}  # fmt: skip
_TFLOPS = {"bf16": "TFLOPS", "fp8": "TFLOPS", "fp4": "TFLOPS", "int8": "TOPS"}
_SINGULAR = {
    "gpu": "gpus", "model": "models", "mig": "mig_tables", "mig_table": "mig_tables",
    "interconnect": "interconnects", "link": "interconnects", "ratio": "ratios",
    "format": "formats", "kv_format": "kv_formats", "price": "prices",
    "purchase": "purchases", "trend": "trends",
}  # fmt: skip
_APART = ("id", "name", "as_of", "sources", "unverified", "notes")
_WIDTH = 100


def catalogue_names() -> tuple[str, ...]:
    """Return the collections that ``kb show`` knows, by their plural names."""
    return tuple(
        collection
        for catalogue in CATALOGUES.values()
        for collection in catalogue.collections
        if collection != "ambiguous_names"
    )


def find_entry(knowledge: Knowledge, catalogue: str, record_id: str) -> Entry:
    """Return one record and its sources.

    Args:
        knowledge: Where to look.
        catalogue: ``gpu`` or ``gpus``, ``model``, ``price`` and so on.
        record_id: Its id; for GPUs and models any name, for prices the instance (newest row).

    Raises:
        UnknownNameError: There is no such catalogue or record.
    """
    collection = _SINGULAR.get(catalogue, catalogue)
    known = catalogue_names()
    if collection not in known:
        message = f"There is no catalogue {catalogue!r}."
        nearest = nearest_names(catalogue, known)
        raise UnknownNameError(
            Problem("unknown_catalogue", message, allowed=known, nearest=nearest)
        )
    if collection == "gpus":
        record_id = knowledge.find_gpu(record_id).id
    elif collection == "models":
        record_id = knowledge.find_model(record_id).id
    owner = next(c for c in CATALOGUES.values() if collection in c.collections)
    entries = knowledge.catalogue(owner.name).entries[collection]
    found = [entry for entry in entries if _identity(entry.record) == record_id]
    if not found:
        message = f"There is no {record_id!r} in {collection}."
        nearest = nearest_names(record_id, [_identity(entry.record) for entry in entries])
        raise UnknownNameError(Problem("unknown_record", message, nearest=nearest))
    return max(found, key=lambda entry: str(entry.record.as_of))


def record_as_dict(knowledge: Knowledge, catalogue: str, record_id: str) -> dict[str, Any]:
    """Return the record with its sources resolved and the file it stands in, for JSON.

    Raises:
        UnknownNameError: There is no such catalogue or record.
    """
    entry = find_entry(knowledge, catalogue, record_id)
    data: dict[str, Any] = entry.record.model_dump(mode="json")
    data["sources"] = [
        {"id": source, **entry.sources[source].model_dump(mode="json")}
        for source in entry.record.sources
    ]
    return {"file": entry.file, "record": data}


def describe_record(knowledge: Knowledge, catalogue: str, record_id: str) -> str:
    """Return the record as text: every field with its unit, then notes and sources.

    Raises:
        UnknownNameError: There is no such catalogue or record.
    """
    entry = find_entry(knowledge, catalogue, record_id)
    record = entry.record
    unverified = getattr(record, "unverified", ())
    title = getattr(record, "name", None) or getattr(record, "gpu", None)
    title = title or getattr(record, "title", "")
    lines = [f"{_identity(record)}: {title}" if title else str(_identity(record))]
    lines += [f"in {entry.file}, checked {record.as_of}", ""]
    for name, value, unit in _fields(record, apart=_APART):
        mark = "  (unverified)" if _is_unverified(name, unverified) else ""
        lines += _wrapped(f"{name:<42}", f"{value}{unit}{mark}")
    for note in getattr(record, "notes", ()):
        lines += _wrapped("- ", note)
    lines += ["", "Sources:"]
    for source in record.sources:
        lines += _source_lines(source, entry.sources[source])
    return "\n".join(lines)


def _identity(record: Any) -> str:  # noqa: ANN401 - any record class
    for name in ("id", "instance", "item", "what"):
        if (value := getattr(record, name, None)) is not None:
            return str(value)
    return type(record).__name__


def _fields(
    record: BaseModel, prefix: str = "", apart: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, str]]:
    """Yield dotted name, text and unit of every field that says something."""
    for name in type(record).model_fields:
        value = getattr(record, name)
        if value is None or value in ((), {}) or name in apart:
            continue
        if isinstance(value, BaseModel):
            yield from _fields(value, f"{prefix}{name}.")
        elif isinstance(value, tuple) and isinstance(value[0], BaseModel):
            for position, item in enumerate(value):
                yield f"{prefix}{name}[{position}]", _inline(item), ""
        else:
            yield prefix + name, _text(value), _unit(prefix, name, value)


def _inline(record: BaseModel) -> str:
    return ", ".join(f"{name} {value}{unit}" for name, value, unit in _fields(record))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, tuple):
        return ", ".join(_text(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
    return str(value)


def _unit(prefix: str, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if prefix == "tflops.":
        return f" {_TFLOPS[name]}"
    for ending in sorted(_UNITS, key=len, reverse=True):
        if name.endswith(ending):
            return f" {_UNITS[ending]}"
    return ""


def _is_unverified(name: str, unverified: tuple[str, ...]) -> bool:
    return any(name == field or name.startswith((f"{field}.", f"{field}[")) for field in unverified)


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _source_lines(source_id: str, source: Source) -> list[str]:
    facts = ", ".join(part for part in (source.date, source.how) if part)
    lines = _wrapped(f"  {source_id}: ", f"{source.title} ({facts})")
    return [*lines, f"    {source.url}"] if source.url else lines
