"""``gpu-advisor cite``: read a section of the handbook, or find the one that answers."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.store.handbook import Handbook, SearchHit, Section, TableProvider

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print sections of the handbook (3.3, 7.3#worked-70b), search it, or list them"
_PIPED_WIDTH = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``cite``."""
    parser.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help="3.3, 7.1-7.3, glossary, a word of it (xid), an anchor, or 7.3#worked-70b; none: all",
    )
    parser.add_argument("--search", metavar="QUESTION", help="rank sections by a question")
    add_format(parser, "text", "json", "markdown")


def run(args: argparse.Namespace) -> int:
    """Print sections, the hits of a search, or the table of contents.

    Raises:
        UnknownNameError: There is no such section; carries the nearest.
        InputError: Sections and a search were asked for at once.
    """
    from advisor.store.handbook import load_handbook

    book = load_handbook()
    if args.search is not None:
        if args.sections:
            message = "Give sections or --search, not both."
            raise InputError(Problem("usage", message, key="--search"))
        if not args.search.strip():
            message = "Give a question or some words to look for."
            raise InputError(Problem("usage", message, key="--search"))
        return _search(book, args.search, args.format)
    if not args.sections:
        _contents(book, args.format)
        return Exit.DONE
    _sections(book, args.sections, args.format)
    return Exit.DONE


def _sections(book: Handbook, names: list[str], form: str) -> None:
    from advisor.store.handbook import render_section, section_text
    from advisor.store.handbook_excerpt import excerpt, spread
    from advisor.store.loader import load_knowledge
    from advisor.store.tables import catalogue_tables

    tables = catalogue_tables(load_knowledge())
    wanted = dict.fromkeys(one for name in names for one in spread(book, name))
    parts = [excerpt(book, name) for name in wanted]
    if form == "json":
        found = [_as_dict(book, part, tables) for part in parts]
        _print_json(found[0] if len(found) == 1 else found)
    elif form == "markdown":
        sys.stdout.write("\n".join(render_section(part, tables) for part in parts))
    else:
        sys.stdout.write("\n\n".join(section_text(part, tables, _width()) for part in parts))


def _as_dict(book: Handbook, part: Section, tables: TableProvider) -> dict[str, Any]:
    from advisor.store.handbook import render_section
    from advisor.store.handbook_excerpt import source_lines

    whole = book.section(part.number)
    document: dict[str, Any] = {
        "section": part.number,
        "title": whole.title,
        "anchor": part.anchor,
        "text_markdown": render_section(part, tables),
        "sources": list(source_lines(whole)),
        "subsections": [child.section for child in part.subsections],
    }
    return document


def _search(book: Handbook, question: str, form: str) -> int:
    hits = book.search(question)
    if form == "json":
        found = [_hit_as_dict(hit, question) for hit in hits]
        _print_json({"query": question, "hits": found})
    elif hits:
        sys.stdout.write("\n\n".join(_hit_text(hit, question, form) for hit in hits) + "\n")
    else:
        sys.stderr.write(f"Nothing in the handbook matches {question!r}. Try other words.\n")
    return Exit.DONE if hits else Exit.FINDINGS


def _hit_as_dict(hit: SearchHit, question: str) -> dict[str, str]:
    from advisor.store.handbook_excerpt import snippet

    section = hit.section
    return {
        "section": section.number,
        "title": section.title,
        "anchor": section.anchor,
        "snippet": snippet(section, question),
        "read": _command(section),
    }


def _hit_text(hit: SearchHit, question: str, form: str) -> str:
    """Return three lines: which section, what it says, how to read it."""
    import textwrap

    from advisor.store.handbook_excerpt import snippet

    section, line = hit.section, snippet(hit.section, question)
    numbered = section.numbered
    if form == "markdown":
        title = f"{section.label} {section.title}" if numbered else section.title
        return f"- **{title}**: {line} (`{_command(section)}`)"
    title = f"{section.label}  {section.title}" if numbered else section.title
    short = textwrap.shorten(line, _width() - 2, placeholder=" ...", break_on_hyphens=False)
    return f"{title}\n  {short}\n  {_command(section)}"


def _command(section: Section) -> str:
    return f"gpu-advisor cite {section.number}"


def _contents(book: Handbook, form: str) -> None:
    if form == "json":
        _print_json(
            [{"section": s.number, "title": s.title, "anchor": s.anchor} for s in book.sections]
        )
        return
    for section in book.sections:
        number = section.number if section.numbered else ""
        indent = "  " * (section.level - 1)
        if form == "markdown":
            sys.stdout.write(f"{indent}- {number} {section.title}\n".replace("-  ", "- "))
        else:
            command = section.number if not number else ""
            line = f"{indent}{f'{number} ':<6}{section.title}"
            sys.stdout.write(f"{line}  ({command})\n" if command else f"{line}\n")


def _width() -> int:
    """Return the columns of the terminal; 80 when the output is piped, so that it is stable."""
    if not sys.stdout.isatty():
        return _PIPED_WIDTH
    return shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns


def _print_json(document: object) -> None:
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
