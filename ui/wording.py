"""Turns parts of a view into rows: what is emphasised, what is a link, what stands where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content

from advisor.interview.view import ConclusionView, EntryView, LineView, TurnView

from .rows import Row, link

__all__ = ["cited", "conclusion_rows", "counts", "entry_rows", "line_row", "log_rows", "turn_rows"]

_MARKS = {"=": "$settled", "~": "$open", "!": "$bites", "": "$foreground"}
_STATES = {
    "firm": ("FIRM", "$settled"),
    "provisional": ("FOR NOW", "$settled"),
    "open": ("OPEN", "$open"),
    "not applicable": ("N/A", "$quiet"),
}
_SAID = 5
"""Indent of what was said and what came of it."""
_YOU = Content.styled("> ", "bold $said")


def cited(sections: Iterable[str]) -> Content:
    """Return sections in brackets, each of which opens when it is clicked."""
    found = [link(f"§{one}", f"app.cite('{one}')") for one in sections]
    if not found:
        return Content()
    return Content("[") + Content(" ").join(found) + Content("]")


def line_row(line: LineView, indent: int = _SAID) -> Row:
    """Return one line that the advisor says."""
    mark = f"{line.sign} " if line.sign else ""
    text = Content(line.text)
    if line.sign == "=":
        text = Content.styled("settled: " if line.firm else "for now: ", "bold") + text
    if line.sections:
        text = text + Content(" ") + cited(line.sections)
    shown = Content.styled(mark, f"bold {_MARKS[line.sign]}")
    return Row(text, indent + 2 * line.indent, 0 if mark else 2, mark=shown)


def turn_rows(turn: TurnView) -> Iterator[Row]:
    """Yield one answer: the question, what was said, what it settled."""
    if turn.question:
        section = cited((turn.section,)) if turn.section else Content()
        yield Row(Content(turn.question), 1, 0, section, mark=Content(f"{turn.number}. "))
    else:
        yield Row(Content.styled(f"{turn.number}. You said", "$quiet"), 1, 3)
    said = Content.styled(turn.said, "bold $said")
    if turn.understood:
        said = said + Content.styled(f"   (understood as {turn.understood})", "$quiet")
    yield Row(said, _SAID, mark=_YOU)
    yield from (line_row(line) for line in turn.lines)


def entry_rows(entry: EntryView) -> Iterator[Row]:
    """Yield one command and what was said to it."""
    if entry.said:
        yield Row(Content.styled(entry.said, "bold $said"), 1, mark=_YOU)
    if entry.title:
        yield Row(Content.styled(entry.title, "bold"), _SAID, 2)
    yield from (line_row(line) for line in entry.lines)
    if entry.more:
        yield Row(Content.styled(f"{entry.more} more: the same with the word all", "$quiet"), _SAID)


def log_rows(shown: TurnView | EntryView) -> list[Row]:
    """Return one part of the conversation."""
    return list(turn_rows(shown) if isinstance(shown, TurnView) else entry_rows(shown))


def conclusion_rows(one: ConclusionView) -> Iterator[Row]:
    """Yield one decision as it stands."""
    word, style = _STATES.get(one.state, (one.state.upper(), "$foreground"))
    head = Content.styled(f"{word:<8}", f"bold {style}") + Content.styled(one.title, "bold")
    if one.fresh:
        head = head + Content.styled("  *\xa0new", "bold $fresh")
    yield Row(head, 0, 8, cited(one.sections))
    if one.text:
        yield Row(Content(one.text), 8)
    if one.needs and one.state != "firm":
        yield Row(Content.styled(f"hangs on {one.needs}", "$quiet"), 8)


def counts(conclusions: Iterable[ConclusionView]) -> str:
    """Return how many decisions are in which state."""
    states = [one.state for one in conclusions]
    names = [("firm", "firm"), ("provisional", "for now"), ("open", "open")]
    found = [f"{states.count(state)} {word}" for state, word in names if state in states]
    return ", ".join(found) or "nothing yet"
