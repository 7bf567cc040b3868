"""The consultation as one HTML file that needs nothing else: no script, no request.

Every text is escaped. A content policy forbids everything but the inline style, so that even
a mistake here could not load or run anything.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.reports.advice_style import STYLE
from advisor.reports.advice_view import (
    AdviceView,
    DecisionView,
    Note,
    WarningView,
    advice_view,
)
from advisor.reports.advice_words import one_line

if TYPE_CHECKING:
    from advisor.consult.consultation import Consultation

__all__ = ["POLICY", "advice_html"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def advice_html(consultation: Consultation) -> str:
    """Return the report as one HTML document with a final newline."""
    view = advice_view(consultation)
    title = next((d.headline for d in view.decisions if d.headline), None)
    body = [
        "<h1>GPU advice</h1>",
        *_all(_decision(decision) for decision in view.decisions),
        *_numbers(view),
        *_warnings(view.warnings),
        *_notes("Symptoms", view.diagnoses),
        *_notes("Assumed", view.assumptions),
        *_notes("Worth answering next", view.questions),
        *_notes("Often heard, and wrong", view.corrections),
        *_given(view),
        *_sections(view),
    ]
    lines = [
        *_head(f"GPU advice: {title}" if title else "GPU advice"),
        "<body>",
        "<main>",
        *body,
        "</main>",
        _footer(view.stamp),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def _head(title: str) -> list[str]:
    return [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_text(title)}</title>",
        f"<style>\n{STYLE}</style>",
        "</head>",
    ]


def _footer(stamp: str) -> str:
    how = "read a section with <code>gpu-advisor cite 7.3</code>"
    return f"<footer><p>{_text(stamp)}; {how}</p></footer>"


def _all(parts: Iterable[Iterable[str]]) -> Iterator[str]:
    for part in parts:
        yield from part


def _text(text: str) -> str:
    return html.escape(one_line(text), quote=True)


def _anchor(section: str) -> str:
    """Return the id of a section in the list at the end; letters, digits, dots and dashes."""
    return "section-" + re.sub(r"[^A-Za-z0-9.-]", "-", section)


def _cites(sections: Iterable[str]) -> str:
    links = (f'<a href="#{_anchor(section)}">§{_text(section)}</a>' for section in sections)
    return " ".join(links)


def _cited(text: str, sections: Iterable[str]) -> str:
    return " ".join(part for part in (_text(text), _cites(sections)) if part)


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table whose first cell names the row, or nothing for no rows.

    Args:
        caption: Text; escaped here.
        head: Texts; escaped here.
        rows: Cells as HTML, escaped already.
    """
    body = [
        f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    ]
    if not body:
        return []
    columns = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    label = _text(caption)
    return [
        f'<div class="wide" role="region" aria-label="{label}" tabindex="0">',
        "<table>",
        f"<caption>{label}</caption>",
        f"<thead><tr>{columns}</tr></thead>",
        "<tbody>",
        *body,
        "</tbody>",
        "</table>",
        "</div>",
    ]


def _decision(decision: DecisionView) -> Iterator[str]:
    kind = decision.status.replace(" ", "-")
    yield f'<section class="decision" aria-labelledby="decision-{_anchor(decision.name)}">'
    yield (
        f'<h2 id="decision-{_anchor(decision.name)}">{_text(decision.title)} '
        f'<span class="status {kind}">[{_text(decision.status)}]</span></h2>'
    )
    if decision.headline:
        yield f'<p class="choice"><strong>{_text(decision.headline)}</strong></p>'
    yield from _details(decision.figures)
    yield f"<p>{_cited(decision.because, decision.sections)}</p>"
    yield (
        f'<p class="quiet">{_text(decision.status.capitalize())} means: {_text(decision.meaning)}.'
        "</p>"
    )
    named = ((f"<code>{_text(name)}</code>", _text(value)) for name, value in decision.parameters)
    yield from _table(f"{decision.title}: parameters", ("Parameter", "Value"), named)
    yield from _others(decision)
    yield from _open_questions(decision)
    yield "</section>"


