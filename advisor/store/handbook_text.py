"""The handbook on a terminal: plain text, no colour, wrapped to a width.

Renders the Markdown that the handbook uses (paragraphs, lists, quotes, code, tables,
headings); anything else falls back to its raw text, so that nothing is silently dropped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from advisor.store.handbook_parse import markdown_tokens
from advisor.store.handbook_text_tables import table_lines

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["markdown_to_text", "underlined"]

_MIN_WIDTH = 20


def markdown_to_text(markdown: str, width: int) -> str:
    """Return plain text no wider than ``width``, addresses and code excepted."""
    blocks = _blocks(markdown_tokens(markdown), max(width, _MIN_WIDTH))
    return "\n\n".join(blocks)


def underlined(text: str, rule: str, width: int) -> str:
    """Return a heading with a rule of the character ``rule`` under it."""
    filled = _fill(text, width)
    return f"{filled}\n{rule * max(len(line) for line in filled.splitlines())}"


def _blocks(tokens: Sequence[Token], width: int) -> list[str]:
    """Render a run of sibling blocks; each becomes one string."""
    blocks: list[str] = []
    position = 0
    while position < len(tokens):
        end = _block_end(tokens, position)
        block = _block(tokens[position : end + 1], width)
        if block:
            blocks.append(block)
        position = end + 1
    return blocks


def _block_end(tokens: Sequence[Token], position: int) -> int:
    depth = 0
    for index in range(position, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _block(tokens: Sequence[Token], width: int) -> str:
    first, inner = tokens[0], tokens[1:-1]
    match first.type:
        case "paragraph_open":
            text = _fill(_inline(inner[0]), width)
        case "heading_open":
            text = underlined(_inline(inner[0]), "-", width)
        case "bullet_list_open" | "ordered_list_open":
            text = _list(first, inner, width)
        case "blockquote_open":
            text = textwrap.indent("\n\n".join(_blocks(inner, width - 2)), "> ", lambda _: True)
        case "table_open":
            text = "\n".join(_table(inner, width))
        case "fence" | "code_block":
            text = textwrap.indent(first.content.rstrip("\n"), "    ")
        case "html_block":
            text = ""  # comments only; directives are expanded before we get here
        case _:
            text = first.content.strip()
    return text


def _list(opening: Token, inner: Sequence[Token], width: int) -> str:
    start = opening.attrGet("start")
    number = int(start) if start is not None else 1
    items: list[str] = []
    tight = True
    position = 0
    while position < len(inner):
        end = _block_end(inner, position)
        body = inner[position + 1 : end]
        tight = tight and all(token.hidden for token in body if token.type == "paragraph_open")
        bullet = f"{number}. " if opening.type == "ordered_list_open" else "- "
        text = ("\n" if tight else "\n\n").join(_blocks(body, width - len(bullet)))
        items.append(bullet + textwrap.indent(text, " " * len(bullet))[len(bullet) :])
        number += 1
        position = end + 1
    return ("\n" if tight else "\n\n").join(items)


def _table(inner: Sequence[Token], width: int) -> list[str]:
    rows: list[list[str]] = []
    right: list[bool] = []
    for token, content in pairwise(inner):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(_inline(content))
            if token.type == "th_open":
                right.append("right" in str(token.attrGet("style") or ""))
    return table_lines(rows[0], rows[1:], right, width)


def _inline(token: Token) -> str:
    parts: list[str] = []
    target = ""
    for child in token.children or ():
        match child.type:
            case "text" | "code_inline":
                parts.append(child.content)
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "link_open":
                target = str(child.attrGet("href") or "")
            case "link_close" if target.startswith("http") and target != parts[-1]:
                parts.append(f" <{target}>")
            case _:
                pass
    return " ".join("".join(parts).split())


def _fill(text: str, width: int) -> str:
    """Wrap a paragraph; a long address stays in one piece so that it can be copied."""
    return textwrap.fill(text, width, break_on_hyphens=False, break_long_words=False)
