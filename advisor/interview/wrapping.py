"""Lines of text no wider than a terminal, measured in its cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

__all__ = ["cells", "wrapped"]

_NARROWEST = 20
_HANG = 2
"""Further lines of a paragraph stand so much deeper than its first."""
_NO_CELL = frozenset({"Mn", "Me", "Cf"})


def cells(text: str) -> int:
    """Return how many cells a text takes: two for wide characters, none for marks on others."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in _NO_CELL:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Return a paragraph as lines; names and addresses are not broken, wide script is.

    A non-breaking space keeps what it joins on one line and is shown as a plain one.

    Args:
        text: Of any length, on one line.
        width: In cells.
        indent: Of the first line.
    """
    width = max(width, _NARROWEST)
    lines: list[str] = []
    line, empty = " " * indent, True
    for joint, word in _words(text):
        if empty or cells(line) + len(joint) + cells(word) <= width:
            line, empty = line + ("" if empty else joint) + word, False
            continue
        lines.append(line)
        line = " " * (indent + _HANG) + word
    lines += [] if empty else [line]
    return [one.replace("\xa0", " ") for one in lines]


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield what joins each word to the one before, and the word."""
    for word in text.split(" "):
        joint = " "
        for part in _parts(word):
            yield joint, part
            joint = ""


def _parts(word: str) -> Iterator[str]:
    """Yield a word; of a script that is written without spaces, its characters."""
    if cells(word) <= len(word):
        yield from (word,) if word else ()
        return
    part = ""
    for char in word:
        if part and _cells_of(char):
            yield part
            part = ""
        part += char
    yield part
