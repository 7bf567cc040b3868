"""Reading the files of one catalogue into checked, frozen records.

The ordinary path parses and validates, nothing else. Only when something is wrong is a file
read again to find the line of each problem; all problems of all files come out together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from advisor.errors import KnowledgeError, Problem
from advisor.store.loader_errors import line_of, nearest_names, problems_of
from advisor.store.loader_layout import Catalogue
from advisor.store.loader_yaml import KeyPath, Parse, locate_keys, parse_yaml
from advisor.store.records import Source, Strict

if TYPE_CHECKING:
    from advisor.store.overlays import Overlay

__all__ = ["Entry", "Loaded", "read_catalogue", "read_version"]

_T = TypeVar("_T", bound=Strict)


@dataclass(frozen=True, slots=True)
class Entry:
    """One record and where it stands."""

    record: Any
    file: str
    sources: Mapping[str, Source]
    """The ``sources`` map of its file."""
    place: KeyPath
    """Collection and position inside the file."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One catalogue after reading: its collections in file order."""

    entries: Mapping[str, tuple[Entry, ...]]
    replaced: tuple[Entry, ...] = ()
    """Records whose place one of a higher layer took; their files are judged with them."""

    def records(self, collection: str) -> tuple[Any, ...]:
        """Return the records of ``collection``."""
        return tuple(entry.record for entry in self.entries[collection])

    def by_id(self, collection: str) -> Mapping[str, Any]:
        """Return the records of ``collection`` by id, in file order."""
        return MappingProxyType({record.id: record for record in self.records(collection)})


def read_catalogue(
    root: Path,
    catalogue: Catalogue,
    containing: str = "",
    parse: Parse = parse_yaml,
    overlays: Sequence[Overlay] = (),
) -> Loaded:
    """Return every record of ``catalogue`` under the knowledge folder ``root``.

    Args:
        root: The knowledge folder.
        catalogue: Which files and schemas.
        containing: Files without this text are passed over.
        parse: Reads the text of a file.
        overlays: Folders on top of it, lowest first; they need not hold the catalogue.

    Raises:
        KnowledgeError: Carries every problem of every file that is read.
    """
    files = [
        (file, f"{root.name}/{file.relative_to(root).as_posix()}")
        for file in sorted(root.glob(catalogue.files))
    ]
    if not files:
        name = f"{root.name}/{catalogue.files}"
        raise KnowledgeError(Problem("missing_file", "No file matches this name.", name))
    entries, problems = _read_layer(files, catalogue, containing, parse)
    read = [entry for found in entries.values() for entry in found]
    for overlay in overlays:
        from advisor.store.overlays import merged

        files = list(overlay.files(catalogue.files))
        upper, faults = _read_layer(files, catalogue, containing, parse_yaml)
        problems += faults
        read += [entry for found in upper.values() for entry in found]
        entries = {name: merged(name, entries[name], upper[name]) for name in entries}
    if problems:
        raise KnowledgeError(problems)
    kept = {id(entry) for found in entries.values() for entry in found}
    replaced = tuple(entry for entry in read if id(entry) not in kept)
    return Loaded({name: tuple(found) for name, found in entries.items()}, replaced)


def _read_layer(
    files: Sequence[tuple[Path, str]], catalogue: Catalogue, containing: str, parse: Parse
) -> tuple[dict[str, list[Entry]], list[Problem]]:
    """Return the records of some files by collection, and everything that is wrong in them."""
    problems: list[Problem] = []
    entries: dict[str, list[Entry]] = {name: [] for name in catalogue.collections}
    owners: dict[tuple[str, str], str] = {}
    for file, name in files:
        try:
            text = file.read_text(encoding="utf-8")
            if containing not in text:
                continue
            _FileReader(catalogue, name, text, parse).read_into(entries, owners)
        except UnicodeDecodeError:
            problems.append(Problem("bad_yaml", "The file is not UTF-8 text.", name))
        except KnowledgeError as error:
            problems += error.problems
    return entries, problems


def read_version(root: Path, parse: Parse = parse_yaml) -> dict[str, str]:
    """Return ``version`` and ``as_of`` of the knowledge folder ``root``.

    Raises:
        KnowledgeError: The file is missing or lacks one of the two.
    """
    file, name = root / "version.yaml", f"{root.name}/version.yaml"
    if not file.is_file():
        raise KnowledgeError(Problem("missing_file", "The file does not exist.", name))
    data = parse(file.read_text(encoding="utf-8"), name)
    values = data if isinstance(data, dict) else {}
    missing = [key for key in ("version", "as_of") if not isinstance(values.get(key), str)]
    if missing:
        message = "The file needs version and as_of, both as quoted text."
        raise KnowledgeError([Problem("missing_key", message, name, key=key) for key in missing])
    return values


