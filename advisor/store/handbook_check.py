"""Is the handbook fit to be cited? Every problem of every page, in one list.

The required numbers and anchors are a contract: rules, questions, corrections and
transcripts cite them, and links from outside use them. Add to the list; do not rename.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from advisor.errors import KnowledgeError, Problem
from advisor.store.handbook import Handbook, load_handbook
from advisor.store.handbook_parse import Section, markdown_tokens
from advisor.store.handbook_tables import TABLE_NAMES, TableProvider, read_directives, table_of

if TYPE_CHECKING:
    from advisor.store.overlays import Overlay

__all__ = ["REQUIRED_SECTIONS", "check_handbook"]

REQUIRED_SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "1": "what-gpu-for-llm-means",
        "2": "physical-layer",
        "2.1": "nvidia-line-up",
        "2.2": "blackwell",
        "2.3": "amd",
        "2.4": "interconnect",
        "3": "virtualization",
        "3.1": "gpu-passthrough",
        "3.2": "ways-to-share",
        "3.3": "mig-profiles",
        "3.4": "bare-metal-or-vm",
        "3.5": "gpudirect-rdma",
        "4": "container-layer",
        "4.1": "hook-chain-and-cdi",
        "4.2": "exposing-devices",
        "4.3": "host-needs",
        "5": "kubernetes",
        "5.1": "device-plugin",
        "5.2": "gpu-operator",
        "5.3": "dra",
        "5.4": "sharing-modes",
        "5.5": "driver-upgrades",
        "5.6": "observability",
        "6": "passthrough-meanings",
        "7": "multi-gpu",
        "7.1": "hardware-constraint",
        "7.2": "patterns",
        "7.3": "memory-math",
        "7.4": "pool-primitives",
        "7.5": "training",
        "8": "decision-framework",
        "8.1": "which-gpu",
        "8.2": "how-to-share",
        "8.3": "multi-gpu-inference",
        "8.4": "provisioning",
        "9": "best-practices",
        "10": "gotchas",
        "glossary": "glossary",
        "versions": "versions",
    }
)
"""Section number to anchor."""

_REFERENCE = re.compile(r"§\s?(?P<number>\d+(?:\.\d+)?|[a-z][a-z0-9-]*(?:\.\d+)?)")
_SOURCES = re.compile(r"^\*\*Sources\*\*$(?P<list>.*)\Z", re.MULTILINE | re.DOTALL)
_YEAR = re.compile(r"\b20\d\d\b")


def check_handbook(
    handbook: Handbook | None = None,
    tables: TableProvider | None = None,
    overlays: Sequence[Overlay] = (),
) -> list[Problem]:
    """Return everything that is wrong, in reading order; an empty list means fit to cite.

    Args:
        handbook: The one to check; default the one that ships.
        tables: When given, every table directive is expanded too.
        overlays: Folders of one's own that hold some of its pages.
    """
    book = handbook or load_handbook()
    problems = [problem for page in book.pages for problem in page.problems]
    problems += _duplicates(book)
    problems += _required(book)
    problems += _own_names(book, overlays)
    for section in book.sections:
        problems += _content(section)
        problems += _references(book, section)
        problems += _directives(section, tables)
    return sorted(problems, key=lambda problem: (problem.file or "", problem.line or 0))


def _duplicates(book: Handbook) -> Iterator[Problem]:
    numbers: dict[str, Section] = {}
    for section in book.sections:
        first = numbers.setdefault(section.number, section)
        if first is not section:
            yield _at(section, "duplicate_section", f"{section.number} is also at {_place(first)}.")
    anchors: dict[str, str] = {}
    for anchor, file, line in _all_anchors(book):
        where = f"{file}:{line}"
        if anchors.setdefault(anchor, where) != where:
            message = f"The anchor {anchor!r} is also at {anchors[anchor]}."
            yield Problem("duplicate_anchor", message, file=file, line=line)


def _required(book: Handbook) -> Iterator[Problem]:
    found = {section.number: section for section in book.sections}
    for number, anchor in REQUIRED_SECTIONS.items():
        section = found.get(number)
        if section is None:
            yield Problem("missing_section", f"Section {number} ({anchor}) is missing.", key=number)
        elif section.anchor != anchor:
            message = f"Section {number} has the anchor {section.anchor!r}; links use {anchor!r}."
            yield _at(section, "changed_anchor", message)
    for page in book.pages:
        for section in page.sections[1:]:
            if section.number.rpartition(".")[0] != page.sections[0].number:
                message = f"{section.number} is on the page of {page.sections[0].number}."
                yield _at(section, "misplaced_section", message)


def _own_names(book: Handbook, overlays: Sequence[Overlay]) -> Iterator[Problem]:
    """Yield sections and anchors of overlays that do not begin with the overlay's name."""
    for overlay in overlays:
        start = f"{overlay.label}/"
        for section in book.sections:
            if section.file.startswith(start) and not _is_under(section.number, overlay.name):
                message = (
                    f"Sections of this folder are called {overlay.name} or {overlay.name}-..., "
                    f"and below them {overlay.name}.1, {overlay.name}.2; not {section.number}."
                )
                yield _at(section, "foreign_section", message)
        for anchor, file, line in _all_anchors(book):
            if file.startswith(start) and not _is_under(anchor, overlay.name):
                message = f"Anchors of this folder begin with {overlay.name}-."
                yield Problem("foreign_anchor", message, file=file, line=line)


