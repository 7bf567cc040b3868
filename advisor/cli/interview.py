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
    from advisor.explain.adviser import Adviser
    from advisor.interview.interview import Interview
    from advisor.interview.store import Store

__all__ = ["add_arguments", "plain_because", "run"]

_OFF = frozenset({"", "0", "false", "no"})
_NARROWEST, _WIDEST = 40, 100
_NEWEST = ""
"""``--resume`` without a name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the interview."""
    parser.add_argument("--plain", action="store_true", help="the interview in plain lines")
    parser.add_argument(
        "--keypress", action="store_true", help="plain lines, and one key picks an option"
    )
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--answers", metavar="FILE", help="begin with what an answers file says")
    begin.add_argument(
        "--resume",
        metavar="NAME",
        nargs="?",
        const=_NEWEST,
        help="go on with a case that was kept; the newest where no name is given",
    )
    begin.add_argument("--cases", action="store_true", help="list the cases that were kept")


def run(args: argparse.Namespace) -> int:
    """Hold the interview, or list the cases.

    Raises:
        InputError: the answers file or the case cannot be read.
    """
    if args.cases:
        return _listed()
    why = "--keypress" if args.keypress else plain_because(plain=args.plain)
    if why is None:
        # the screen stands before anything is read
        return int(import_module("advisor.ui.run").run(lambda: _begun(args, "gpu-advisor")))
    return _plain(_begun(args, f"gpu-advisor {_option(args)}"), why, keypress=args.keypress)


def _option(args: argparse.Namespace) -> str:
    return "--keypress" if args.keypress else "--plain"


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


def _begun(args: argparse.Namespace, command: str) -> Interview:
    from advisor.explain.adviser import Adviser
    from advisor.interview.interview import Interview
    from advisor.interview.keeper import Keeper
    from advisor.interview.session import Session
    from advisor.interview.store import store_of

    store = store_of(os.environ)
    if args.resume is not None:
        return _resumed(Adviser(), store, args.resume, command)
    session = Session()
    if args.answers is not None:
        from advisor.answers.validate import read_answers

        session = Session(start=read_answers(args.answers))
    interview = Interview(Adviser(), keeper=Keeper(store), command=command)
    if args.answers is not None:
        interview.become(session)  # an unknown model or card is said now, not at the first question
    return interview


def _resumed(adviser: Adviser, store: Store, name: str, command: str) -> Interview:
    from advisor.interview.keeping import resumed

    case = store.newest() if name == _NEWEST else store.load(name)
    return resumed(adviser, store, case, command=command)


def _listed() -> int:
    from advisor.interview.keeping import case_lines
    from advisor.interview.store import store_of

    store = store_of(os.environ)
    for line in case_lines(store):
        sys.stdout.write(f"{line}\n")
    return Exit.DONE


def _plain(interview: Interview, why: str, *, keypress: bool) -> int:
    from advisor.interview.plain_run import hold_plain, run_plain

    columns = shutil.get_terminal_size((80, 24)).columns
    width = min(max(columns, _NARROWEST), _WIDEST)
    if sys.stdout.isatty():
        interview.terminal = sys.stdout
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        echo = not sys.stdin.isatty()
        run_plain(interview, sys.stdin, sys.stdout, why=why, width=width, echo=echo)
        return Exit.DONE
    from advisor.interview.terminal import by_key, by_line

    read = by_key(interview) if keypress else by_line(interview)
    hold_plain(interview, read, sys.stdout, why=why, width=width)
    return Exit.DONE
