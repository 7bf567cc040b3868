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

HELP = "check the knowledge base, show a record with its sources, print the decision tables"
_CHECK = "find everything that is wrong: catalogues, questions, handbook, corrections, rules"
_SHOW = "show a record with its sources and what is unverified; alone: list the catalogues"
_TABLES = "the decision tables, made from the rules: when, advice, because, sections"
_ACTIONS = ("check", "show", "tables")
_DECISIONS = ("gpu", "sharing", "parallelism", "provisioning")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``kb check``, ``kb show`` and ``kb tables``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", parser_class=Parser)
    check = actions.add_parser("check", help=_CHECK, description=_CHECK)
    check.add_argument(
        "--path", metavar="DIR", help="another knowledge folder than the installed one"
    )
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


def run(args: argparse.Namespace) -> int:
    """Check, show, or print the tables.

    Raises:
        InputError: There is no such folder.
        UnknownNameError: There is no such catalogue or record; carries the nearest.
    """
    if args.action is None:
        message = "Say what to do with the knowledge base."
        raise InputError(Problem("usage", message, allowed=_ACTIONS))
    if args.action == "check":
        return _check(args)
    if args.action == "tables":
        return _tables(args)
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


def _check(args: argparse.Namespace) -> int:
    from advisor.cli.kb_check import check_everything

    found = check_everything(_folder(args.path), _today())
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
