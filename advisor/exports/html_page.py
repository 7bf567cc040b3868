"""Markdown of the handbook as HTML, and the page around it: no script, no request."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.reports.advice_style import STYLE

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["POLICY", "Link", "html_page", "markdown_html", "navigation"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
Link = Callable[[str], str | None]
"""Where a section, or a link inside the handbook, leads to; ``None`` where it leads nowhere."""

_REFERENCE = re.compile(r"§\s?(\d+(?:\.\d+)?|[a-z][a-z0-9-]*(?:\.\d+)?)")
_NUMBER = re.compile(r"§?(\d+(?:\.\d+)?|[a-z][a-z0-9-]*(?:\.\d+)?)")
_SECTION_COLUMNS = frozenset({"section", "sections"})
_ANCHOR = re.compile(r"\s*\{#([^}]*)\}\s*$")
_MORE_STYLE = """\
nav ol, nav ul { padding-left: 1.2rem; }
"""


def markdown_html(text: str, section: Link, page: Link) -> str:
    """Return Markdown as HTML; HTML inside it is text, anchors are ids, references are links.

    Args:
        text: CommonMark with tables; headings may end in ``{#anchor}``.
        section: Address of a section that the text refers to as ``§3.3``.
        page: Address for a link to another page, such as ``07-multi-gpu.md#worked-70b``.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    cited = _cited_cells(tokens)
    for number, token in enumerate(tokens):
        if token.type != "inline" or token.children is None:
            continue
        if tokens[number - 1].type == "heading_open":
            _take_anchor(tokens[number - 1], token.children)
        pattern = _NUMBER if number in cited else _REFERENCE
        token.children = list(_linked(token.children, pattern, section, page))
    rendered: str = parser.renderer.render(tokens, parser.options, {})
    return rendered.replace("<table>", '<div class="wide"><table>').replace(
        "</table>", "</table></div>"
    )


def _cited_cells(tokens: Sequence[Token]) -> set[int]:
    """Return the positions of table cells in columns that list sections as bare numbers."""
    found: set[int] = set()
    column, columns = 0, set[int]()
    for number, token in enumerate(tokens):
        if token.type == "tr_open":
            column = 0
        elif token.type == "thead_open":
            columns = set()
        elif token.type in {"th_open", "td_open"}:
            heading = token.type == "th_open"
            if heading and tokens[number + 1].content in _SECTION_COLUMNS:
                columns.add(column)
            elif not heading and column in columns:
                found.add(number + 1)
            column += 1
    return found


def _take_anchor(heading: Token, children: list[Token]) -> None:
    """Make ``{#anchor}`` at the end of a heading its id."""
    last = children[-1] if children else None
    match = _ANCHOR.search(last.content) if last is not None and last.type == "text" else None
    if last is not None and match is not None:
        last.content = last.content[: match.start()]
        heading.attrSet("id", match[1])


def _linked(
    children: Iterable[Token], pattern: re.Pattern[str], section: Link, page: Link
) -> Iterator[Token]:
    inside = False
    for token in children:
        if token.type == "link_open":
            inside = True
            _readdress(token, page)
        elif token.type == "link_close":
            inside = False
        if token.type == "text" and not inside:
            yield from _references(token, pattern, section)
        else:
            yield token


def _readdress(link: Token, page: Link) -> None:
    href = str(link.attrGet("href") or "")
    if "://" in href:
        link.attrSet("rel", "noreferrer")
    elif (address := page(href)) is not None:
        link.attrSet("href", address)


def _references(token: Token, pattern: re.Pattern[str], section: Link) -> Iterator[Token]:
    """Yield a text in pieces, with links where it names sections that exist."""
    start = 0
    for match in pattern.finditer(token.content):
        address = section(match[1])
        if address is None:
            continue
        yield _text(token.content[start : match.start()])
        yield from _link(match[0], address)
        start = match.end()
    yield _text(token.content[start:])


def _text(content: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=content)


def _link(words: str, address: str) -> Iterator[Token]:
    from markdown_it.token import Token

    yield Token("link_open", "a", 1, attrs={"href": address})
    yield _text(words)
    yield Token("link_close", "a", -1)


def navigation(entries: Sequence[tuple[str, str, Sequence[tuple[str, str]]]], label: str) -> str:
    """Return a list of contents.

    Args:
        entries: Words and address of each chapter, and of the sections in it.
        label: What the list is, for who cannot see it.
    """
    lines = [f'<nav aria-label="{html.escape(label)}">', "<ul>"]
    for words, address, inside in entries:
        lines.append(f"<li>{_anchor(words, address)}")
        if inside:
            lines += ["<ul>", *(f"<li>{_anchor(*one)}</li>" for one in inside), "</ul>"]
        lines.append("</li>")
    return "\n".join([*lines, "</ul>", "</nav>"])


def _anchor(words: str, address: str) -> str:
    return f'<a href="{html.escape(address)}">{html.escape(words)}</a>'


def html_page(title: str, body: Iterable[str], stamp: str) -> str:
    """Return one HTML document with a final newline.

    Args:
        title: Text.
        body: HTML.
        stamp: Whose knowledge it shows; text.
    """
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{html.escape(title)}</title>",
        f"<style>\n{STYLE}{_MORE_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        *body,
        "</main>",
        f"<footer><p>{html.escape(stamp)}</p></footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"
