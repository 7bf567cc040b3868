"""Says on a terminal how far a long file has been read."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable

__all__ = ["with_progress"]

_STEP_BYTES = 1_000_000
"""Read in about half a second: shorter files say nothing."""


def with_progress(
    raw_lines: Iterable[bytes], whole_bytes: int | None
) -> Generator[bytes, None, None]:
    """Pass lines on and tell after each megabyte how many were read; at the end it is wiped.

    Only a terminal is told: what is kept in a file stays free of it.

    Args:
        raw_lines: The lines, with their ends.
        whole_bytes: Size of the file; ``None`` when nobody knows it.
    """
    if not sys.stderr.isatty():
        yield from raw_lines
        return
    read = told = 0
    try:
        for raw in raw_lines:
            yield raw
            read += len(raw)
            if read - told >= _STEP_BYTES:
                told = read
                _say(_far(read, whole_bytes))
    finally:
        if told:
            _say("")


def _far(read: int, whole_bytes: int | None) -> str:
    of = f" of {whole_bytes / 1e6:.0f}" if whole_bytes else ""
    return f"read {read / 1e6:.0f}{of} MB"


def _say(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
