"""The handbook as pages of a site, so that citations have somewhere to lead.

Generators disagree on how a heading gets an anchor of its own, so there is a flavour of each:
``mkdocs`` (``{#anchor}``, by the extension attr_list; Zensical too), ``myst`` (a target on the
line before), ``docusaurus`` (as for MkDocs, and braces and angles escaped, which MDX takes for
code) and ``html`` (an empty ``a`` element: GitHub and everything else).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.store.handbook import Handbook, TableProvider
    from advisor.store.handbook_parse import Page

__all__ = ["FLAVOURS", "Flavour", "changed_pages", "handbook_pages", "write_pages"]

Flavour = Literal["mkdocs", "myst", "docusaurus", "html"]
FLAVOURS: tuple[Flavour, ...] = ("mkdocs", "myst", "docusaurus", "html")
_TEXT = "Written by `gpu-advisor docs handbook`; changes are lost."
_NOTES = (f"<!-- {_TEXT} -->", f"{{/* {_TEXT} */}}")
"""What begins every page, and in MDX."""
_MEANS_CODE = re.compile(
    r"(?P<kept>^(?P<fence>`{3,}|~{3,})[\s\S]*?^(?P=fence)[`~]*$"
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|[ \t]*\{#[^}\n]*\}[ \t]*$)|(?<!\\)[{}<]",
    re.MULTILINE,
)
"""Braces and angles outside code and anchors."""
_ASKED = re.compile(r"<!--\s*(?:asked|alike):.*?-->\n*", re.DOTALL)
_HEADING = re.compile(
    r"^(?P<marks>#{1,6}) (?P<text>.*?)\s*\{#(?P<anchor>[^}]*)\}[ \t]*$", re.MULTILINE
)
_DEEP_HEADING = re.compile(r"^##(?=#{1,4} .*\{#[^}]*\}[ \t]*$)", re.MULTILINE)
_ANY_HEADING = re.compile(r"^(#{1,5}) ", re.MULTILINE)


def handbook_pages(target: str, flavour: Flavour) -> dict[Path, str]:
    """Return the pages by where they go; nothing is written.

    Args:
        target: A Markdown file for one page, else a folder for one page per chapter.
        flavour: How headings are anchored.
    """
    from advisor.store.handbook import load_handbook
    from advisor.store.loader import load_knowledge
    from advisor.store.tables import catalogue_tables

    book, tables = load_handbook(), catalogue_tables(load_knowledge())
    if target.endswith(".md"):
        return {Path(target): _one_page(book, tables, flavour)}
    note = _note(flavour)
    return {
        Path(target, Path(page.file).name): f"{note}\n\n{_page(page, tables, flavour)}"
        for page in book.pages
    }


def write_pages(pages: dict[Path, str]) -> list[Path]:
    """Write pages that are not as they should be and return them.

    Raises:
        InputError: A file cannot be written, or is not one of ours.
    """
    changed = [path for path, text in pages.items() if _now(path) != text]
    for path in changed:
        now = _now(path)
        if now and not now.startswith(_NOTES):
            message = "The file is there and was not written by this command; it stays."
            raise InputError(Problem("not_ours", message, file=str(path)))
    for path in changed:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], encoding="utf-8", newline="\n")
        except OSError as error:
            message = f"The page cannot be written: {error.strerror}."
            raise InputError(Problem("unwritable", message, file=str(path))) from error
    return changed


def changed_pages(pages: dict[Path, str]) -> list[Path]:
    """Return the pages that :func:`write_pages` would write."""
    return [path for path, text in pages.items() if _now(path) != text]


def _now(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError):
        return "\0"  # something that is not ours


def _one_page(book: Handbook, tables: TableProvider, flavour: Flavour) -> str:
    parts = [_ANY_HEADING.sub(r"#\1 ", _page(page, tables, flavour)) for page in book.pages]
    return "\n".join([f"{_note(flavour)}\n\n# GPU handbook\n", *parts])


def _note(flavour: Flavour) -> str:
    return _NOTES[flavour == "docusaurus"]


def _page(page: Page, tables: TableProvider, flavour: Flavour) -> str:
    return "\n".join(_sections(page, tables, flavour))


def _sections(page: Page, tables: TableProvider, flavour: Flavour) -> Iterator[str]:
    from advisor.store.handbook_tables import expand_tables

    for section in page.sections:
        number = f"{section.number} " if section.numbered else ""
        heading = f"{'#' * section.level} {number}{section.title} {{#{section.anchor}}}"
        body = _ASKED.sub("", expand_tables(section, tables)).strip("\n")
        if section.level == 1:  # what is level 3 there would skip one, which Sphinx minds
            body = _DEEP_HEADING.sub("#", body)
        yield _anchored(f"{heading}\n\n{body}\n", flavour)


def _anchored(text: str, flavour: Flavour) -> str:
    forms = {
        "mkdocs": r"\g<marks> \g<text> {#\g<anchor>}",
        "myst": r"(\g<anchor>)=\n\n\g<marks> \g<text>",
        "html": r'<a id="\g<anchor>"></a>\n\n\g<marks> \g<text>',
    }
    forms["docusaurus"] = forms["mkdocs"]
    if flavour == "docusaurus":
        text = _MEANS_CODE.sub(lambda found: found["kept"] or f"\\{found[0]}", text)
    return _HEADING.sub(forms[flavour], text)
