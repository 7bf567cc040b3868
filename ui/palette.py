"""The palette: every command by its words, found as one types."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from advisor.interview.commands import COMMANDS, Command

from .local import LOCAL

if TYPE_CHECKING:
    from .app import AdvisorApp

__all__ = ["Commands"]


class Commands(Provider):
    """The commands of the interview and of this face."""

    async def discover(self) -> Hits:
        """Yield all commands."""
        for command in (*COMMANDS, *LOCAL):
            shown = Content(command.usage)  # its brackets are no markup
            yield DiscoveryHit(shown, self._run(command), text=command.usage, help=command.help)

    async def search(self, query: str) -> Hits:
        """Yield the commands that match."""
        matcher = self.matcher(query)
        for command in (*COMMANDS, *LOCAL):
            score = matcher.match(f"{command.usage} {command.help}")
            if score > 0:
                shown = matcher.highlight(command.usage)
                yield Hit(score, shown, self._run(command), text=command.usage, help=command.help)

    def _run(self, command: Command) -> partial[None]:
        app: AdvisorApp = self.app  # type: ignore[assignment]  # ours is the only one
        return partial(app.begin_command, command)
