"""Titles and anchors of the handbook, for citations, without parsing the whole text.

The full parser (``advisor.store.handbook``) takes a tenth of a second; a consultation needs the
numbered headings only. A test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.consult.consultation import Citation

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Sections", "read_sections", "sections_of"]

_HEADING = re.compile(
    r"(#{1,2}) (?:(\d+(?:\.\d+)?|[a-z][a-z0-9-]*\.\d+) +)?(.*?) *\{#([a-z0-9-]+)\} *$"
)
_FENCE = ("```", "~~~")
_HOW_TO = "README.md"


class Sections:
    """Citations by section number; anything else is left to the full handbook."""

    def __init__(self, citations: dict[str, Citation]) -> None:
        self._citations = citations

    def cite(self, section: str) -> Citation:
        """Return the citation of a section.

        Raises:
            UnknownNameError: the handbook has no such section.
        """
        found = self._citations.get(section)
        return _from_handbook(section) if found is None else found


def _from_handbook(section: str) -> Citation:
    from advisor.store.handbook import load_handbook

    found = load_handbook().citation(section)
    return Citation(section=found.section, title=found.title, anchor=found.anchor)


@lru_cache(maxsize=8)
def sections_of(knowledge: Knowledge) -> Sections:
    """Return the numbered sections of a knowledge base, those of overlays among them."""
    return read_sections(*knowledge.folders("handbook"))


def read_sections(*folders: Path) -> Sections:
    """Return the numbered sections of the handbook in ``folders``; the first has the last word."""
    found: dict[str, Citation] = {}
    for page in (page for folder in folders for page in sorted(folder.glob("*.md"))):
        if page.name == _HOW_TO:
            continue
        for number, title, anchor in _headings(page.read_text(encoding="utf-8")):
            found.setdefault(number, Citation(section=number, title=title, anchor=anchor))
    return Sections(found)


def _headings(text: str) -> Iterator[tuple[str, str, str]]:
    fenced = False
    for line in text.splitlines():
        if line.startswith(_FENCE):
            fenced = not fenced
        elif not fenced and line.startswith("#"):
            match = _HEADING.match(line)
            if match is None:
                continue
            marks, number, title, anchor = match.groups()
            if number is not None or marks == "#":
                yield number or anchor, title, anchor
