"""What the commands that explain share: arguments, reading the answers, printing."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser
    from advisor.explain.explanation import Explanation

__all__ = ["add_common", "opened", "printed"]

_PIPED_WIDTH, _NARROWEST, _WIDEST = 100, 60, 110


def add_common(parser: argparse.ArgumentParser) -> None:
    """Declare the answers file and the flags of every command that explains."""
    parser.add_argument("file", metavar="FILE", help="answers file, or - for stdin")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        dest="sets",
        help="override one answer first; may be repeated",
    )
    parser.add_argument("--all", action="store_true", help="text: every line, not the first eight")
    add_format(parser)


def opened(args: argparse.Namespace) -> tuple[Adviser, Answers]:
    """Return who advises, and the answers of the command line.

    Raises:
        InputError: the file or an answer cannot be used.
    """
    from advisor.answers.validate import read_answers, read_answers_text
    from advisor.cli.advise import read_stdin
    from advisor.engine import engine_from_environment
    from advisor.explain.adviser import Adviser

    sets = tuple(args.sets)
    if args.file == "-":
        answers = read_answers_text(read_stdin(), name="standard input", sets=sets)
    else:
        answers = read_answers(args.file, sets=sets)
    return Adviser(engine=engine_from_environment()), answers


def printed(explanation: Explanation, args: argparse.Namespace) -> int:
    """Print an explanation and return the exit code."""
    from advisor.explain.explanation import text_of

    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:  # a stream that a caller put in place may lack it
        reconfigure(encoding="utf-8", errors="replace")
    if args.format == "json":
        document = explanation.as_dict()
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        return Exit.DONE
    lines = text_of(explanation, everything=args.all, width=_width())
    sys.stdout.write("\n".join(lines) + "\n")
    return Exit.DONE


def _width() -> int:
    """Return how wide the text may be: the terminal within reason, a fixed width for a pipe."""
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return _PIPED_WIDTH
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns))
