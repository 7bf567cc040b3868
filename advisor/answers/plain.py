"""Python values to nodes and back: in-memory answers, TOML data, embedded model configs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from advisor.answers.nodes import (
    MAX_DEPTH,
    Budget,
    Entry,
    Fields,
    Items,
    Node,
    Scalar,
    shown,
    too_deep,
)
from advisor.errors import InputError, Problem

__all__ = ["FrozenMapping", "from_python", "frozen", "thawed"]

_V_co = TypeVar("_V_co", covariant=True)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_Lines = Mapping[tuple[str, ...], int]
_NO_LINES: _Lines = MappingProxyType({})


class FrozenMapping(Mapping[str, _V_co]):
    """A mapping that can be hashed, copied and pickled, and never changes.

    A ``MappingProxyType`` can do none of the three, and answers serve as cache keys.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, _V_co]) -> None:
        self._data = dict(data)

    def __getitem__(self, name: str) -> _V_co:
        return self._data[name]

    def get(self, name: str, default: object = None) -> Any:  # noqa: ANN401 - any value
        """Return the value of ``name``, or ``default``; the inherited one raises and catches."""
        return self._data.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        return hash(frozenset(self._data.items()))

    def __repr__(self) -> str:
        return repr(self._data)


def from_python(
    data: object, file: str, *, lines: _Lines = _NO_LINES, written: type[str] | None = None
) -> Node:
    """Return the tree of a Python value.

    Args:
        data: mappings with text keys, lists, tuples, text, numbers, booleans, dates, None.
        file: the name that error messages use.
        lines: line of each key path, where the value came from a text.
        written: a text type that marks numbers kept as they were written.

    Raises:
        InputError: for anything else, for keys that are not text, and beyond the limits.
    """
    return _Builder(file, lines, written).node(data, (), None, 1)


class _Builder:
    def __init__(self, file: str, lines: _Lines, written: type[str] | None) -> None:
        self._file = file
        self._lines = lines
        self._written = written
        self._budget = Budget(file)

    def node(self, data: object, path: tuple[str, ...], line: int | None, depth: int) -> Node:
        line = self._lines.get(path, line)
        if depth > MAX_DEPTH:
            raise InputError(too_deep(self._file, line))
        self._budget.spend(1, line)
        if isinstance(data, Mapping):
            return self._fields(data, path, line, depth)
        if isinstance(data, Sequence) and not isinstance(data, str | bytes | bytearray):
            items = tuple(
                self.node(item, (*path, str(index)), line, depth + 1)
                for index, item in enumerate(data)
            )
            return Items(items, line, 1 + sum(item.size for item in items))
        return self._scalar(data, path, line)

    def _fields(
        self, data: Mapping[object, object], path: tuple[str, ...], line: int | None, depth: int
    ) -> Fields:
        entries = []
        for name, value in data.items():
            if not isinstance(name, str):
                message = f"A key must be text; {shown(repr(name))} was given."
                raise InputError(Problem("bad_key", message, file=self._file, line=line))
            at = self._lines.get((*path, name), line)
            entries.append(Entry(name, at, self.node(value, (*path, name), at, depth + 1)))
        return Fields(tuple(entries), line, 1 + sum(1 + entry.node.size for entry in entries))

    def _scalar(self, data: object, path: tuple[str, ...], line: int | None) -> Scalar:
        if data is None or isinstance(data, bool):
            return Scalar({None: "null", True: "true", False: "false"}[data], line)
        if self._written is not None and isinstance(data, self._written):
            return Scalar(str(data), line)
        if isinstance(data, str) and not _SURROGATE.search(data):
            return Scalar(str(data), line, plain=False)
        if isinstance(data, int) and abs(data) < 10**30:
            return Scalar(str(int(data)), line)
        if isinstance(data, float):
            return Scalar(repr(float(data)), line, exact=False)
        if isinstance(data, dt.date | dt.time):
            return Scalar(data.isoformat(), line)
        message = f"A value of type {type(data).__name__} cannot be read; give text or a number."
        key = ".".join(path) or None
        raise InputError(Problem("bad_value", message, file=self._file, line=line, key=key))


_WORDS: Mapping[str, bool | None] = {"": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def frozen(node: Node) -> object:
    """Return the plain value of a node as JSON would have it, unchangeable, names in order."""
    if isinstance(node, Fields):
        by_name = sorted(node.entries, key=lambda entry: entry.name)
        return FrozenMapping({entry.name: frozen(entry.node) for entry in by_name})
    if isinstance(node, Items):
        return tuple(frozen(item) for item in node.items)
    return _plain_value(node.text) if node.plain else node.text


def _plain_value(text: str) -> str | int | float | bool | None:
    """Return what an unquoted word stands for in JSON."""
    word = "" if text == "~" else text.casefold()
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def thawed(value: object) -> object:
    """Return a copy made of dicts and lists, which ``json`` and ``yaml`` can write."""
    if isinstance(value, Mapping):
        return {str(name): thawed(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [thawed(part) for part in value]
    return value
