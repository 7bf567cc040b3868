"""Reads an answers document safely: from a file, standard input, text or a mapping.

Owns the outer limits (size, encoding, one document, a mapping at the top) and the choice of
format. It knows no key: what the values mean is decided in ``validate``.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Literal

from advisor.answers.nodes import Fields, Node, Scalar, describe
from advisor.errors import InputError, Problem

__all__ = ["MAX_BYTES", "Format", "parse_document", "read_document", "read_text"]

MAX_BYTES = 1024 * 1024
"""Largest answers file; a full one is about 10 kB."""

Format = Literal["yaml", "json", "toml"]
_FORMATS: Mapping[str, Format] = {".json": "json", ".toml": "toml"}
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_document(source: str | Path | Mapping[str, object], name: str | None = None) -> Fields:
    """Return the answers in ``source`` as a tree.

    Args:
        source: a path, ``-`` for standard input, or a mapping.
        name: what error messages call it; the path itself by default.

    Raises:
        InputError: one problem (or all duplicate keys), when the document cannot be read.
    """
    if isinstance(source, Mapping):
        from advisor.answers.plain import from_python

        label = name or "answers"
        return _top(from_python(source, label), label)
    label = name or ("standard input" if str(source) == "-" else str(source))
    form = _FORMATS.get(Path(source).suffix.lower(), "yaml")
    return parse_document(read_text(source, label), label, form)


def parse_document(text: str, name: str, form: Format = "yaml", first_line: int = 1) -> Fields:
    """Return the answers in a text; see :func:`read_document`."""
    if form == "json":
        from advisor.answers.json_text import parse_json

        return _top(parse_json(text, name), name)
    if form == "toml":
        from advisor.answers.toml_text import parse_toml

        return _top(parse_toml(text, name), name)
    from advisor.answers.yaml_text import parse_yaml

    return _top(parse_yaml(text, name, first_line), name)


def read_text(source: str | Path, name: str) -> str:
    """Return the text of a file or of standard input (``-``).

    Raises:
        InputError: when it cannot be opened, is too large, or is not UTF-8 text.
    """
    data = _stdin_bytes() if str(source) == "-" else _file_bytes(source, name)
    if len(data) > MAX_BYTES:
        raise _error("too_large", _TOO_LARGE, name)
    if data.startswith(_BYTE_ORDER_MARKS):
        raise _error("not_utf8", "The file is UTF-16; save it as UTF-8.", name)
    if b"\0" in data:
        raise _error("not_text", "This is a binary file, not text.", name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"The byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8."
        raise _error("not_utf8", message, name, line) from error


_TOO_LARGE = (
    f"More than {MAX_BYTES // 1024} KiB: this is not an answers file. "
    "Give a large model config by its path (workload.model_config)."
)


def _stdin_bytes() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is not None:
        data: bytes = stream.read(MAX_BYTES + 1)
        return data
    return sys.stdin.read(MAX_BYTES + 1).encode("utf-8", "surrogatepass")


def _file_bytes(source: str | Path, name: str) -> bytes:
    """Return at most one byte more than allowed, so that no device or pipe can flood us."""
    try:
        with _open(source) as file:
            facts = os.fstat(file.fileno())
            if stat.S_ISREG(facts.st_mode) and facts.st_size > MAX_BYTES:
                raise _error("too_large", _TOO_LARGE, name)
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise _error("no_such_file", "There is no such file.", name) from error
    except IsADirectoryError as error:
        raise _error("is_a_folder", "This is a folder; name a file in it.", name) from error
    except PermissionError as error:
        raise _error("no_permission", "The file may not be read (permission).", name) from error
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL byte.
        reason = getattr(error, "strerror", None) or str(error)
        raise _error("unreadable", f"The file cannot be read: {reason}.", name) from error


def _open(source: str | Path) -> BinaryIO:
    if not str(source).strip():
        raise FileNotFoundError  # an empty name would be this very folder
    if Path(source).is_dir():
        # Windows calls this a permission problem.
        raise IsADirectoryError
    return Path(source).open("rb")


def _top(root: Node | None, name: str) -> Fields:
    """Return the top level, which must be a group of keys; nothing at all is no answers."""
    if root is None or (isinstance(root, Scalar) and root.is_null):
        return Fields(())
    if isinstance(root, Fields):
        return root
    message = (
        f"The top level must be keys such as 'workload:' and 'hardware:'; "
        f"{describe(root)} was given."
    )
    raise _error("not_a_mapping", message, name, root.line)


def _error(code: str, message: str, name: str, line: int | None = None) -> InputError:
    return InputError(Problem(code, message, file=name, line=line))
