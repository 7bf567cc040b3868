"""Knowledge folders of one's own on top of the shipped one.

An overlay has the layout of ``knowledge/``, with any part of its files, and a ``version.yaml`` that
names it. A record with the id of an earlier one takes its place, others are added. Its handbook
pages live under its own name (``acme``, ``acme.1``), so no section of it can collide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from advisor.errors import InputError, KnowledgeError, Problem
from advisor.store.loader_yaml import parse_yaml

if TYPE_CHECKING:
    from advisor.store.loader_files import Entry

__all__ = ["NAME", "Overlay", "merged", "read_overlays"]

NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
"""What an overlay may be called; sections of its handbook begin with it."""

_RESERVED = frozenset({"glossary", "versions", "knowledge"})
_VERSION_FILE = "version.yaml"
_KEYS = ("name", "version", "as_of")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OFFERS = {
    "prices": ("provider", "instance", "kind"),
    "purchases": ("item", "gpu", "kind"),
    "trends": ("what",),
}
"""Collections whose records have no id: what makes two of them the same offer."""
_SIDE_FILES = ("README", "LICENSE", "CHANGELOG", "CODEOWNERS")


@dataclass(frozen=True, slots=True)
class Overlay:
    """One folder on top of the shipped knowledge."""

    path: Path
    name: str
    version: str
    as_of: str
    """ISO date on which its owner last reviewed it."""
    faults: tuple[Problem, ...] = ()
    """What could not be read of it, where it was to be checked all the same."""

    @property
    def label(self) -> str:
        """How its files are called in messages: the folder as it was given."""
        return self.path.as_posix()

    def files(self, pattern: str) -> tuple[tuple[Path, str], ...]:
        """Return its files that match a glob, with their names for messages."""
        found = sorted(self.path.glob(pattern))
        if self.faults:
            found = [file for file in found if _is_text(file)]
        return tuple((file, self.name_of(file)) for file in found)

    def name_of(self, file: Path) -> str:
        """Return how one of its files is called in messages."""
        return f"{self.label}/{file.relative_to(self.path).as_posix()}"


def read_overlays(folders: Iterable[Path], *, keep_faults: bool = False) -> tuple[Overlay, ...]:
    """Return the overlays in some folders, in the order given: a later one has the last word.

    Args:
        folders: Each holds a ``version.yaml`` and files like those of ``knowledge/``.
        keep_faults: Faults go into the overlays and end nothing, so that a check can go on and
            find the others.

    Raises:
        InputError: A folder is missing or given twice.
        KnowledgeError: What a folder says of itself cannot be used, two have one name, or one
            holds a file that nothing reads or that is no text; carries every problem.
    """
    paths = tuple(folders)
    _check_folders(paths)
    found: list[Overlay] = []
    problems: list[Problem] = []
    for path in paths:
        faults = list(_unread(path))
        try:
            found.append(_read_overlay(path))
        except KnowledgeError as error:
            faults = [*error.problems, *faults]
            if keep_faults:
                found.append(_stand_in(path, len(found)))
        problems += faults
        if keep_faults:
            found[-1] = replace(found[-1], faults=tuple(faults))
    if keep_faults:
        return _with_own_names(found)
    problems += _same_names(found)
    if problems:
        raise KnowledgeError(problems)
    return tuple(found)


def merged(collection: str, lower: Sequence[Entry], upper: Sequence[Entry]) -> list[Entry]:
    """Return the entries of two layers: one of ``upper`` takes the place of its namesake."""
    new: dict[object, list[Entry]] = {}
    for entry in upper:
        new.setdefault(_identity(collection, entry), []).append(entry)
    if not new:
        return list(lower)
    result: list[Entry] = []
    placed: set[object] = set()
    for entry in lower:
        key = _identity(collection, entry)
        if key not in new:
            result.append(entry)
        elif key not in placed:
            placed.add(key)
            result += new[key]
    return result + [entry for key, group in new.items() if key not in placed for entry in group]


def _identity(collection: str, entry: Entry) -> object:
    fields = _OFFERS.get(collection)
    if fields is None:  # what has no id is never replaced
        return getattr(entry.record, "id", (entry.file, entry.place))
    return tuple(str(getattr(entry.record, field)).casefold() for field in fields)


def _check_folders(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.is_dir():
            message = f"There is no folder '{path}'."
            raise InputError(Problem("no_such_folder", message, key="--knowledge"))
    real = [path.resolve() for path in paths]
    for number, path in enumerate(real):
        if path in real[:number]:
            message = f"The folder '{paths[number]}' is given twice."
            raise InputError(Problem("usage", message, key="--knowledge"))


def _read_overlay(path: Path) -> Overlay:
    file, name = path / _VERSION_FILE, f"{path.as_posix()}/{_VERSION_FILE}"
    try:
        data = parse_yaml(file.read_text(encoding="utf-8"), name)
    except FileNotFoundError:
        message = "A folder of your own knowledge needs this file, with name, version and as_of."
        raise KnowledgeError(Problem("missing_file", message, name)) from None
    except (OSError, UnicodeDecodeError) as error:
        message = f"The file cannot be read: {error}."
        raise KnowledgeError(Problem("unreadable", message, name)) from error
    values = data if isinstance(data, dict) else {}
    problems = [*_version_problems(values, name)]
    if problems:
        raise KnowledgeError(problems)
    return Overlay(path, *(values[key] for key in _KEYS))


def _version_problems(values: dict[str, object], file: str) -> Iterator[Problem]:
    for key in _KEYS:
        if not isinstance(values.get(key), str):
            message = f"The file needs {key}, as quoted text."
            yield Problem("missing_key", message, file, 1, key)
    for key in values:
        if key not in _KEYS:
            yield Problem("unknown_key", f"The key {key} is not known here.", file, 1, key, _KEYS)
    name, day = values.get("name"), values.get("as_of")
    if isinstance(name, str) and (not re.fullmatch(NAME, name) or name in _RESERVED):
        message = f"{name!r} is no name for a folder: lower-case words joined by hyphens."
        yield Problem("bad_name", message, file, 1, "name")
    if isinstance(day, str) and not _is_day(day):
        yield Problem("bad_date", f"{day!r} is no date such as 2026-11-30.", file, 1, "as_of")


def _stand_in(path: Path, place: int) -> Overlay:
    """Return an overlay for a folder that does not say well what it is."""
    return Overlay(path, f"folder-{place + 1}", "0", "1970-01-01")


def _with_own_names(overlays: Sequence[Overlay]) -> tuple[Overlay, ...]:
    """Give the later of two namesakes the fault and a name of its own."""
    faults = {problem.file: problem for problem in _same_names(overlays)}
    found: list[Overlay] = []
    for overlay in overlays:
        fault = faults.get(f"{overlay.label}/{_VERSION_FILE}")
        if fault is not None:
            name = f"folder-{len(found) + 1}"
            found.append(replace(overlay, name=name, faults=(*overlay.faults, fault)))
        else:
            found.append(overlay)
    return tuple(found)


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        return bool(_DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _same_names(overlays: Sequence[Overlay]) -> Iterator[Problem]:
    first: dict[str, Overlay] = {}
    for overlay in overlays:
        other = first.setdefault(overlay.name, overlay)
        if other is not overlay:
            message = f"The folder {other.label} has the name {overlay.name} already."
            file = f"{overlay.label}/{_VERSION_FILE}"
            yield Problem("duplicate_name", message, file, 1, "name")


def _unread(path: Path) -> Iterator[Problem]:
    """Yield files that nothing reads, such as those of a misspelt folder, or nothing can read."""
    from advisor.store.loader_errors import nearest_names

    patterns = _patterns()
    for file in sorted(path.rglob("*")):
        inside = PurePosixPath(file.relative_to(path).as_posix())
        hidden = any(part.startswith(".") for part in inside.parts)
        if hidden or not file.is_file() or inside.name.startswith(_SIDE_FILES):
            continue
        name = f"{path.as_posix()}/{inside}"
        if not any(inside.match(pattern) for pattern in patterns):
            message = "Nothing reads a file of this name."
            nearest = nearest_names(str(inside), patterns)
            yield Problem("unread_file", message, name, None, None, patterns, nearest)
        elif inside.name != _VERSION_FILE and not _is_text(file):
            yield Problem("unreadable", "The file cannot be read as UTF-8 text.", name)


def _is_text(file: Path) -> bool:
    try:
        file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return True


def _patterns() -> tuple[str, ...]:
    from advisor.store.loader_layout import CATALOGUES

    own = ("questions/*.yaml", "rules/*.yaml", "handbook/*.md", "corrections/*.yaml")
    rest = ("phrases/*.yaml", "interview/plan.yaml", _VERSION_FILE)
    return (*(catalogue.files for catalogue in CATALOGUES.values()), *own, *rest)
