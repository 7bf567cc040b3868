"""JSON text to nodes.

The standard decoder keeps the last of two equal keys, has no lines and accepts NaN, so a
small reader of the same grammar stands here; strings are decoded by the standard scanner.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError, JSONDecoder

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

__all__ = ["parse_json"]

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_STRING_DECODER = JSONDecoder()


def parse_json(text: str, file: str) -> Node | None:
    """Return the tree of a JSON text, or None when the text is empty.

    Raises:
        InputError: for bad syntax, duplicate keys, NaN, and texts beyond the limits.
    """
    reader = _Reader(text, file)
    root = reader.document()
    if reader.duplicates:
        raise InputError(reader.duplicates)
    return root


class _Reader:
    """A recursive reader; :data:`MAX_DEPTH` keeps the recursion shallow."""

    def __init__(self, text: str, file: str) -> None:
        self.duplicates: list[Problem] = []
        self._text = text
        self._file = file
        self._at = 0
        self._budget = Budget(file)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> Node | None:
        self._skip_space()
        if self._at == len(self._text):
            return None
        root = self._node(1)
        self._skip_space()
        if self._at < len(self._text):
            raise self._bad("one JSON value was expected, and more text follows it")
        return root

    def _node(self, depth: int) -> Node:
        line = self._line()
        if depth > MAX_DEPTH:
            raise InputError(too_deep(self._file, line))
        self._budget.spend(1, line)
        head = self._peek()
        if head == "{":
            return self._fields(line, depth)
        if head == "[":
            return self._items(line, depth)
        if head == '"':
            return Scalar(self._string(), line, plain=False)
        for pattern in (_NUMBER, _WORD):
            if match := pattern.match(self._text, self._at):
                self._at = match.end()
                return Scalar(match.group(), line)
        raise self._bad("a value was expected" if head else "the text ends too early")

    def _items(self, line: int, depth: int) -> Items:
        self._at += 1
        items: list[Node] = []
        while not self._closes("]", first=not items):
            items.append(self._node(depth + 1))
        return Items(tuple(items), line, 1 + sum(item.size for item in items))

    def _fields(self, line: int, depth: int) -> Fields:
        self._at += 1
        entries: dict[str, Entry] = {}
        started = False
        while not self._closes("}", first=not started):
            started = True
            at = self._line()
            if self._peek() != '"':
                raise self._bad("a key in double quotes was expected")
            name = self._string()
            self._skip_space()
            if self._peek() != ":":
                raise self._bad("':' was expected after the key")
            self._at += 1
            self._skip_space()
            node = self._node(depth + 1)
            if name in entries:
                self._note_duplicate(name, entries[name].line, at)
            else:
                entries[name] = Entry(name, at, node)
        size = 1 + sum(1 + entry.node.size for entry in entries.values())
        return Fields(tuple(entries.values()), line, size)

    def _closes(self, bracket: str, *, first: bool) -> bool:
        """Consume the bracket, or the comma before the next member."""
        self._skip_space()
        if self._peek() == bracket:
            self._at += 1
            return True
        if first:
            return False
        if self._peek() != ",":
            raise self._bad(f"',' or '{bracket}' was expected")
        self._at += 1
        self._skip_space()
        return False

    def _string(self) -> str:
        try:
            value, end = _STRING_DECODER.raw_decode(self._text, self._at)
            str(value).encode()
        except UnicodeEncodeError as error:
            raise self._bad("the text holds half of a character (a lone surrogate)") from error
        except JSONDecodeError as error:
            self._at = min(error.pos, len(self._text))
            raise self._bad(error.msg[:1].lower() + error.msg[1:]) from error
        self._at = end
        return str(value)

    def _note_duplicate(self, name: str, first: int | None, second: int) -> None:
        message = f"The key is given twice, on lines {first} and {second}; keep one."
        key = name if name.isprintable() and len(name) <= 100 else shown(name)
        self.duplicates.append(
            Problem("duplicate_key", message, file=self._file, line=second, key=key)
        )

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _line(self) -> int:
        return bisect_right(self._line_starts, self._at)

    def _bad(self, what: str) -> InputError:
        line = self._line()
        column = self._at - self._line_starts[line - 1] + 1
        message = f"This is not valid JSON: {what} (column {column})."
        return InputError(Problem("bad_json", message, file=self._file, line=line))
