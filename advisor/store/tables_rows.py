"""Catalogue records as flat rows: dotted fields, and the figures that are derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from advisor.store.tables_cells import figures
from advisor.store.tables_row import Row
from advisor.store.tables_rows_kubernetes import KUBERNETES_ROWS

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge
    from advisor.store.mig import MigTable
    from advisor.store.model import Model

__all__ = ["ROWS", "SPREAD", "kv_bytes_per_token_bf16"]

_GROWING = frozenset({"full", "latent", "compressed"})
"""Kinds of cache that grow with the whole context; windows and states are bounded."""


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


def _mig_sizes(knowledge: Knowledge) -> Iterator[Row]:
    """Pivot: one line per MIG table, memory in the name of the smallest profile of each size."""
    for table in knowledge.mig_tables.values():
        sizes = {f"slices_{count}": _sizes(table, count)[0] for count in (1, 2, 3, 4, 7)}
        whole = _sizes(table, table.compute_slices)[-1]
        values = {
            **sizes,
            "slices_1_largest": _sizes(table, 1)[-1],
            "whole": whole and f"{figures(whole)} ({table.compute_slices}g)",
            "instances": max(profile.max_instances for profile in table.profiles),
            "table": table.id,
            "gpu": table.gpu,
        }
        yield Row(values, table, {"gpu": (table.id,)})


def _sizes(table: MigTable, compute_slices: int) -> tuple[float | None, ...]:
    """Return the memory of the profiles with so many compute slices, in GB, least first."""
    profiles = [p for p in table.profiles if p.compute_slices == compute_slices]
    return tuple(sorted(p.memory_gb for p in profiles)) or (None,)


def _engines(knowledge: Knowledge) -> Iterator[Row]:
    return _plain(knowledge.engines)


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


def _minors(knowledge: Knowledge) -> tuple[str, ...]:
    return tuple(knowledge.kubernetes_releases)


ROWS: Mapping[str, Callable[[Knowledge], Iterator[Row]]] = MappingProxyType(
    {
        "allreduce": _allreduce,
        "engines": _engines,
        "formats": _formats,
        "gpus": _gpus,
        "interconnects": _interconnects,
        "mig_profiles": _mig_profiles,
        "mig_sizes": _mig_sizes,
        "models": _models,
        "rules": _rules,
        **KUBERNETES_ROWS,
    }
)
"""Table name to its lines, in the order of the catalogue; gotchas the worst first."""

SPREAD: Mapping[tuple[str, str], Callable[[Knowledge], tuple[str, ...]]] = MappingProxyType(
    {("dra_gates", "stages"): _minors}
)
"""Table and column to the columns that it stands for: a new minor version needs no edit."""
