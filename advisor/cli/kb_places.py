"""The line of a file that a dotted key names, for checks that know only the key."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError
from advisor.store.loader_errors import line_of
from advisor.store.loader_yaml import KeyPath, locate_keys, parse_yaml

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Places"]

_NAMES = ("id", "key")
"""Fields that name a record: of catalogues, and of questions."""


class Places:
    """Looks keys up in the YAML files of one knowledge base; each file is read once."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._read = cache(self._read_file)

    def line(self, file: str | None, key: str | None) -> int | None:
        """Return the 1-based line of ``key``, of its record, or ``None``.

        Args:
            file: Name that starts with the folder's own, such as ``knowledge/gpus/x.yaml``.
            key: ``models.llama-3.3-70b.layers``, ``workload.model.default`` or ``as_of``.
        """
        if file is None or key is None or not file.endswith(".yaml"):
            return None
        found = self._read(file)
        if found is None:
            return None
        data, lines = found
        path = _path(data, key)
        return line_of(lines, path)

    def _read_file(self, file: str) -> tuple[Any, dict[KeyPath, int]] | None:
        path = self._knowledge.file(file)
        try:
            text = path.read_text(encoding="utf-8")
            return parse_yaml(text, file), locate_keys(text)
        except (OSError, UnicodeDecodeError, KnowledgeError):
            return None  # another check says what is wrong with the file


def _path(data: Any, key: str) -> KeyPath:  # noqa: ANN401 - whatever the file holds
    """Return the way to ``key``: through a record's name where there is one."""
    for collection, records in data.items() if isinstance(data, dict) else ():
        for position, record in enumerate(records if isinstance(records, list) else ()):
            rest = _inside(collection, record, key)
            if rest is not None:
                return (collection, position, *_parts(rest))
    return _parts(key)


def _inside(collection: str, record: Any, key: str) -> str | None:  # noqa: ANN401
    """Return what follows the record's name in ``key``, or ``None`` for another record."""
    names = [record[name] for name in _NAMES if name in record] if isinstance(record, dict) else []
    for name in names:
        for head in (f"{collection}.{name}", f"{collection}[{name}]", str(name)):
            if key == head or key.startswith(f"{head}."):
                return key[len(head) + 1 :]
    return None


def _parts(key: str) -> KeyPath:
    return tuple(int(part) if part.isdigit() else part for part in key.split(".") if part)
