"""What the screen does with what the desk tells; renders, decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bars import Hints, Notice, Summary, TopLine
from .card import Card
from .keys import alone, ended
from .log import Log
from .news import Failed, Idle, Left, Replied, Shown, Stopped, Told
from .prompt import Prompt
from .resumed import instead_of
from .side import Evidence, SoFar

if TYPE_CHECKING:
    from advisor.interview.interview import Reply
    from advisor.interview.view import View

    from .app import AdvisorApp

__all__ = ["hints", "take"]


async def take(app: AdvisorApp, told: Told) -> None:
    """Show what the desk told."""
    if isinstance(told, Shown):
        await _show(app, told.view)
    elif isinstance(told, Replied):
        _replied(app, told.line, told.reply)
    elif isinstance(told, Stopped):
        app.query_one(Notice).say(f"Stopped: {told.line}")
    elif isinstance(told, Failed):
        app.error = told.error
        ended(app)
        return
    elif isinstance(told, Left):
        ended(app)
        return
    app.idle = isinstance(told, Idle) and told.done == app.desk.given
    _show_waiting(app)


async def _show(app: AdvisorApp, view: View) -> None:
    app.view = view
    prompt = app.query_one(Prompt)
    with app.batch_update():
        app.query_one(TopLine).show(view)
        app.query_one(Summary).show(view)
        app.query_one(Card).show(view)
        app.query_one(SoFar).show(view)
        app.query_one(Evidence).show(view)
        app.query_one(Hints).show(hints(view))
        await app.query_one(Log).show(view)
    app.call_after_refresh(app.desk.painted)
    prompt.alone, prompt.ticks = alone(view), view.card is not None and view.card.several
    prompt.answers = view.card is not None and not view.card.pending


def hints(view: View) -> tuple[str, ...]:
    """Return what can be pressed now, most useful first."""
    found = ["F1 help", "/ commands"]
    if view.card is not None and not view.card.pending:
        found.append("? why")
    if view.card is not None:
        found.append("↑↓ Enter" if view.card.options else "type, Enter")
    found += ["Ctrl+O panels", "PgUp/PgDn"]
    if view.answered:
        found.append("Ctrl+Z undo")
    return (*found, "/quit")


def _replied(app: AdvisorApp, line: str, reply: Reply) -> None:
    """Say what is wrong under the question and give the text back; follow what was added."""
    notice, prompt = app.query_one(Notice), app.query_one(Prompt)
    if reply.accepted:
        notice.say(instead_of(prompt.resumed))
        app.query_one(Log).follow()
        if line.startswith(("/cite", "/section")) and app.panel != "evidence" and _narrow(app):
            app.show_panel("evidence")
        return
    entry = reply.entry
    words = " ".join((entry.title, *(one.text for one in entry.lines))) if entry else ""
    notice.say(words.strip(), wrong=True)
    if not prompt.value and len(line) > 1:
        prompt.give_back(line)


def _narrow(app: AdvisorApp) -> bool:
    return app.screen.has_class("-narrow")


def _show_waiting(app: AdvisorApp) -> None:
    waiting = app.desk.waiting
    busy = "" if app.idle else "working"
    if app.view is None:
        busy = "reading the handbook"
    elif app.view.asking and not waiting:
        busy = ""  # the card says so
    app.query_one(Log).show_waiting(waiting, busy, stops=bool(app.desk.looking))
