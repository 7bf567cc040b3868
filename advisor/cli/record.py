"""``gpu-advisor record``: an interview put down as a transcript."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.exits import Exit
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.explain.adviser import Adviser
    from advisor.transcripts.model import Transcript
    from advisor.transcripts.record import Words

__all__ = ["HELP", "add_arguments", "run"]

HELP = "hold an interview and write it down as a transcript, or record one from an answers file"
_LEAVE = "/quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``record``."""
    parser.add_argument("file", metavar="FILE", help="where the transcript goes, FILE.md")
    parser.add_argument(
        "--answers", metavar="ANSWERS", help="an answers file that answers, instead of somebody"
    )
    parser.add_argument(
        "--script",
        metavar="LINES",
        help="with --answers: further lines, each with the key of the question at which it is "
        "said (workload.concurrency: /why), or end: /how gpu",
    )
    parser.add_argument("--title", metavar="TEXT", help="title; else the name of the file")
    parser.add_argument("--tags", metavar="A,B", default="", help="words to find it by")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def run(args: argparse.Namespace) -> int:
    """Record and write.

    Raises:
        InputError: a file cannot be read or written, or an answer is not understood.
    """
    from advisor.engine import engine_from_environment
    from advisor.explain.adviser import Adviser
    from advisor.transcripts.write import written

    file = Path(args.file)
    if file.exists() and not args.force:
        message = "The file is there already; `replay --update` renews it, --force writes over it."
        raise InputError(Problem("exists", message, file=args.file))
    if args.script is not None and args.answers is None:
        raise InputError(Problem("usage", "--script goes with --answers.", key="--script"))
    adviser = Adviser(engine=engine_from_environment())
    made = _from_answers(args, adviser, file) if args.answers else _held(args, adviser, file)
    if made is None:
        sys.stderr.write("Nothing was said; nothing is written.\n")
        return Exit.DONE
    try:
        file.write_text(written(made), encoding="utf-8")
    except OSError as error:
        message = f"The file cannot be written: {error.strerror}."
        raise InputError(Problem("unwritable", message, file=args.file)) from error
    sys.stderr.write(f"Written to {args.file}.\n")
    return Exit.DONE


def _words(args: argparse.Namespace, intro: str = "") -> Words:
    from advisor.transcripts.record import Words

    title = args.title or Path(args.file).stem.replace("-", " ").replace("_", " ").capitalize()
    tags = tuple(tag.strip() for tag in args.tags.split(",") if tag.strip())
    return Words(title, intro, tags)


def _from_answers(args: argparse.Namespace, adviser: Adviser, file: Path) -> Transcript:
    from advisor.answers.validate import read_answers
    from advisor.transcripts.record import read_script, recorded

    answers = read_answers(args.answers)
    script = {}
    if args.script is not None:
        script = read_script(_text_of(args.script), args.script, adviser.questions)
    words = _words(args, _opening_comment(Path(args.answers)))
    return recorded(adviser, answers, words, file=file, script=script)


def _text_of(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"The file cannot be read: {reason}."
        raise InputError(Problem("unreadable", message, file=name)) from error


def _opening_comment(file: Path) -> str:
    """Return the comment with which a YAML or TOML file begins: it says what the case is."""
    lines = []
    for line in _text_of(str(file)).splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("#").strip())
    return "\n".join(lines).strip()


def _held(args: argparse.Namespace, adviser: Adviser, file: Path) -> Transcript | None:
    """Hold the interview in plain lines and return its transcript, if anything was said."""
    from advisor.interview.plain_run import run_plain
    from advisor.transcripts.markup import Linker
    from advisor.transcripts.record import begun, put_down

    interview = begun(adviser, None, file)
    width = min(max(shutil.get_terminal_size((80, 24)).columns, 40), 100)
    echo = not sys.stdin.isatty()
    try:
        run_plain(interview, sys.stdin, sys.stdout, why="it is recorded", width=width, echo=echo)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    if not interview.session.turns:
        return None
    if interview.ask is not None and not interview.left:
        interview.say(_LEAVE)  # so that a replay knows that the rest was not wanted
    return put_down(interview, _words(args), Linker(file))
