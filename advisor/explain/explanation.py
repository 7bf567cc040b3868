"""The form of every explanation: worded lines with their sections, and the same as plain data.

One renderer serves the command line, plain mode and whatever else prints text; a screen takes the
lines as they are.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from advisor.consult.consultation import Citation
from advisor.reports.advice_words import one_line

__all__ = ["SHOWN", "Explanation", "Line", "line", "sections_of", "text_of"]

SHOWN = 8
"""Lines that are shown unless everything is asked for."""
_WIDTH = 100
_STEP = 2


@dataclass(frozen=True, slots=True)
class Line:
    """One statement."""

    text: str
    sections: tuple[str, ...] = ()
    """Handbook sections that say so, such as ``7.3``."""
    indent: int = 0
    """Depth below the title, from 0: what stands deeper explains what stands above it."""
    detail: bool = False
    """Only shown where everything is asked for."""

    def as_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "text": self.text,
            "sections": list(self.sections),
            "indent": self.indent,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one command has to say."""

    kind: str
    """``why``, ``how``, ``whynot``, ``whatif``, ``limits`` or ``compare``."""
    title: str
    lines: tuple[Line, ...]
    data: Mapping[str, object] = field(default_factory=dict)
    """The same as plain structure, for JSON."""

    def shown(self, *, everything: bool = False) -> tuple[Line, ...]:
        """Return the lines to show: the first few without details, or all."""
        if everything:
            return self.lines
        return tuple(one for one in self.lines if not one.detail)[:SHOWN]

    def hidden(self, *, everything: bool = False) -> int:
        """Return how many lines are not shown."""
        return len(self.lines) - len(self.shown(everything=everything))

    def as_dict(self) -> dict[str, object]:
        """Return plain data, all lines included."""
        return {
            "kind": self.kind,
            "title": self.title,
            "lines": [one.as_dict() for one in self.lines],
            **self.data,
        }


def line(text: str, sections: Iterable[str] = (), *, indent: int = 0, detail: bool = False) -> Line:
    """Return a line whose text is safe to show and whose sections stand once each."""
    return Line(one_line(text), tuple(dict.fromkeys(sections)), indent, detail)


def sections_of(citations: Iterable[Citation], most: int = 3) -> tuple[str, ...]:
    """Return the first few sections of citations, each once."""
    return tuple(dict.fromkeys(citation.section for citation in citations))[:most]


def text_of(
    explanation: Explanation,
    *,
    everything: bool = False,
    width: int = _WIDTH,
    more: str = "--all",
) -> list[str]:
    """Return the explanation as lines of text, without line ends.

    Args:
        explanation: What to show.
        everything: All lines instead of the first few.
        width: Columns that a line may take; only what cannot be broken takes more.
        more: How everything is asked for where this is shown.
    """
    lines = [explanation.title]
    for one in explanation.shown(everything=everything):
        lines += _wrapped(one, width)
    left = explanation.hidden(everything=everything)
    if left:
        lines.append(f"  {left} more line{'s' if left > 1 else ''} ({more})")
    return lines


def _wrapped(one: Line, width: int) -> list[str]:
    start = " " * (_STEP * (one.indent + 1))
    # a non-breaking space keeps the sections of one mark on one line while it is wrapped
    cited = "\xa0".join(f"§{section}" for section in one.sections)
    text = f"{one.text} [{cited}]" if cited else one.text
    wrapped = textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=start + " " * _STEP,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace("\xa0", " ") for part in wrapped]
