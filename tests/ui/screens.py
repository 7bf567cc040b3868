"""Drives the screen: a desk that only notes what it is given, the screen as text, waiting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

from textual.pilot import Pilot

from advisor.ui.app import AdvisorApp
from advisor.ui.desk import Desk
from advisor.ui.news import Idle, Left, Shown, Told

if TYPE_CHECKING:
    from advisor.interview.interview import Interview
    from advisor.interview.view import View

MOST_LOOKS = 6_000
"""A desk that rests at no look is broken: a minute on an idle machine."""
SIZES = ((120, 36), (80, 24), (60, 18))


class NotingDesk:
    """Takes the place of the desk: notes what it is given and shows the view it was made with."""

    def __init__(self, view: View, tell: Callable[[Told], object]) -> None:
        self.view, self.tell = view, tell
        self.said: list[str] = []
        self.sections: list[str] = []
        self.given = 0
        self.waiting: tuple[str, ...] = ()
        self.looking = ""
        self.held: list[str] = []
        self.stopped = 0
        self.interview = None

    def start(self) -> None:
        self.tell(Shown(self.view))
        self.tell(Idle(0))

    def say(self, line: str) -> None:
        self.given += 1
        self.said.append(line)
        self.tell(Idle(self.given))

    def read(self, section: str) -> None:
        self.given += 1
        self.sections.append(section)
        self.tell(Idle(self.given))

    def hold(self, section: str) -> None:
        self.given += 1
        self.held.append(section)
        self.tell(Idle(self.given))

    def painted(self) -> None:
        pass

    def stop(self) -> None:
        self.stopped += 1

    def leave(self) -> None:
        self.tell(Left())

    def close(self) -> None:
        pass


def app_with(view: View) -> tuple[AdvisorApp, NotingDesk]:
    """Return the screen over a desk that notes."""
    app = AdvisorApp(cast("Callable[[], Interview]", None))
    desk = NotingDesk(view, lambda what: app.post_message(app.Came(what)))
    app.desk = cast("Desk", desk)
    return app, desk


def text_of(app: AdvisorApp) -> str:
    """Return the screen as text, every blank a plain one.

    The one place that looks into the compositor.
    """
    strips = app.screen._compositor.render_strips()
    lines = (strip.text.replace("\xa0", " ").rstrip() for strip in strips)
    return "\n".join(lines) + "\n"


@asynccontextmanager
async def shown(
    view: View, size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[AdvisorApp, NotingDesk, Pilot[int]]]:
    """Run the screen over a view made by hand."""
    app, desk = app_with(view)
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        yield app, desk, pilot


@asynccontextmanager
async def held(
    begin: Callable[[], Interview], size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[AdvisorApp, Pilot[int]]]:
    """Run the screen over a real interview."""
    app = AdvisorApp(begin)
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        yield app, pilot


async def settled(app: AdvisorApp, pilot: Pilot[int]) -> None:
    """Wait until the desk rests and the screen is painted."""
    await pilot.pause()
    for _ in range(MOST_LOOKS):
        if app.idle or app.error is not None or app._exit or not app.is_running:
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError("the desk never rests:\n" + text_of(app))


async def typed(app: AdvisorApp, pilot: Pilot[int], line: str) -> None:
    """Type a line and wait for what comes of it."""
    await pilot.press(*[_key(one) for one in line], "enter")
    await settled(app, pilot)


def _key(character: str) -> str:
    return {" ": "space", "/": "slash", "?": "question_mark"}.get(character, character)
