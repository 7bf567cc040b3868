"""Lays the question out in as many lines as there are, giving up the least needed first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from advisor.interview.view import CardView, OptionView

from .rows import Row, clipped, folded, link

__all__ = ["Marks", "card_lines", "offered"]

_FEW = 9
"""So many options are picked with one digit; where there are more, typing narrows them."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Where the user is in a question; nothing of it is an answer yet."""

    caret: int | None = None
    """Number of the option that Enter picks."""
    picked: frozenset[int] = frozenset()
    """Options ticked, where several may be picked."""
    typed: str = ""
    """What stands in the input line."""


def offered(card: CardView, typed: str = "") -> tuple[OptionView, ...]:
    """Return the options to show: all, or those that hold what is typed where they are many."""
    words = typed.casefold().strip()
    if len(card.options) <= _FEW or not words or words.isdecimal():
        return card.options
    return tuple(o for o in card.options if words in f"{o.id} {o.label}".casefold()) or card.options


def card_lines(card: CardView, marks: Marks, width: int, height: int) -> list[Content]:
    """Return the question in at most ``height`` lines.

    Given up in this order: blank lines, how to find out, the meaning, what is taken until then,
    what it decides, one option per line, options far from the caret.
    """
    question = folded([Row(Content.styled(card.text, "bold"), 1)], width)
    options = _options(card, marks, width)
    notes = list(_notes(card, width))
    blank = Content()
    lines = [*question, blank, *options, blank, *(line for note in notes for line in note)]
    if len(lines) <= height:
        return lines
    while notes and len(question) + len(options) + sum(map(len, notes)) > height:
        notes.pop()
    kept = [line for note in notes for line in note]
    if len(question) + len(options) > height:
        options = _columns(card, marks, width) or options
        question = question[: max(1, height - min(2, len(options)))]
        options = _window(options, _place(marks, options), height - len(question))
    return [*question, *(clipped(line, width) for line in options), *kept]


def _options(card: CardView, marks: Marks, width: int) -> list[Content]:
    rows = [_option(card, option, marks) for option in offered(card, marks.typed)]
    if not card.options and card.hint:
        rows.append(Row(Content(f"Type {card.hint}"), 3))
    rows.append(Row(link(f"0  {card.none}", "app.pick(0)", "$quiet"), 3))
    return folded(rows, width)


def _option(card: CardView, option: OptionView, marks: Marks) -> Row:
    here = option.number == marks.caret
    tick = ""
    if card.several:
        tick = "[x] " if option.number in marks.picked else "[ ] "
    text = f"{option.number:<2} {tick}{option.label}"
    style = "bold reverse" if here else "$foreground"
    caret = Content.styled("> " if here else "  ", "bold")
    shown = caret + link(text, f"app.pick({option.number})", style)
    return Row(shown, 1, 5 + len(tick))


def _columns(card: CardView, marks: Marks, width: int) -> list[Content]:
    """Return the options in two columns, or nothing where they are too wide for that."""
    shown = [_option(card, option, marks).text for option in offered(card, marks.typed)]
    half = (width - 3) // 2
    if not shown or half < 20:
        return []
    shown.append(Content("  ") + link(f"0  {card.none}", "app.pick(0)", "$quiet"))
    rows = (len(shown) + 1) // 2
    lines = []
    for number in range(rows):
        left = clipped(shown[number], half - 1)
        line = Content(" ") + left.pad_right(half - left.cell_length)
        if number + rows < len(shown):
            line = line + clipped(shown[number + rows], half)
        lines.append(line)
    return lines


def _place(marks: Marks, lines: Sequence[Content]) -> int:
    """Return the line with the caret."""
    found = [n for n, line in enumerate(lines) if marks.caret and "> " in line.plain]
    return found[0] if found else 0


def _window(lines: Sequence[Content], place: int, height: int) -> list[Content]:
    """Return the lines around one of them, with a word about those left out."""
    if len(lines) <= height:
        return list(lines)
    room = max(1, height - 1)
    first = min(max(0, place - room // 2), len(lines) - room)
    left = len(lines) - room
    return [*lines[first : first + room], Content.styled(f"   {left} more lines: ↑ ↓", "$quiet")]


def _notes(card: CardView, width: int) -> Iterator[list[Content]]:
    """Yield what is said around the options, what is needed most first."""
    yield from _note("Decides", ", ".join(card.decides), "  ? why", width)
    yield from _note("Until then", card.usual, "", width)
    yield from _note("Meaning", card.help, "", width)
    yield from _note("To find out", card.find_out, "", width)


def _note(label: str, text: str, after: str, width: int) -> Iterator[list[Content]]:
    if text:
        words = Content.styled(f"{label}: ", "$quiet") + Content.styled(f"{text}{after}", "$quiet")
        yield folded([Row(words, 1, 2)], width)
