"""Catalogue records as flat rows: dotted fields, and the figures that are derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge
    from advisor.store.model import Model
__all__ = ["ROWS", "Dated", "Row", "kv_bytes_per_token_bf16"]

_GROWING = frozenset({"full", "latent", "compressed"})
"""Kinds of cache that grow with the whole context; windows and states are bounded."""


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
        fields = self.record.unverified
        return any(column == name or column.startswith(f"{name}.") for name in fields)


def kv_bytes_per_token_bf16(model: Model) -> float | None:
    """Return what one more token adds to a 16-bit cache of the whole model, in bytes.

    Sum over the layers that keep the whole context, without tensor parallelism (handbook
    section 7.3); ``None`` for encoders, which keep no cache, and where shapes are not known.
    """
    from advisor.sizing.cache_layers import cache_layers

    if "attention" in model.unknown_shapes:
        return None
    groups = cache_layers(model, tensor_parallel=1, kv_format="bf16")
    growing = [group for group in groups if group.kind in _GROWING]
    return sum(group.layers * group.bytes_per_token for group in growing) or None


def _plain(records: Mapping[str, Any]) -> Iterator[Row]:
    for record in records.values():
        yield Row({}, record, {"name": (record.id,)})


def _gpus(knowledge: Knowledge) -> Iterator[Row]:
    return _plain(knowledge.gpus)


def _interconnects(knowledge: Knowledge) -> Iterator[Row]:
    return _plain(knowledge.interconnects)


def _formats(knowledge: Knowledge) -> Iterator[Row]:
    return _plain(knowledge.formats)


def _models(knowledge: Knowledge) -> Iterator[Row]:
    for model in knowledge.models.values():
        derived = {"kv_bytes_per_token_bf16": kv_bytes_per_token_bf16(model)}
        yield Row(derived, model, {"name": (model.id,)})


def _mig_profiles(knowledge: Knowledge) -> Iterator[Row]:
    for table in knowledge.mig_tables.values():
        for profile in table.profiles:
            values = {name: getattr(profile, name) for name in type(profile).model_fields}
            values |= {"table": table.id, "gpu": table.gpu}
            yield Row(values, table, {"gpu": (table.id,)})


def _allreduce(knowledge: Knowledge) -> Iterator[Row]:
    """Pivot: one line per GPU and message size, one column per number of GPUs."""
    for record in knowledge.allreduce.values():
        gpu, link = knowledge.gpus.get(record.gpu), knowledge.interconnects.get(record.link)
        for size in sorted({point.message_elements for point in record.points}):
            points = [point for point in record.points if point.message_elements == size]
            values: dict[str, Any] = {
                "gpu": gpu.name if gpu else record.gpu,
                "link": link.name if link else record.link,
                "message_elements": size,
                "library": tuple(dict.fromkeys(point.library for point in points)),
            }
            values |= {f"gpus_{point.gpus}": point.microseconds for point in points}
            yield Row(values, record, {"gpu": (record.gpu,), "link": (record.link,)})


def _rules(knowledge: Knowledge) -> Iterator[Row]:
    from advisor.store.tables_rules import rule_rows

    return rule_rows(knowledge)


ROWS: Mapping[str, Callable[[Knowledge], Iterator[Row]]] = MappingProxyType(
    {
        "allreduce": _allreduce,
        "formats": _formats,
        "gpus": _gpus,
        "interconnects": _interconnects,
        "mig_profiles": _mig_profiles,
        "models": _models,
        "rules": _rules,
    }
)
"""Table name to its lines, in the order of the catalogue."""
