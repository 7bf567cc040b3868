"""Reads the text of a hub ``config.json`` and finds lines in it for error messages."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from advisor.errors import InputError, Problem

__all__ = ["HubConfig", "parse_config", "read_config"]

# The largest published file (per-expert quantisation lists) has 3 MB.
_MAX_BYTES = 16 * 2**20
# Composing a node tree for line numbers is slow; beyond this size errors name the key alone.
_MAX_LOCATED_CHARACTERS = 2**20


@dataclass(frozen=True)
class HubConfig:
    """A parsed ``config.json`` with what is needed to point into it."""

    data: Mapping[str, Any]
    file: str | None = None
    text: str | None = None

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return _lines_of_keys(self.text or "")[0]

    def line_of(self, path: tuple[str, ...]) -> int | None:
        """Return the 1-based line of the key at ``path``, or ``None`` when it is not known."""
        return self._lines.get(path)

    def problem(
        self,
        code: str,
        message: str,
        path: tuple[str, ...] = (),
        allowed: tuple[str, ...] = (),
    ) -> InputError:
        """Return an error that names the file, the line and the dotted key."""
        key = ".".join(path) or None
        line = self.line_of(path) if path else None
        return InputError(Problem(code, message, self.file, line, key, allowed))


def read_config(source: str | os.PathLike[str], *, file: str | None = None) -> HubConfig:
    """Read a ``config.json`` from a path, or from text that was read from standard input.

    Args:
        source: A path, or the JSON text itself (it starts with a brace, holds a line break
            or is empty).
        file: Name to show in errors for text, such as ``<stdin>``.

    Raises:
        InputError: The file cannot be read, is too large, or is not a JSON object.
    """
    if isinstance(source, str) and _looks_like_text(source):
        return parse_config(source, file=file)
    path = Path(source)
    name = file or str(source)
    return parse_config(_read_text(path, name), file=name)


def parse_config(text: str, *, file: str | None = None) -> HubConfig:
    """Parse the text of a ``config.json``.

    Raises:
        InputError: The text is too large, is not JSON, repeats a key, or is no object.
    """
    if len(text) > _MAX_BYTES:
        raise _refuse("too_large", _too_large_message(len(text)), file)
    if not text.strip():
        raise _refuse("not_json", "The config is empty; give the config.json of a model.", file)
    duplicates: list[str] = []
    data = _load(text, file, duplicates)
    if not isinstance(data, dict):
        raise _refuse(
            "not_a_mapping",
            f"A config.json holds one JSON object, this one holds {_kind(data)}.",
            file,
        )
    if duplicates:
        raise _duplicate_problem(text, file, duplicates[0])
    return HubConfig(data, file, text)


def _looks_like_text(source: str) -> bool:
    stripped = source.lstrip("\ufeff \t\r\n")
    return not stripped or stripped[0] in "{[" or "\n" in source


def _read_text(path: Path, name: str) -> str:
    try:
        if path.is_dir():
            raise _refuse(
                "unreadable_file", "This is a directory; name the config.json in it.", name
            )
        with path.open("rb") as stream:
            raw = stream.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refuse("unreadable_file", f"The file cannot be read: {reason}.", name) from None
    if len(raw) > _MAX_BYTES:
        raise _refuse("too_large", _too_large_message(path.stat().st_size), name)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"The file is not UTF-8 text (byte {error.start}); give a config.json."
        raise _refuse("not_json", message, name) from None


def _too_large_message(size: int) -> str:
    # devices and pipes say that they have no size, and give without end
    has = f"{size / 2**20:.0f} MiB" if size > _MAX_BYTES else "no end within reach"
    return (
        f"The config has {has}; a config.json has at most "
        f"{_MAX_BYTES // 2**20} MiB. Weight files cannot be read."
    )


def _load(text: str, file: str | None, duplicates: list[str]) -> object:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in items:
            if key in result:
                duplicates.append(key)
            result[key] = value
        return result

    try:
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        message = f"The config is not valid JSON: {error.msg} (column {error.colno})."
        raise InputError(Problem("not_json", message, file, error.lineno)) from None
    except RecursionError:
        raise _refuse("not_json", "The config is nested too deeply to be a config.", file) from None
    except ValueError:
        # Python refuses integers of more than 4,300 digits
        message = "The config holds a number with thousands of digits."
        raise _refuse("bad_value", message, file) from None


def _duplicate_problem(text: str, file: str | None, key: str) -> InputError:
    located = _lines_of_keys(text)[1]
    path, line = next(((p, n) for p, n in located if p[-1] == key), ((key,), None))
    message = f"The key {key!r} is given twice in the same object; keep one."
    return InputError(Problem("duplicate_key", message, file, line, ".".join(path)))


def _lines_of_keys(
    text: str,
) -> tuple[dict[tuple[str, ...], int], list[tuple[tuple[str, ...], int]]]:
    """Return the line of every key by path, and the repeated keys with theirs."""
    import yaml

    lines: dict[tuple[str, ...], int] = {}
    repeated: list[tuple[tuple[str, ...], int]] = []
    if not text or len(text) > _MAX_LOCATED_CHARACTERS:
        return lines, repeated
    try:
        # JSON is close enough to YAML that its reader can tell positions
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return lines, repeated
    pending: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while pending:
        prefix, node = pending.pop()
        if not isinstance(node, yaml.MappingNode):
            continue
        for key_node, value_node in node.value:
            path = (*prefix, str(key_node.value))
            line = key_node.start_mark.line + 1
            if path in lines:
                repeated.append((path, line))
            lines[path] = line
            pending.append((path, value_node))
    return lines, repeated


def _refuse(code: str, message: str, file: str | None) -> InputError:
    return InputError(Problem(code, message, file))


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else f"a single value ({type(value).__name__})"
