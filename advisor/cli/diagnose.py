"""``gpu-advisor diagnose``: ranked causes for a pasted error, a log or an event."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit
from advisor.cli.progress import with_progress
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.diagnose.diagnosis import DiagnosisReport

__all__ = ["HELP", "add_arguments", "run"]

HELP = "ranked causes for an error, a log or kubectl describe output: evidence, check, fix"
_HEAD_BYTES = 65536
_LONGEST_NAME = 1024
_STDIN = "standard input"
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_FILE_ENDINGS = frozenset(
    {".log", ".txt", ".out", ".err", ".json", ".jsonl", ".yaml", ".yml", ".md", ".gz", ".zip"}
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``diagnose``."""
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT|FILE|-",
        help="the text itself, a file, or - for standard input (also when there is none)",
    )
    parser.add_argument(
        "--answers", metavar="FILE", help="answers file; what is known there ranks the causes"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Diagnose and print; 1 when nothing in the text is known.

    Raises:
        InputError: There is no text, or a file cannot be used.
    """
    from advisor.diagnose.diagnose import diagnose_lines
    from advisor.store.loader import load_knowledge

    if args.answers == "-" and args.text in ([], ["-"]):
        message = "Standard input can be read once: as the answers or as the text."
        raise InputError(Problem("usage", message, key="--answers"))
    answers = _answers(args.answers)
    report = diagnose_lines(_not_empty(_lines(args.text)), load_knowledge(), answers)
    _print(report, args.format)
    return Exit.FINDINGS if report.unknown else Exit.DONE


def _answers(name: str | None) -> Answers | None:
    if name is None:
        return None
    from advisor.answers.validate import read_answers, read_answers_text

    if name == "-":
        return read_answers_text(sys.stdin.read(), name=_STDIN)
    return read_answers(name)


def _lines(words: list[str]) -> Iterator[str]:
    """Yield the lines of what was named; a file is read as it is needed."""
    if not words and sys.stdin.isatty():
        message = "Give a text, a file, or - and the text on standard input."
        raise InputError(Problem("usage", message, key="TEXT|FILE|-"))
    if not words or words == ["-"]:
        yield from _decoded(with_progress(_binary_stdin(), None), _STDIN)
        return
    path = _file(words[0]) if len(words) == 1 else None
    if path is None:
        yield from " ".join(words).split("\n")
        return
    try:
        with path.open("rb") as stream:
            whole = path.stat().st_size
            yield from _decoded(with_progress(stream, whole), str(path))
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}."
        raise InputError(Problem("unreadable", message, str(path))) from error


def _binary_stdin() -> Iterable[bytes]:
    return getattr(sys.stdin, "buffer", None) or sys.stdin.read().encode().splitlines(True)


def _file(word: str) -> Path | None:
    """Return the file that ``word`` names, or ``None`` when it is the text itself.

    Raises:
        InputError: It looks like the name of a file and there is none, or it is a folder.
    """
    if not word.strip() or "\n" in word or "\0" in word or len(word) > _LONGEST_NAME:
        return None
    path = Path(word)
    try:
        if path.is_dir():
            raise InputError(Problem("not_a_file", "This is a folder, not a file.", word))
        if path.exists():
            return path
    except OSError:
        return None
    if _is_name(word):
        raise InputError(Problem("no_such_file", "There is no such file.", word))
    return None


def _is_name(word: str) -> bool:
    if any(character.isspace() for character in word):
        return False
    return word.startswith(("./", "../", "~/")) or Path(word).suffix.lower() in _FILE_ENDINGS


def _decoded(stream: Iterator[bytes], name: str) -> Iterator[str]:
    """Yield lines of text; anything that is no text is refused before it is searched.

    Raises:
        InputError: It holds bytes that no text has.
    """
    encoding = "utf-8"
    for number, raw in enumerate(stream):
        if number == 0:
            encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), encoding)
        if encoding == "utf-16":
            yield from _utf_16(raw, stream)
            return
        if b"\0" in raw[:_HEAD_BYTES]:
            message = "This is no text: it holds zero bytes. Unpack archives first."
            raise InputError(Problem("not_text", message, name))
        yield raw.decode(encoding, errors="replace").rstrip("\r\n")


def _utf_16(first: bytes, stream: Iterable[bytes]) -> Iterator[str]:
    """Yield lines of UTF-16, as PowerShell writes it; a line end is two bytes there."""
    whole = first + b"".join(stream)
    yield from whole.decode("utf-16", errors="replace").split("\n")


def _not_empty(lines: Iterator[str]) -> Iterator[str]:
    """Pass the lines on.

    Raises:
        InputError: None of them held anything.
    """
    empty = True
    for line in lines:
        empty = empty and not line.strip()
        yield line
    if empty:
        message = "There is nothing to diagnose: the text is empty."
        raise InputError(Problem("empty", message, key="TEXT|FILE|-"))


def _print(report: DiagnosisReport, form: str) -> None:
    if form == "json":
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
        return
    from advisor.reports.diagnosis_text import diagnosis_text

    sys.stdout.write(diagnosis_text(report))
