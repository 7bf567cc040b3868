"""The terminal interview: puts the parts together and passes on what is typed and what is told.

Holds no logic of the interview: lines go to the desk, views come back, widgets render them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.scrollbar import ScrollBar
from textual.widgets import Static

from advisor.interview.commands import Command

from . import keys, local, told
from .bars import Hints, Notice, Summary, TopLine, WholeCells
from .card import Card
from .desk import Desk
from .log import Log
from .news import Told
from .palette import Commands
from .prompt import Prompt
from .side import Evidence, HelpPanel, SoFar
from .terminal import TERMINATED, Terminal, copy, on_terminate
from .themes import DARK, LIGHT, PLAIN, chosen

if TYPE_CHECKING:
    from advisor.interview.interview import Interview
    from advisor.interview.view import View

__all__ = ["AdvisorApp"]

LEAST = Size(60, 18)
"""Below it the question has no frame, and hints give way."""
PANELS = ("", "so-far", "evidence", "help")
"""What stands where the conversation is, on screens without room for both."""


class AdvisorApp(App[int]):
    """The interview on a terminal.

    Attributes:
        desk: Holds the interview.
        view: What is shown; ``None`` before the first.
        error: Why it ended, if it could not go on.
    """

    CSS_PATH = "advisor.tcss"
    TITLE = "gpu-advisor"
    COMMANDS: ClassVar = {Commands}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - as App declares it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - as App declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "clear_or_leave", priority=True, show=False),
        Binding("ctrl+d", "clear_or_leave", priority=True, show=False),
        Binding("ctrl+q", "leave", priority=True, show=False),
        Binding("ctrl+o", "panels", priority=True, show=False),
        Binding("ctrl+z", "say('/back')", priority=True, show=False),
        Binding("ctrl+y", "say('/redo')", priority=True, show=False),
        Binding("f1", "panels('help')", priority=True, show=False),
    ]

    class Came(Message):
        """The desk told something."""

        def __init__(self, told: Told) -> None:
            super().__init__()
            self.told = told

    def __init__(self, begin: Callable[[], Interview]) -> None:
        # the terminal's own colours from the start: only then does NO_COLOR mean none at all
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        terminal = Terminal(self.write_past)
        self.desk = Desk(begin, lambda what: self.post_message(self.Came(what)), terminal)
        self.view: View | None = None
        self.error: BaseException | None = None
        self.idle = False
        self.panel = ""
        self.leaving = False
        self.animation_level = "none"
        ScrollBar.renderer = WholeCells
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = chosen(os.environ)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our variables for themes that are not ours."""
        return dict(PLAIN)

    def compose(self) -> ComposeResult:
        """Return the parts."""
        yield TopLine()
        with Container(id="body"):
            yield Log(id="log")
            with Vertical(id="side"):
                yield SoFar()
                yield Evidence()
                yield HelpPanel()
            with Vertical(id="asking"):
                yield Summary()
                yield Card()
                yield Notice()
                with Container(id="line"):
                    yield Static(" > ", id="mark")
                    yield Prompt()
        yield Hints()

    def on_mount(self) -> None:
        """Show the frame, then let the desk begin."""
        self.query_one(Notice).say("")
        self.query_one(HelpPanel).show(list(local.help_rows()))
        self.query_one(Prompt).focus()
        self.call_after_refresh(self.desk.start)
        on_terminate(lambda: self.exit(TERMINATED, return_code=TERMINATED))

    def on_resize(self, event: events.Resize) -> None:
        """Give up frames where the screen is smaller than they are worth."""
        width, height = event.size
        self.screen.set_class(width < LEAST.width or height < LEAST.height, "-tiny")

    def on_unmount(self) -> None:
        """Let the thread end."""
        self.desk.close()

    async def on_advisor_app_came(self, message: Came) -> None:
        """Show what the desk told."""
        await told.take(self, message.told)

    def on_prompt_said(self, message: Prompt.Said) -> None:
        """Pass a line on, or do what only a screen can."""
        keys.said(self, message.line, instead=message.instead)

    def on_prompt_pressed(self, message: Prompt.Pressed) -> None:
        """Do what a key on the empty line means."""
        keys.pressed(self, message.key)

    def on_input_changed(self, message: Prompt.Changed) -> None:
        """Narrow what is offered to what is typed."""
        keys.typed(self, message.value)

    def begin_command(self, command: Command) -> None:
        """Say a command, or begin it in the line where it needs more words."""
        if local.needs_words(command):
            self.query_one(Prompt).put(f"/{command.name} ")
        else:
            keys.said(self, f"/{command.name}")

    def show_panel(self, panel: str) -> None:
        """Put a panel in place of the conversation; on wide screens, have the keys scroll it."""
        self.panel = panel
        for name in PANELS[1:]:
            self.screen.set_class(name == panel, f"-{name}")
        if panel == "evidence":
            self.call_after_refresh(self.query_one(Evidence).to_mark)

    # ---- actions: of keys, of links, of the palette ----

    def action_say(self, line: str) -> None:
        """Say a line, as if it were typed."""
        keys.said(self, line)

    def action_pick(self, number: int) -> None:
        """Pick an option that was clicked."""
        keys.pick(self, number)

    def action_cite(self, section: str) -> None:
        """Open a section that was clicked."""
        keys.open_section(self, section)

    def action_panels(self, panel: str | None = None) -> None:
        """Show the next panel, or the one named; the same again leaves it."""
        keys.panels(self, panel)

    def action_scroll_log(self, pages: int) -> None:
        """Scroll the conversation, or the panel that stands in its place."""
        keys.scroll(self, pages)

    def action_scroll_end(self) -> None:
        """Go to the end of the conversation."""
        keys.edge(self, "end")

    async def action_older(self) -> None:
        """Show older parts of the conversation."""
        await self.query_one(Log).show_older()

    def action_clear_or_leave(self) -> None:
        """Copy what is marked; else clear the line; the second time leave."""
        keys.clear_or_leave(self)

    def action_leave(self) -> None:
        """Leave when every answer that was given is taken; never asks."""
        keys.leave(self)

    def _handle_exception(self, error: Exception) -> None:
        """End with a fault of the screen, which is reported as every other fault is."""
        self.error = error
        self._return_code = 1
        if self._exception is None:  # tests of Textual raise it again
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy through the terminal, also from within tmux and screen."""
        self._clipboard = text
        if not copy(text, self.write_past):
            self.query_one(Notice).say("Too long for the terminal's clipboard: /copy.", wrong=True)

    def write_past(self, sequence: str) -> None:
        """Write to the terminal what is no picture."""
        if self._driver is not None:
            self._driver.write(sequence)
            self._driver.flush()
