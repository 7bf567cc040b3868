"""Lines of the tables about software and Kubernetes itself: versions, bugs, feature gates.

Where a column is made of a field of another name, the row says so, so that a figure that was
not seen in a primary source is marked there too: once in a line, not in every cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from advisor.store.tables_row import Row
from advisor.store.tables_rows_platform import PLATFORM_ROWS

if TYPE_CHECKING:
    from advisor.store.cited import VersionRange
    from advisor.store.component import AvoidedVersions, Component, ComponentVersion
    from advisor.store.kubernetes_release import DraGate, GateStage, KubernetesBug
    from advisor.store.loader import Knowledge
    from advisor.store.loader_files import Entry

__all__ = ["KUBERNETES_ROWS", "version_span"]


def version_span(from_version: str | None, before_version: str | None) -> str:
    """Return a range of versions in words; the second is the first outside it.

    >>> version_span("26.3.0", "26.3.3"), version_span(None, "0.12.0"), version_span("595", None)
    ('26.3.0 to before 26.3.3', 'before 0.12.0', '595 and later')
    """
    if from_version and before_version:
        return f"{from_version} to before {before_version}"
    if before_version:
        return f"before {before_version}"
    return f"{from_version} and later" if from_version else "all"


def _components(knowledge: Knowledge) -> Iterator[Row]:
    names = knowledge.components
    for entry in knowledge.catalogue("components").entries["components"]:
        component: Component = entry.record
        newest, advised = component.newest, component.recommended
        parent = names.get(component.part_of or "")
        values = {
            "newest": newest and newest.version,
            "newest_released": newest and newest.released,
            "recommended": advised and advised.version,
            "recommended_released": advised and advised.released,
            "kubernetes": advised and _kubernetes(advised),
            "has_version": bool(component.versions),
            "part_of": parent.name if parent else component.part_of,
            "source_date": _newest_source(entry),
            "notes": " ".join(component.notes),
        }
        words = {"name": (component.id,), "part_of": _given(component.part_of)}
        yield Row(values, component, words, _versions_behind(newest, advised))


def _versions_behind(
    newest: ComponentVersion | None, advised: ComponentVersion | None
) -> Mapping[str, str]:
    """Return which entry of ``versions`` each column shows, for the mark of what is unverified."""
    fields = {}
    if newest is not None:
        fields["newest"] = f"versions.{newest.version}"
    if advised is not None:
        fields["recommended"] = f"versions.{advised.version}"
    return fields


def _newest_source(entry: Entry) -> str | None:
    dates = [entry.sources[source].date for source in entry.record.sources]
    return max((date for date in dates if date), default=None)


def _kubernetes(version: ComponentVersion) -> str | None:
    """Return the minors of a support table: ``1.33 to 1.36``, ``to 1.36``, ``1.33 and later``."""
    first, last = version.kubernetes_from, version.kubernetes_to
    if first and last:
        return f"{first} to {last}"
    return f"to {last}" if last else first and f"{first} and later"


def _component_versions(knowledge: Knowledge) -> Iterator[Row]:
    for component in knowledge.components.values():
        for version in component.versions:
            values = {name: getattr(version, name) for name in type(version).model_fields}
            values |= {
                "id": component.id,
                "component": component.name,
                "kubernetes": _kubernetes(version),
            }
            fields = {"version": f"versions.{version.version}"}
            yield Row(values, component, {"component": (component.id,)}, fields)


def _versions_to_avoid(knowledge: Knowledge) -> Iterator[Row]:
    for component in knowledge.components.values():
        for entry in component.avoid:
            yield Row(
                _avoided(component, entry),
                component,
                {"component": (component.id,)},
                {"versions": "avoid"},
            )


def _avoided(component: Component, entry: AvoidedVersions) -> Mapping[str, object]:
    return {
        "id": component.id,
        "component": component.name,
        "versions": version_span(entry.from_version, entry.before_version),
        "severity": entry.severity,
        "when": entry.when,
        "why": entry.why,
        "instead": entry.instead,
        "gotcha": entry.gotcha,
    }


def _floors(knowledge: Knowledge) -> Iterator[Row]:
    names = knowledge.components
    for component in knowledge.components.values():
        for floor in component.floors:
            other = names.get(floor.component)
            values = {
                "id": component.id,
                "component": component.name,
                "needs": other.name if other else floor.component,
                "version": floor.version,
                "when": floor.when,
            }
            words = {"component": (component.id,), "needs": (floor.component,)}
            yield Row(values, component, words, {"version": "floors"})


def _releases(knowledge: Knowledge) -> Iterator[Row]:
    for release in knowledge.kubernetes_releases.values():
        yield Row({"notes": " ".join(release.notes)}, release, {})


def _bugs(knowledge: Knowledge) -> Iterator[Row]:
    gates = knowledge.dra_gates
    for bug in knowledge.kubernetes_bugs.values():
        values = {
            "affected": "; ".join(_span(span) for span in bug.affected),
            "minors": _minors(bug, tuple(knowledge.kubernetes_releases)),
            "gates": tuple(gates[gate].gate for gate in bug.gates if gate in gates),
            "notes": " ".join(bug.notes),
        }
        yield Row(values, bug, {"gates": bug.gates}, {"minors": "affected"})


def _span(span: VersionRange) -> str:
    return version_span(span.from_version, span.before_version)


def _minors(bug: KubernetesBug, minors: Sequence[str]) -> tuple[str, ...]:
    """Return the minor versions of which some patch has the bug."""
    return tuple(minor for minor in minors if bug.affects(minor) is not False)


def _gates(knowledge: Knowledge) -> Iterator[Row]:
    """Pivot: one line per gate, one column per minor version of the catalogue."""
    minors = tuple(knowledge.kubernetes_releases)
    for gate in knowledge.dra_gates.values():
        values = {minor: _stage(gate, minor) for minor in minors}
        yield Row(
            {**values, "notes": " ".join(gate.notes)},
            gate,
            {},
            dict.fromkeys(minors, "stages"),
        )


def _stage(gate: DraGate, minor: str) -> str | None:
    stage = gate.stage_in(minor)
    return _stage_words(stage) if stage else None


def _stage_words(stage: GateStage) -> str:
    """Return ``alpha``, ``beta, on``, ``GA``; what is usual at a stage goes without saying."""
    name = "GA" if stage.stage == "ga" else stage.stage
    if stage.locked:
        return f"{name}, locked"
    usual = {"alpha": False, "ga": True}.get(stage.stage)
    return name if stage.default_on == usual else f"{name}, {'on' if stage.default_on else 'off'}"


def _given(name: str | None) -> tuple[str, ...]:
    return (name,) if name else ()


KUBERNETES_ROWS: Mapping[str, Callable[[Knowledge], Iterator[Row]]] = MappingProxyType(
    {
        "component_versions": _component_versions,
        "components": _components,
        "dra_gates": _gates,
        "floors": _floors,
        "kubernetes_bugs": _bugs,
        "kubernetes_releases": _releases,
        "versions_to_avoid": _versions_to_avoid,
        **PLATFORM_ROWS,
    }
)
"""Table name to its lines, in the order of the catalogue."""
