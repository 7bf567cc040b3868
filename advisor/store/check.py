"""``kb check`` for the catalogues: what the schemas cannot see.

Each check is a function of the knowledge base and today's date that returns problems. To add
one, write it and append it to :data:`CHECKS`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from advisor.errors import KnowledgeError, Problem
from advisor.store.aliases import gpu_names, model_names, squash
from advisor.store.loader import Knowledge
from advisor.store.loader_errors import line_of, nearest_names
from advisor.store.loader_files import Entry
from advisor.store.loader_layout import CATALOGUES
from advisor.store.loader_yaml import KeyPath, locate_keys

__all__ = ["CHECKS", "INFORMATION", "Check", "check_knowledge"]

Check = Callable[[Knowledge, date | None], list[Problem]]

INFORMATION = frozenset({"stale_records", "rule_waits"})
"""Codes that inform and do not fail ``kb check``."""

_STALE_DAYS = {"prices": 60, "purchases": 60, "trends": 60}
"""Rents moved by a third within a quarter of 2026; hardware facts keep longer."""
_STALE_DAYS_OTHERWISE = 365


def check_knowledge(knowledge: Knowledge, today: date | None = None) -> list[Problem]:
    """Return everything that is wrong with the catalogues, in the order of :data:`CHECKS`.

    Args:
        knowledge: What to check; nothing needs to be loaded yet.
        today: Date for the checks of age; without it they are skipped.
    """
    return [problem for check in CHECKS for problem in check(knowledge, today)]


def check_schemas(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find what the loader refuses: bad YAML, unknown keys, wrong values, missing sources."""
    del today
    try:
        knowledge.load_all()
    except KnowledgeError as error:
        return list(error.problems)
    return []


