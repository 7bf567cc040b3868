"""Optional terminal colour for the text report. Colour only repeats what the words say.

Whether to colour (a terminal, ``NO_COLOR``) is the shell's decision, not made here.
"""

from __future__ import annotations

import re

__all__ = ["styled"]

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN = "1", "2", "31", "32", "33", "36"
_STATUS = {
    "firm": f"{_BOLD};{_GREEN}",
    "provisional": f"{_BOLD};{_YELLOW}",
    "open": f"{_BOLD};{_RED}",
    "not applicable": _DIM,
}
_MARKS = {
    "=> ": f"{_BOLD};{_GREEN}",
    "!! ": f"{_BOLD};{_RED}",
    "!  ": f"{_BOLD};{_YELLOW}",
    "?  ": _CYAN,
    "or ": _CYAN,
    "no ": _DIM,
}
_HEAD = re.compile(r"(?P<title>\S.*?)  \[(?P<status>firm|provisional|open|not applicable)\]")
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def styled(text: str, *, colour: bool) -> str:
    """Return the text report for a terminal.

    Args:
        text: What ``advice_text`` returned.
        colour: Add ANSI colours. Either way control characters that came in with an answer
            are replaced, so that no model name can move the cursor or change the title.
    """
    clean = _CONTROLS.sub("\ufffd", text)
    return "\n".join(_line(line) for line in clean.split("\n")) if colour else clean


def _line(line: str) -> str:
    if match := _HEAD.fullmatch(line):
        status = match["status"]
        return f"{_paint(match['title'], _BOLD)}  [{_paint(status, _STATUS[status])}]"
    if line.startswith("knowledge "):
        return _paint(line, _DIM)
    if line and not line.startswith(" "):
        return _paint(line, _BOLD)
    mark = line[2:5]
    if not line.startswith("  ") or mark not in _MARKS:
        return line
    if mark == "=> ":
        return f"  {_paint(line[2:], _MARKS[mark])}"
    return f"  {_paint(mark.rstrip(), _MARKS[mark])}{' ' * (3 - len(mark.rstrip()))}{line[5:]}"


def _paint(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"
