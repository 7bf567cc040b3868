"""Renders a section of the handbook as light text: one widget instead of one per paragraph."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from textual.content import Content

from .passages import marked
from .rows import Row, folded, link
from .tables import table_lines

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["markdown_lines"]

_SECTION = re.compile(r"§(\d+(?:\.\d+)?|glossary|versions)")
_TEXT = frozenset({"text", "code_inline", "softbreak", "hardbreak", "html_inline", "image"})


@dataclass(slots=True)
class _Place:
    """Where the reader of the tokens is."""

    depth: int = 0
    lists: list[int] = field(default_factory=list)
    """For every open list the next number, 0 for bullets."""
    item: bool = False
    """The next paragraph is the first of an item."""
    cells: list[list[Content]] | None = None
    marked: Collection[str] = ()
    """Headings, and cells of rows, to mark."""


def markdown_lines(text: str, width: int, passages: Collection[str] = ()) -> list[Content]:
    """Return Markdown as lines of ``width`` cells; ``§3.3`` opens that section when clicked.

    Args:
        text: The Markdown.
        width: In cells of the terminal.
        passages: Headings, and cells of tables, that mark what they head.
    """
    return list(_lines(text, width, tuple(passages)))


@lru_cache(maxsize=24)
def _lines(text: str, width: int, passages: tuple[str, ...]) -> tuple[Content, ...]:
    lines: list[Content] = []
    for block in _blocks(_tokens(text), width, passages):
        lines += block
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return tuple(lines)


@lru_cache(maxsize=8)
def _tokens(text: str) -> tuple[Token, ...]:
    from markdown_it import MarkdownIt

    return tuple(MarkdownIt("commonmark").enable("table").parse(text))


def _blocks(
    tokens: Sequence[Token], width: int, passages: Collection[str]
) -> Iterator[list[Content]]:
    place = _Place(marked=passages)
    for number, token in enumerate(tokens):
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            first = int(token.attrs.get("start", 1)) if token.type.startswith("o") else 0
            place.lists.append(first)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            place.lists.pop()
            if not place.lists:
                yield [Content()]
        elif token.type == "list_item_open":
            place.item = True
        elif token.type in {"fence", "code_block"}:
            code = token.content.rstrip("\n").split("\n")
            rows = [Row(Content.styled(line, "$said"), 2, 2) for line in code]
            yield [*folded(rows, width), Content()]
        elif token.type == "hr":
            yield [Content.styled("-" * width, "$quiet")]
        elif token.type == "inline":
            yield from _inline_block(tokens[number - 1].type, token, place, width)
        elif token.type in {"table_open", "tr_open", "table_close"}:
            yield from _table(token.type, place, width)


def _table(kind: str, place: _Place, width: int) -> Iterator[list[Content]]:
    if kind == "table_open":
        place.cells = []
    elif kind == "tr_open" and place.cells is not None:
        place.cells.append([])
    elif kind == "table_close" and place.cells is not None:
        yield [*table_lines([_row(cells, place) for cells in place.cells], width), Content()]
        place.cells = None


def _row(cells: list[Content], place: _Place) -> list[Content]:
    if any(cell.plain in place.marked for cell in cells):
        return [marked(cells[0]), *cells[1:]]
    return cells


def _inline_block(
    opened_by: str, token: Token, place: _Place, width: int
) -> Iterator[list[Content]]:
    text = _inline(token.children or ())
    if place.cells is not None and opened_by in {"th_open", "td_open"}:
        place.cells[-1].append(text)
    elif opened_by == "heading_open":
        head = marked(text) if text.plain in place.marked else text.stylize("bold")
        yield [*folded([Row(head, 0, 2)], width), Content()]
    elif place.lists:
        indent = 2 * (len(place.lists) - 1)
        mark = "  "
        if place.item:
            count = place.lists[-1]
            mark = f"{count}. " if count else "- "
            place.lists[-1] += 1 if count else 0
            place.item = False
        yield folded([Row(text, indent, mark=Content(mark))], width)
    else:
        yield [*folded([Row(text)], width), Content()]


def _inline(tokens: Sequence[Token]) -> Content:
    parts: list[Content] = []
    styles: list[str] = []
    for token in tokens:
        if token.type == "strong_open":
            styles.append("bold")
        elif token.type == "em_open":
            styles.append("italic")
        elif token.type == "link_open":
            styles.append("underline")
        elif token.type in {"strong_close", "em_close", "link_close"}:
            styles.pop()
        elif token.type in _TEXT:
            words = " " if token.type.endswith("break") else token.content
            shown = [*styles, "$said"] if token.type == "code_inline" else styles
            parts += _with_links(words, " ".join(shown))
    return Content("").join(parts)


def _with_links(words: str, style: str) -> Iterator[Content]:
    end = 0
    for hit in _SECTION.finditer(words):
        yield Content.styled(words[end : hit.start()], style)
        yield link(hit.group(), f"app.cite('{hit.group(1)}')", f"$cite {style}".strip())
        end = hit.end()
    yield Content.styled(words[end:], style)
