"""``kb show``: find a record of any catalogue by its id or a usual name, and print it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any

from advisor.answers.nearest import nearest_keys
from advisor.answers.questions import load_questions
from advisor.answers.questions_own import files_of
from advisor.cli.kb_show_rules import rule_document, rule_ids, rule_text
from advisor.errors import Problem, UnknownNameError
from advisor.reports.record_text import (
    correction_text,
    engine_text,
    prices_text,
    question_text,
)
from advisor.store.aliases import squash
from advisor.store.corrections import load_corrections
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.loader_errors import nearest_names
from advisor.store.loader_files import Entry
from advisor.store.loader_layout import CATALOGUES
from advisor.store.provenance import catalogue_names, describe_record

__all__ = ["assumption", "show"]

_WORDS = MappingProxyType({
    "mig": "mig_tables", "mig_table": "mig_tables", "link": "interconnects",
    "gate": "dra_gates", "release": "kubernetes_releases", "bug": "kubernetes_bugs",
    "image": "node_images", "way": "sharing_modes", "sharing": "sharing_modes",
    "capacity": "capacity_kinds", "rdma": "rdma_exposures", "cold_start": "cold_start_parts",
})  # fmt: skip
"""What people say for a collection, where dropping the final s is not enough."""

_TITLES = (
    "{name}", "{title}", "{gpu}", "{claim}", "{mnemonic}: {means}", "{gate}: {means}",
    "{series}: {means}", "{text}", "{what}", "{item}", "{owns}",
    "Kubernetes, {released} to {end_of_life}",
)  # fmt: skip
"""What says what a record is: the first pattern whose fields it has."""

_SHORT_LIST = 25
"""Up to so many names are all told when one is not known."""


def show(catalogue: str | None, name: str, *, as_json: bool) -> str:
    """Return what ``kb show`` prints, with a final newline.

    Args:
        catalogue: ``gpu`` or ``gpus``, ``question`` and so on; ``None`` lists them all. The id of
            a correction or a rule alone shows it.
        name: Id or usual name of a record; empty lists the catalogue.
        as_json: JSON instead of text.

    Raises:
        UnknownNameError: There is no such catalogue or record; carries the nearest.
    """
    knowledge = load_knowledge()
    if catalogue is None:
        return _listing({name: len(found) for name, found in _all(knowledge).items()}, as_json)
    if not name and catalogue in _correction_ids():
        catalogue, name = "corrections", catalogue
    if not name and "-" in catalogue and catalogue in rule_ids(knowledge):
        catalogue, name = "rules", catalogue
    collection = _collection(catalogue)
    if not name:
        return _listing(dict(_all(knowledge)[collection]), as_json)
    if collection == "questions":
        return _question(name, as_json=as_json)
    if collection == "rules":
        document = rule_document(knowledge, name)
        return _json(document) if as_json else f"{rule_text(knowledge, name)}\n"
    entries = _find(knowledge, collection, name)
    if as_json:
        found = [_as_dict(entry) for entry in entries]
        return _json(found if collection == "prices" else found[0])
    return _text(knowledge, collection, name, entries) + "\n"


def assumption(catalogue: str | None, name: str) -> str | None:
    """Return what ``show`` takes an ambiguous name for, as a clause, or ``None``."""
    knowledge = load_knowledge()
    collection = _collection(catalogue) if catalogue and name else None
    if collection == "gpus":
        return knowledge.resolve_gpu(name).assumed
    if collection == "models":
        return knowledge.resolve_model(name).assumed
    return None


def _all(knowledge: Knowledge) -> dict[str, list[tuple[str, str]]]:
    """Return id and title of every record by collection."""
    found = {
        collection: [_heading(entry.record) for entry in _entries(knowledge, collection)]
        for collection in (*catalogue_names(), "corrections")
    }
    found["questions"] = [(key, question.text) for key, question in load_questions().items()]
    found["rules"] = list(rule_ids(knowledge).items())
    return found


def _heading(record: Any) -> tuple[str, str]:  # noqa: ANN401 - any record class
    """Return the id of a record and what it is called, empty where it has no other name."""
    for pattern in _TITLES:
        fields = [field for _, field, _, _ in Formatter().parse(pattern) if field]
        said = {field: _said(record, field) for field in fields}
        title = pattern.format(**said)
        if all(said.values()) and title != _identity(record):
            return _identity(record), title
    return _identity(record), ""


def _said(record: Any, field: str) -> str:  # noqa: ANN401 - any record class
    """Return a field as part of a heading; an explanation up to the end of its first sentence."""
    value = getattr(record, field, None)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    text = "" if value is None else str(value)
    return text.partition(". ")[0] if field == "means" else text


def _identity(record: Any) -> str:  # noqa: ANN401 - any record class
    names = (getattr(record, field, None) for field in ("id", "instance", "item", "what"))
    return next(str(name) for name in names if name is not None)


def _entries(knowledge: Knowledge, collection: str) -> tuple[Entry, ...]:
    if collection == "corrections":
        return load_corrections().entries
    owner = next(c for c in CATALOGUES.values() if collection in c.collections)
    return knowledge.catalogue(owner.name).entries[collection]


def _collection(word: str) -> str:
    """Return the collection that ``word`` names in the singular or plural.

    Raises:
        UnknownNameError: There is none.
    """
    known = (*catalogue_names(), "corrections", "questions", "rules")
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")
    for name in (_WORDS.get(plain.removesuffix("s"), plain), plain, f"{plain}s"):
        if name in known:
            return name
    message = f"There is no catalogue {word!r}."
    if (home := _home(word, known)) is not None:
        message += f" It is a record: gpu-advisor kb show {home} {word}."
    nearest = nearest_names(plain, known) or nearest_names(word, _correction_ids())
    raise UnknownNameError(
        Problem("unknown_catalogue", message, key=word, allowed=known, nearest=nearest)
    )


def _home(word: str, known: Iterable[str]) -> str | None:
    """Return the collection of a record whose name was given in the place of a catalogue's."""
    knowledge = load_knowledge()
    listed = _all(knowledge)
    return next((c for c in known if any(word == name for name, _ in listed[c])), None)


