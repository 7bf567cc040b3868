"""What a line of a Markdown page stands in, as far as it makes a block an example.

Code and raw HTML are shown as they are, so a block inside them is an example and left alone.
Where renderers differ (admonitions, tabs, footnotes), a block counts as one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

__all__ = ["behind_html", "in_code", "nearly_fence", "nearly_mark"]

_CODE_INDENT = 4
_BULLETS = r"(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*"
_RAW = re.compile(
    rf"^[ \t>]*{_BULLETS}<(?P<tag>pre|script|style|textarea)(?:[\s>]|$)", re.IGNORECASE
)
_COMMENT = re.compile(r"^[ \t>]*(?P<open><!--|\{/\*)(?!\s*gpu-advisor:)")
_CLOSE = {"<!--": "-->", "{/*": "*/}"}
_CONTAINER = re.compile(
    r"^[ \t]*(?:(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)|!!!|\?\?\?|===|///|:::|:[ \t]|\[\^|<)"
)
"""Items of lists, admonitions, tabs, directives, definitions, footnotes, HTML around Markdown."""
_NEARLY_MARK = re.compile(
    r"^[ \t>]*(?:<!-{1,3}|\{/\*)\s*(?P<name>g[\w-]*?(?:[ ][\w-]+?)?)\s*[:=.\s-]\s*(?:begin|end)\b",
    re.IGNORECASE,
)
_MARK_NAME, _FENCE_NAME = "gpu-advisor", "gpu-advice"
_ALIKE = 0.75
"""From this share of common letters on, a name is a slip of the pen."""


def behind_html(lines: Sequence[str], at: int) -> int | None:
    """Return the line behind raw HTML or a comment that begins at ``at``; None: none begins."""
    raw, comment = _RAW.match(lines[at]), _COMMENT.match(lines[at])
    if raw:
        close, rest = f"</{raw['tag'].lower()}>", lines[at][raw.end("tag") :]
    elif comment:
        close, rest = _CLOSE[comment["open"]], lines[at][comment.end() :]
    else:
        return None
    if close in rest.lower():
        return at + 1
    closed = (n for n in range(at + 1, len(lines)) if close in lines[n].lower())
    # a comment that nobody closes may be meant otherwise; <pre> reaches to the end of the page
    return next(closed, len(lines) - 1 if raw else at) + 1


def in_code(lines: Sequence[str], at: int) -> bool:
    """Tell whether a line is indented code: four cells or more behind a blank line, in nothing."""
    start = _first_of_paragraph(lines, at)
    indent = min(_indent(lines[at]), _indent(lines[start]))
    if indent < _CODE_INDENT:
        return False
    for above in range(start - 1, -1, -1):
        line = lines[above]
        if not line.strip() or _indent(line) >= indent:
            continue
        first = _first_of_paragraph(lines, above)
        if _CONTAINER.match(line) or _CONTAINER.match(lines[first]):
            return False
        indent = _indent(line)
        if indent < _CODE_INDENT:
            return True
    return True


def _first_of_paragraph(lines: Sequence[str], at: int) -> int:
    while at and lines[at - 1].strip():
        at -= 1
    return at


def nearly_mark(line: str) -> str | None:
    """Return the name in a comment that was meant to begin or end a block but does not."""
    found = _NEARLY_MARK.match(line)
    return found["name"] if found and _alike(found["name"], _MARK_NAME) else None


def nearly_fence(name: str) -> bool:
    """Tell whether the name of a fence was meant to be ours."""
    bare = name.strip("{}")
    return bare != _FENCE_NAME and _alike(bare, _FENCE_NAME)


def _alike(name: str, wanted: str) -> bool:
    return difflib.SequenceMatcher(None, name.lower(), wanted).ratio() >= _ALIKE


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip(" "))
