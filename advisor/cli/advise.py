"""``gpu-advisor advise``: answers files in, cited advice out."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit
from advisor.errors import GpuAdvisorError, InputError, Problem

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.store.prices import Price

__all__ = ["HELP", "add_arguments", "read_stdin", "run"]

_PIPED_WIDTH, _NARROWEST, _WIDEST = 100, 60, 110

HELP = "advise on an answers file: which GPU, how many, which multi-GPU pattern, what will bite"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``advise``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="answers file, or - for stdin")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        dest="sets",
        help="override one answer; may be repeated",
    )
    add_format(parser, "text", "json", "markdown", "html")
    parser.set_defaults(format=None)  # text, unless --jsonl, which must not contradict it
    _add_prices(parser)
    parser.add_argument(
        "--jsonl", action="store_true", help="JSON, one object per file and line, errors included"
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 when a decision is not firm")
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="text: all warnings, rejections and the assumptions in full",
    )


def _add_prices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prices",
        metavar="FILE",
        help="your own rents: YAML like the price catalogue, or a vms.csv of SkyPilot; a row "
        "replaces the catalogue's of the same provider, instance and kind",
    )
    parser.add_argument(
        "--prices-as-of", metavar="DATE", help="date of prices that carry none: 2026-08-19"
    )
    parser.add_argument(
        "--prices-provider", metavar="NAME", help="whose prices a CSV holds; else its file name"
    )


def run(args: argparse.Namespace) -> int:
    """Advise on every file and print.

    Raises:
        InputError: the price file cannot be used, or a file or an answer (those not under
            ``--jsonl``).
    """
    _check_usage(args)
    prices = _prices(args)
    if args.jsonl:
        return _lines(args, prices)
    found = [_advise(name, args.sets, prices) for name in args.files]
    _write(_printed(found, args))
    return _exit(found, strict=args.strict)


def _check_usage(args: argparse.Namespace) -> None:
    """Refuse what contradicts itself, before anything is read."""
    if args.files.count("-") > 1:
        message = "Standard input can be read once: give - once."
        raise InputError(Problem("usage", message, key="FILE"))
    if args.jsonl and args.format not in {None, "json"}:
        message = f"--jsonl prints JSON; it does not go with --format {args.format}."
        raise InputError(Problem("usage", message, key="--format"))
    if args.format == "html" and len(args.files) > 1:
        message = "One HTML page tells one consultation: give one file."
        raise InputError(Problem("usage", message, key="--format"))


def _printed(found: list[Consultation], args: argparse.Namespace) -> str:
    """Return what goes to stdout; each form loads its own report and no other."""
    if args.format == "json":
        documents: Any = [_document(consultation) for consultation in found]
        body = documents[0] if len(documents) == 1 else documents
        return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
    if args.format == "markdown":
        from advisor.reports.advice_markdown import advice_markdown

        heads = _heads(args)
        return "\n".join(advice_markdown(o, about=h) for o, h in zip(found, heads, strict=True))
    if args.format == "html":
        from advisor.reports.advice_html import advice_html

        return "".join(map(advice_html, found))
    from advisor.reports.advice_text import advice_text
    from advisor.reports.colour import styled

    width = _width()
    texts = (advice_text(one, verbose=args.verbose, width=width) for one in found)
    text = "\n".join(_headed(name, body) for name, body in zip(_heads(args), texts, strict=True))
    return styled(text, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))


def _heads(args: argparse.Namespace) -> list[str]:
    """Return what names each report: its file where there are several, nothing for one."""
    names: list[str] = ["standard input" if name == "-" else name for name in args.files]
    return names if len(names) > 1 else [""]


def _headed(name: str, body: str) -> str:
    if not name:
        return body
    safe = " ".join(name.split())
    return f"==== {safe} ====\n\n{body}"


def _width() -> int:
    """Return how wide the text may be: the terminal within reason, a fixed width for a pipe."""
    if not sys.stdout.isatty():
        return _PIPED_WIDTH
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns))


def _write(text: str) -> None:
    """Write as UTF-8 whatever the terminal or the pipe says: reports are files as well."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:  # a stream that a caller put in place may lack it
        reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.write(text)


def _prices(args: argparse.Namespace) -> tuple[Price, ...]:
    """Return the prices of ``--prices``; what has to be said about the file goes to stderr."""
    if args.prices is None:
        for flag, value in (
            ("--prices-as-of", args.prices_as_of),
            ("--prices-provider", args.prices_provider),
        ):
            if value is not None:
                raise InputError(Problem("usage", f"{flag} needs --prices FILE.", key=flag))
        return ()
    from advisor.store.price_file import load_price_file

    found = load_price_file(args.prices, provider=args.prices_provider, as_of=args.prices_as_of)
    for note in found.notes:
        sys.stderr.write(f"{note}\n")
    return found.prices


def _advise(name: str, sets: list[str], prices: tuple[Price, ...]) -> Consultation:
    from advisor.answers.validate import read_answers
    from advisor.engine import engine_from_environment
    from advisor.explain.adviser import Adviser
    from advisor.explain.effects import with_effects

    if name == "-":
        from advisor.answers.validate import read_answers_text

        answers = read_answers_text(read_stdin(), name="standard input", sets=tuple(sets))
    else:
        answers = read_answers(name, sets=tuple(sets))
    adviser = Adviser(engine=engine_from_environment(), prices=prices)
    told = with_effects(adviser, answers, adviser.consult(answers))
    return _with_unused_prices(told, answers, prices) if prices else told


def _with_unused_prices(
    told: Consultation, answers: Answers, prices: tuple[Price, ...]
) -> Consultation:
    """Say on stderr and among the warnings how many of the user's prices could not be used."""
    from advisor.consult.unused_prices import UNUSED, with_unused_prices
    from advisor.store.loader import load_knowledge

    told = with_unused_prices(told, answers, load_knowledge(), prices)
    for warned in told.warnings:
        if warned.id == UNUSED:
            sys.stderr.write(f"{answers.name}: {warned.text}\n")
    return told


def read_stdin() -> str:
    """Return what standard input holds.

    Raises:
        InputError: it is not UTF-8.
    """
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"This is not UTF-8 text: byte {error.start} cannot be read."
        raise InputError(Problem("not_utf8", message, "standard input")) from error


def _document(consultation: Consultation) -> dict[str, Any]:
    return consultation.model_dump(mode="json", by_alias=True)


def _exit(found: list[Consultation], *, strict: bool) -> int:
    statuses = [d.status for consultation in found for d in consultation.decisions.values()]
    settled = all(status in {"firm", "not_applicable"} for status in statuses)
    return Exit.FINDINGS if strict and not settled else Exit.DONE


def _lines(args: argparse.Namespace, prices: tuple[Price, ...]) -> int:
    """Print one object per file; an error is a line as well and makes the exit code 2."""
    found: list[Consultation] = []
    failed = False
    for name in args.files:
        try:
            consultation = _advise(name, args.sets, prices)
        except GpuAdvisorError as error:
            failed = True
            line: dict[str, Any] = {"source": name, "error": error.problems[0].as_dict()}
        else:
            found.append(consultation)
            line = {"source": name, "consultation": _document(consultation)}
        _write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    return Exit.BAD_INPUT if failed else _exit(found, strict=args.strict)