def _is_under(name: str, owner: str) -> bool:
    return name == owner or name.startswith((f"{owner}.", f"{owner}-"))


def _content(section: Section) -> Iterator[Problem]:
    prose = [t for t in markdown_tokens(section.text_markdown) if t.type == "paragraph_open"]
    if not prose:
        yield _at(section, "empty_section", f"Section {section.number} says nothing.")
        return
    sources = _SOURCES.search(section.text_markdown)
    if section.subsections or section.number == "versions":
        return
    if sources is None or not _YEAR.search(sources["list"]):
        message = f"Section {section.number} must end with **Sources** and a dated list."
        yield _at(section, "uncited_section", message)


def _references(book: Handbook, section: Section) -> Iterator[Problem]:
    numbers = {other.number for other in book.sections}
    for offset, line in enumerate(section.text_markdown.splitlines()):
        for match in _REFERENCE.finditer(line):
            if match["number"] not in numbers:
                message = f"§{match['number']} does not exist."
                yield _at(section, "broken_reference", message, section.body_line + offset)
    targets = _link_targets(book)
    for href, offset in _links(section.text_markdown):
        file, _, anchor = href.partition("#")
        page = f"{section.file.rpartition('/')[0]}/{file}" if file else section.file
        if (page, anchor) not in targets:
            message = f"The link {href!r} leads nowhere."
            yield _at(section, "broken_link", message, section.body_line + offset)


def _directives(section: Section, tables: TableProvider | None) -> Iterator[Problem]:
    directives, problems = read_directives(section)
    yield from problems
    for directive in directives:
        if directive.name not in TABLE_NAMES:
            yield Problem(
                "unknown_table",
                f"There is no table {directive.name!r}.",
                file=section.file,
                line=section.body_line + directive.first_line,
                allowed=TABLE_NAMES,
                nearest=tuple(difflib.get_close_matches(directive.name, TABLE_NAMES, n=3)),
            )
        elif tables is not None:
            try:
                table_of(section, directive, tables)
            except KnowledgeError as error:
                yield from error.problems


def _links(text: str) -> Iterator[tuple[str, int]]:
    """Yield the target and 0-based line of every link that stays inside the handbook."""
    for token in markdown_tokens(text):
        for child in token.children or ():
            href = str(child.attrGet("href") or "") if child.type == "link_open" else ""
            if href and "://" not in href and not href.startswith("mailto:"):
                yield href, token.map[0] if token.map else 0


def _link_targets(book: Handbook) -> set[tuple[str, str]]:
    pages = {(page.file, "") for page in book.pages}
    return pages | {(file, anchor) for anchor, file, _ in _all_anchors(book)}


def _all_anchors(book: Handbook) -> Iterator[tuple[str, str, int]]:
    for section in book.sections:
        if section.anchor:
            yield section.anchor, section.file, section.line
    for sub in book.sub_anchors:
        yield sub.anchor, sub.file, sub.line


def _at(section: Section, code: str, message: str, line: int | None = None) -> Problem:
    return Problem(code, message, file=section.file, line=line or section.line)


def _place(section: Section) -> str:
    return f"{section.file}:{section.line}"
