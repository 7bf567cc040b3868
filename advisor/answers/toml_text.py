"""TOML text to nodes.

The standard reader does the grammar and refuses duplicate keys; it keeps no lines, so the
line of a key is found by a second look at the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from advisor.answers.nodes import Node, too_deep
from advisor.answers.plain import from_python
from advisor.errors import InputError, Problem

__all__ = ["parse_toml"]

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_DOTTED})[ \t]*\]")
_ASSIGNMENT = re.compile(rf"({_DOTTED})[ \t]*=")
_PART = re.compile(_KEY)
_LINE = re.compile(r"at line (\d+)")


class _Written(str):
    """A number as it was written: TOML's ``1.30`` stays ``1.30``."""

    __slots__ = ()


def parse_toml(text: str, file: str) -> Node:
    """Return the tree of a TOML text.

    Raises:
        InputError: for bad syntax (duplicate keys included) and texts beyond the limits.
    """
    try:
        data = tomllib.loads(text, parse_float=_Written)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_syntax_problem(str(error), file)) from error
    except RecursionError as error:
        raise InputError(too_deep(file, None)) from error
    return from_python(data, file, lines=find_lines(text), written=_Written)


def find_lines(text: str) -> Mapping[tuple[str, ...], int]:
    """Return the line of each key path; records of an array of tables count as ``"0"``, ``"1"``.

    A key inside an inline table is missing here; its parent's line stands for it.
    """
    lines: dict[tuple[str, ...], int] = {}
    records: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, raw in enumerate(text.split("\n"), start=1):
        source = raw.lstrip(" \t")
        if header := _HEADER.match(source):
            table = _parts(header.group(2))
            if header.group(1) == "[[":
                records[table] = records.get(table, -1) + 1
            table = _with_indexes(table, records)
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(source):
            lines.setdefault(table + _parts(assignment.group(1)), number)
    return lines


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _with_indexes(
    table: tuple[str, ...], records: Mapping[tuple[str, ...], int]
) -> tuple[str, ...]:
    """Return the path of a table with the number of the record it belongs to put in."""
    path: list[str] = []
    for length, part in enumerate(table, start=1):
        path.append(part)
        if table[:length] in records:
            path.append(str(records[table[:length]]))
    return tuple(path)


def _syntax_problem(message: str, file: str) -> Problem:
    found = _LINE.search(message)
    line = int(found.group(1)) if found else None
    code = "duplicate_key" if "overwrite" in message or "twice" in message else "bad_toml"
    return Problem(code, f"This is not valid TOML: {message}.", file=file, line=line)
