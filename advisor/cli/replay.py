"""``gpu-advisor replay``: hold recorded interviews again and say what drifted."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.transcripts.model import Transcript
    from advisor.transcripts.replay import Replayed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "hold recorded interviews again: what drifted, by class; --update takes it over"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``replay``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="transcripts, or folders of them")
    parser.add_argument("--update", action="store_true", help="write down what comes out now")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="CLASS",
        help="with --update: only what drifted in this class (advice, citation, path, reason, "
        "assumption, wording); may be repeated",
    )
    parser.add_argument("--force", action="store_true", help="update even where an answer is lost")
    parser.add_argument("--strict", action="store_true", help="exit 1 for wording as well")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Replay, report, update.

    Raises:
        InputError: a file is no transcript or cannot be written, or a class is not known.
    """
    from advisor.engine import engine_from_environment
    from advisor.explain.adviser import Adviser
    from advisor.transcripts.drift import CLASSES
    from advisor.transcripts.replay import replayed

    _check(args, CLASSES)
    transcripts = _read(args.files)
    adviser = Adviser(engine=engine_from_environment())
    found = {file: replayed(adviser, one, file) for file, one in transcripts}
    kept = [file for file, one in found.items() if args.update and one.losses and not args.force]
    if args.update:
        for file, one in found.items():
            if file not in kept:
                _write(file, one.updated(args.only or CLASSES))
    _print(args, found)
    for file in kept:
        sys.stderr.write(f"{_refusal(file, found[file])}\n")
    return _code(args, found, kept)


def _check(args: argparse.Namespace, classes: tuple[str, ...]) -> None:
    args.only = [word.strip() for words in args.only for word in words.split(",")]
    for word in args.only:
        if word not in classes:
            message = f"There is no class {word!r}."
            raise InputError(Problem("bad_value", message, key="--only", allowed=classes))
    if (args.only or args.force) and not args.update:
        raise InputError(Problem("usage", "--only and --force go with --update."))


def _read(names: list[str]) -> list[tuple[Path, Transcript]]:
    """Return the transcripts that ``names`` mean; a folder means all below it.

    Raises:
        InputError: with what is wrong with each of them, not only the first.
    """
    from advisor.transcripts.read import read_transcript

    found: list[tuple[Path, Transcript]] = []
    problems: list[Problem] = []
    for name in names:
        try:
            found += [(file, read_transcript(file)) for file in _files(Path(name))]
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _files(path: Path) -> list[Path]:
    below = sorted(p for p in path.rglob("*.md") if p.name != "README.md")
    if not path.exists() or (path.is_dir() and not below):
        message = "There is no such file." if not path.exists() else "No transcripts below."
        raise InputError(Problem("no_such_file", message, file=str(path)))
    return below if path.is_dir() else [path]


def _write(file: Path, text: str) -> None:
    if file.read_text(encoding="utf-8") == text:
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"The file cannot be written: {error.strerror}."
        raise InputError(Problem("unwritable", message, file=str(file))) from error


def _refusal(file: Path, one: Replayed) -> str:
    reasons = "; ".join(one.losses)
    return f"{file}: not updated, something would be lost: {reasons}. --force updates all the same."


def _code(args: argparse.Namespace, found: dict[Path, Replayed], kept: list[Path]) -> int:
    if kept:
        return Exit.FINDINGS
    if args.update:
        return Exit.DONE
    drifts = [drift for one in found.values() for drift in one.drifts]
    counted = [drift for drift in drifts if args.strict or drift.kind != "wording"]
    return Exit.FINDINGS if counted else Exit.DONE


def _print(args: argparse.Namespace, found: dict[Path, Replayed]) -> None:
    from advisor.transcripts.report import drift_text

    if args.format == "json":
        document: list[dict[str, Any]] = [
            {"file": str(file), "drift": [drift.as_dict() for drift in one.drifts]}
            for file, one in found.items()
        ]
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(drift_text({str(file): one.drifts for file, one in found.items()}))
