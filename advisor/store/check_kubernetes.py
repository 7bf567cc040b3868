"""``kb check`` of the Kubernetes layer: what must exist elsewhere, and what must be in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.errors import KnowledgeError
from advisor.store.check_alerts import alert_faults
from advisor.store.check_kubernetes_world import ANSWERS, POINTERS, SAME_IDS, Place, World
from advisor.store.check_versions import version_faults
from advisor.store.choices import CHOICES
from advisor.store.cited import Hint, VersionRange, version_key
from advisor.store.loader import Knowledge
from advisor.store.loader_errors import nearest_names
from advisor.store.loader_files import Entry
from advisor.store.loader_yaml import KeyPath

__all__ = ["Fault", "kubernetes_faults"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one record, and where."""

    entry: Entry
    code: str
    message: str
    path: KeyPath = ()
    nearest: tuple[str, ...] = ()


def kubernetes_faults(knowledge: Knowledge) -> Iterator[Fault]:
    """Yield everything that is wrong with the catalogues of the Kubernetes layer."""
    world = World(knowledge)
    for (catalogue, collection), entries in world.all_entries():
        yield from _missing_ids(world, (catalogue, collection), entries)
        for entry in entries:
            yield from _sections(world, entry)
            yield from _pointers(world, (catalogue, collection), entry)
            yield from _answers(world, (catalogue, collection), entry)
            yield from _parts(world, entry.record, entry)
    yield from _tellers(world)
    yield from _order(world)
    yield from _texts(world)
    for entry, message, nearest in alert_faults(world):
        yield Fault(entry, "bad_expression", message, ("expr",), nearest)
    for entry, code, message, path in version_faults(world, _day(knowledge)):
        yield Fault(entry, code, message, path)


def _day(knowledge: Knowledge) -> str | None:
    """Return the day of the knowledge, or ``None`` where that is said to be unreadable."""
    try:
        return knowledge.as_of
    except KnowledgeError:
        return None


def _missing_ids(world: World, place: Place, entries: tuple[Entry, ...]) -> Iterator[Fault]:
    """Compare the ids of a collection with the values of its question or decision."""
    key = SAME_IDS.get(place)
    wanted = world.values(key) if key else None
    if not entries or wanted is None:
        return
    for entry in entries:
        if entry.record.id not in wanted:
            message = f"{entry.record.id} is no value of {key}."
            nearest = nearest_names(entry.record.id, wanted)
            yield Fault(entry, "unknown_id", message, ("id",), nearest)
    present = {entry.record.id for entry in entries}
    missing = [value for value in wanted if value not in present]
    if missing:
        message = f"{key} has values without a record here: {', '.join(missing)}."
        yield Fault(entries[0], "missing_record", message)


def _sections(world: World, entry: Entry) -> Iterator[Fault]:
    known = world.sections
    if known is None:
        return
    places: list[tuple[str, KeyPath]] = [
        (section, ("sections", n)) for n, section in enumerate(entry.record.sections)
    ]
    for position, cause in enumerate(getattr(entry.record, "causes", ())):
        places += [
            (section, ("causes", position, "sections", n))
            for n, section in enumerate(cause.sections)
        ]
    for section, path in places:
        if section not in known:
            message = f"The handbook has no section {section!r}."
            yield Fault(entry, "broken_citation", message, path, nearest_names(section, known))


def _pointers(world: World, place: Place, entry: Entry) -> Iterator[Fault]:
    for dotted, target in POINTERS.get(place, {}).items():
        known = world.ids(target)
        for value, path in _values_at(entry.record, dotted.split(".")):
            if known and value not in known:
                message = f"There is no {value!r} in {target[1]}."
                yield Fault(entry, "unknown_id", message, path, nearest_names(value, known))


def _answers(world: World, place: Place, entry: Entry) -> Iterator[Fault]:
    for dotted, key in ANSWERS.get(place, {}).items():
        known = world.values(key) if key else tuple(world.questions)
        for value, path in _values_at(entry.record, dotted.split(".")):
            if known and value not in known:
                message = f"{value!r} is no value of {key}." if key else f"No question {value!r}."
                yield Fault(entry, "unknown_id", message, path, nearest_names(value, known))


