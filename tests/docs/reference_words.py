"""Markdown of reference pages: cells that a table takes, texts of docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache

__all__ = ["cell", "code", "docstring", "field_texts", "table"]

_ROLE = re.compile(r":(?:class|func|mod|meth|data|attr):``?~?([^`]+)``?|``([^`]+)``|`([^`]+)`")
_MARKS = re.compile(r"(?<!\\)([<*_$])")


def code(text: str) -> str:
    """Return code; nothing where there is none."""
    return f"`{text}`" if text else ""


def docstring(text: str) -> str:
    """Return the prose of a docstring as Markdown on one line."""
    return _ROLE.sub(lambda m: f"`{next(part for part in m.groups() if part)}`", _joined(text))


def cell(text: str) -> str:
    """Return prose on one line; code stays, marks of Markdown are shown."""
    parts = re.split(r"(`[^`]*`)", docstring(text))
    return "".join(p if at % 2 else _MARKS.sub(r"\\\1", p) for at, p in enumerate(parts))


def _joined(text: str) -> str:
    return " ".join(text.split())


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table, a blank one last."""
    names = list(head)
    yield f"| {' | '.join(names)} |"
    yield f"| {' | '.join('---' for _ in names)} |"
    for row in rows:
        cells = [re.sub(r"(?<!\\)\|", r"\\|", one) for one in row]
        yield f"| {' | '.join(cells)} |"
    yield ""


@cache
def field_texts(model: type) -> dict[str, str]:
    """Return what the lines below the fields of a class say, those of its bases included."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.startswith("advisor."):
            found.update(_own_texts(base))
    return found


def _own_texts(model: type) -> dict[str, str]:
    [node] = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(node, ast.ClassDef)
    texts: dict[str, str] = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            texts[field.target.id] = str(after.value.value)
    return texts
