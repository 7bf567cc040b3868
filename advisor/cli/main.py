"""Choose the command, run it, and turn every error into a paragraph (or JSON) and a code."""

from __future__ import annotations

import argparse
import errno
import itertools
import json
import os
import sys
from importlib import import_module
from typing import Any

from advisor.cli.arguments import Parser, knowledge_folders
from advisor.cli.exits import Exit
from advisor.cli.interview import add_arguments as add_interview
from advisor.errors import EngineError, GpuAdvisorError, InputError, KnowledgeError, Problem

__all__ = ["COMMANDS", "build_parser", "run"]

COMMANDS = (
    "advise", "size", "why", "how", "whynot", "whatif", "limits", "compare", "diagnose",
    "record", "replay", "docs", "export", "kb", "cite", "schema",
)  # fmt: skip
"""One module of this package each, with ``HELP``, ``add_arguments`` and ``run``."""

_INTERRUPTED = 130
"""What shells return for a process that Ctrl-C ended."""


def build_parser(only: str | None = None) -> Parser:
    """Return the parser of all commands, or of one of them; imports nothing heavy."""
    parser = Parser(
        prog="gpu-advisor",
        description="Cited advice on GPUs for large-language-model workloads.",
        epilog="stdout is data, stderr is talk. Exit codes: 0 done, 1 findings, 2 bad input, 3 "
        "internal error.",
    )
    parser.add_argument("--version", action="store_true", help="version, knowledge and engine")
    add_interview(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name in COMMANDS if only is None else (only,):
        module = import_module(f"advisor.cli.{name}")
        child = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(child)
        child.set_defaults(run=module.run)
    return parser


def run(argv: list[str]) -> int:
    """Run one command line and return the exit code; never raises for bad input."""
    as_json = _wants_json(argv)
    _open_streams()
    try:
        code = _dispatch(argv)
        # here, not at exit, so that a reader who went away is noticed while we can answer
        sys.stdout.flush()
    except GpuAdvisorError as error:
        _report(error, as_json=as_json)
        internal = isinstance(error, EngineError) and not isinstance(error, KnowledgeError)
        code = Exit.INTERNAL if internal else Exit.BAD_INPUT
    except BrokenPipeError:
        # the reader of our output went away: not a fault, but stdout must not be flushed again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.DONE
    except OSError as error:
        code = _output_lost(error, as_json=as_json)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence: one line, not a traceback
        _report_fault(error, as_json=as_json)
        code = Exit.INTERNAL
    return int(code)


def _output_lost(error: OSError, *, as_json: bool) -> int:
    """Answer for an operating-system error: files are refused where they are read."""
    if error.errno not in {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT}:
        _report_fault(error, as_json=as_json)
        return Exit.INTERNAL
    text = f"The output cannot be written: {error.strerror}."
    _report(InputError(Problem("output", text)), as_json=as_json)
    # what is still buffered must not fail again at exit
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.BAD_INPUT


def _open_streams() -> None:
    """Give closed standard streams a stand-in, and let any terminal take our section signs."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _dispatch(argv: list[str]) -> int:
    # who names a command needs no other; making all of them takes longer than Python's own start
    parser = build_parser(argv[0] if argv and argv[0] in COMMANDS else None)
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse leaves like this after --help
        return int(stop.code or 0)
    folders = knowledge_folders(args, os.environ)
    if not folders:
        return _run(args)
    from advisor.store.in_use import using
    from advisor.store.loader import load_knowledge

    keep_faults = bool(getattr(args, "keep_faults", False))
    with using(load_knowledge(overlays=folders, keep_faults=keep_faults)):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    if args.version:
        return _version()
    if args.command is None:
        from advisor.cli.interview import run as interview

        return int(interview(args))
    return int(args.run(args))


def _version() -> int:
    from advisor import __version__
    from advisor.consult.stamp import stamp_of
    from advisor.engine import engine_name
    from advisor.store.loader import load_knowledge

    knowledge = load_knowledge()
    sys.stdout.write(
        f"gpu-advisor {__version__}, knowledge {stamp_of(knowledge).text}, "
        f"rule engine {engine_name()}\n"
    )
    return Exit.DONE


def _wants_json(argv: list[str]) -> bool:
    """Tell whether the caller asked for JSON, even when the command line does not parse."""
    if "--format=json" in argv or "--jsonl" in argv:
        return True
    return any(pair == ("--format", "json") for pair in itertools.pairwise(argv))


def _report(error: GpuAdvisorError, *, as_json: bool) -> None:
    if not as_json:
        sys.stderr.write(f"gpu-advisor: {error}\n")
        return
    first, *rest = error.problems
    document: dict[str, Any] = {"error": first.as_dict()}
    if rest:
        document["more"] = [problem.as_dict() for problem in rest]
    sys.stderr.write(json.dumps(document, ensure_ascii=False) + "\n")


def _report_fault(error: Exception, *, as_json: bool) -> None:
    if os.environ.get("GPU_ADVISOR_TRACEBACK"):
        raise error
    text = (
        f"internal error ({type(error).__name__}: {error}). Set GPU_ADVISOR_TRACEBACK=1 to see "
        "where, and report it."
    )
    problem = Problem("internal", text)
    if as_json:
        sys.stderr.write(json.dumps({"error": problem.as_dict()}) + "\n")
    else:
        sys.stderr.write(f"gpu-advisor: {text}\n")
