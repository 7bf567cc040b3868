"""Lines of a log as they were meant: without colours, prefixes and escapes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Line", "cleaned", "excerpt"]

_ANSI = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b\[[0-9;:?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b[@-Z\\^_]"
    r"|(?<![\w)\]])\[\d{1,3}(?:;\d{1,3})*m"  # colours whose escape was lost on the way
)
_LOST_COLOUR = re.compile(r"\[\d{1,3}(?:;\d{1,3})*m")
_ESCAPES = re.compile(r"\\+(?:[nrt]|u00[01][0-9a-f])(?![a-z]*[/\\])")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060\ufeff]+")
_PLAIN = str.maketrans(
    dict(zip("\u2018\u2019\u201c\u201d\u2013\u2014\u2011\u00a0", "''\"\"--- ", strict=True))
    | {"\u2026": "..."}
)
"""Typography that mail, chat and documents put in place of what was printed."""
_PREFIX = re.compile(
    r"""
    (?: [>|\u2502]\s+                                                # quoted, or a box
      | \[(?:pod|container)/[^\]\s]+\]\s*                            # kubectl logs --prefix
      | \[?(?:default)?\d?\]?:?\[rank\s?\d+\]:?\s*                   # torchrun
      | \[?rank\s?\d+\]?:\s*
      | \((?:\w*(?:worker|engine|core|server|process|pid|actor|head|replica)\w*)\b[^)]*\)\s*
      | [\w.-]{1,60}\s+\|\s                                          # docker compose
      | \[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?\]?:?\s*
      | \[?\d\d-\d\d\s\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s*
      | (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+\d+\s\d\d:\d\d:\d\d\s
        (?:[\w.-]+\s)?(?:[\w./()-]+(?:\[\d+\])?:\s)?                 # syslog
      | [iwef]\d{4}\s\d\d:\d\d:\d\d\.\d+\s+\d+\s[\w.-]+:\d+\]\s*      # klog
      | \[\s*\d+\.\d{3,6}\]\s*                                       # dmesg
      | \[?(?:info|warn|warning|error|critical|fatal|debug|notice)\]?:?\s+(?=[\[\d])
      | \[[\w.-]+\.(?:py|go|cc|cpp|cu|rs)(?::\d+)?\]:?\s*            # [core.py:396]
      | [\w.-]+:\d+:\d+\s\[\d+\]\s                                   # host:pid:tid [0]
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUIET = re.compile(
    r"\b(?:INFO|DEBUG|TRACE|NOTICE)\b|level=\"?(?:info|debug)\b|\"level\":\s*\"(?:info|debug)\""
    r"|^I\d{4} \d\d:"
)
_LOUD = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|WARN(?:ING)?|Error|Exception)\b|Error:")
_EXCERPT = 280
_PART = 4096
"""Characters of a line that are looked at as one; what is cut there is still found."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text."""

    number: int
    """Counted from 1."""
    shown: str
    """Without colours, for people."""
    text: str
    """Lower case, without prefixes, single blanks: what is searched."""
    quiet: bool
    """The program that wrote it called it information."""


def cleaned(raw_lines: Iterable[str]) -> Iterator[Line]:
    """Yield every line that holds something, with its number; a huge one in parts."""
    for number, raw in enumerate(raw_lines, 1):
        if len(raw) > _PART:
            yield from _parts(number, raw)
        elif shown := _shown(raw):
            yield Line(number, shown, _searched(shown), _is_quiet(shown))


def _parts(number: int, raw: str) -> Iterator[Line]:
    """Yield a line in parts that end between words where they can."""
    start = 0
    quiet: bool | None = None
    while start < len(raw):
        end = start + _PART
        blank = raw.rfind(" ", start + _PART // 2, end)
        end = blank if blank > 0 and end < len(raw) else end
        shown = _shown(raw[start:end])
        start = end
        if shown:
            quiet = _is_quiet(shown) if quiet is None else quiet
            yield Line(number, shown, _searched(shown), quiet)


def _shown(raw: str) -> str:
    text = _ANSI.sub("", raw) if "\x1b" in raw or _LOST_COLOUR.search(raw) else raw
    if not text.isascii():
        text = text.translate(_PLAIN)
    if not text.isprintable():
        text = _CONTROLS.sub(" ", text)
    return " ".join(text.split())


def _searched(shown: str) -> str:
    text = shown.lower()
    if "\\" in text:
        text = _ESCAPES.sub(" ", text).replace('\\"', '"').replace("\\'", "'")
    for _ in range(6):  # prefixes stand before prefixes, but not for ever
        found = _PREFIX.match(text)
        if not found or found.end() == len(text) or not found.end():
            break
        text = text[found.end() :]
    return " ".join(text.split())


def _is_quiet(shown: str) -> bool:
    return bool(_QUIET.search(shown[:200])) and not _LOUD.search(shown[:400])


def excerpt(text: str, position: int) -> str:
    """Return ``text``, cut around ``position`` when it is long."""
    if len(text) <= _EXCERPT:
        return text
    start = max(0, min(position - _EXCERPT // 3, len(text) - _EXCERPT))
    end = start + _EXCERPT
    head, tail = "..." if start else "", "..." if end < len(text) else ""
    return f"{head}{text[start:end].strip()}{tail}"
