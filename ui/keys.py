"""What keys, clicks and lines mean on the screen; everything else goes to the desk as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.interview.commands import command_of

from . import local
from .bars import Notice
from .card import Card
from .log import Log
from .prompt import Prompt
from .resumed import instead_of
from .side import Evidence, HelpPanel, SoFar
from .themes import NAMES

if TYPE_CHECKING:
    from advisor.interview.view import View

    from .app import AdvisorApp

__all__ = [
    "alone",
    "clear_or_leave",
    "edge",
    "ended",
    "leave",
    "open_section",
    "panels",
    "pick",
    "pressed",
    "said",
    "scroll",
    "typed",
]

_MOST_BY_DIGIT = 9
_AGAIN = "Ctrl+C or Ctrl+D again leaves; everything is saved."


def said(app: AdvisorApp, line: str, *, instead: int = 0) -> None:
    """Pass a line on, or do what only a screen can; first take back ``instead`` answers."""
    own = local.local_of(line)
    if own is not None:
        _do_local(app, *own)
        return
    if line.startswith("/") and command_of(line) == ("quit", ""):
        leave(app)  # at once where nothing but looking is under way
        return
    app.query_one(Notice).say("")
    if app.panel not in {"", "evidence"} or not line.startswith("/cite"):
        app.show_panel("")
    app.query_one(Log).follow()
    app.idle = False
    if instead:
        app.desk.say("/back" if instead == 1 else f"/back {instead}")
    app.desk.say(line)
    app.query_one(Log).show_waiting(app.desk.waiting, "working", stops=bool(app.desk.looking))


def _do_local(app: AdvisorApp, name: str, argument: str) -> None:
    if name == "panels":
        panels(app, argument or None)
    elif name == "pin":
        _pin(app, argument)
    elif argument in NAMES:
        app.theme = NAMES[argument]
    else:
        app.query_one(Notice).say(f"Say which: {', '.join(NAMES)}.", wrong=True)


def _pin(app: AdvisorApp, section: str) -> None:
    """Keep a section open, the one that is open by default, or let it go."""
    evidence = None if app.view is None else app.view.evidence
    pane, notice = app.query_one(Evidence), app.query_one(Notice)
    held = _number_of(section) if section else evidence.section if evidence else ""
    if not held:
        named = f"There is no section {section}" if section else "No section is open"
        notice.say(f"{named}: /cite 3.3.", wrong=True)
        return
    pane.pinned = bool(section) or not pane.pinned
    notice.say(
        f"§{held} stays open; /pin lets it go."
        if pane.pinned
        else "The section follows the answers again."
    )
    app.idle = False
    app.desk.hold(held if pane.pinned else "")


def _number_of(section: str) -> str:
    """Return the number of a section of the handbook; empty where there is none."""
    from advisor.errors import UnknownNameError
    from advisor.store.handbook import load_handbook

    try:
        return load_handbook().section(section.lstrip("§")).number
    except UnknownNameError:
        return ""


def alone(view: View) -> frozenset[str]:
    """Return the keys that act at once on an empty line."""
    keys = {"[", "]"}
    card = view.card
    if card is not None:
        keys.add("?")
        if card.options:
            keys.add("0")
        if 0 < len(card.options) <= _MOST_BY_DIGIT:
            keys |= {str(option.number) for option in card.options}
    return frozenset(keys)


def pressed(app: AdvisorApp, key: str) -> None:
    """Do what a key on the empty line means."""
    if key.isdecimal():
        pick(app, int(key))
    elif key in {"up", "down"}:
        _step(app, -1 if key == "up" else 1)
    elif key == "enter":
        _enter(app)
    elif key == "tab":
        _complete(app)
    elif key == "escape":
        _escape(app)
    elif key in {"[", "]"}:
        _step_citation(app, -1 if key == "[" else 1)
    elif key in {"home", "end"}:
        edge(app, key)
    elif key.startswith("page"):
        scroll(app, -1 if key == "pageup" else 1)
    else:
        said(app, key)


def pick(app: AdvisorApp, number: int) -> None:
    """Pick an option; where several may be picked, tick it."""
    card = app.query_one(Card)
    if card.card is not None and card.card.several and number:
        card.tick(number)
    else:
        said(app, str(number))


def _enter(app: AdvisorApp) -> None:
    line = app.query_one(Card).chosen
    if line:
        said(app, line)


def _step(app: AdvisorApp, step: int) -> None:
    prompt = app.query_one(Prompt)
    if prompt.value or not app.query_one(Card).move(step):
        prompt.recall(step)


def typed(app: AdvisorApp, text: str) -> None:
    """Narrow what is offered to what is typed."""
    found = local.suggestions(text)
    if found:
        names = "  ".join(f"/{command.name}" for command in found)
        words = f"{found[0].usage}: {found[0].help}" if len(found) == 1 else names
        app.query_one(Notice).say(words)
    elif text:
        app.query_one(Notice).say(instead_of(app.query_one(Prompt).resumed))
    app.query_one(Card).type("" if text.startswith("/") else text)


def _complete(app: AdvisorApp) -> None:
    prompt = app.query_one(Prompt)
    if not prompt.value:
        panels(app, None)
        return
    found = local.completions(prompt.value, _citations(app), _names(app))
    if not found:
        return
    start = found[0]
    for other in found[1:]:
        while not other.startswith(start):
            start = start[:-1]
    if len(start) > len(prompt.value):
        prompt.put(start)


def _names(app: AdvisorApp) -> tuple[str, ...]:
    return () if app.view is None else tuple(one.name for one in app.view.so_far)


def _citations(app: AdvisorApp) -> tuple[str, ...]:
    """Return the sections on screen, in the order of the panels."""
    view = app.view
    if view is None:
        return ()
    found = [section for one in view.so_far for section in one.sections]
    found += [s for shown in view.log for line in shown.lines for s in line.sections]
    if view.card is not None and view.card.section:
        found.append(view.card.section)
    return tuple(dict.fromkeys(found))


def _step_citation(app: AdvisorApp, step: int) -> None:
    found = _citations(app)
    if not found:
        return
    evidence = None if app.view is None else app.view.evidence
    here = found.index(evidence.section) if evidence and evidence.section in found else -step
    open_section(app, found[(here + step) % len(found)])


def open_section(app: AdvisorApp, section: str) -> None:
    """Open a section beside the conversation, or in its place."""
    app.idle = False
    app.desk.read(section)
    if app.screen.has_class("-narrow") or app.panel == "help":
        app.show_panel("evidence")


def panels(app: AdvisorApp, panel: str | None) -> None:
    """Show the next panel, or the one named; the same again leaves it."""
    wide = app.screen.has_class("-wide")
    # on wide screens all stand side by side: the panel is what PgUp and PgDn scroll
    order = ("", "evidence", "so-far", "help") if wide else ("", "so-far", "evidence")
    if panel is None:
        place = order.index(app.panel) if app.panel in order else 0
        panel = order[(place + 1) % len(order)]
    elif panel not in {"so-far", "evidence", "help"}:
        words = f"There is no panel {panel}: so-far, evidence, help."
        app.query_one(Notice).say(words, wrong=True)
        return
    elif panel == app.panel:
        panel = ""
    app.show_panel(panel)


def scroll(app: AdvisorApp, pages: int) -> None:
    """Scroll what stands in the place of the conversation."""
    shown = {"so-far": SoFar, "evidence": Evidence, "help": HelpPanel}.get(app.panel, Log)
    target = app.query_one(shown)
    if pages < 0:
        target.scroll_page_up(animate=False)
    else:
        target.scroll_page_down(animate=False)


def edge(app: AdvisorApp, key: str) -> None:
    """Go to the beginning or the end of the conversation; from the beginning, to older parts."""
    log = app.query_one(Log)
    if key == "end":
        log.scroll_end(animate=False)
        log.follow()
    elif log.scroll_offset.y == 0:
        app.run_worker(log.show_older())
    else:
        log.scroll_home(animate=False)


def _escape(app: AdvisorApp) -> None:
    """Stop a look-up; else leave a panel, what was typed, or a choice that stands open."""
    prompt = app.query_one(Prompt)
    if app.desk.looking:
        app.desk.stop()
        return
    if app.panel:
        app.show_panel("")
    elif prompt.value:
        prompt.clear()
    elif app.view is not None and app.view.card is not None and app.view.card.pending:
        said(app, "0")
    app.query_one(Notice).say("")


def clear_or_leave(app: AdvisorApp) -> None:
    """Copy what is marked; else clear the line; the second time leave."""
    marked = app.screen.get_selected_text()
    prompt, notice = app.query_one(Prompt), app.query_one(Notice)
    if marked:
        app.copy_to_clipboard(marked)
        app.screen.clear_selection()
        notice.say("Copied.")
    elif prompt.value:
        prompt.clear()
        notice.say("")
    elif notice.text.plain.strip() == _AGAIN:
        leave(app)
    else:
        notice.say(_AGAIN)


def leave(app: AdvisorApp) -> None:
    """Leave when every answer that was given is taken; asked again, at once."""
    if app.leaving:
        ended(app)
        return
    app.leaving = True
    app.query_one(Notice).say("Leaving when the last answer is taken ...")
    app.desk.leave()


def ended(app: AdvisorApp) -> None:
    """End the screen."""
    code = 1 if app.error is not None else 0
    app.exit(code, return_code=code)
