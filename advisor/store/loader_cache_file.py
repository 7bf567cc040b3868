"""The cache file: plain data under the checksum of all that they were made from.

Reading YAML takes ten times as long as reading JSON, so the program keeps the plain data of
each knowledge file. An entry is found by the SHA-256 of the very text it was made from together
with the version of the code that made it: an edited file is never answered from the past. An
entry whose own checksum does not fit is passed over, and so is a file that another user can
have written. Nothing in the file is ever run.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from advisor import __version__

__all__ = ["Cache", "code_stamp"]

_HEAD = b"gpu-advisor knowledge cache 1"
"""First line; each further line is: label, key, checksum and JSON, separated by tabs."""
_MAX_BYTES = 64 * 2**20
"""Of a file that is read at all; ours has about two million."""


def code_stamp(*places: Path) -> str:
    """Return names, sizes and times of source files: whoever edits the code sees it run.

    Args:
        places: Files, or folders whose ``.py`` files count.
    """
    found: list[tuple[str, int, int]] = []
    for place in places:
        try:
            files = sorted(place.glob("*.py")) if place.is_dir() else [place]
            for file in files:
                status = file.stat()
                found.append((file.name, status.st_size, status.st_mtime_ns))
        except OSError:  # inside an archive, say: the version has to do
            continue
    return repr(found)


class Cache:
    """The entries of one cache file; read on first use, written by :meth:`save`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: dict[bytes, bytes] | None = None
        self._added = False

    def remembered(self, label: str, made_from: tuple[str, ...], make: Callable[[], Any]) -> Any:  # noqa: ANN401 - plain data of any shape
        """Return the plain data that ``make()`` gives for ``made_from``.

        Args:
            label: What it is; a newer entry of a label replaces the older one.
            made_from: Everything that the data depend on, as text.
            make: Makes the data; whatever it raises is passed on, and nothing is kept then.
        """
        key = _key(label, made_from)
        found = self._found(label, key)
        if found is not None:
            return found[0]
        data = make()
        self._keep(label, key, data)
        return data

    def save(self) -> None:
        """Write the file anew if there is something new; any error only costs the next run."""
        if not self._added or self._lines is None:
            return
        self._added = False
        lines = [b"\t".join(pair) for pair in self._lines.items()]
        with contextlib.suppress(OSError):
            _write(self._file, b"\n".join([_HEAD, *lines, b""]))

    def _found(self, label: str, key: bytes) -> tuple[Any] | None:
        if self._lines is None:
            self._lines = _read(self._file)
        entry = self._lines.get(label.encode())
        if entry is None:
            return None
        known, _, rest = entry.partition(b"\t")
        checksum, _, text = rest.partition(b"\t")
        if known != key or checksum != _digest(text):
            return None
        try:
            return (json.loads(text),)
        except (ValueError, RecursionError):
            return None

    def _keep(self, label: str, key: bytes, data: object) -> None:
        if self._lines is None or "\t" in label or "\n" in label:
            return
        try:
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError):
            return
        self._lines[label.encode()] = b"\t".join((key, _digest(text), text))
        self._added = True


def _key(label: str, made_from: tuple[str, ...]) -> bytes:
    digest = sha256(f"{__version__} {sys.version} {label}".encode())
    for part in made_from:
        text = part.encode("utf-8", "surrogatepass")
        digest.update(b" %d " % len(text))  # two parts never run into each other
        digest.update(text)
    return digest.hexdigest().encode()


def _digest(text: bytes) -> bytes:
    return sha256(text).hexdigest().encode()


def _read(file: Path) -> dict[bytes, bytes]:
    """Return label -> rest of the line; nothing when the file is missing, foreign or damaged."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(file, flags), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not _ours(status) or status.st_size > _MAX_BYTES:
                return {}
            data = stream.read()
    except OSError:
        return {}
    head, *lines = data.split(b"\n")
    if head != _HEAD:
        return {}
    entries = (line.partition(b"\t") for line in lines if line)
    return {label: rest for label, _, rest in entries}


def _ours(status: os.stat_result) -> bool:
    """Tell whether nobody but this user can have written a file."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _write(file: Path, data: bytes) -> None:
    """Write ``file`` as a whole or not at all, readable by this user alone.

    Raises:
        OSError: It cannot be written.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as stream:
            stream.write(data)
        draft.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
