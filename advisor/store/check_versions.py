"""``kb check`` of versions: ranges that overlap, windows that end too early, gates that go back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

from advisor.store.check_kubernetes_world import POINTERS, World
from advisor.store.cited import VersionRange, version_key
from advisor.store.loader_files import Entry
from advisor.store.loader_yaml import KeyPath

__all__ = ["Told", "overlaps", "version_faults"]

Told = tuple[Entry, str, str, KeyPath]
"""Record, code, message and way inside the record."""

_STAGES = ("alpha", "beta", "ga")
_ENDLESS = (1_000_000,)


def version_faults(world: World, day: str | None) -> Iterator[Told]:
    """Yield what is wrong with versions and what has ended by ``day`` and is still pointed at."""
    for entry in world.entries("components", "components"):
        yield from _component(entry)
    yield from _gates(world.entries("dra_gates", "dra_gates"))
    for entry in world.entries("kubernetes_releases", "kubernetes_bugs"):
        yield from _fixed_and_affected(entry)
    for entry in world.entries("kubernetes_releases", "kubernetes_releases"):
        yield from _release(entry)
    for _, entries in world.all_entries():
        for entry in entries:
            yield from _ranges(entry, entry.record)
    if day is not None:
        yield from _ended(world, day)


def _component(entry: Entry) -> Iterator[Told]:
    component = entry.record
    seen: dict[tuple[int, ...], int] = {}
    for position, release in enumerate(component.versions):
        path: KeyPath = ("versions", position)
        first = seen.setdefault(version_key(release.version) or (), position)
        if first != position:
            message = f"Version {release.version} stands here twice."
            yield entry, "contradiction", message, (*path, "version")
        low = version_key(release.kubernetes_from or "")
        high = version_key(release.kubernetes_to or "")
        if low is not None and high is not None and low > high:
            message = (
                f"Supported from Kubernetes {release.kubernetes_from} to {release.kubernetes_to}: "
                "the window is empty."
            )
            yield entry, "contradiction", message, (*path, "kubernetes_to")
        start, end = release.released, release.support_ends
        if start and end and end < start[: len(end)]:
            message = f"Its support ends on {end}, before its release on {start}."
            yield entry, "contradiction", message, (*path, "support_ends")
    yield from _avoided(entry)


def _avoided(entry: Entry) -> Iterator[Told]:
    component = entry.record
    for (_, first), (position, second) in combinations(enumerate(component.avoid), 2):
        same = first.gotcha == second.gotcha and first.when == second.when
        if same and overlaps(first, second):
            message = (
                f"{_span(second)} overlaps {_span(first)}, for the same case: say it in one range."
            )
            yield entry, "contradiction", message, ("avoid", position)
    current = component.recommended
    for position, avoided in enumerate(component.avoid):
        if current is None or avoided.severity != "critical" or avoided.before_version is None:
            continue
        span = VersionRange(
            component=component.id,
            from_version=avoided.from_version,
            before_version=avoided.before_version,
        )
        if span.covers(current.version) is True:
            message = f"The current version, {current.version}, is among those to avoid."
            yield entry, "contradiction", message, ("avoid", position)


def _gates(entries: Sequence[Entry]) -> Iterator[Told]:
    told: dict[tuple[str, str], tuple[str, Any]] = {}
    for entry in entries:
        stages = entry.record.stages
        for position, stage in enumerate(stages):
            place: KeyPath = ("stages", position)
            owner, other = told.setdefault(
                (entry.record.gate, stage.since), (entry.record.id, stage)
            )
            if stage is not other:
                message = f"{entry.record.gate} has two stages in {stage.since} (see {owner})."
                yield entry, "contradiction", message, (*place, "since")
            if stage.stage == "alpha" and stage.default_on:
                message = "An alpha gate is off unless somebody switches it on."
                yield entry, "contradiction", message, (*place, "default_on")
            if stage.stage == "ga" and not stage.default_on:
                message = "What is generally available is on."
                yield entry, "contradiction", message, (*place, "default_on")
        for position, (before, after) in enumerate(pairwise(stages), 1):
            if _STAGES.index(after.stage) < _STAGES.index(before.stage):
                message = f"{after.stage} in {after.since} comes after {before.stage}."
                yield entry, "contradiction", message, ("stages", position, "stage")
            if before.locked and not after.locked:
                message = f"Locked in {before.since}, and not in {after.since}."
                yield entry, "contradiction", message, ("stages", position)


def _fixed_and_affected(entry: Entry) -> Iterator[Told]:
    bug = entry.record
    for position, version in enumerate(bug.fixed_in):
        if bug.affects(version) is True:
            message = f"{version} is said to have the bug and to have it fixed."
            yield entry, "contradiction", message, ("fixed_in", position)


def _release(entry: Entry) -> Iterator[Told]:
    release = entry.record
    if release.end_of_life < release.released[: len(release.end_of_life)]:
        message = f"It ends on {release.end_of_life}, before its release on {release.released}."
        yield entry, "contradiction", message, ("end_of_life",)
    minor = version_key(release.id)
    for name in ("newest_patch", "floor"):
        version = version_key(getattr(release, name) or "")
        if version is not None and version[:2] != minor:
            message = f"{getattr(release, name)} is no patch of {release.id}."
            yield entry, "contradiction", message, (name,)
    floor, newest = version_key(release.floor or ""), version_key(release.newest_patch or "")
    if floor is not None and newest is not None and floor > newest:
        message = (
            f"The floor {release.floor} is newer than the newest patch {release.newest_patch}."
        )
        yield entry, "contradiction", message, ("floor",)


def _ranges(entry: Entry, value: Any, path: KeyPath = ()) -> Iterator[Told]:  # noqa: ANN401
    """Find version ranges of one component that overlap in the same list."""
    if isinstance(value, tuple):
        yield from _overlapping(entry, value, path)
        for position, item in enumerate(value):
            yield from _ranges(entry, item, (*path, position))
    elif hasattr(type(value), "model_fields"):
        for name in type(value).model_fields:
            yield from _ranges(entry, getattr(value, name), (*path, name))


def _overlapping(entry: Entry, items: tuple[Any, ...], path: KeyPath) -> Iterator[Told]:
    spans: dict[str, list[tuple[int, VersionRange]]] = defaultdict(list)
    for position, item in enumerate(items):
        if isinstance(item, VersionRange):
            spans[item.component].append((position, item))
    for component, found in spans.items():
        for (_, first), (position, second) in combinations(found, 2):
            if overlaps(first, second):
                message = f"{component} {_span(second)} overlaps {_span(first)}: one range will do."
                yield entry, "contradiction", message, (*path, position)


def overlaps(first: Any, second: Any) -> bool:  # noqa: ANN401 - anything with two versions
    """Tell whether two ranges, each from inclusive to exclusive, share a version."""
    starts, ends = zip(*(_ends(span) for span in (first, second)), strict=True)
    return bool(max(starts) < min(ends))


def _ends(span: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:  # noqa: ANN401
    start = version_key(span.from_version or "") or ()
    return start, version_key(span.before_version or "") or _ENDLESS


def _span(span: Any) -> str:  # noqa: ANN401
    start = f"from {span.from_version}" if span.from_version else "every version"
    return f"{start} to before {span.before_version}" if span.before_version else start


def _ended(world: World, day: str) -> Iterator[Told]:
    """Find pointers to records that are not true any more."""
    over = {
        (place, entry.record.id): entry.record.until
        for place, entries in world.all_entries()
        for entry in entries
        if entry.record.until is not None and entry.record.until < day[: len(entry.record.until)]
    }
    for place, fields in POINTERS.items():
        for entry in world.entries(*place):
            if (place, entry.record.id) in over:
                continue  # what has ended may point at its own time
            for dotted, target in fields.items():
                for value in _texts(entry.record, dotted.split(".")):
                    if (target, value) in over:
                        until = over[target, value]
                        message = f"It names {value}, which ended on {until}."
                        yield entry, "ended_record", message, (dotted.partition(".")[0],)


def _texts(value: Any, names: Iterable[str]) -> Iterator[str]:  # noqa: ANN401
    values = [value]
    for name in names:
        flat = [item for v in values for item in (v if isinstance(v, tuple) else (v,))]
        values = [getattr(item, name) for item in flat if item is not None]
    for found in values:
        yield from (found if isinstance(found, tuple) else () if found is None else (found,))