def _values_at(value: Any, names: list[str], path: KeyPath = ()) -> Iterator[tuple[str, KeyPath]]:  # noqa: ANN401
    """Yield every text that a dotted name leads to, through lists, with its way."""
    if isinstance(value, tuple):
        for position, item in enumerate(value):
            yield from _values_at(item, names, (*path, position))
    elif names and value is not None:
        yield from _values_at(getattr(value, names[0]), names[1:], (*path, names[0]))
    elif value is not None:
        yield value, path


def _parts(world: World, record: Any, entry: Entry, path: KeyPath = ()) -> Iterator[Fault]:  # noqa: ANN401
    """Check every hint and version range anywhere inside a record."""
    if isinstance(record, tuple):
        for position, item in enumerate(record):
            yield from _parts(world, item, entry, (*path, position))
    elif isinstance(record, Hint):
        yield from _hint(world, record, entry, path)
    elif hasattr(record, "from_version"):
        yield from _range(world, record, entry, path)
    elif hasattr(type(record), "model_fields"):
        for name in type(record).model_fields:
            yield from _parts(world, getattr(record, name), entry, (*path, name))


def _hint(world: World, hint: Hint, entry: Entry, path: KeyPath) -> Iterator[Fault]:
    if not world.knows(hint.key):
        known = (*world.questions, *CHOICES)
        message = f"A hint cannot name {hint.key!r}: no question, choice or field of a GPU."
        yield Fault(entry, "unknown_key", message, (*path, "key"), nearest_names(hint.key, known))
        return
    allowed = world.values(hint.key)
    if allowed is None:
        return
    for position, value in enumerate(hint.values):
        if value not in allowed:
            message = f"{hint.key} is never {value!r}."
            where = (*path, "values", position)
            yield Fault(entry, "bad_value", message, where, nearest_names(value, allowed))


def _range(world: World, span: Any, entry: Entry, path: KeyPath) -> Iterator[Fault]:  # noqa: ANN401
    known = world.ids(("components", "components"))
    if isinstance(span, VersionRange) and known and span.component not in known:
        message = f"There is no component {span.component!r}."
        where = (*path, "component")
        yield Fault(entry, "unknown_id", message, where, nearest_names(span.component, known))
    low, high = version_key(span.from_version or ""), version_key(span.before_version or "")
    if low is not None and high is not None and low >= high:
        message = f"No version lies from {span.from_version} to before {span.before_version}."
        yield Fault(entry, "contradiction", message, path)


def _tellers(world: World) -> Iterator[Fault]:
    """Find gotchas that leave the word to a rule that does not exist."""
    for entry in world.entries("gotchas", "gotchas"):
        for position, name in enumerate(entry.record.told_by):
            if world.rules and name not in world.rules:
                nearest = nearest_names(name, tuple(sorted(world.rules)))
                yield Fault(
                    entry,
                    "unknown_id",
                    f"There is no rule {name!r}.",
                    ("told_by", position),
                    nearest,
                )


def _order(world: World) -> Iterator[Fault]:
    """Find stages, dates and versions that stand in the wrong order."""
    for entry in world.entries("dra_gates", "dra_gates"):
        keys = [version_key(stage.since) or () for stage in entry.record.stages]
        if keys != sorted(set(keys)):
            message = "The stages are not in the order of versions."
            yield Fault(entry, "contradiction", message, ("stages",))
    for place, entries in world.all_entries():
        for entry in entries:
            since, until = entry.record.since, entry.record.until
            if since is not None and until is not None and since > until:
                yield Fault(entry, "contradiction", "It ends before it begins.", ("until",))
        if place == ("components", "components"):
            yield from _component_order(entries)


def _component_order(entries: tuple[Entry, ...]) -> Iterator[Fault]:
    for entry in entries:
        current = [v for v in entry.record.versions if v.status == "current"]
        if len(current) > 1:
            message = "More than one version is current."
            yield Fault(entry, "contradiction", message, ("versions",))


def _texts(world: World) -> Iterator[Fault]:
    """Find symptoms that do not recognise their example, or that share a fragment."""
    owners: dict[str, str] = {}
    for entry in world.entries("symptoms", "symptoms"):
        symptom = entry.record
        if not symptom.recognises(symptom.example):
            message = "Its fragments and patterns do not recognise its own example."
            yield Fault(entry, "contradiction", message, ("example",))
        for position, fragment in enumerate(symptom.fragments):
            first = owners.setdefault(fragment.lower(), symptom.id)
            if first != symptom.id:
                message = f"{first} has the fragment {fragment!r} too."
                yield Fault(entry, "shared_name", message, ("fragments", position))
