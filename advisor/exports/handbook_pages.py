"""The handbook as HTML: one page for each chapter, or one file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from advisor.errors import UnknownNameError
from advisor.exports.html_page import html_page, markdown_html, navigation
from advisor.exports.stamp import stamp_text

if TYPE_CHECKING:
    from advisor.store.handbook import Handbook, TableProvider
    from advisor.store.handbook_parse import Page, Section
    from advisor.store.loader import Knowledge

__all__ = ["handbook_html", "handbook_markdown", "handbook_site"]

_ASKED = re.compile(r"<!--\s*(?:asked|alike):.*?-->\n*", re.DOTALL)
_INDEX = "index.html"
_TITLE = "GPU handbook"


def handbook_site(knowledge: Knowledge) -> Mapping[str, str]:
    """Return file name to HTML: ``index.html`` and one page for each chapter.

    Raises:
        KnowledgeError: a page or a table of it cannot be made; names file and line.
    """
    book = _Pages(knowledge)
    pages = {book.file_of(page): book.chapter(page) for page in book.book.pages}
    return {_INDEX: book.index(), **pages}


def handbook_html(knowledge: Knowledge) -> str:
    """Return the whole handbook as one HTML file that needs nothing else.

    Raises:
        KnowledgeError: a page or a table of it cannot be made; names file and line.
    """
    book = _Pages(knowledge, one_file=True)
    body = [f"<h1>{_TITLE}</h1>", book.contents()]
    for page in book.book.pages:
        body += book.sections(page, deeper=1)
    return html_page(_TITLE, body, stamp_text(knowledge))


def handbook_markdown(knowledge: Knowledge) -> Mapping[str, str]:
    """Return file name to Markdown, its tables filled in; anchors stay as they are written.

    Raises:
        KnowledgeError: a page or a table of it cannot be made; names file and line.
    """
    book = _Pages(knowledge)
    return {
        book.file_of(page, ".md"): "\n".join(book.markdown(section) for section in page.sections)
        for page in book.book.pages
    }


class _Pages:
    """The pages of one handbook and where each section of it is to be found."""

    def __init__(self, knowledge: Knowledge, *, one_file: bool = False) -> None:
        from advisor.store.handbook import load_handbook
        from advisor.store.tables import catalogue_tables

        self.book: Handbook = load_handbook(knowledge)
        self._tables: TableProvider = catalogue_tables(knowledge)
        self._stamp, self._one_file = stamp_text(knowledge), one_file
        self._names = _file_names(self.book)

    def file_of(self, page: Page, ending: str = ".html") -> str:
        """Return the name of a chapter's file."""
        return f"{self._names[page.file]}{ending}"

    def index(self) -> str:
        """Return the page of contents."""
        return html_page(_TITLE, [f"<h1>{_TITLE}</h1>", self.contents()], self._stamp)

    def chapter(self, page: Page) -> str:
        """Return one chapter."""
        title = page.sections[0].title if page.sections else page.file
        back = f'<p><a href="{_INDEX}">Contents</a></p>'
        return html_page(f"{title}: {_TITLE}", [back, *self.sections(page)], self._stamp)

    def contents(self) -> str:
        """Return the list of contents."""
        entries = [
            (_words(page.sections[0]), self._address(page.sections[0].number, ""), [
                (_words(section), self._address(section.number, ""))
                for section in page.sections[1:]
            ])
            for page in self.book.pages
            if page.sections
        ]  # fmt: skip
        return navigation(entries, "Contents")

    def sections(self, page: Page, deeper: int = 0) -> Iterator[str]:
        """Yield the sections of a chapter as HTML.

        Args:
            page: The chapter.
            deeper: By how much its headings are lowered.
        """
        for section in page.sections:
            text = self.markdown(section)
            lowered = re.sub(r"^(#{1,5}) ", rf"\1{'#' * deeper} ", text, flags=re.MULTILINE)

            def to_section(number: str) -> str | None:
                return self._to_section(number, page.file)

            def to_page(href: str) -> str | None:
                return self._to_page(href)

            yield markdown_html(lowered, to_section, to_page)

    def markdown(self, section: Section) -> str:
        """Return a section as Markdown with its tables; headings keep their anchors."""
        from advisor.store.handbook_tables import expand_tables

        number = f"{section.number} " if section.numbered else ""
        heading = f"{'#' * section.level} {number}{section.title} {{#{section.anchor}}}"
        return f"{heading}\n\n{_ASKED.sub('', expand_tables(section, self._tables)).strip()}\n"

    def _to_section(self, number: str, file: str) -> str | None:
        try:
            section = self.book.section(number)
        except UnknownNameError:
            return None
        return None if section.number != number else self._address(number, file)

    def _to_page(self, href: str) -> str | None:
        name, _, anchor = href.partition("#")
        if self._one_file:
            return f"#{anchor or self._first_anchor(name)}"
        stem = PurePosixPath(name).stem
        return f"{stem}.html#{anchor}" if stem and anchor else f"{stem}.html" if stem else None

    def _first_anchor(self, name: str) -> str:
        for page in self.book.pages:
            if PurePosixPath(page.file).name == name and page.sections:
                return page.sections[0].anchor
        return ""

    def _address(self, number: str, file: str) -> str:
        """Return the address of a section, seen from a page."""
        section = self.book.section(number)
        if self._one_file or section.file == file:
            return f"#{section.anchor}"
        return f"{self._names[section.file]}.html#{section.anchor}"


def _file_names(book: Handbook) -> dict[str, str]:
    """Return file of a page to its name without ending; two of one name are told apart."""
    names: dict[str, str] = {}
    for page in book.pages:
        stem = PurePosixPath(page.file).stem
        taken = set(names.values()) | {"index"}
        first = page.sections[0].anchor if page.sections else "page"
        names[page.file] = stem if stem not in taken else f"{stem}-{first}"
    return names


def _words(section: Section) -> str:
    return f"{section.number} {section.title}" if section.numbered else section.title
