"""What will bite, as short as a hurried reader wants it: the graver, the more lines.

A critical warning is told with its check and the whole fix, any other with the first thing to
do, and a note by itself.
Nothing is lost: a cut text ends in dots, and the long form of the report tells all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.consult.consultation import Warned

__all__ = ["MARKS", "first_step", "left_untold", "parts_told", "told_first"]

MARKS = {"critical": "!!", "warning": "!", "info": "-"}

_SHOWN = 10
_STEP = 92
"""Characters of a fix that fit a line of 100 columns beside its indentation and label."""
_LEAST = 40
"""Shorter than this, what stands before a comma says too little."""
_CUT = " ..."
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")
_CLAUSE_END = re.compile(r"[,;:](?= )| (?=\()")


def told_first(found: Sequence[Warned]) -> Sequence[Warned]:
    """Return the warnings that the short report shows: all critical ones, about ten in all."""
    critical = sum(warned.severity == "critical" for warned in found)
    return found[: max(_SHOWN, critical)]


def left_untold(count: int, shown: Sequence[Warned]) -> str:
    """Return where the ``count`` warnings and the parts that are not shown can be read."""
    more = f"{count} more warning{'s' if count > 1 else ''} (--verbose)" if count else ""
    parts = any(warned.symptom or warned.cause or warned.check for warned in shown)
    whole = "symptom, cause, check and whole fix of each" if parts else ""
    return "; ".join(filter(None, (more, whole and f"{whole}: --verbose")))


def parts_told(warned: Warned, *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield what is told beneath the title of a warning, label and text.

    Args:
        warned: The warning.
        whole: Everything that is known of it.
    """
    everything: Iterable[tuple[str, str | None]] = (
        ("symptom", warned.symptom),
        ("cause", warned.cause),
        ("check", warned.check),
        ("fix", warned.fix),
    )
    if not whole:
        everything = _short(warned)
    for label, text in everything:
        if text:
            yield label, text


def _short(warned: Warned) -> Iterator[tuple[str, str | None]]:
    if warned.severity == "critical":
        yield "check", warned.check
        yield "fix", warned.fix
    elif warned.severity == "warning":
        yield "fix", first_step(warned.fix or "")


def first_step(fix: str) -> str:
    """Return the first thing that a fix says to do; dots stand for what is cut.

    It ends after a sentence where one is short enough, else after a clause; a first sentence
    that cannot be cut in either way stays whole.
    """
    if len(fix) <= _STEP:
        return fix
    first, *more = _SENTENCE_END.split(fix, maxsplit=1)
    if len(first) + len(_CUT) > _STEP:
        room = first[: _STEP - len(_CUT) + 1]
        ends = [end.start() for end in _CLAUSE_END.finditer(room) if end.start() >= _LEAST]
        ends = [end for end in ends if room.count("(", 0, end) == room.count(")", 0, end)]
        if ends:
            return room[: ends[-1]] + _CUT
    return first + _CUT if more else first
