"""Markdown files: which there are, reading them as they are, replacing them at once."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError, Problem

__all__ = ["Source", "is_markdown", "pages_of", "read_source", "write_source"]

_ENDINGS = frozenset({".md", ".markdown", ".mdx"})
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_MARKS = re.compile(
    rb"gpu-advisor:|gpu-advice"
    # slips of the pen, which have to be told
    rb"|(?:<!-{1,3}|\{/\*)\s*g[\w -]{5,20}[:=.\s-]\s*(?:begin|end)\b|(?:```|~~~)\s*\{?gpu",
    re.IGNORECASE,
)
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it lies on the disk."""

    path: Path
    name: str
    """What messages call it."""
    marked: bool
    """Whether a byte order mark begins it."""
    lines: tuple[str, ...]
    ends: tuple[str, ...]
    """The end of each line; empty for a last line without one."""


def pages_of(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the pages that ``paths`` name: files as they are, folders with all Markdown below.

    Folders that begin with a dot, and those of packages, are left out. Each page comes once.

    Raises:
        InputError: There is no such file or folder, or no page in a folder.
    """
    seen: set[str] = set()
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise InputError(Problem("no_file", "There is no such file or folder.", file=name))
        pages = sorted(_below(path)) if path.is_dir() else [path]
        if not pages:
            raise InputError(Problem("no_pages", "No Markdown page is in this folder.", file=name))
        for page in pages:
            real = os.path.realpath(page)
            if real not in seen:
                seen.add(real)
                yield page


def is_markdown(path: Path) -> bool:
    """Tell whether a file is a page by its name."""
    return path.suffix.lower() in _ENDINGS


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in _SKIPPED]
        yield from (Path(parent, n) for n in names if Path(n).suffix.lower() in _ENDINGS)


def read_source(path: Path) -> Source | None:
    """Return a page, or nothing when it can hold no block.

    Raises:
        InputError: It cannot be read, or is not UTF-8.
    """
    name = os.path.normpath(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"The page cannot be read: {error.strerror}."
        raise InputError(Problem("unreadable", message, file=name)) from error
    if not _MARKS.search(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = "The page is not UTF-8 text."
        raise InputError(Problem("not_utf8", message, file=name, line=line)) from error
    marked = text.startswith(_BYTE_ORDER_MARK)
    whole = _LINE.findall(text.removeprefix(_BYTE_ORDER_MARK))
    lines = tuple(line.rstrip("\r\n") for line in whole)
    ends = tuple(line[len(bare) :] for line, bare in zip(whole, lines, strict=True))
    return Source(path, name, marked, lines, ends)


def write_source(source: Source, lines: Iterable[tuple[str, str]]) -> None:
    """Replace a page by ``lines`` and their ends; a reader sees the old or the new, no half.

    Raises:
        InputError: It cannot be written.
    """
    mark = _BYTE_ORDER_MARK if source.marked else ""
    text = mark + "".join(line + end for line, end in lines)
    target = Path(os.path.realpath(source.path))
    try:
        _replace(target, text.encode("utf-8"))
    except OSError as error:
        message = f"The page cannot be written: {error.strerror}."
        raise InputError(Problem("unwritable", message, file=source.name)) from error


def _replace(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode & 0o7777
    if not os.access(target, os.W_OK):  # a folder's rights alone would allow the replacement
        raise PermissionError(13, "it is write-protected")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
