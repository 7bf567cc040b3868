"""The panels: what is so far, the section that says so, and help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from advisor.interview.view import EvidenceView, View

from .bubble import Bubble, Lines
from .markdown import markdown_lines
from .passages import MARK, shortened
from .rows import Row, folded
from .wording import conclusion_rows, counts

__all__ = ["Evidence", "HelpPanel", "SoFar"]

STEPS = r"\[ and ] step through citations"
_LONGEST = 16_000
"""Characters of a section that are shown; the longest sections are tables for printing."""


class SoFar(VerticalScroll, can_focus=False):
    """Every decision as it stands, always in the same order."""

    def compose(self) -> ComposeResult:
        """Return the text."""
        yield Bubble(id="so-far-text")

    def show(self, view: View) -> None:
        """Show the decisions of a view."""
        self.border_title = f"SO FAR · {counts(view.so_far)}"
        rows = [row for one in view.so_far for row in conclusion_rows(one)]
        if not rows:
            rows = [Row(Content.styled("Nothing is settled yet.", "$quiet"))]
        self.query_one("#so-far-text", Bubble).set_rows(rows)


class _Page(Lines):
    """A section of the handbook."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: EvidenceView | None = None

    def show(self, evidence: EvidenceView | None) -> bool:
        """Show a section; tell whether it is another one, or is open for something else."""
        before = self._shown
        if evidence == before:
            return False
        self._shown = evidence
        self.changed()
        if evidence is None or before is None:
            return True
        now, then = ((one.section, one.title, one.passages) for one in (evidence, before))
        return now != then

    @property
    def first_mark(self) -> int:
        """The line of the first passage that the advice rests on; 0 where there is none."""
        lines = self.lines(self.content_size.width) if self.content_size.width else []
        return next((n for n, line in enumerate(lines) if line.plain.startswith(MARK)), 0)

    def laid_out(self, width: int) -> Sequence[Content]:
        """Return what cites the section, then the section."""
        return list(_page(self._shown, width))


def _page(evidence: EvidenceView | None, width: int) -> Iterator[Content]:
    if evidence is None:
        yield from folded([Row(Content.styled("No section is open; /cite 3.3.", "$quiet"))], width)
        return
    about = list(_about(evidence))
    if about:
        yield from folded(about, width)
        yield Content()
    yield from _text(evidence, width)


def _about(evidence: EvidenceView) -> Iterator[Row]:
    """Yield what cites the section, and the answers it is about."""
    if evidence.cited_by:
        words = f"Cited by: {', '.join(evidence.cited_by)}"
        yield Row(Content.styled(words, "$quiet"), 0, 2)
    if evidence.facts:
        yield Row(Content.styled("Facts used here:", "$quiet"))
        yield from (Row(Content.styled(fact, "$quiet"), 2, 2) for fact in evidence.facts)


def _text(evidence: EvidenceView, width: int) -> Iterator[Content]:
    text = evidence.markdown.strip()
    heading, _, rest = text.partition("\n")
    if heading.startswith("#"):
        text = rest  # the title of the panel says it
    if len(text) > _LONGEST:
        text = shortened(text, evidence.passages, evidence.section)
    whole = len(text) <= _LONGEST
    if not whole:
        text = text[: text.rindex("\n", 0, _LONGEST)]
    yield from markdown_lines(text, width, evidence.passages)
    if not whole:
        words = f"... cut here: gpu-advisor cite {evidence.section} prints all of it."
        yield from folded([Row(Content.styled(words, "$quiet"))], width)


class Evidence(VerticalScroll, can_focus=False):
    """The section that is cited.

    Attributes:
        pinned: It stays, whatever is answered.
    """

    pinned = False
    _unseen = False

    def compose(self) -> ComposeResult:
        """Return the page."""
        yield _Page()

    def show(self, view: View) -> None:
        """Show the section of a view, from what the advice rests on where it is another one."""
        evidence = view.evidence
        title = "EVIDENCE" if evidence is None else f"§{evidence.section} {evidence.title}"
        self.border_title = f"{title} (pinned)" if self.pinned else title
        self.border_subtitle = STEPS
        if self.query_one(_Page).show(evidence):
            self._unseen = True
            self.call_after_refresh(self.to_mark)

    def to_mark(self) -> None:
        """Have in sight what the advice rests on, once for each section that is shown."""
        page = self.query_one(_Page)
        if self._unseen and page.content_size:
            self._unseen = False
            self.scroll_to(y=max(0, page.first_mark - 1), animate=False)


class HelpPanel(VerticalScroll, can_focus=False):
    """Keys and commands."""

    def compose(self) -> ComposeResult:
        """Return the text."""
        yield Bubble(id="help-text")

    def show(self, rows: list[Row]) -> None:
        """Show rows of help."""
        self.border_title = "HELP · Esc leaves it"
        self.query_one("#help-text", Bubble).set_rows(rows)
