"""Which words the advisor's own code uses: read statically, nothing is imported.

Rules are one reader of answers and facts, the code is the other. A key that stands nowhere in
the code as a text cannot be read there, so what this finds missing is missing; what it finds may
still be a mere mention.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import advisor

__all__ = ["produced_words", "read_words"]

_DECLARES = "vocabulary.py"
"""Files that only list words."""
_NOT_READERS = ("analysis", "cli")
_PRODUCERS = ("consult", "diagnose", "sizing")


@cache
def read_words() -> frozenset[str]:
    """Return the texts in the code that may read answers.

    ``layout.*`` stands for keys that are put together there, ``f"layout.{name}"``.
    """
    rooms = _words_by_room().items()
    return frozenset(word for room, words in rooms if room not in _NOT_READERS for word in words)


@cache
def produced_words() -> frozenset[str]:
    """Return the words in the code that makes facts: texts, names of arguments and attributes.

    ``*_*`` stands for names that are put together of two words.
    """
    rooms = _words_by_room().items()
    return frozenset(word for room, words in rooms if room in _PRODUCERS for word in words)


@cache
def _words_by_room() -> dict[str, frozenset[str]]:
    root = Path(advisor.__file__).parent
    found: dict[str, set[str]] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if path.name == _DECLARES or "ui" in parts or "knowledge" in parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.setdefault(parts[0], set()).update(_words_of(tree))
    return {room: frozenset(words) for room, words in found.items()}


def _words_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.JoinedStr):
            yield from _composed(node)


def _composed(text: ast.JoinedStr) -> Iterator[str]:
    """Yield the pattern of a word that is put together: ``layout.*`` or ``*_*``."""
    parts = ["*" if isinstance(p, ast.FormattedValue) else _constant(p) for p in text.values]
    pattern = "".join(parts)
    if pattern == "*_*" or (pattern.endswith(".*") and pattern.count("*") == 1):
        yield pattern


def _constant(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else ""