class _FileReader:
    """Reads one file; raises once, with everything that is wrong in it."""

    def __init__(self, catalogue: Catalogue, name: str, text: str, parse: Parse) -> None:
        self._catalogue = catalogue
        self._parse = parse
        self._name = name
        self._text = text
        self._lines: dict[KeyPath, int] | None = None
        self._problems: list[Problem] = []

    def read_into(
        self, entries: dict[str, list[Entry]], owners: dict[tuple[str, str], str]
    ) -> None:
        """Add the file's records to ``entries``; ``owners`` maps (collection, id) to a file."""
        data = self._parse(self._text, self._name)
        if not isinstance(data, dict):
            message = "The file must be a mapping of sources and collections."
            raise KnowledgeError(Problem("wrong_type", message, self._name, 1))
        sources = self._read_sources(data.get("sources"))
        for collection, records in data.items():
            if collection == "sources":
                continue
            if collection not in self._catalogue.collections:
                self._report_collection(collection)
            elif not isinstance(records, list):
                self._report("wrong_type", (collection,), "This must be a list of records.")
            else:
                entries[collection] += self._read_collection(collection, records, sources, owners)
        if self._problems:
            raise KnowledgeError(self._problems)

    def _read_sources(self, data: object) -> dict[str, Source]:
        if data is None:
            return {}
        if not isinstance(data, dict):
            self._report("wrong_type", ("sources",), "This must map source ids to sources.")
            return {}
        sources = {}
        for source_id, raw in data.items():
            if (source := self._validated(Source, raw, ("sources", source_id))) is not None:
                sources[source_id] = source
        return sources

    def _read_collection(
        self,
        collection: str,
        records: list[Any],
        sources: dict[str, Source],
        owners: dict[tuple[str, str], str],
    ) -> list[Entry]:
        schema = self._catalogue.schema(collection)
        entries = []
        for position, raw in enumerate(records):
            place: KeyPath = (collection, position)
            self._check_id(raw, place, owners)
            self._check_sources(raw, place, sources)
            if (record := self._validated(schema, raw, place)) is not None:
                entries.append(Entry(record, self._name, sources, place))
        return entries

    def _validated(self, schema: type[_T], raw: object, place: KeyPath) -> _T | None:
        try:
            return schema.model_validate(raw)
        except ValidationError as error:
            self._problems += problems_of(
                error, schema, raw, place, file=self._name, lines=self._line_map()
            )
            return None

    def _check_id(self, raw: object, place: KeyPath, owners: dict[tuple[str, str], str]) -> None:
        record_id = raw.get("id") if isinstance(raw, dict) else None
        if not isinstance(record_id, str):
            return
        key = (str(place[0]), record_id)
        if key in owners:
            message = f"The id {record_id} is already used in {owners[key]}."
            self._report("duplicate_id", (*place, "id"), message)
        owners.setdefault(key, self._name)

    def _check_sources(self, raw: object, place: KeyPath, sources: dict[str, Source]) -> None:
        used = raw.get("sources") if isinstance(raw, dict) else None
        if not isinstance(used, list):
            return
        for position, source in enumerate(used):
            if isinstance(source, str) and source not in sources:
                message = f"The source {source} is not in the sources of this file."
                nearest = nearest_names(source, list(sources))
                self._report("unknown_source", (*place, "sources", position), message, nearest)

    def _report_collection(self, collection: str) -> None:
        known = ("sources", *self._catalogue.collections)
        message = f"The key {collection} is not known here."
        line = line_of(self._line_map(), (collection,))
        nearest = nearest_names(collection, known)
        self._problems.append(
            Problem("unknown_key", message, self._name, line, collection, known, nearest)
        )

    def _report(
        self, code: str, path: KeyPath, message: str, nearest: tuple[str, ...] = ()
    ) -> None:
        line = line_of(self._line_map(), path)
        key = ".".join(str(part) for part in path)
        self._problems.append(Problem(code, message, self._name, line, key, (), nearest))

    def _line_map(self) -> dict[KeyPath, int]:
        if self._lines is None:
            self._lines = locate_keys(self._text)
        return self._lines
