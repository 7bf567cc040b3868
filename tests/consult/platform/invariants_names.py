"""Names in a consultation: every rule and every section exists, every gotcha is told once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.errors import UnknownNameError
from advisor.store.handbook import load_handbook
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

__all__ = ["unknown_names"]

Found = Mapping[str, Any]


def unknown_names(found: Found) -> Iterator[str]:
    """Yield a sentence for each name that leads nowhere, and for what is told twice."""
    rules = set(load_rule_base(load_knowledge()).by_id)
    for where, value in _walk(found):
        names_rule = where[-1:] == ("rule",) or where[-2:-1] == ("rules",)
        if names_rule and value is not None and value not in rules:
            yield f"{'.'.join(map(str, where))} names the rule {value}, which does not exist"
    yield from _citations(found)
    gotchas = [w["id"] for w in found["warnings"] if w["kind"] == "gotcha"]
    for twice in sorted({name for name in gotchas if gotchas.count(name) > 1}):
        yield f"{twice} is told twice"


def _citations(found: Found) -> Iterator[str]:
    book = load_handbook()
    for where, value in _walk(found):
        if where and where[-1] == "section" and isinstance(value, str):
            try:
                book.section(value)
            except UnknownNameError:
                yield f"{'.'.join(map(str, where))} cites {value}, which does not exist"


def _walk(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every plain value of a document with its way."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(inner, (*where, key))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _walk(inner, (*where, number))
    else:
        yield where, value
