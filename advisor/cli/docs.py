"""``gpu-advisor docs``: advice blocks in Markdown, kept current or checked."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.cli.arguments import Parser, add_format, integer
from advisor.cli.exits import Exit
from advisor.cli.targets import is_file_target
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.docs.pages import PageState

__all__ = ["HELP", "add_arguments", "run"]

HELP = "keep advice blocks in Markdown pages current, or check that they are"
_MOST_PROBLEMS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``docs build``, ``docs check`` and ``docs handbook``."""
    commands = parser.add_subparsers(
        dest="docs_command", metavar="COMMAND", required=True, parser_class=Parser
    )
    build = commands.add_parser("build", help="write the current advice into the blocks")
    check = commands.add_parser("check", help="exit 1, with a diff, when a block is not current")
    for child in (build, check):
        child.add_argument("paths", nargs="+", metavar="PATH", help="Markdown file or folder")
        child.add_argument(
            "--jobs",
            type=integer(1, 256),
            metavar="N",
            help="processes that work on blocks at once, one for each core by default",
        )
        add_format(child)
    build.add_argument(
        "--force", action="store_true", help="overwrite changes made by hand inside a block"
    )
    book = commands.add_parser("handbook", help="write the handbook as pages of a site")
    book.add_argument("target", metavar="PATH", help="a folder, or one file ending in .md")
    book.add_argument(
        "--flavour",
        choices=("mkdocs", "myst", "docusaurus", "html"),
        default="mkdocs",
        help="how headings get their anchors: MkDocs and Zensical, Sphinx with MyST, Docusaurus, "
        "all others",
    )
    book.add_argument("--check", action="store_true", help="write nothing; exit 1 when it differs")
    add_format(book)


def run(args: argparse.Namespace) -> int:
    """Build, check, or write the handbook.

    Raises:
        InputError: A page, an answers file or a block cannot be used; the others were done.
    """
    return _handbook(args) if args.docs_command == "handbook" else _blocks(args)


def _blocks(args: argparse.Namespace) -> int:
    from advisor.docs.files import pages_of
    from advisor.docs.report import as_json, findings, text_lines

    built = args.docs_command == "build"
    force = built and args.force
    paths = list(pages_of(args.paths))
    _ahead(paths, args.jobs)
    pages = [_page(path, build=built, force=force) for path in paths]
    _say_notes()
    problems = _distinct(problem for page in pages for problem in page.problems)
    if args.format == "text":
        lines = text_lines(pages)
        sys.stdout.write("\n".join(lines) + "\n")
    if problems:
        raise InputError(problems)
    if args.format == "json":
        sys.stdout.write(as_json(pages))
    return Exit.FINDINGS if findings(pages) else Exit.DONE


def _ahead(paths: list[Path], jobs: int | None) -> None:
    from advisor.docs.ahead import work_ahead
    from advisor.docs.desk import shared_desk

    work_ahead(shared_desk(), paths, jobs)


def _say_notes() -> None:
    from advisor.docs.desk import shared_desk

    notes = shared_desk().notes
    for note in notes:
        sys.stderr.write(f"{note}\n")
    notes.clear()


def _page(path: Path, *, build: bool, force: bool) -> PageState:
    from advisor.docs.desk import shared_desk
    from advisor.docs.files import is_markdown
    from advisor.docs.pages import PageState, build_page, check_page

    try:
        if build:
            state = build_page(path, shared_desk(), force=force)
        else:
            state = check_page(path, shared_desk())
    except InputError as error:
        return PageState(problems=error.problems, broken=1)
    if state == PageState() and not is_markdown(path):
        message = "No Markdown page, and no block in it: name a page or a folder of pages."
        return PageState(problems=(Problem("no_page", message, file=str(path)),))
    return state


def _distinct(problems: Iterable[Problem]) -> list[Problem]:
    """Return each problem once: a broken answers file may serve many blocks."""
    seen: dict[object, Problem] = {}
    for problem in problems:
        text = problem.message.partition(" (for the block at ")[0]
        seen.setdefault((problem.code, problem.file, problem.line, problem.key, text), problem)
    return list(seen.values())[:_MOST_PROBLEMS]


def _handbook(args: argparse.Namespace) -> int:
    from advisor.docs.handbook_pages import changed_pages, handbook_pages, write_pages

    is_file_target(args.target, (".md",), "PATH")
    pages = handbook_pages(args.target, args.flavour)
    changed = changed_pages(pages) if args.check else write_pages(pages)
    names = [str(path) for path in changed]
    if args.format == "json":
        document = {"pages": len(pages), "changed": names}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        said = "differs" if args.check else "written"
        lines = [f"{name}: {said}" for name in names] or [f"{len(pages)} pages, all current"]
        sys.stdout.write("\n".join(lines) + "\n")
    return Exit.FINDINGS if args.check and changed else Exit.DONE
