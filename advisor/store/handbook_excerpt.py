"""Pieces of a handbook section: what one anchor covers, its sources, the line that answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from advisor.store.handbook import Handbook
from advisor.store.handbook_parse import Section, markdown_tokens
from advisor.store.handbook_search import stems

__all__ = ["excerpt", "snippet", "source_lines"]

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SOURCES = re.compile(r"^\*\*Sources\*\*$(?P<list>.*)\Z", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(r"\s*(#|\||>|```|$)")
_MARKUP = re.compile(r"\*\*|`|^\s*(?:[-*]|\d+\.)\s+")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\([^)]*\)")


def excerpt(book: Handbook, name: str) -> Section:
    """Return the section called ``name``, or only what its anchor covers.

    Args:
        book: Where to look.
        name: Any form that ``Handbook.section`` takes; ``7.3#worked-70b`` gives the text under
            that heading, up to the next heading that is not below it.

    Raises:
        UnknownNameError: There is no such section or anchor; carries the nearest.
    """
    section, citation = book.section(name), book.citation(name)
    inside = [a for a in book.sub_anchors if a.section == section.number]
    found = next((anchor for anchor in inside if anchor.anchor == citation.anchor), None)
    if found is None:
        return section
    lines = section.text_markdown.splitlines()
    start, end = _extent(section.text_markdown, found.line - section.body_line)
    return replace(
        section,
        title=f"{section.title}: {found.title}",
        anchor=found.anchor,
        line=found.line,
        text_markdown="\n".join(lines[start:end]).strip("\n"),
        body_line=section.body_line + start,
        subsections=(),
    )


def _extent(text: str, heading: int) -> tuple[int, int]:
    """Return first and end line of what the heading at line ``heading`` covers, 0-based."""
    headings = [
        (token.map[0], token.map[1], int(token.tag[1]))
        for token in markdown_tokens(text)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]
    start, level = next((end, level) for first, end, level in headings if first == heading)
    after = [first for first, _, other in headings if first > heading and other <= level]
    sources = _SOURCES.search(text)
    limit = text.count("\n", 0, sources.start()) if sources else text.count("\n") + 1
    lines = text.splitlines()
    while start < limit and not lines[start].strip():
        start += 1
    return start, min([*after, limit])


def source_lines(section: Section) -> Iterator[str]:
    """Yield the entries under **Sources**, one line each."""
    match = _SOURCES.search(section.text_markdown)
    for entry in re.split(r"^- ", match["list"] if match else "", flags=re.MULTILINE)[1:]:
        yield " ".join(entry.split())


def snippet(section: Section, question: str) -> str:
    """Return the line of ``section`` that shares most words with ``question``, as plain text.

    The first line of prose where none does: the section was found by its title or by the
    questions that it lists for itself.
    """
    wanted = set(stems(question))
    text = _COMMENT.sub("", _SOURCES.sub("", section.text_markdown))
    prose = [line for line in text.splitlines() if not _NO_PROSE.match(line)]
    best = max(prose, key=lambda line: len(wanted.intersection(stems(line))), default="")
    return _MARKUP.sub("", _LINK.sub(r"\g<text>", best)).strip()
