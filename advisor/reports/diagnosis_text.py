"""The text form of a diagnosis: what shows, what it can mean, how to tell, what to do."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from advisor.diagnose.diagnosis import DiagnosisReport, Match, RankedCause

__all__ = ["diagnosis_text"]

_WIDTH = 96
_FULLY = 1
"""So many matches are told with all causes; the others by their likeliest."""
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


def diagnosis_text(report: DiagnosisReport) -> str:
    """Return the report as plain text, with a final newline."""
    lines = list(_unknown(report) if report.unknown else _known(report))
    return "\n".join(lines).rstrip() + "\n"


def _known(report: DiagnosisReport) -> Iterator[str]:
    for place, match in enumerate(report.matches):
        if place == _FULLY:
            yield from ("Also in the text", "")
        yield from _match(match, fully=place < _FULLY)


def _match(match: Match, *, fully: bool) -> Iterator[str]:
    yield f"{match.title}  [{match.id}]"
    yield from _wrap(f"line {match.evidence.line}: {match.evidence.text}", "  ", "    ")
    yield ""
    causes = match.causes if fully else match.causes[:1]
    for cause in causes:
        yield from _cause(cause)
    hidden = len(match.causes) - len(causes)
    if hidden:
        yield from (f"  ({hidden} more in the JSON form)", "")


def _cause(cause: RankedCause) -> Iterator[str]:
    sections = " ".join(_label(citation.section) for citation in cause.citations)
    yield from _wrap(f"{cause.cause} [{sections}]", f"  {cause.rank}. ", "     ")
    for name, text in (("when", cause.evidence), ("check", cause.check), ("fix", cause.fix)):
        yield from _wrap(text, f"     {name:<7}", " " * 12)
    yield ""


def _label(section: str) -> str:
    return f"§{section}" if section[:1].isdigit() or "." in section else section


def _unknown(report: DiagnosisReport) -> Iterator[str]:
    yield "Not known: nothing in this text is in the knowledge base."
    if report.nearest:
        yield from _wrap(f"The nearest entries: {', '.join(report.nearest)}", "  ", "    ")
        yield "  gpu-advisor kb show symptom NAME (or gotcha NAME) prints one."
    yield from _wrap(_ADVICE, "  ", "  ")


_ADVICE = (
    "Paste the first error of the log with some lines around it; of several processes, the one "
    "that failed first."
)


def _wrap(text: str, first: str, rest: str) -> Iterable[str]:
    clean = _CONTROLS.sub(" ", text)
    return textwrap.wrap(
        clean,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