def _others(decision: DecisionView) -> Iterator[str]:
    alternatives = _table(
        f"{decision.title}: alternatives",
        ("Alternative", "Because", "Would be chosen", "Section"),
        (
            (
                _text(other.headline),
                _text(other.because),
                _text(other.would_be_chosen_if),
                _cites(other.sections),
            )
            for other in decision.alternatives
        ),
    )
    yield from _titled("h3", "Alternatives", alternatives)
    rejected = _table(
        f"{decision.title}: rejected",
        ("What", "Why", "Section"),
        ((_text(note.head), _text(note.text), _cites(note.sections)) for note in decision.rejected),
    )
    yield from _titled("h3", "Rejected", rejected)


def _open_questions(decision: DecisionView) -> list[str]:
    if decision.depends_like:
        text = f"The same questions as for {decision.depends_like} could still change it."
        return _titled("h3", "Open questions", [f"<p>{_text(text)}</p>"])
    rows = ((f"<code>{_text(note.head)}</code>", _text(note.text)) for note in decision.depends)
    caption = f"{decision.title}: open questions"
    lines = _table(caption, ("Not answered", "It matters because"), rows)
    return _titled("h3", "Open questions", lines)


def _titled(level: str, title: str, lines: list[str]) -> list[str]:
    return [f"<{level}>{_text(title)}</{level}>", *lines] if lines else []


def _numbers(view: AdviceView) -> list[str]:
    rows = ((_text(name), _text(value)) for name, value in view.numbers)
    lines = _table("Figures of the choice", ("Figure", "Value"), rows)
    if view.arithmetic:
        lines += ["<ul>", *(f"<li>{_text(line)}</li>" for line in view.arithmetic), "</ul>"]
    lines += _list(view.size_notes)
    rows = ((_text(name), _text(value)) for name, value in view.considered)
    compared = _table("What was compared", ("Layouts", "Number"), rows)
    lines += _titled("h3", "What was compared", compared)
    return _titled("h2", "The numbers that decided", lines)


def _warnings(warnings: Iterable[WarningView]) -> list[str]:
    lines: list[str] = []
    for warning in warnings:
        about = f"{warning.severity}, {warning.kind}, {warning.decision}"
        lines.append(f'<li class="{_text(warning.severity)}">')
        lines.append(
            f"<p><strong>{_text(about)}:</strong> {_cited(warning.text, warning.sections)}</p>"
        )
        lines += _details(warning.details)
        lines.append("</li>")
    return _titled(
        "h2", "What will bite", ['<ul class="warnings">', *lines, "</ul>"] if lines else []
    )


def _details(details: Iterable[tuple[str, str]]) -> list[str]:
    rows = [f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>" for label, text in details]
    return ["<dl>", *rows, "</dl>"] if rows else []


def _list(notes: Iterable[Note]) -> list[str]:
    lines: list[str] = []
    for note in notes:
        rest = _cited(note.text, note.sections)
        head = f"<strong>{_text(note.head)}{':' if rest else ''}</strong>"
        lines.append(f"<li>{head} {rest}".rstrip())
        lines += _details(note.details)
        lines.append("</li>")
    return ["<ul>", *lines, "</ul>"] if lines else []


def _notes(title: str, notes: Iterable[Note]) -> list[str]:
    return _titled("h2", title, _list(notes))


def _given(view: AdviceView) -> list[str]:
    rows = ((f"<code>{_text(key)}</code>", _text(value)) for key, value in view.answers)
    return _titled("h2", "What was given", _table("Answers", ("Answer", "Understood as"), rows))


def _sections(view: AdviceView) -> list[str]:
    lines = [
        f'<li id="{_anchor(section)}">§{_text(section)} {_text(title)}'.rstrip() + "</li>"
        for section, title in view.sections
    ]
    return _titled("h2", "Sections", ['<ul class="sections">', *lines, "</ul>"] if lines else [])
