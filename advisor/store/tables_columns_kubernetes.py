"""The columns of the tables about software and Kubernetes itself, with the words of their heads.

As in ``tables_columns``: one entry per column, which is also a filter. What a column shows
that is no field of the record is worked out in ``tables_rows_kubernetes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.store.tables_column import Column
from advisor.store.tables_columns_platform import PLATFORM_COLUMNS

__all__ = ["KUBERNETES_COLUMNS"]

_COMPONENTS = {
    "id": Column("id"),
    "name": Column("component"),
    "kind": Column("kind"),
    "vendor": Column("vendor"),
    "repository": Column("repository"),
    "owns": Column("does"),
    "does_not": Column("does not"),
    "part_of": Column("rolled out by"),
    "runs_as": Column("runs as"),
    "setting": Column("switch"),
    "default_in_parent": Column("by default"),
    "off_when": Column("off when"),
    "api": Column("objects"),
    "resource_names": Column("resource names"),
    "newest": Column("newest known"),
    "newest_released": Column("released"),
    "recommended": Column("take"),
    "recommended_released": Column("released"),
    "kubernetes": Column("Kubernetes"),
    "has_version": Column("version known"),
    "source_date": Column("newest source"),
    "as_of": Column("checked"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_COMPONENT_VERSIONS = {
    "id": Column("id"),
    "component": Column("component"),
    "version": Column("version"),
    "status": Column("state"),
    "released": Column("released"),
    "support_ends": Column("support ends"),
    "kubernetes": Column("Kubernetes"),
    "note": Column("note"),
    "sections": Column("sections"),
}

_VERSIONS_TO_AVOID = {
    "id": Column("id"),
    "component": Column("component"),
    "versions": Column("avoid"),
    "severity": Column("severity"),
    "when": Column("bites"),
    "why": Column("because"),
    "instead": Column("take"),
    "gotcha": Column("gotcha"),
    "sections": Column("sections"),
}

_FLOORS = {
    "id": Column("id"),
    "component": Column("wanted by"),
    "needs": Column("component"),
    "version": Column("at least"),
    "when": Column("for"),
    "sections": Column("sections"),
}

_KUBERNETES_RELEASES = {
    "id": Column("minor"),
    "released": Column("released"),
    "end_of_life": Column("support ends"),
    "newest_patch": Column("newest patch seen"),
    "newest_patch_seen": Column("seen"),
    "floor": Column("at least"),
    "floor_because": Column("because"),
    "bugs": Column("bugs"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_KUBERNETES_BUGS = {
    "id": Column("bug"),
    "title": Column("fault"),
    "severity": Column("severity"),
    "affected": Column("in"),
    "minors": Column("minors"),
    "fixed_in": Column("fixed in"),
    "gates": Column("gates"),
    "condition": Column("who meets it"),
    "default_configuration": Column("ordinary cluster"),
    "effect": Column("effect"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_DRA_GATES = {
    "id": Column("feature"),
    "gate": Column("gate"),
    "kep": Column("KEP"),
    "means": Column("means"),
    "used_by": Column("used by"),
    "stages": Column("stage by minor version", each=True),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

KUBERNETES_COLUMNS: Mapping[str, Mapping[str, Column]] = MappingProxyType(
    {
        "component_versions": _COMPONENT_VERSIONS,
        "components": _COMPONENTS,
        "dra_gates": _DRA_GATES,
        "floors": _FLOORS,
        "kubernetes_bugs": _KUBERNETES_BUGS,
        "kubernetes_releases": _KUBERNETES_RELEASES,
        "versions_to_avoid": _VERSIONS_TO_AVOID,
        **PLATFORM_COLUMNS,
    }
)
"""Table name to its columns."""
