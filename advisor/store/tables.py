"""Tables of the handbook made from the catalogues: columns chosen, rows kept, figures printed.

``columns`` lists what to show; every other option keeps the rows whose field has one of the
comma-separated values. Rows come in the order of the catalogue, or in that of a filter by id.
What columns there are is in ``tables_columns``, what lines in ``tables_rows``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from advisor.errors import Problem, UnknownNameError
from advisor.store.handbook_tables import Table, TableProvider
from advisor.store.tables_cells import UNVERIFIED_MARK, cell_text, comparable
from advisor.store.tables_column import Column
from advisor.store.tables_columns import COLUMNS
from advisor.store.tables_row import Row
from advisor.store.tables_rows import ROWS, SPREAD

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["catalogue_tables"]

_WORDS_OF_RULES = {
    "decision": ("gpu", "sharing", "parallelism", "provisioning"),
    "effect": ("derive", "recommend", "require", "reject", "warn"),
    "strength": ("must", "should", "may"),
    "severity": ("critical", "warning", "info"),
}
"""Values that a filter of the rules may name although no rule has them yet."""
_TITLES = {
    "alerts": "catalogue of alerts",
    "allreduce": "measured all-reduce times",
    "capacity_kinds": "catalogue of capacity",
    "capacity_offers": "catalogue of capacity",
    "component_versions": "catalogue of components",
    "components": "catalogue of components",
    "dra_gates": "catalogue of feature gates",
    "engines": "catalogue of engines",
    "floors": "catalogue of components",
    "formats": "catalogue of formats",
    "gotchas": "catalogue of gotchas",
    "gpus": "GPU catalogue",
    "interconnects": "catalogue of links",
    "kubernetes_bugs": "catalogue of Kubernetes releases",
    "kubernetes_releases": "catalogue of Kubernetes releases",
    "metrics": "catalogue of metrics",
    "mig_profiles": "MIG catalogue",
    "mig_sizes": "MIG catalogue",
    "models": "model catalogue",
    "node_images": "catalogue of node images",
    "platforms": "catalogue of platforms",
    "provisioners": "catalogue of ways to provision",
    "rdma_exposures": "catalogue of ways to RDMA",
    "rules": "rules",
    "sharing_modes": "catalogue of sharing modes",
    "versions_to_avoid": "catalogue of components",
    "xids": "catalogue of Xid codes",
}


def catalogue_tables(knowledge: Knowledge) -> TableProvider:
    """Return the provider that expands the table directives of the handbook.

    Args:
        knowledge: Where the rows come from; a catalogue is read when a table first needs it.

    Returns:
        A function of a table's name and options. It raises ``UnknownNameError`` for a table,
        column, filter or value of a filter that does not exist.
    """

    @cache
    def rows_of(name: str) -> tuple[Row, ...]:
        return tuple(ROWS[name](knowledge))

    def provide(name: str, options: Mapping[str, str], /) -> Table:
        if name not in COLUMNS:
            raise _unknown("table", name, COLUMNS)
        columns = _chosen(name, options.get("columns", ""))
        filters = {key: value for key, value in options.items() if key != "columns"}
        heads = _heads(knowledge, name, columns)
        return _table(name, heads, _kept(name, rows_of(name), filters))

    return provide


def _chosen(name: str, listed: str) -> list[str]:
    columns = _words(listed)
    if not columns:
        message = "Say which columns to show: columns=name,..."
        raise UnknownNameError(
            Problem("missing_columns", message, key="columns", allowed=tuple(COLUMNS[name]))
        )
    for column in columns:
        if column not in COLUMNS[name]:
            raise _unknown("column", column, COLUMNS[name])
    return columns


def _heads(knowledge: Knowledge, name: str, columns: Sequence[str]) -> dict[str, Column]:
    """Return the columns with their heads; one that stands for several becomes these."""
    heads: dict[str, Column] = {}
    for column in columns:
        head = COLUMNS[name][column]
        if head.each:
            spread = SPREAD[name, column](knowledge)
            heads |= {part: Column(part, right=head.right) for part in spread}
        else:
            heads[column] = head
    return heads


def _words(listed: str) -> list[str]:
    return [word.strip() for word in listed.split(",") if word.strip()]


def _kept(name: str, rows: Sequence[Row], filters: Mapping[str, str]) -> list[Row]:
    kept = list(rows)
    for column, listed in filters.items():
        if column not in COLUMNS[name] or COLUMNS[name][column].each:
            raise _unknown("filter", column, COLUMNS[name])
        wanted = [word.casefold() for word in _words(listed)]
        known = {word for row in rows for word in _matching(row, column)}
        known.update(_WORDS_OF_RULES.get(column, ()) if name == "rules" else ())
        for word in wanted:
            if word not in known:
                raise _unknown(f"value of {column}", word, known)
        kept = [row for row in kept if not set(wanted).isdisjoint(_matching(row, column))]
        if column == "id":
            kept.sort(key=lambda row: wanted.index(str(row.value("id")).casefold()))
    if name == "rules" and not kept:
        message = "No rule is in all of these filters; mend them, or drop the directive."
        raise UnknownNameError(Problem("no_rules", message, key=", ".join(filters)))
    return kept


def _matching(row: Row, column: str) -> tuple[str, ...]:
    return (*comparable(row.value(column)), *row.words.get(column, ()))


def _table(name: str, heads: Mapping[str, Column], rows: Sequence[Row]) -> Table:
    return Table(
        headers=tuple(head.head for head in heads.values()),
        rows=tuple(tuple(_cell(row, column) for column in heads) for row in rows),
        align=tuple(_side(head) for head in heads.values()),
        caption=_caption(name, tuple(heads), rows),
    )


def _side(column: Column) -> Literal["left", "right"]:
    return "right" if column.right else "left"


def _cell(row: Row, column: str) -> str:
    value = row.value(column)
    mark = UNVERIFIED_MARK if value is not None and row.is_unverified(column) else ""
    return cell_text(value) + mark


def _caption(name: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return source and date, and what the marks mean where there are any."""
    if not rows:
        return f"From the {_TITLES[name]}: no record matches."
    days = sorted({row.record.as_of for row in rows})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    text = f"From the {_TITLES[name]}, checked {span}."
    marked = any(
        row.value(column) is not None and row.is_unverified(column)
        for row in rows
        for column in columns
    )
    return f"{text} ?: not seen in a primary source." if marked else text


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownNameError:
    names = sorted(known)
    nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    code = f"unknown_{what.split(maxsplit=1)[0]}"
    message = f"There is no {what} {name!r}."
    few = tuple(names) if len(names) <= 60 else ()
    return UnknownNameError(Problem(code, message, key=name, allowed=few, nearest=tuple(nearest)))
