"""What every answers file becomes before it is judged: scalars, lists and fields with lines.

Owns the neutral tree and its limits, so that YAML, JSON, TOML and Python mappings are judged
by the same code. A scalar keeps its source text: ``1.30`` stays ``1.30``.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import InputError, Problem

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "Budget",
    "Entry",
    "Fields",
    "Items",
    "Node",
    "Scalar",
    "describe",
    "shown",
    "too_deep",
    "too_many_nodes",
]

MAX_DEPTH = 40
"""Levels of nesting; the vocabulary needs five, an embedded model config a few more."""
MAX_NODES = 20_000
"""Values in a file after anchors are expanded; the largest real answers file has some hundred."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as it was written."""

    text: str
    line: int | None = None
    plain: bool = True
    """Written without quotes: only such a scalar can be null."""
    exact: bool = True
    """False when the text was made from a Python float, whose last zeros are lost."""
    size: int = 1

    @property
    def is_null(self) -> bool:
        """Return whether this stands for "not given"."""
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    line: int | None = None
    size: int = 1
    """Nodes in the whole subtree, aliases counted each time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``name: value`` of a mapping."""

    name: str
    line: int | None
    """Line of the name."""
    node: Node


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping; names are unique."""

    entries: tuple[Entry, ...]
    line: int | None = None
    size: int = 1


Node = Scalar | Items | Fields


class Budget:
    """Counts the nodes of one file and refuses the one too many."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._left = MAX_NODES

    def spend(self, nodes: int, line: int | None) -> None:
        """Take ``nodes`` from the budget.

        Raises:
            InputError: when the file expands to more than :data:`MAX_NODES` values.
        """
        self._left -= nodes
        if self._left < 0:
            raise InputError(too_many_nodes(self.file, line))


def too_many_nodes(file: str, line: int | None) -> Problem:
    """Return the problem of a file that expands beyond all use."""
    message = (
        f"The file expands to more than {MAX_NODES:,} values here (anchors and merges are "
        "counted each time they are used). Write the values out, or leave out what is not needed."
    )
    return Problem("too_many_values", message, file=file, line=line)


def too_deep(file: str, line: int | None) -> Problem:
    """Return the problem of a file nested beyond :data:`MAX_DEPTH`."""
    message = f"Values are nested more than {MAX_DEPTH} levels deep here; answers need about five."
    return Problem("too_deep", message, file=file, line=line)


def shown(text: str, limit: int = 60) -> str:
    """Return foreign text fit for one line of an error message: quoted, escaped and cut."""
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)
    return "'" + "".join(escaped) + "'"


def describe(node: Node) -> str:
    """Return what a node is, for "... was given" in an error message."""
    if isinstance(node, Items):
        return "a list"
    if isinstance(node, Fields):
        return "a group of keys"
    return shown(node.text)
