"""YAML text to nodes, event by event.

``yaml.safe_load`` would turn ``1.30`` into 1.3 and ``no`` into False, forget lines, keep the
last of two equal keys, and expand a nested alias bomb. Reading events keeps the source text
and lets every limit act before anything is built.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from advisor.answers.nodes import (
    MAX_DEPTH,
    Budget,
    Entry,
    Fields,
    Items,
    Node,
    Scalar,
    describe,
    shown,
    too_deep,
)
from advisor.errors import InputError, Problem

__all__ = ["parse_yaml"]

_CORE_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
)


def parse_yaml(text: str, file: str, first_line: int = 1) -> Node | None:
    """Return the tree of one YAML document, or None when there is none.

    Args:
        text: the document.
        file: the name that error messages use.
        first_line: the line of ``file`` on which ``text`` begins.

    Raises:
        InputError: for bad syntax, duplicate keys, several documents, foreign tags, and
            anything nested or expanded beyond the limits of :mod:`advisor.answers.nodes`.
    """
    builder = _Builder(file, first_line)
    try:
        root = builder.document(iter(yaml.parse(text, Loader=yaml.CSafeLoader)))
    except yaml.YAMLError as error:
        raise InputError(_syntax_problem(error, text, file, first_line)) from error
    if builder.duplicates:
        raise InputError(builder.duplicates)
    return root


class _Builder:
    """Builds nodes from the events of one document."""

    def __init__(self, file: str, first_line: int) -> None:
        self.file = file
        self.duplicates: list[Problem] = []
        self._offset = first_line
        self._budget = Budget(file)
        self._anchors: dict[str, Node | None] = {}
        """Finished anchors; None while the anchored node is still being read."""

    def document(self, events: Iterator[yaml.Event]) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    message = "A second document starts here ('---'); keep one a file."
                    raise self._error("several_documents", message, event)
                root = self._node(next(events), events, depth=1)
        return root

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        """Return the node that begins with ``event``, consuming its events."""
        line = self._line(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, line)
        if depth > MAX_DEPTH:
            raise InputError(too_deep(self.file, line))
        self._refuse_tag(event)
        self._budget.spend(1, line)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._anchors[anchor] = None
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = Scalar(event.value, line, plain=_is_plain(event))
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._items(events, line, depth)
        else:
            node = self._fields(events, line, depth)
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _alias(self, event: yaml.AliasEvent, line: int) -> Node:
        """Return the anchored node; its whole size counts again."""
        if event.anchor not in self._anchors:
            message = f"The alias *{event.anchor} has no anchor &{event.anchor} above it."
            raise self._error("unknown_alias", message, event)
        node = self._anchors[event.anchor]
        if node is None:
            message = f"The alias *{event.anchor} stands inside its own anchor: it would never end."
            raise self._error("endless_alias", message, event)
        self._budget.spend(node.size, line)
        return node

    def _items(self, events: Iterator[yaml.Event], line: int, depth: int) -> Items:
        items = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, events, depth + 1))
        return Items(tuple(items), line, 1 + sum(item.size for item in items))

    def _fields(self, events: Iterator[yaml.Event], line: int, depth: int) -> Fields:
        own: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            name, at = self._name(event, events, depth)
            node = self._node(next(events), events, depth + 1)
            if name is None:
                for entry in self._merge(node, at):
                    merged.setdefault(entry.name, entry)
            elif name in own:
                self.duplicates.append(self._duplicate(name, own[name].line, at))
            else:
                own[name] = Entry(name, at, node)
        entries = tuple((own | {k: v for k, v in merged.items() if k not in own}).values())
        return Fields(entries, line, 1 + sum(1 + entry.node.size for entry in entries))

    def _name(
        self, event: yaml.Event, events: Iterator[yaml.Event], depth: int
    ) -> tuple[str | None, int]:
        """Return the name of an entry (None for the merge key ``<<``) and its line."""
        node = self._node(event, events, depth + 1)
        line = self._line(event)
        if not isinstance(node, Scalar):
            message = f"A key must be a word; {describe(node)} was given."
            raise self._error("bad_key", message, event)
        return (None if node.plain and node.text == "<<" else node.text), line

    def _merge(self, node: Node, line: int) -> Iterator[Entry]:
        """Yield what ``<<`` brings in; earlier mappings of a list win, as YAML has it."""
        for part in node.items if isinstance(node, Items) else (node,):
            if not isinstance(part, Fields):
                message = f"'<<' takes a group of keys; {describe(part)} was given."
                raise InputError(Problem("bad_merge", message, file=self.file, line=line))
            self._budget.spend(part.size, line)
            yield from part.entries

    def _refuse_tag(self, event: yaml.Event) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None and tag not in _CORE_TAGS and tag != "!":
            message = f"The tag {shown(tag)} is not used in answers; write the plain value."
            raise self._error("foreign_tag", message, event)

    def _duplicate(self, name: str, first: int | None, second: int) -> Problem:
        message = f"The key is given twice, on lines {first} and {second}; keep one."
        return Problem("duplicate_key", message, file=self.file, line=second, key=shown_key(name))

    def _line(self, event: yaml.Event) -> int:
        mark = event.start_mark
        return (mark.line if mark else 0) + self._offset

    def _error(self, code: str, message: str, event: yaml.Event) -> InputError:
        return InputError(Problem(code, message, file=self.file, line=self._line(event)))


def _is_plain(event: yaml.ScalarEvent) -> bool:
    """Return whether a scalar has neither quotes nor a tag that makes it text."""
    return not event.style and event.tag not in {"!", "tag:yaml.org,2002:str"}


def shown_key(name: str, limit: int = 100) -> str:
    """Return a foreign key fit for an error message."""
    return name if name.isprintable() and len(name) <= limit else shown(name, limit)


def _syntax_problem(error: yaml.YAMLError, text: str, file: str, first_line: int) -> Problem:
    """Return one readable problem for what the YAML scanner or reader reported."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "bad syntax")
    if mark is None:
        position = getattr(error, "position", None)
        index = position if isinstance(position, int) else 0
        line = text.encode()[:index].count(b"\n") if index else 0
        message = f"This is not YAML text: {what}."
        return Problem("bad_yaml", message, file=file, line=line + first_line)
    if "nesting depth" in what:
        return too_deep(file, mark.line + first_line)
    lines = text.splitlines()
    source = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in source[: max(mark.column, 0) + 1]:
        message = "A tab is used for indentation; YAML takes spaces only."
        return Problem("tab", message, file=file, line=mark.line + first_line)
    message = f"This is not valid YAML: {what} (column {mark.column + 1})."
    return Problem("bad_yaml", message, file=file, line=mark.line + first_line)
