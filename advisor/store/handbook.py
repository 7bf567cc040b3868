"""The cited handbook: load it, look a section up, search it, print it.

Every conclusion of the advisor names a section of this text, so the look-ups here decide
whether a citation resolves. Parsing is in ``handbook_parse``, tables in
``handbook_tables``, terminal text in ``handbook_text``, the consistency check in
``handbook_check``; this module is what other rooms import.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from advisor.errors import GpuAdvisorError, KnowledgeError, Problem, UnknownNameError
from advisor.store.handbook_parse import Citation, Page, Section, SubAnchor, parse_page
from advisor.store.handbook_search import SearchHit, SearchIndex
from advisor.store.handbook_tables import Table, TableProvider, expand_tables, read_directives

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge
    from advisor.store.overlays import Overlay

__all__ = [
    "Citation",
    "Handbook",
    "SearchHit",
    "Section",
    "Table",
    "TableProvider",
    "load_handbook",
    "read_handbook",
    "render_section",
    "section_text",
]

_HOW_TO = "README.md"
_FOR_THE_SEARCH = re.compile(r"<!--\s*(?:asked|alike):.*?-->\n*", re.DOTALL)
_ANCHOR_MARK = re.compile(r"^(#{1,6} .*?)\s*\{#[^}]*\}\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Handbook:
    """All sections in reading order."""

    pages: tuple[Page, ...]
    knowledge: Knowledge | None = None
    """Whose catalogues its tables show; ``None``: those of the knowledge in use."""

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every numbered section, the glossary and the versions, in reading order."""
        return tuple(section for page in self.pages for section in page.sections)

    @cached_property
    def sub_anchors(self) -> tuple[SubAnchor, ...]:
        """Every heading without a number, in reading order."""
        return tuple(anchor for page in self.pages for anchor in page.sub_anchors)

    def section(self, name: str) -> Section:
        """Return a section by number, title word or anchor.

        Args:
            name: ``3.3``, ``§3.3``, ``3``, ``glossary``, ``versions``, an anchor such as
                ``memory-math`` or ``#memory-math``, or both joined, ``7.3#worked-70b``.

        Raises:
            UnknownNameError: There is no such section; ``nearest`` names the closest ones.
        """
        section, _ = self._resolve(name)
        return section

    def citation(self, name: str) -> Citation:
        """Return what a consultation prints for ``name`` (same forms as :meth:`section`).

        Raises:
            UnknownNameError: There is no such section or anchor.
        """
        section, place = self._resolve(name)
        return Citation(section.number, section.title, place or section.anchor)

    def search(self, query: str, limit: int = 5) -> tuple[SearchHit, ...]:
        """Return the sections that best answer a question, best first."""
        return self._index.search(query, limit)

    @cached_property
    def _index(self) -> SearchIndex:
        from advisor.store.loader import load_knowledge
        from advisor.store.tables import catalogue_tables

        tables = catalogue_tables(self.knowledge or load_knowledge())
        words = {section.number: _table_words(section, tables) for section in self.sections}
        return SearchIndex(self.sections, words)

    @cached_property
    def _by_name(self) -> dict[str, tuple[Section, str]]:
        """Number or anchor, to the section and the anchor inside it (empty: its start)."""
        numbers = {section.number: section for section in reversed(self.sections)}
        names = {
            anchor.anchor: (numbers[anchor.section], anchor.anchor)
            for anchor in reversed(self.sub_anchors)
        }
        names |= {section.anchor: (section, "") for section in reversed(self.sections)}
        return names | {number: (section, "") for number, section in numbers.items()}

    def _resolve(self, name: str) -> tuple[Section, str]:
        wanted = name.strip().removeprefix("§").strip().lower().rstrip(".")
        place, _, anchor = wanted.partition("#")
        found = self._by_name.get(anchor or place)
        if not (anchor and place):
            if found is None:
                raise self._unknown(name, "section", self._nearest(anchor or place))
            return found
        section, _ = self._resolve(place)
        if found is None or found[0] is not section:
            raise self._unknown(name, "anchor", self._anchors_of(section))
        return found

    def _anchors_of(self, section: Section) -> tuple[str, ...]:
        inside = [sub.anchor for sub in self.sub_anchors if sub.section == section.number]
        return tuple(f"{section.number}#{anchor}" for anchor in inside) or (section.number,)

    def _nearest(self, wanted: str) -> tuple[str, ...]:
        chapter = wanted.partition(".")[0]
        siblings = [s.number for s in self.sections if s.number.partition(".")[0] == chapter]
        if siblings:
            return tuple(siblings[:6])
        if chapter.isdigit():
            return tuple(s.number for s in self.sections if s.level == 1)
        close = difflib.get_close_matches(wanted, list(self._by_name), n=3, cutoff=0.6)
        return tuple(close) or tuple(hit.section.number for hit in self.search(wanted, 3))

    @staticmethod
    def _unknown(name: str, kind: str, nearest: Sequence[str]) -> UnknownNameError:
        message = f"The handbook has no {kind} {name.strip()!r}."
        problem = Problem(f"unknown_{kind}", message, key=name.strip(), nearest=tuple(nearest))
        return UnknownNameError(problem)


