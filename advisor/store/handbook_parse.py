"""One handbook page, from Markdown text to numbered sections.

Owns the heading grammar and nothing else: ``## 7.3 Memory arithmetic {#memory-math}``, and in
folders of one's own ``## acme.1 Data zones {#acme-zones}`` below ``# House rules {#acme}``.
A page holds one top section (level 1) and its sub-sections (level 2, numbered). Headings
without a number stay part of the section around them, but keep their anchor, so that a
citation can point at a paragraph. Problems are collected, never raised: the check reports
them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from advisor.errors import Problem

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["Citation", "Page", "Section", "SubAnchor", "markdown_tokens", "parse_page"]

_HEADING = re.compile(
    r"^(?:(?P<number>\d+(?:\.\d+)?|[a-z][a-z0-9-]*\.\d+)\s+)?(?P<title>.*?)"
    r"\s*(?:\{#(?P<anchor>[^}]*)\})?$"
)
_ANCHOR = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a claim is written down: what ``citations[]`` of a consultation holds."""

    section: str
    """Plain number, ``3.3`` or ``acme.1``, or ``glossary`` or ``versions``; shown as §3.3."""
    title: str
    anchor: str
    """The section's anchor, or that of a paragraph heading inside it."""


@dataclass(frozen=True, slots=True)
class Section:
    """One numbered section with its own text, without that of its sub-sections."""

    number: str
    title: str
    anchor: str
    level: int
    """1 for a top section, 2 for a sub-section."""
    file: str
    """Path inside the knowledge folder, such as ``handbook/07-multi-gpu.md``."""
    line: int
    """1-based line of the heading."""
    text_markdown: str
    """The text under the heading as written: table directives are not expanded."""
    body_line: int
    """1-based line in ``file`` where ``text_markdown`` begins."""
    subsections: tuple[Citation, ...] = ()

    @property
    def label(self) -> str:
        """How the section is shown in running text: ``§3.3``, or its title."""
        return f"§{self.number}" if self.numbered else self.title

    @property
    def numbered(self) -> bool:
        """Whether the section has a number, as all but the glossary and the like have."""
        return self.number[0].isdigit() or "." in self.number


@dataclass(frozen=True, slots=True)
class SubAnchor:
    """A heading without a number: a place inside a section that can be cited."""

    anchor: str
    title: str
    section: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """What one file holds, and what is wrong with its headings."""

    file: str
    sections: tuple[Section, ...]
    sub_anchors: tuple[SubAnchor, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    number: str | None
    title: str
    anchor: str | None
    level: int
    start: int  # 0-based line of the heading
    end: int  # 0-based first line after it


def markdown_tokens(text: str) -> list[Token]:
    """Parse Markdown the way every part of the handbook does: CommonMark plus tables."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(text)


def parse_page(file: str, text: str) -> Page:
    """Split one page into sections.

    Args:
        file: Name used in problems and in :attr:`Section.file`.
        text: The whole Markdown source.
    """
    lines = text.splitlines()
    headings = list(_headings(text))
    problems = list(_heading_problems(file, headings))
    if _has_text(lines[: headings[0].start] if headings else lines):
        problems.append(
            _problem("text_outside_section", file, 1, "Text before the first heading is lost.")
        )
    sections: list[Section] = []
    sub_anchors: list[SubAnchor] = []
    numbered = [heading for heading in headings if _opens_section(heading)]
    for heading in headings:
        if heading in numbered:
            following = [other.start for other in numbered if other.start > heading.start]
            end = following[0] if following else len(lines)
            sections.append(_section(file, heading, lines, end))
        elif sections and heading.anchor:
            place = (sections[-1].number, file, heading.start + 1)
            sub_anchors.append(SubAnchor(heading.anchor, heading.title, *place))
    return Page(file, _with_subsections(sections), tuple(sub_anchors), tuple(problems))


def _headings(text: str) -> Iterator[_Heading]:
    tokens = markdown_tokens(text)
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open" or opening.level or opening.map is None:
            continue
        match = _HEADING.match(inline.content)
        if match is None:  # pragma: no cover - the pattern accepts any single line
            continue
        start, end = opening.map
        yield _Heading(
            match["number"], match["title"], match["anchor"], int(opening.tag[1]), start, end
        )


def _opens_section(heading: _Heading) -> bool:
    return heading.level == 1 or (heading.level == 2 and heading.number is not None)


def _section(file: str, heading: _Heading, lines: Sequence[str], end: int) -> Section:
    body = list(lines[heading.end : end])
    skipped = 0
    while body and not body[0].strip():
        body.pop(0)
        skipped += 1
    anchor = heading.anchor or ""
    return Section(
        number=heading.number or anchor or heading.title,
        title=heading.title,
        anchor=anchor,
        level=heading.level,
        file=file,
        line=heading.start + 1,
        text_markdown="\n".join(body).rstrip(),
        body_line=heading.end + skipped + 1,
    )


def _with_subsections(sections: Sequence[Section]) -> tuple[Section, ...]:
    if not sections:
        return ()
    children = tuple(
        Citation(child.number, child.title, child.anchor) for child in sections if child.level > 1
    )
    return (replace(sections[0], subsections=children), *sections[1:])


def _heading_problems(file: str, headings: Sequence[_Heading]) -> Iterator[Problem]:
    if not headings:
        yield _problem("no_heading", file, 1, "A handbook page starts with a first-level heading.")
    for heading in headings:
        line = heading.start + 1
        if heading.anchor is None:
            yield _problem(
                "heading_without_anchor",
                file,
                line,
                f"The heading {heading.title!r} needs an anchor, such as {{#memory-math}}.",
            )
        elif not _ANCHOR.fullmatch(heading.anchor):
            message = f"The anchor {heading.anchor!r} is not lower-case words joined by hyphens."
            yield _problem("bad_anchor", file, line, message)
        if heading.number is not None and heading.level != heading.number.count(".") + 1:
            message = f"{heading.number} is a heading of level {heading.level}; 7 is #, 7.3 is ##."
            yield _problem("wrong_level", file, line, message)
    for extra in [heading for heading in headings if heading.level == 1][1:]:
        yield _problem(
            "second_top_section",
            file,
            extra.start + 1,
            f"{extra.title!r} is a second top section; give it a page of its own.",
        )


def _problem(code: str, file: str, line: int, message: str) -> Problem:
    return Problem(code, message, file=file, line=line)


def _has_text(lines: Sequence[str]) -> bool:
    return any(line.strip() for line in lines)
