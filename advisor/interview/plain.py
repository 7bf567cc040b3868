"""The interview as plain lines: one column, nothing redrawn, every line labelled.

For screen readers, pipes, ``TERM=dumb`` and whoever likes scrollback. Renders the same view as the
terminal interface, with the same words; transcripts are written in it, so it cannot rot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.interview.view import (
    CardView,
    ConclusionView,
    EntryView,
    EvidenceView,
    LineView,
    TurnView,
)
from advisor.interview.wrapping import wrapped
from advisor.reports.advice_words import one_line

__all__ = [
    "card_lines",
    "conclusion_lines",
    "entry_lines",
    "evidence_lines",
    "told_lines",
    "turn_lines",
]

WIDTH = 80
_LABELS = {"=": "For now", "~": "Open", "!": "Watch out", "": "Note"}


def card_lines(card: CardView, width: int = WIDTH, *, again: bool = False) -> Iterator[str]:
    """Yield the open question, labelled.

    Args:
        card: The question.
        width: Columns.
        again: It was shown before: what it means and decides is left out.
    """
    if card.pending:
        yield from wrapped(f"Choose: {one_line(card.text)}", width)
    else:
        left = f"up to {card.most_left} left" if card.most_left > 1 else "the last"
        head = f"Question {card.number} ({card.topic}; {left}): {card.text} [§{card.section}]"
        yield from wrapped(head, width)
    if card.help and not again:
        yield from wrapped(f"Meaning: {card.help}", width)
    if card.options:
        yield f"Options ({card.hint}):" if card.several else "Options:"
        for option in card.options:
            yield from wrapped(f"{option.number}\xa0\xa0{one_line(option.label)}", width, 2)
        yield f"  0  {card.none}"
    elif card.hint:
        yield from wrapped(f"Type: {card.hint}. 0 means: {card.none}.", width)
    if not again:
        yield from _beside(card, width)


def _beside(card: CardView, width: int) -> Iterator[str]:
    if card.usual:
        yield from wrapped(f"Taken until then: {card.usual.rstrip('.')}.", width)
    if card.find_out:
        yield from wrapped(f"To find out: {card.find_out}", width)
    if card.decides:
        yield from wrapped(f"Decides: {', '.join(card.decides)}. ? says why it is asked.", width)


def turn_lines(turn: TurnView, width: int = WIDTH) -> Iterator[str]:
    """Yield one turn of the past: question, answer, what it settled."""
    if turn.question:
        yield from wrapped(f"Question {turn.number}: {turn.question} [§{turn.section}]", width)
    yield from wrapped(f"You: {one_line(turn.said)}", width)
    yield from came_of(turn, width)


def came_of(turn: TurnView, width: int = WIDTH) -> Iterator[str]:
    """Yield how an answer was read and what it settled."""
    if turn.understood:
        yield from wrapped(f"Understood: {one_line(turn.understood)}", width)
    yield from told_lines(turn.lines, width)


def entry_lines(entry: EntryView, width: int = WIDTH) -> Iterator[str]:
    """Yield what a command said."""
    if entry.title:
        yield from wrapped(f"Reply: {one_line(entry.title)}", width)
    for line in entry.lines:
        if entry.problem:
            yield from wrapped(
                f"Problem: {_cited(line)}" if not line.indent else _cited(line), width
            )
        elif line.sign and entry.title:
            yield from wrapped(f"{_label(line)}: {_cited(line)}", width, 2)
        elif entry.title:
            yield from wrapped(_cited(line), width, 2 + 2 * line.indent)
        else:
            yield from told_lines([line], width)
    if entry.more:
        yield f"  {entry.more} more: the same with the word all"


def told_lines(lines: Iterable[LineView], width: int = WIDTH) -> Iterator[str]:
    """Yield lines of the advisor, each with its label."""
    for line in lines:
        yield from wrapped(f"{_label(line)}: {_cited(line)}", width)


def _label(line: LineView) -> str:
    return "Settled" if line.firm else _LABELS[line.sign]


def _cited(line: LineView) -> str:
    cited = "\xa0".join(f"§{section}" for section in line.sections)
    text = one_line(line.text)
    return f"{text} [{cited}]" if cited else text


def evidence_lines(evidence: EvidenceView) -> Iterator[str]:
    """Yield a section of the handbook as it stands."""
    yield evidence.markdown.rstrip()
    if evidence.cited_by:
        yield f"Cited by: {', '.join(evidence.cited_by)}"


def conclusion_lines(so_far: Iterable[ConclusionView], width: int = WIDTH) -> Iterator[str]:
    """Yield the decisions as they stand."""
    for one in so_far:
        cited = "\xa0".join(f"§{section}" for section in one.sections)
        text = f"{one.title}: {one.state}"
        text += f", {one.text}" if one.text else ""
        text += f"; needs {one.needs}" if one.needs and one.state != "firm" else ""
        yield from wrapped(f"{text} [{cited}]" if cited else text, width, 2)