def load_handbook(knowledge: Knowledge | None = None) -> Handbook:
    """Return the handbook of a knowledge base, by default of the one in use; read once each.

    Raises:
        KnowledgeError: The pages are missing from the installation.
    """
    if knowledge is None:
        from advisor.store.loader import load_knowledge

        knowledge = load_knowledge()
    return _handbook(knowledge)


@lru_cache(maxsize=8)
def _handbook(knowledge: Knowledge) -> Handbook:
    own = knowledge.path / "handbook"
    folder = own if own.is_dir() else resources.files("advisor.knowledge") / "handbook"
    return replace(read_handbook(folder, knowledge.overlays), knowledge=knowledge)


def read_handbook(folder: Traversable, overlays: Sequence[Overlay] = ()) -> Handbook:
    """Read every ``*.md`` page of a folder but its README, in the order of the file names.

    Args:
        folder: Where the pages are.
        overlays: Folders of one's own, whose pages come last.

    Raises:
        KnowledgeError: The folder is missing or holds no page. What is wrong *inside* the
            pages is left to the check, so that one bad heading does not hide the rest.
    """
    names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    pages = [name for name in names if name.endswith(".md") and name != _HOW_TO]
    if not pages:
        message = "The handbook folder holds no Markdown page."
        raise KnowledgeError(Problem("no_handbook", message, file=str(folder)))
    texts = {f"handbook/{name}": (folder / name).read_text(encoding="utf-8") for name in pages}
    for overlay in overlays:
        for file, name in overlay.files("handbook/*.md"):
            if file.name != _HOW_TO:
                texts[name] = file.read_text(encoding="utf-8")
    return Handbook(tuple(parse_page(name, text) for name, text in texts.items()))


def render_section(section: Section, tables: TableProvider) -> str:
    """Return a section as plain Markdown: heading, text, tables expanded, anchors dropped.

    Raises:
        KnowledgeError: A table directive cannot be expanded; names file and line.
    """
    number = f"{section.number} " if section.numbered else ""
    heading = f"{'#' * section.level} {number}{section.title}"
    return f"{heading}\n\n{_body(section, tables)}\n"


def section_text(section: Section, tables: TableProvider, width: int = 80) -> str:
    """Return a section as plain text for a terminal, with its sub-sections listed at the end.

    Raises:
        KnowledgeError: A table directive cannot be expanded; names file and line.
    """
    from advisor.store.handbook_text import markdown_to_text, underlined

    prefix = f"{section.label}  " if section.numbered else ""
    heading = underlined(f"{prefix}{section.title}", "=", width)
    parts = [heading, markdown_to_text(_body(section, tables), width)]
    if section.subsections:
        parts.append("\n".join(f"§{sub.section}  {sub.title}" for sub in section.subsections))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table_words(section: Section, tables: TableProvider) -> str:
    """Return what stands in the tables of a section, for the search; empty where they fail.

    Tables of rules are left out: they say in other words what their section says.
    """
    words: list[str] = []
    for directive in read_directives(section)[0]:
        if directive.name == "rules":
            continue
        try:
            table = tables(directive.name, directive.options)
        except GpuAdvisorError:
            continue  # what is wrong with it is for kb check to say
        words += [cell for row in table.rows for cell in row]
    return " ".join(words)


def _body(section: Section, tables: TableProvider) -> str:
    """Text for readers: tables in, marks that only serve links and search out."""
    return _FOR_THE_SEARCH.sub("", _ANCHOR_MARK.sub(r"\1", expand_tables(section, tables)))
