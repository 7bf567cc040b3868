"""Turning what pydantic says into problems with file, line, key and nearest names.

Nothing here runs unless a record was refused.
"""

from __future__ import annotations

import difflib
import re
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from advisor.errors import Problem
from advisor.store.loader_yaml import KeyPath
from advisor.store.records import DATE, ID, SECTION, VERSION

__all__ = ["described", "line_of", "nearest_names", "problems_of"]

_KINDS = {
    "tuple": "a list, such as [one, two]",
    "list": "a list, such as [one, two]",
    "bool": "true or false",
    "int": "a whole number, without a unit",
    "float": "a number, without a unit",
    "string_type": "a text",
    "model": "a record with keys of its own",
    "dict": "a record with keys of its own",
}
"""Beginnings of pydantic's kinds of complaint, in the words of somebody who edits the files."""
_FORMS = {
    DATE: "date such as 2026, 2026-11 or 2026-11-30",
    VERSION: "version such as 1.36.2 (numbers and points, in quotes)",
    ID: "id of this catalogue: small letters and digits, as in the ids beside it",
    SECTION: "section of the handbook such as 5.4",
}
"""Patterns of the schemas, in words."""


def nearest_names(name: str, known: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Return up to three of ``known`` that look like ``name``, best first."""
    return tuple(difflib.get_close_matches(name, known, n=3, cutoff=0.6))


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of ``path``, or of the closest container that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


def problems_of(
    error: ValidationError,
    schema: type[BaseModel],
    data: object,
    place: KeyPath,
    *,
    file: str,
    lines: dict[KeyPath, int],
) -> list[Problem]:
    """Return one problem per complaint of ``error``.

    Args:
        error: What ``schema`` raised for ``data``.
        schema: Class of the record.
        data: The record as read from the file.
        place: KeyPath of the record inside the file.
        file: Name of the file.
        lines: Lines of the file, from :func:`~advisor.store.loader_yaml.locate_keys`.
    """
    found = []
    for detail in error.errors(include_url=False):
        path = _path_in_file(detail["loc"], data)
        label = _label(data, place, path)
        line = line_of(lines, (*place, *path))
        code, message, allowed, nearest = described(dict(detail), schema)
        found.append(Problem(code, message, file, line, label, allowed, nearest))
    return found


def described(
    detail: dict[str, Any], schema: type[BaseModel]
) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Return code, message, allowed values and nearest names for one pydantic complaint.

    Args:
        detail: One of ``error.errors()``.
        schema: The class that refused the data.
    """
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        name = str(detail["loc"][-1])
        fields = _fields_at(schema, detail["loc"][:-1])
        return "unknown_key", f"The key {name} is not known here.", (), nearest_names(name, fields)
    if kind == "missing":
        return "missing_key", f"The key {detail['loc'][-1]} is required here.", (), ()
    if kind in ("literal_error", "union_tag_invalid"):
        expected = detail["ctx"].get("expected") or detail["ctx"].get("expected_tags", "")
        allowed = tuple(re.findall(r"'([^']*)'", expected))
        wrong = str(detail["ctx"].get("tag", value))
        return "bad_value", f"{wrong!r} is not allowed.", allowed, nearest_names(wrong, allowed)
    if kind == "union_tag_not_found":
        return "missing_key", "The key kind is required here.", (), ()
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        return "wrong_type", f"{value} was read as a number; put it in quotes.", (), ()
    return "wrong_type", _wrong_type(detail), (), ()


def _wrong_type(detail: dict[str, Any]) -> str:
    """Return what a value should be, in words of the files where there are some."""
    kind, read = detail["type"], _short(detail["input"])
    if kind == "string_pattern_mismatch":
        pattern = ID if detail["loc"][-1] == "id" else detail["ctx"]["pattern"]
        if form := _FORMS.get(pattern):
            return f"{read} is no {form}."
    if kind == "too_short":
        return f"At least {detail['ctx']['min_length']} must be named."
    wanted = next((words for start, words in _KINDS.items() if kind.startswith(start)), None)
    message = f"It must be {wanted}" if wanted else detail["msg"]
    return f"{message} (read: {read})."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _label(data: object, place: KeyPath, path: KeyPath) -> str:
    """Return a dotted path that names the record by its id where it has one."""
    name = data.get("id") if isinstance(data, dict) else None
    head = (*place[:-1], name) if isinstance(name, str) else place
    return ".".join(str(part) for part in (*head, *path))


def _holds(data: Any, part: int | str) -> bool:  # noqa: ANN401 - any value of a file
    """Tell whether ``data[part]`` exists."""
    if isinstance(data, dict):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)


def _path_in_file(loc: tuple[int | str, ...], data: Any) -> KeyPath:  # noqa: ANN401
    """Drop the parts of ``loc`` that pydantic adds for unions (the tag of the branch tried)."""
    path: list[int | str] = []
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if _holds(data, part):
            data = data[part]
        elif not (last and isinstance(data, dict)):  # not the name of a missing key
            continue
        path.append(part)
    return tuple(path)


def _fields_at(schema: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the keys that the record accepts at ``loc``."""
    candidates: list[type[BaseModel]] = [schema]
    for part in loc:
        inner = [
            model
            for candidate in candidates
            if part in candidate.model_fields
            for model in _models_in(candidate.model_fields[str(part)].annotation)
        ]
        tagged = [model for model in candidates if _has_tag(model, part)]
        candidates = inner or tagged or candidates
    return [name for candidate in candidates for name in candidate.model_fields]


def _has_tag(model: type[BaseModel], tag: int | str) -> bool:
    """Tell whether ``model`` is the branch of a union that ``kind: tag`` selects."""
    kind = model.model_fields.get("kind")
    return kind is not None and tag in get_args(kind.annotation)


def _models_in(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any annotation
    """Return the record classes inside an annotation such as ``tuple[A | B, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Annotated, Union, UnionType, tuple, list, dict):
        return [model for part in get_args(annotation) for model in _models_in(part)]
    return []
