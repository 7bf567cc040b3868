"""``gpu-advisor kb``: is the knowledge base sound, and where does a fact come from?"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.arguments import Parser, add_format
from advisor.cli.exits import Exit
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.cli.kb_check import Findings

__all__ = ["HELP", "add_arguments", "run"]

HELP = "check the knowledge base, show its records, print its decision tables, measure coverage"
_CHECK = "find everything that is wrong: catalogues, questions, handbook, corrections, rules"
_SHOW = "show a record with its sources and what is unverified; alone: list the catalogues"
_TABLES = "the decision tables, made from the rules: when, advice, because, sections"
_COVERAGE = "which rules, answers, options and sections transcripts and answers files reach"
_ACTIONS = ("check", "show", "tables", "coverage")
_DECISIONS = ("gpu", "sharing", "parallelism", "provisioning")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``kb check``, ``kb show``, ``kb tables`` and ``kb coverage``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    check = actions.add_parser("check", help=_CHECK, description=_CHECK)
    check.add_argument(
        "--path", metavar="DIR", help="another knowledge folder than the installed one"
    )
    check.set_defaults(keep_faults=True)
    add_format(check)
    show = actions.add_parser("show", help=_SHOW, description=_SHOW)
    show.add_argument(
        "catalogue",
        nargs="?",
        metavar="CATALOGUE",
        help="gpu, model, price, mig, link, format, engine, question, correction, ...",
    )
    show.add_argument("name", nargs="*", metavar="NAME", help="id or usual name; none: list all")
    add_format(show)
    tables = actions.add_parser("tables", help=_TABLES, description=_TABLES)
    tables.add_argument(
        "decisions",
        nargs="*",
        metavar="DECISION",
        help=f"{', '.join(_DECISIONS)}; none: all that have rules",
    )
    add_format(tables, "text", "json", "markdown")
    coverage = actions.add_parser("coverage", help=_COVERAGE, description=_COVERAGE)
    coverage.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="answers files, transcripts, folders of them; none: transcripts and examples here",
    )
    coverage.add_argument("--never", action="store_true", help="only what is never reached")
    add_format(coverage)


def run(args: argparse.Namespace) -> int:
    """Check, show, print the tables, or measure coverage.

    Raises:
        InputError: There is no such folder, or an answers file cannot be used.
        UnknownNameError: There is no such catalogue or record; carries the nearest.
    """
    if args.action is None:
        message = "Say what to do with the knowledge base."
        raise InputError(Problem("usage", message, allowed=_ACTIONS))
    if args.action == "check":
        return _check(args)
    if args.action == "tables":
        return _tables(args)
    if args.action == "coverage":
        return _coverage(args)
    return _show(args)


def _show(args: argparse.Namespace) -> int:
    from advisor.cli.kb_show import assumption, show

    name = " ".join(args.name)
    text = show(args.catalogue, name, as_json=args.format == "json")
    if (assumed := assumption(args.catalogue, name)) is not None:
        sys.stderr.write(f"{assumed}\n")
    sys.stdout.write(text)
    return Exit.DONE


def _tables(args: argparse.Namespace) -> int:
    from advisor.cli import kb_tables
    from advisor.store.loader import load_knowledge

    knowledge, decisions = load_knowledge(), tuple(args.decisions)
    if args.format == "json":
        document = {"tables": kb_tables.tables_document(knowledge, decisions)}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    elif args.format == "markdown":
        text = kb_tables.tables_markdown(knowledge, decisions)
    else:
        text = kb_tables.tables_text(knowledge, decisions)
    sys.stdout.write(text)
    return Exit.DONE


def _coverage(args: argparse.Namespace) -> int:
    from advisor.cli import kb_coverage

    files = kb_coverage.answers_files(args.files)
    found = kb_coverage.measure(files)
    if args.format == "json":
        document = kb_coverage.coverage_document(found, files, never=args.never)
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    else:
        text = kb_coverage.coverage_text(found, never=args.never)
    sys.stdout.write(text)
    return Exit.DONE


def _check(args: argparse.Namespace) -> int:
    from advisor.cli.kb_check import check_everything
    from advisor.store.loader import load_knowledge

    overlays = load_knowledge().overlays
    found = check_everything(_folder(args.path), _today(), overlays=overlays)
    if args.format == "json":
        document = {
            "ok": not found.faults,
            "faults": [problem.as_dict() for problem in found.faults],
            "warnings": [problem.as_dict() for problem in found.warnings],
            "information": [problem.as_dict() for problem in found.information],
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(_findings_text(found))
    return Exit.FINDINGS if found.faults else Exit.DONE


def _folder(path: str | None) -> Path:
    if path is None:
        from advisor.store.loader import load_knowledge

        return load_knowledge().path.resolve()
    folder = Path(path).resolve()
    if not folder.is_dir():
        message = f"There is no folder {path!r}."
        raise InputError(Problem("no_such_folder", message, key="--path"))
    return folder


def _today() -> date:
    """Return the date where the user is; only a shell may look at the clock."""
    return datetime.now().astimezone().date()


def _findings_text(found: Findings) -> str:
    blocks = [*_by_file(found.faults)]
    if found.warnings:
        blocks.append("Look at these:\n" + "\n".join(str(item) for item in found.warnings))
    if found.information:
        blocks.append("For information:\n" + "\n".join(str(item) for item in found.information))
    count = len(found.faults)
    if count:
        files = len({problem.file for problem in found.faults})
        blocks.append(f"{count} fault{'s'[: count > 1]} in {files} file{'s'[: files > 1]}.")
    else:
        blocks.append("No faults.")
    return "\n\n".join(blocks) + "\n"


def _by_file(problems: tuple[Problem, ...]) -> list[str]:
    """Return one block per file, a line for each problem."""
    return [
        "\n".join(str(problem) for problem in group)
        for _, group in groupby(problems, key=lambda problem: problem.file)
    ]