def check_names(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find names that two records share without an entry that says which one is meant."""
    del today
    problems: list[Problem] = []
    for catalogue, names_of in (("gpus", gpu_names), ("models", model_names)):
        usual = {
            squash(name)
            for entry in _entries(knowledge, catalogue, "ambiguous_names")
            for name in entry.record.names
        }
        owners: dict[str, Entry] = {}
        for entry in _entries(knowledge, catalogue, catalogue):
            for name in names_of(entry.record):
                first = owners.setdefault(squash(name), entry)
                if first.record.id != entry.record.id and squash(name) not in usual:
                    message = f"The name {name!r} also means {first.record.id}."
                    problems.append(_problem(knowledge, entry, "shared_name", message))
            for name in entry.record.aliases:
                if squash(name) in usual:
                    message = f"The alias {name!r} never applies: ambiguous_names has it."
                    problems.append(_problem(knowledge, entry, "shadowed_name", message))
    return problems


def check_references(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find ids of other records that do not exist."""
    del today
    gpus = [entry.record.id for entry in _entries(knowledge, "gpus", "gpus")]
    models = [entry.record.id for entry in _entries(knowledge, "models", "models")]
    tables = [entry.record.id for entry in _entries(knowledge, "mig", "mig_tables")]
    links = [entry.record.id for entry in _entries(knowledge, "interconnects", "interconnects")]
    known = {
        "gpu": gpus, "model": models, "MIG table": tables, "link": links,
    }  # fmt: skip
    problems = []
    for kind, value, entry, path in _references(knowledge):
        if known[kind] and value not in known[kind]:
            message = f"There is no {kind} {value}."
            nearest = nearest_names(value, known[kind])
            problems.append(_problem(knowledge, entry, "unknown_id", message, path, nearest))
    return problems


def check_unverified(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find ``unverified`` entries that name no field of their record."""
    del today
    problems = []
    for _, entry in _all_entries(knowledge):
        for position, name in enumerate(getattr(entry.record, "unverified", ())):
            if not _has_field(type(entry.record), name.split(".")):
                message = f"unverified names {name}, which is no field of this record."
                nearest = nearest_names(name, list(type(entry.record).model_fields))
                path = ("unverified", position)
                problems.append(_problem(knowledge, entry, "unknown_key", message, path, nearest))
    return problems


def check_sources_used(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find sources that no record of their file cites, be it replaced by one of another folder."""
    del today
    used: dict[str, set[str]] = defaultdict(set)
    files: dict[str, Entry] = {}
    for entry in (*(entry for _, entry in _all_entries(knowledge)), *_replaced(knowledge)):
        files.setdefault(entry.file, entry)
        used[entry.file].update(getattr(entry.record, "sources", ()))
    problems = []
    for file, entry in files.items():
        for source in entry.sources.keys() - used[file]:
            lines = _lines(knowledge, file)
            message = f"No record of this file cites the source {source}."
            line, key = lines.get(("sources", source)), f"sources.{source}"
            problems.append(Problem("unused_source", message, file, line, key))
    return sorted(problems, key=lambda problem: (problem.file or "", problem.line or 0))


def check_dates(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find dates that do not exist or lie in the future."""
    problems = []
    for _, entry in _all_entries(knowledge):
        as_of = getattr(entry.record, "as_of", None)
        if as_of is None:
            continue
        day = _first_day(as_of)
        if day is None or (today is not None and day > today):
            message = f"{as_of} lies in the future." if day else f"{as_of} is no date."
            problems.append(_problem(knowledge, entry, "bad_date", message, ("as_of",)))
    return problems


def check_age(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Tell, once per collection, how many records have not been checked for too long."""
    if today is None:
        return []
    dated: dict[str, list[tuple[date, Entry]]] = defaultdict(list)
    for collection, entry in _all_entries(knowledge):
        if (day := _first_day(getattr(entry.record, "as_of", ""))) is not None:
            dated[collection].append((day, entry))
    problems = []
    for collection, entries in dated.items():
        limit = _STALE_DAYS.get(collection, _STALE_DAYS_OTHERWISE)
        stale = [(day, entry) for day, entry in entries if (today - day).days > limit]
        if stale:
            _, oldest = min(stale, key=lambda item: item[0])
            message = (
                f"{len(stale)} of {len(entries)} records are older than {limit} days; "
                f"the oldest is of {oldest.record.as_of}."
            )
            problems.append(_problem(knowledge, oldest, "stale_records", message, ("as_of",)))
    return problems


def check_gpu_figures(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find GPU figures that contradict each other."""
    del today
    problems = []
    for entry in _entries(knowledge, "gpus", "gpus"):
        gpu = entry.record
        faults = {
            "engine_memory_gib": gpu.engine_memory_gib > gpu.memory_gb,
            "board_memory_gib": (gpu.board_memory_gib or gpu.engine_memory_gib)
            < gpu.engine_memory_gib,
            "tflops.fp8": gpu.tflops.fp8 is not None and not gpu.precisions.fp8,
            "tflops.fp4": gpu.tflops.fp4 is not None and not gpu.precisions.fp4_formats,
            "compute_capability": gpu.vendor == "nvidia"
            and gpu.compute_capability is None
            and gpu.status != "announced",
            "gfx_target": gpu.vendor == "amd"
            and gpu.gfx_target is None
            and gpu.status != "announced",
        }
        for field in (name for name, wrong in faults.items() if wrong):
            message = f"{field} contradicts the other figures of this card, or is missing."
            path = tuple(field.split("."))
            problems.append(_problem(knowledge, entry, "contradiction", message, path))
    return problems


def check_mig_figures(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find MIG profiles that do not fit on their GPU, or are not what their name says."""
    del today
    from advisor.store.check_shapes import mig_faults

    return [
        _problem(knowledge, entry, "contradiction", message, path)
        for entry in _entries(knowledge, "mig", "mig_tables")
        for message, path in mig_faults(entry.record)
    ]


def check_shapes(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find shapes that cannot be; see :mod:`advisor.store.check_shapes`."""
    del today
    from advisor.store.check_shapes import gpu_faults, model_faults

    return [
        _problem(knowledge, entry, "contradiction", message, path)
        for catalogue, faults in (("models", model_faults), ("gpus", gpu_faults))
        for entry in _entries(knowledge, catalogue, catalogue)
        for message, path in faults(entry.record)
    ]


def check_values(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find negative numbers and days that do not exist; see :mod:`advisor.store.check_values`."""
    del today
    from advisor.store.check_values import value_faults

    return [
        _problem(knowledge, entry, code, message, path)
        for _, entry in _all_entries(knowledge)
        for code, message, path in value_faults(entry.record)
    ]


def check_kubernetes(knowledge: Knowledge, today: date | None) -> list[Problem]:
    """Find broken pointers of the Kubernetes layer; see :mod:`advisor.store.check_kubernetes`."""
    del today
    from advisor.store.check_kubernetes import kubernetes_faults

    return [
        _problem(knowledge, fault.entry, fault.code, fault.message, fault.path, fault.nearest)
        for fault in kubernetes_faults(knowledge)
    ]


CHECKS: list[Check] = [
    check_schemas,
    check_names,
    check_references,
    check_unverified,
    check_sources_used,
    check_gpu_figures,
    check_mig_figures,
    check_shapes,
    check_values,
    check_kubernetes,
    check_dates,
    check_age,
]


def _entries(knowledge: Knowledge, catalogue: str, collection: str) -> tuple[Entry, ...]:
    """Return the entries, or none if the catalogue is broken (check_schemas says how)."""
    try:
        return knowledge.catalogue(catalogue).entries[collection]
    except KnowledgeError:
        return ()


def _all_entries(knowledge: Knowledge) -> Iterator[tuple[str, Entry]]:
    for catalogue in CATALOGUES.values():
        for collection in catalogue.collections:
            for entry in _entries(knowledge, catalogue.name, collection):
                yield collection, entry


def _replaced(knowledge: Knowledge) -> Iterator[Entry]:
    for name in CATALOGUES:
        try:
            yield from knowledge.catalogue(name).replaced
        except KnowledgeError:
            continue  # check_schemas says how it is broken


def _references(knowledge: Knowledge) -> Iterator[tuple[str, str, Entry, KeyPath]]:
    """Yield every reference: kind, id, where it stands."""
    for catalogue, kind in (("gpus", "gpu"), ("models", "model")):
        for entry in _entries(knowledge, catalogue, "ambiguous_names"):
            for position, candidate in enumerate(entry.record.candidates):
                yield kind, candidate, entry, ("candidates", position)
    for entry in _entries(knowledge, "gpus", "gpus"):
        if entry.record.mig.profile_table is not None:
            yield "MIG table", entry.record.mig.profile_table, entry, ("mig", "profile_table")
    for collection in ("prices", "purchases"):
        for entry in _entries(knowledge, "prices", collection):
            yield "gpu", entry.record.gpu, entry, ("gpu",)
    for entry in _entries(knowledge, "allreduce", "allreduce"):
        yield "gpu", entry.record.gpu, entry, ("gpu",)
        yield "link", entry.record.link, entry, ("link",)
    for entry in _entries(knowledge, "interconnects", "ratios"):
        yield "link", entry.record.faster, entry, ("faster",)
        yield "link", entry.record.slower, entry, ("slower",)


def _has_field(schema: type[BaseModel], path: list[str]) -> bool:
    """Tell whether ``path`` names a field; below the first level only records are followed."""
    field = schema.model_fields.get(path[0])
    if field is None or len(path) == 1:
        return field is not None
    inner: Any = field.annotation
    follows = isinstance(inner, type) and issubclass(inner, BaseModel)
    return not follows or _has_field(inner, path[1:])


def _first_day(as_of: str) -> date | None:
    """Return the first day that ``2026``, ``2026-08`` or ``2026-08-21`` can mean."""
    try:
        return date.fromisoformat(f"{as_of}-01-01"[:10])
    except ValueError:
        return None


@lru_cache(maxsize=4)
def _lines(knowledge: Knowledge, file: str) -> dict[KeyPath, int]:
    return locate_keys(knowledge.file(file).read_text(encoding="utf-8"))


def _problem(
    knowledge: Knowledge,
    entry: Entry,
    code: str,
    message: str,
    path: KeyPath = (),
    nearest: tuple[str, ...] = (),
) -> Problem:
    """Return a problem of ``entry`` with its line; ``path`` leads on from the record."""
    line = line_of(_lines(knowledge, entry.file), (*entry.place, *path))
    name = getattr(entry.record, "id", entry.place[1])
    key = ".".join(str(part) for part in (entry.place[0], name, *path))
    return Problem(code, message, entry.file, line, key, (), nearest)
