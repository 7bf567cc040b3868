"""Reading YAML text: plain values, every mistake with its line, no surprises of YAML 1.1.

Values are built straight from the parser's events, which is about twice as fast as PyYAML's
constructor and lets us differ where its habits hurt reviewers of data:

- a key that occurs twice in one mapping is an error (PyYAML keeps the last one);
- dates stay text, and only ``true`` and ``false`` are booleans (``no`` is a word);
- tags and merge keys are errors; anchors work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import KnowledgeError, Problem

__all__ = ["KeyPath", "Parse", "locate_keys", "parse_yaml", "parser_stamp"]

KeyPath = tuple[str | int, ...]
"""Keys and list positions that lead to a value, such as ``("gpus", 3, "tflops", "bf16")``."""

Parse = Callable[[str, str], Any]
"""Text of a file and its name -> its data; :func:`parse_yaml` or something that remembers."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*|(?P<f>[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+))")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NUMBER_STARTS = frozenset("+-.0123456789")
_HINTS = (
    ("mapping values are not allowed", "A text that holds a colon and a blank needs quotes."),
    ("cannot start any token", "A text that begins with this sign needs quotes."),
    ("expected '-' indicator", "It is indented otherwise than the entries of its list."),
    ("found unexpected end of stream", "A quote that opens here does not close."),
    ("could not find expected ':'", "A key without its colon, or a text that needs quotes."),
    (
        "did not find expected key",
        "Look {where} for a quote that does not close or closes early, or for another indentation.",
    ),
    ("did not find expected ',' or", "A bracket does not close; look {where}."),
)
"""What the parser says, and what somebody has usually done."""
_BEGUN_BEFORE = ("quoted scalar", "simple key")
"""What is noticed only later, so that the line where it began is the one to mend."""


def parse_yaml(text: str, file: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return the data of one YAML document.

    Args:
        text: The document.
        file: Its name, for error messages.

    Raises:
        KnowledgeError: The text is not YAML, or a mapping repeats a key; carries all repeats.
    """
    reader = _Reader(text, file)
    try:
        data = reader.document()
    except yaml.MarkedYAMLError as error:
        raise KnowledgeError(_syntax_problem(error, text, file)) from None
    except yaml.reader.ReaderError as error:
        message = f"The file holds a character that YAML forbids: {error.reason}."
        raise KnowledgeError(Problem("bad_yaml", message, file)) from None
    if reader.problems:
        raise KnowledgeError(reader.problems)
    return data


def locate_keys(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of every key and list item of ``text``, which must parse.

    Only used once something is wrong: keeping lines on the ordinary path costs start-up time.
    """
    reader = _Reader(text, "", keep_lines=True)
    reader.document()
    return reader.lines


@lru_cache(maxsize=1)
def parser_stamp() -> str:
    """Return what else than its text the data of a file depend on: this very module."""
    from advisor.store.loader_cache_file import code_stamp

    return code_stamp(Path(__file__))


class _Reader:
    """One pass over the events of one document."""

    def __init__(self, text: str, file: str, *, keep_lines: bool = False) -> None:
        self._loader = _Loader(text)
        self._file = file
        self._anchors: dict[str, Any] = {}
        self._keep_lines = keep_lines
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[Problem] = []

    def document(self) -> Any:  # noqa: ANN401
        next_event = self._loader.get_event
        next_event()  # stream start
        event = next_event()
        if isinstance(event, yaml.StreamEndEvent):
            return None
        data = self._value(next_event(), ())
        next_event()  # document end
        extra = next_event()
        if not isinstance(extra, yaml.StreamEndEvent):
            self._report("bad_yaml", extra, (), "A second document starts here; one file, one.")
        return data

    def _value(self, event: Any, path: KeyPath) -> Any:  # noqa: ANN401
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = _scalar(event.value) if event.implicit[0] else event.value
        elif kind is yaml.MappingStartEvent:
            value = self._mapping(path)
        elif kind is yaml.SequenceStartEvent:
            value = self._sequence(path)
        else:
            return self._alias(event, path)
        if event.tag is not None:
            self._report("bad_yaml", event, path, f"The tag {event.tag} is not used here.")
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _mapping(self, path: KeyPath) -> dict[Hashable, Any]:
        next_event = self._loader.get_event
        result: dict[Hashable, Any] = {}
        while type(event := next_event()) is not yaml.MappingEndEvent:
            key = self._key(event, path)
            inner = (*path, key)
            if self._keep_lines:
                self.lines.setdefault(inner, event.start_mark.line + 1)
            if key in result:
                self._report("duplicate_key", event, inner, "This key occurs twice; keep one.")
            result[key] = self._value(next_event(), inner)
        return result

    def _sequence(self, path: KeyPath) -> list[Any]:
        next_event = self._loader.get_event
        result: list[Any] = []
        while type(event := next_event()) is not yaml.SequenceEndEvent:
            inner = (*path, len(result))
            if self._keep_lines:
                self.lines[inner] = event.start_mark.line + 1
            result.append(self._value(event, inner))
        return result

    def _key(self, event: Any, path: KeyPath) -> str:  # noqa: ANN401
        if type(event) is yaml.ScalarEvent and event.value != "<<":
            return str(event.value)
        self._report("bad_yaml", event, path, "A key must be plain text, and '<<' is not used.")
        if type(event) is not yaml.ScalarEvent:
            self._value(event, path)
        return "?"

    def _alias(self, event: Any, path: KeyPath) -> Any:  # noqa: ANN401
        if event.anchor not in self._anchors:
            self._report("bad_yaml", event, path, f"No anchor &{event.anchor} before this alias.")
        return self._anchors.get(event.anchor)

    def _report(self, code: str, event: Any, path: KeyPath, message: str) -> None:  # noqa: ANN401
        line = event.start_mark.line + 1
        key = ".".join(str(part) for part in path) or None
        self.problems.append(Problem(code, message, self._file, line, key))


def _scalar(text: str) -> str | float | bool | None:
    """Return what an unquoted scalar means under the JSON-like core rules of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_STARTS and (match := _NUMBER.fullmatch(text)):
        return float(text) if match["f"] else int(text)
    return text


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    mark, start = error.problem_mark or error.context_mark, error.context_mark
    said = error.problem or error.context or ""
    message = f"This is not YAML: {said}."
    if mark is None:
        return Problem("bad_yaml", message, file)
    if start is not None and any(what in (error.context or "") for what in _BEGUN_BEFORE):
        mark = start
    lines = text.splitlines()
    source = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in source[: len(source) - len(source.lstrip())]:
        message = "A tab indents this line; YAML allows only spaces there."
    elif hint := next((hint for sign, hint in _HINTS if sign in said), None):
        begun = start is not None and start.line < mark.line
        where = f"from line {start.line + 1} to here" if start and begun else "here"
        message += f" {hint.format(where=where)}"
    return Problem("bad_yaml", message, file, mark.line + 1)
