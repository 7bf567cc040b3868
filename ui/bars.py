"""The lines at the edges: who and how far; what is so far in one line; what to press."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

from advisor.interview.view import View

from .rows import clipped, link, spread
from .wording import counts

__all__ = [
    "Below",
    "Hints",
    "Notice",
    "Summary",
    "TopLine",
    "WholeCells",
    "bottom",
    "summary",
    "top",
]


def top(view: View | None, width: int) -> Content:
    """Return the first line: who, which edition, which case; how far, and whether it is saved."""
    if view is None:
        return clipped(Content.styled(" gpu-advisor", "bold") + Content("  opening ..."), width)
    parts = ["gpu-advisor", f"handbook {view.edition}", f"facts as of {view.as_of}"]
    if view.case:
        parts.append(f"case: {view.case}")
    ends = [view.progress, view.saved] if view.saved else [view.progress]
    if view.asking and not view.answered:
        ends = ends[1:]  # nobody knows yet how many questions there are
    right = "   ".join(ends) + " "
    while len(parts) > 1 and len(" | ".join(parts)) + len(right) + 3 > width:
        # the date goes first, then the edition; the name of the case is wanted longest
        del parts[2 if len(parts) > 2 and parts[2].startswith("facts") else 1]
    if len(right) + 14 > width:
        right = f"{view.answered} answered "
    return spread(Content.styled(f" {' | '.join(parts)}", "bold"), Content(right), width)


def summary(view: View | None, width: int) -> Content:
    """Return what is so far in one line, for screens without room for the panel."""
    if view is None or not view.so_far:
        return Content.styled(" So far: nothing yet", "$quiet")
    fresh = [one.title for one in view.so_far if one.fresh]
    text = f" So far: {counts(view.so_far)}"
    if fresh:
        text += f"; * new: {', '.join(fresh)}"
    return spread(Content(text), link("Ctrl+O, /panels ", "app.panels"), width)


def bottom(hints: Sequence[str], width: int) -> Content:
    """Return what can be pressed now, as much as fits."""
    shown = " "
    for hint in hints:
        if len(shown) + len(hint) + 2 > width:
            break
        shown += f"{hint}  "
    return Content.styled(shown.rstrip(), "$quiet")


class _OfView(Widget):
    """One line that renders a view."""

    view: View | None = None

    def show(self, view: View) -> None:
        """Show another view."""
        self.view = view
        self.refresh()


class TopLine(_OfView):
    """The first line."""

    def render(self) -> Content:
        """Return the line."""
        return top(self.view, self.size.width)


class Summary(_OfView):
    """What is so far, in one line."""

    def render(self) -> Content:
        """Return the line."""
        return summary(self.view, self.size.width)


class Hints(Widget):
    """The last line."""

    hints: tuple[str, ...] = ("F1 help",)

    def show(self, hints: tuple[str, ...]) -> None:
        """Show other hints."""
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render(self) -> Content:
        """Return the line."""
        return bottom(self.hints, self.size.width)


class Notice(Widget):
    """What is wrong with the line that was typed, or what was done; under the question."""

    text: Content = Content()

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a sentence, or nothing."""
        style = "bold $bites" if wrong else "$foreground"
        sign = "! " if wrong else "  "
        self.text = Content.styled(f"{sign}{text}", style) if text else Content()
        self.display = bool(text)
        self.refresh(layout=True)

    def render(self) -> Content:
        """Return the sentence."""
        return self.text


class Below(Widget):
    """Over the end of the conversation: how much of it is out of sight below."""

    lines = 0

    def show(self, lines: int) -> None:
        """Show how many lines are below, or nothing where none is."""
        if lines != self.lines:
            self.lines, self.display = lines, lines > 0
            self.refresh()

    def render(self) -> Content:
        """Return the words."""
        s = "s" if self.lines > 1 else ""
        return link(f" ↓ {self.lines} more line{s}: PgDn, End ", "app.scroll_end", "bold")


class WholeCells(ScrollBarRender):
    """Scroll bars without parts of blocks, which some terminals draw with gaps."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8
