"""Pieces of a handbook section: what one anchor covers, its sources, the line that answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from advisor.errors import UnknownNameError
from advisor.store.handbook import Handbook
from advisor.store.handbook_parse import Section, markdown_tokens
from advisor.store.handbook_search import stems

__all__ = ["excerpt", "glossary_entry", "snippet", "source_lines", "spread"]

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SOURCES = re.compile(r"^\*\*Sources\*\*$(?P<list>.*)\Z", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(r"\s*(#|\||>|```|$)")
_MARKUP = re.compile(r"\*\*|`|^\s*(?:[-*]|\d+\.)\s+")
_TERM = re.compile(r"^- (?P<entry>(?P<terms>\*\*[^*]+:\*\*.*))$", re.MULTILINE)
_NAMES = re.compile(r"\*\*(?P<names>[^*]+):\*\*")
_RANGE = re.compile(r"§?(?P<first>\d+(?:\.\d+)?)\s*(?:-|–|\.\.|to)\s*§?(?P<last>\d+(?:\.\d+)?)")  # noqa: RUF001
_GLOSSARY = "glossary"
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\([^)]*\)")


def excerpt(book: Handbook, name: str) -> Section:
    """Return the section called ``name``, or only what its anchor covers.

    Args:
        book: Where to look.
        name: Any form that ``Handbook.section`` takes; ``7.3#worked-70b`` gives the text under
            that heading, up to the next heading that is not below it. A word of the glossary
            gives its line there.

    Raises:
        UnknownNameError: There is no such section or anchor; carries the nearest.
    """
    try:
        section, citation = book.section(name), book.citation(name)
    except UnknownNameError:
        entry = glossary_entry(book, name)
        if entry is None:
            raise
        return entry
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


def spread(book: Handbook, name: str) -> Iterator[str]:
    """Yield the names in ``7.3, 8.1`` and the sections from ``7.3-7.5``, in reading order.

    Anything else comes back as it is, for the look-up to know or to refuse.
    """
    for part in (piece.strip() for piece in name.split(",")):
        found = _RANGE.fullmatch(part)
        numbers = [section.number for section in book.sections]
        if found is None or not {found["first"], found["last"]} <= {*numbers}:
            yield part
            continue
        first, last = numbers.index(found["first"]), numbers.index(found["last"])
        yield from numbers[first : last + 1] or (part,)


def glossary_entry(book: Handbook, word: str) -> Section | None:
    """Return what the glossary says of a word, as a section of its own; ``None``: not there.

    Args:
        book: Where to look.
        word: One of the words in bold, whatever their case: ``xid``, ``KV cache``.
    """
    wanted = word.strip().lower()
    glossary = next((one for one in book.sections if one.number == _GLOSSARY), None)
    if glossary is None or not wanted:
        return None
    for found in _TERM.finditer(glossary.text_markdown):
        for names in _NAMES.finditer(found["entry"]):
            if wanted in {name.strip().lower() for name in names["names"].split(",")}:
                start = glossary.text_markdown.count("\n", 0, found.start())
                return replace(
                    glossary,
                    title=f"{glossary.title}: {word.strip()}",
                    line=glossary.body_line + start,
                    text_markdown=found["entry"],
                    body_line=glossary.body_line + start,
                    subsections=(),
                )
    return None


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