def _correction_ids() -> tuple[str, ...]:
    return tuple(record.id for record in load_corrections())


def _find(knowledge: Knowledge, collection: str, name: str) -> Sequence[Entry]:
    """Return the record called ``name``; for prices every row of an instance or GPU.

    Raises:
        UnknownNameError: There is none; carries the nearest.
    """
    entries = _entries(knowledge, collection)
    wanted = _resolved(knowledge, collection, name)
    if found := [entry for entry in entries if _identity(entry.record) == wanted]:
        return _newest_first(found)
    if found := [entry for entry in entries if squash(wanted) in _names(entry.record)]:
        return _newest_first(found)
    if found := _by_gpu(knowledge, collection, entries, name):
        return _newest_first(found)
    message = f"There is no {name!r} in {collection}."
    known = tuple(dict.fromkeys(_identity(entry.record) for entry in entries))
    raise UnknownNameError(
        Problem(
            "unknown_record",
            message,
            key=name,
            allowed=known if len(known) <= _SHORT_LIST else (),
            nearest=nearest_names(wanted, known),
        )
    )


def _resolved(knowledge: Knowledge, collection: str, name: str) -> str:
    if collection == "gpus":
        return knowledge.find_gpu(name).id
    if collection == "models":
        return knowledge.find_model(name).id
    return name


def _names(record: Any) -> set[str]:  # noqa: ANN401 - any record class
    names = [_identity(record), *getattr(record, "aliases", ()), *getattr(record, "series", ())]
    names += [getattr(record, field, "") for field in ("name", "gate", "mnemonic")]
    return {squash(name) for name in names if name}


def _by_gpu(
    knowledge: Knowledge, collection: str, entries: Sequence[Entry], name: str
) -> list[Entry]:
    """Return what a GPU's name means in catalogues that hold something for each GPU."""
    if collection not in {"mig_tables", "prices", "purchases", "allreduce"}:
        return []
    try:
        gpu = knowledge.find_gpu(name)
    except UnknownNameError:
        return []
    if collection == "mig_tables":
        return [entry for entry in entries if entry.record.id == gpu.mig.profile_table]
    return [entry for entry in entries if entry.record.gpu == gpu.id]


def _newest_first(entries: list[Entry]) -> list[Entry]:
    # sorted() is stable, so rows of one day keep the order of the file
    return sorted(entries, key=lambda entry: str(entry.record.as_of), reverse=True)


def _text(knowledge: Knowledge, collection: str, name: str, entries: Sequence[Entry]) -> str:
    if collection == "prices":
        return prices_text(f"Rental prices of {name}", entries)
    if collection == "engines":
        return engine_text(entries[0])
    if collection == "corrections":
        return correction_text(entries[0])
    name, title = _heading(entries[0].record)
    _, _, rest = describe_record(knowledge, collection, name).partition("\n")
    return f"{name}: {title}\n{rest}" if title else f"{name}\n{rest}"


def _as_dict(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = entry.record.model_dump(mode="json")
    data["sources"] = [
        {"id": source, **entry.sources[source].model_dump(mode="json")}
        for source in entry.record.sources
    ]
    return {"file": entry.file, "record": data}


def _question(key: str, *, as_json: bool) -> str:
    vocabulary = load_questions()
    key = key.strip().lower()
    if key not in vocabulary:
        message = f"There is no question {key!r}."
        nearest = tuple(name for name in nearest_keys(key, vocabulary, 5) if name in vocabulary)
        raise UnknownNameError(Problem("unknown_record", message, key=key, nearest=nearest))
    question = vocabulary[key]
    group = next(g for g in vocabulary.groups if question in g.questions)
    own = files_of(load_knowledge().overlays)
    file = own.get(key, f"knowledge/questions/{group.group}.yaml")
    if not as_json:
        return question_text(question, group, file) + "\n"
    data = question.model_dump(mode="json", exclude_defaults=True)
    data |= {"as_of": group.as_of, "sources": [{"title": text} for text in group.sources]}
    return _json({"file": file, "record": data})


def _listing(items: Mapping[str, object], as_json: bool) -> str:
    if as_json:
        return _json(dict(items))
    return "".join(_lines(items))


def _lines(items: Mapping[str, object]) -> Iterator[str]:
    width = max((len(name) for name in items), default=0) + 2
    for name, value in items.items():
        yield f"{name:<{width}}{value}".rstrip() + "\n"


def _json(document: object) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
