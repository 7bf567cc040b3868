"""``gpu-advisor export``: handbook, decision tables, rules and diagrams as files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.cli.exits import Exit
from advisor.cli.targets import is_file_target
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.store.loader import Knowledge

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write handbook, decision tables, rules or decision diagrams as files of their own"
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "handbook": ("html", "markdown"),
    "tables": ("html", "markdown", "json"),
    "rules": ("json",),
    "diagram": ("mermaid", "markdown"),
}
"""What can be exported, and its forms; the first is the usual one."""
_ENDINGS = {"html": ".html", "markdown": ".md", "json": ".json", "mermaid": ".mmd"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``export``."""
    parser.add_argument("what", choices=tuple(_FORMATS), metavar="WHAT", help=", ".join(_FORMATS))
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help="a file by its ending (.html, .md, .json, .mmd), else a folder; none: standard output",
    )
    parser.add_argument(
        "--format", choices=tuple(_ENDINGS), help="by default as the file's ending says"
    )
    parser.add_argument(
        "--decision",
        action="append",
        default=[],
        metavar="NAME",
        help="tables and diagram: only this decision; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Write one export, to standard output where no place is named.

    Raises:
        InputError: a form that does not exist, or a place that cannot be written.
        UnknownNameError: There is no such decision.
    """
    from advisor.store.loader import load_knowledge

    form = _form(args)
    single = args.output is None or is_file_target(args.output, _endings(args.what), "--output")
    files = _files(args.what, form, load_knowledge(), tuple(args.decision), single=single)
    if args.output is None:
        _to_stdout("".join(files.values()))
        return Exit.DONE
    from pathlib import Path

    target = Path(args.output)
    written = {target: "".join(files.values())} if single else _under(target, files)
    for path, text in written.items():
        _write(path, text)
    sys.stderr.write(f"{len(written)} file{'s'[: len(written) > 1]} written.\n")
    return Exit.DONE


def _form(args: argparse.Namespace) -> str:
    allowed = _FORMATS[args.what]
    ended = (form for form, end in _ENDINGS.items() if (args.output or "").endswith(end))
    by_ending = next(ended, None)
    form = str(args.format or by_ending or allowed[0])
    if form not in allowed:
        message = f"{args.what} cannot be exported as {form}."
        raise InputError(Problem("bad_value", message, key="--format", allowed=allowed))
    if by_ending not in {None, form}:
        message = f"{args.output} does not end as {form} does ({_ENDINGS[form]})."
        raise InputError(Problem("usage", message, key="--output"))
    if args.decision and args.what not in {"tables", "diagram"}:
        message = f"--decision does not go with {args.what}."
        raise InputError(Problem("usage", message, key="--decision"))
    return form


def _endings(what: str) -> tuple[str, ...]:
    return tuple(_ENDINGS[form] for form in _FORMATS[what])


def _files(
    what: str, form: str, knowledge: Knowledge, decisions: tuple[str, ...], *, single: bool
) -> Mapping[str, str]:
    """Return file name to text; one file where ``single``."""
    if what == "handbook":
        return _handbook(form, knowledge, single=single)
    if what == "tables":
        return _tables(form, knowledge, decisions)
    if what == "rules":
        from advisor.exports.rule_catalogue import rule_catalogue

        return {"rules.json": _json(rule_catalogue(knowledge))}
    return _diagrams(form, knowledge, decisions, single=single)


def _handbook(form: str, knowledge: Knowledge, *, single: bool) -> Mapping[str, str]:
    from advisor.exports.handbook_pages import handbook_html, handbook_markdown, handbook_site

    if form == "markdown":
        return handbook_markdown(knowledge)
    return {"handbook.html": handbook_html(knowledge)} if single else handbook_site(knowledge)


def _tables(form: str, knowledge: Knowledge, decisions: tuple[str, ...]) -> Mapping[str, str]:
    from advisor.exports import decision_tables

    if form == "html":
        return {"tables.html": decision_tables.decision_tables_html(knowledge, decisions)}
    if form == "markdown":
        return {"tables.md": decision_tables.decision_tables_markdown(knowledge, decisions)}
    from advisor.cli.kb_tables import tables_document

    chosen = decision_tables.chosen_decisions(decisions)
    return {"tables.json": _json({"tables": tables_document(knowledge, chosen)})}


def _diagrams(
    form: str, knowledge: Knowledge, decisions: tuple[str, ...], *, single: bool
) -> Mapping[str, str]:
    from advisor.exports.diagram import decision_diagrams

    found = decision_diagrams(knowledge, decisions)
    if form == "markdown":
        blocks = [f"# {name}\n\n```mermaid\n{text}```\n" for name, text in found.items()]
        return {"diagrams.md": "\n".join(blocks)}
    if single and len(found) > 1:
        message = "A Mermaid file holds one diagram: name one --decision, a folder, or markdown."
        raise InputError(Problem("usage", message, key="--decision"))
    return {f"{name}.mmd": text for name, text in found.items()}


def _json(document: object) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _under(folder: Path, files: Mapping[str, str]) -> dict[Path, str]:
    return {folder / name: text for name, text in files.items()}


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"The file cannot be written: {error.strerror}."
        raise InputError(Problem("unwritable", message, str(path), key="--output")) from error


def _to_stdout(text: str) -> None:
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:  # a stream that a caller put in place may lack it
        reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.write(text)
