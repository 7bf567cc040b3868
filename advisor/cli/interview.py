"""The interview: what ``gpu-advisor`` does without a command."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from advisor.cli.exits import Exit

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["add_arguments", "plain_because", "run"]

_OFF = frozenset({"", "0", "false", "no"})
_NARROWEST, _WIDEST = 40, 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the interview."""
    parser.add_argument("--plain", action="store_true", help="the interview in plain lines")
    parser.add_argument("--answers", metavar="FILE", help="begin with what an answers file says")
    parser.add_argument("--resume", metavar="NAME", help="go on with a case that was saved")


def run(args: argparse.Namespace) -> int:
    """Hold the interview.

    Raises:
        InputError: the answers file or the case cannot be read.
    """
    why = plain_because(plain=args.plain)
    if why is None:
        # the screen stands before anything is read
        return int(import_module("advisor.ui.run").run(lambda: _begun(args)))
    return _plain(_begun(args), why)


def plain_because(*, plain: bool) -> str | None:
    """Return why the interview is held in plain lines; ``None`` where it need not be."""
    if plain:
        return "--plain"
    if os.environ.get("ACCESSIBLE", "").casefold() not in _OFF:
        return "ACCESSIBLE is set"
    if os.environ.get("TERM") == "dumb":
        return "TERM is dumb"
    for name in ("stdin", "stdout", "stderr"):
        if not getattr(sys, name).isatty():
            return f"std{name[3:]} is not a terminal"
    if find_spec("textual") is None or find_spec("advisor.ui.run") is None:
        return "the terminal interface is not installed"
    return None


def _begun(args: argparse.Namespace) -> Interview:
    from advisor.explain.adviser import Adviser
    from advisor.interview.interview import Interview
    from advisor.interview.session import Session

    session = Session()
    if args.answers is not None:
        from advisor.answers.validate import read_answers

        session = Session(start=read_answers(args.answers))
    interview = Interview(Adviser(), session)
    interview.become(session)  # an unknown model or card is said now, not at the first question
    return interview


def _plain(interview: Interview, why: str) -> int:
    from advisor.interview.plain import run_plain

    columns = shutil.get_terminal_size((80, 24)).columns
    width = min(max(columns, _NARROWEST), _WIDEST)
    echo = not sys.stdin.isatty()
    try:
        run_plain(interview, sys.stdin, sys.stdout, why=why, width=width, echo=echo)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return Exit.DONE
