"""The consultation as GitHub-flavoured Markdown: decision first, details as tables.

Every text is escaped: nothing that a user wrote can become markup, a link or a table cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.reports.advice_view import (
    AdviceView,
    AlternativeView,
    DecisionView,
    Note,
    WarningView,
    advice_view,
)
from advisor.reports.advice_words import one_line

if TYPE_CHECKING:
    from advisor.consult.consultation import Consultation

__all__ = ["advice_markdown", "escape_markdown"]

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$]")
_BEFORE_A_WORD = re.compile(r":(?=\S)")
"""A colon that could open an address; ``http\\://e`` is not linked."""
_AUTOLINK_WORDS = re.compile(r"(?i)(www)\.")
_BLOCK_START = re.compile(r"^(?:[#+=-]|(\d{1,9})([.)])(?=\s|$))")


def advice_markdown(consultation: Consultation, *, about: str = "") -> str:
    """Return the report as Markdown with a final newline.

    Args:
        consultation: What to report.
        about: What tells it from others in the same document, such as its file.
    """
    view = advice_view(consultation)
    lines = [f"# GPU advice: {escape_markdown(about)}" if about else "# GPU advice", ""]
    for decision in view.decisions:
        lines += _decision(decision)
    lines += _numbers(view)
    lines += _warnings(view.warnings)
    lines += _bullets("Symptoms", view.diagnoses)
    lines += _bullets("Assumed", view.assumptions)
    lines += _bullets("Worth answering next", view.questions)
    lines += _bullets("Often heard, and wrong", view.corrections)
    lines += _given(view)
    lines += _sections(view)
    lines.append(f"{escape_markdown(view.stamp)}.")
    return "\n".join(lines) + "\n"


def escape_markdown(text: str) -> str:
    """Return ``text`` so that GitHub shows exactly its characters, in prose or a table cell."""
    text = one_line(text).replace("&", "&amp;")
    text = _SPECIAL.sub(r"\\\g<0>", text).replace("\\<", "&lt;").replace("\\>", "&gt;")
    # the bracket alone is enough for GitHub; this is for readers that look for ``](``
    text = text.replace("\\](", "\\]\\(")
    text = _BEFORE_A_WORD.sub(r"\\:", text)
    text = _AUTOLINK_WORDS.sub(r"\1\\.", text).replace("@", "&#64;")
    return _BLOCK_START.sub(_inert_start, text)


def _inert_start(match: re.Match[str]) -> str:
    if match[1] is not None:
        return f"{match[1]}\\{match[2]}"
    return f"\\{match[0]}"


def _cites(sections: Iterable[str]) -> str:
    return " ".join(f"§{escape_markdown(section)}" for section in sections)


def _cited(text: str, sections: Sequence[str]) -> str:
    return " ".join(part for part in (escape_markdown(text), _cites(sections)) if part)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table, or nothing for no rows; cells are escaped already."""
    body = ["| " + " | ".join(row) + " |" for row in rows]
    if not body:
        return []
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head), *body, ""]


def _decision(decision: DecisionView) -> Iterator[str]:
    yield from (f"## {decision.title}: {decision.status}", "")
    if decision.headline:
        yield from (f"**{escape_markdown(decision.headline)}**", "")
    yield from (f"- {label}: {escape_markdown(text)}" for label, text in decision.figures)
    yield from ("",) if decision.figures else ()
    yield from (_cited(decision.because, decision.sections), "")
    yield from (f"{decision.status.capitalize()} means: {decision.meaning}.", "")
    names = ((f"`{name}`", escape_markdown(value)) for name, value in decision.parameters)
    yield from _table(("parameter", "value"), names)
    yield from _alternatives(decision.alternatives)
    yield from _titled(
        "### Rejected",
        _table(
            ("what", "why", "section"),
            (
                (escape_markdown(note.head), escape_markdown(note.text), _cites(note.sections))
                for note in decision.rejected
            ),
        ),
    )
    yield from _open_questions(decision)


def _alternatives(alternatives: Iterable[AlternativeView]) -> list[str]:
    rows = (
        (
            escape_markdown(other.headline),
            escape_markdown(other.because),
            escape_markdown(other.would_be_chosen_if),
            _cites(other.sections),
        )
        for other in alternatives
    )
    head = ("alternative", "because", "would be chosen", "section")
    return _titled("### Alternatives", _table(head, rows))


def _open_questions(decision: DecisionView) -> list[str]:
    if decision.depends_like:
        text = f"The same questions as for {decision.depends_like} could still change it."
        return ["### Open questions", "", text, ""]
    rows = ((_code(note.head), escape_markdown(note.text)) for note in decision.depends)
    return _titled("### Open questions", _table(("not answered", "it matters because"), rows))


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, "", *lines] if lines else []


def _code(text: str) -> str:
    """Return a key as code; anything that is more than a key as escaped prose."""
    return f"`{text}`" if re.fullmatch(r"[\w.\[\]-]+", text) else escape_markdown(text)


def _pairs(head: tuple[str, str], pairs: Iterable[tuple[str, str]]) -> list[str]:
    return _table(head, ((escape_markdown(a), escape_markdown(b)) for a, b in pairs))


def _numbers(view: AdviceView) -> list[str]:
    lines = _pairs(("figure", "value"), view.numbers)
    if view.arithmetic:
        lines += [f"- {escape_markdown(line)}" for line in view.arithmetic]
        lines.append("")
    for note in view.size_notes:
        lines.append(f"- **{escape_markdown(note.head)}**: {_cited(note.text, note.sections)}")
    if view.size_notes:
        lines.append("")
    lines += _titled("### What was compared", _pairs(("layouts", "number"), view.considered))
    return _titled("## The numbers that decided", lines)


def _warnings(warnings: Iterable[WarningView]) -> list[str]:
    lines: list[str] = []
    for warning in warnings:
        about = f"{warning.severity}, {warning.kind}, {escape_markdown(warning.decision)}"
        lines.append(f"- **{about}**: {_cited(warning.text, warning.sections)}")
        lines += [f"  - {label}: {escape_markdown(text)}" for label, text in warning.details]
    return [*_titled("## What will bite", lines), ""] if lines else []


def _bullets(title: str, notes: Iterable[Note]) -> list[str]:
    lines: list[str] = []
    for note in notes:
        rest = _cited(note.text, note.sections)
        lines.append(f"- **{escape_markdown(note.head)}**" + (f": {rest}" if rest else ""))
        lines += [f"  - {escape_markdown(a)}: {escape_markdown(b)}" for a, b in note.details]
    return [*_titled(f"## {title}", lines), ""] if lines else []


def _given(view: AdviceView) -> list[str]:
    rows = ((_code(key), escape_markdown(value)) for key, value in view.answers)
    return _titled("## What was given", _table(("answer", "understood as"), rows))


def _sections(view: AdviceView) -> list[str]:
    lines = [
        f"- §{escape_markdown(section)} {escape_markdown(title)}".rstrip()
        + (f" (`gpu-advisor cite {section}`)" if re.fullmatch(r"[\w.]+", section) else "")
        for section, title in view.sections
    ]
    return [*_titled("## Sections", lines), ""] if lines else []
