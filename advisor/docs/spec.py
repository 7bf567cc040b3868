"""What one block asks for: its answers, by file or inline, and how they are to be shown.

The same reader serves comments, fences and directives. Options stand as ``key="value"`` beside
the name of the block, or as ``key: value`` on lines of their own before inline answers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.errors import InputError, Problem

__all__ = ["DECISIONS", "OPTIONS", "SHOWN", "BlockOptions", "BlockSpec", "Place", "read_spec"]

DECISIONS = ("gpu", "sharing", "parallelism", "provisioning")
SHOWN = (*DECISIONS, "warnings", "diagnoses")
"""What ``show`` may name."""
_DETAILS = ("short", "full")
OPTIONS = ("answers", "prices", "show", "details", "links")
_ATTRIBUTE = re.compile(
    r"""\s*(?P<key>[\w-]+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"']+))"""
)
_OPTION_LINE = re.compile(rf"^:?(?P<key>{'|'.join(OPTIONS)}):(?:\s+(?P<value>.*))?$")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands."""

    page: str
    """The page as messages name it."""
    line: int
    """1-based."""

    def problem(
        self,
        code: str,
        message: str,
        allowed: tuple[str, ...] = (),
        nearest: tuple[str, ...] = (),
    ) -> Problem:
        """Return a problem of this place."""
        return Problem(
            code, message, file=self.page, line=self.line, allowed=allowed, nearest=nearest
        )


@dataclass(frozen=True, slots=True)
class BlockOptions:
    """How advice is shown."""

    show: tuple[str, ...] = ()
    """Decisions, ``warnings`` and ``diagnoses``; empty: every decision that was asked for."""
    details: Literal["short", "full"] = "short"
    links: str = ""
    """Where citations lead: an address, a page or a folder of the handbook; empty: nowhere."""


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """One block as it was written; exactly one of the two kinds of answers is given."""

    place: Place
    options: BlockOptions
    answers_file: str = ""
    """Relative to the folder of the page."""
    prices_file: str = ""
    """The same, of prices of one's own; empty: those of the knowledge alone."""
    answers_text: str = ""
    answers_line: int = 1
    """1-based line of the page where ``answers_text`` begins."""


def read_spec(attributes: str, body: Sequence[str], place: Place, body_line: int) -> BlockSpec:
    """Return what a block asks for.

    Args:
        attributes: What stands beside its name: ``answers="gpu.yaml" show="gpu"``.
        body: The lines inside, without indentation: options, then answers.
        place: Where the block begins.
        body_line: 1-based line of the page where ``body`` begins.

    Raises:
        InputError: an unknown option or value, or answers that are missing or given twice.
    """
    found = dict(_attributes(attributes, place))
    text = list(body)
    for index, line in _option_lines(body):
        match = _OPTION_LINE.match(line)
        if match is None:
            continue
        here = Place(place.page, body_line + index)
        if match["key"] in found:
            raise InputError(here.problem("duplicate_key", f"{match['key']} is given twice."))
        found[match["key"]] = _scalar(match["value"] or "", here)
        text[index] = ""  # lines keep their numbers
    inline = "\n".join(text) if any(line.strip() for line in text) else ""
    return _spec(found, inline, place, body_line)


def _option_lines(body: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that may be options: those before the first answer."""
    for index, line in enumerate(body):
        if _OPTION_LINE.match(line):
            yield index, line
        elif line.strip() and not line.lstrip().startswith("#"):
            return


def _spec(found: dict[str, str], inline: str, place: Place, body_line: int) -> BlockSpec:
    file = found.get("answers", "").strip()
    if file and inline:
        message = "Answers are given inline and by file; keep one."
        raise InputError(place.problem("two_answers", message))
    if not file and not inline:
        message = (
            'The block has no answers: name a file, answers="gpu.yaml", or write them inside it.'
        )
        raise InputError(place.problem("no_answers", message))
    details = found.get("details", "short")
    if details not in _DETAILS:
        raise InputError(_unknown("details", details, _DETAILS, place))
    options = BlockOptions(
        show=_shown(found.get("show", ""), place),
        details="full" if details == "full" else "short",
        links=found.get("links", "").strip(),
    )
    prices = found.get("prices", "").strip()
    return BlockSpec(place, options, file, prices, inline, body_line)


def _attributes(text: str, place: Place) -> Iterator[tuple[str, str]]:
    at, seen = 0, set[str]()
    while text[at:].strip():
        match = _ATTRIBUTE.match(text, at)
        if match is None:
            message = f'{text[at:].strip()!r} is no option; write key="value".'
            raise InputError(place.problem("bad_option", message))
        key = match["key"]
        if key not in OPTIONS:
            raise InputError(_unknown("option", key, OPTIONS, place))
        if key in seen:
            raise InputError(place.problem("duplicate_key", f"{key} is given twice."))
        seen.add(key)
        yield key, next(match[n] for n in ("double", "single", "bare") if match[n] is not None)
        at = match.end()


def _shown(text: str, place: Place) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part for part in re.split(r"[,\s]+", text.lower()) if part))
    for name in names:
        if name not in SHOWN:
            raise InputError(_unknown("show", name, SHOWN, place))
    return names


def _unknown(what: str, word: str, allowed: tuple[str, ...], place: Place) -> Problem:
    close = tuple(difflib.get_close_matches(word, allowed, n=1, cutoff=0.5))
    message = f"{word!r} is not known as {what} of an advice block."
    return place.problem("bad_option", message, allowed=allowed, nearest=close)


def _scalar(text: str, place: Place) -> str:
    """Return a YAML scalar or list on one line as text: ``[gpu, sharing]`` is ``gpu,sharing``."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        message = f"{text!r} cannot be read as a YAML value."
        raise InputError(place.problem("bad_option", message)) from None
    if isinstance(value, list):
        return ",".join(str(part) for part in value)
    return "" if value is None else str(value)
