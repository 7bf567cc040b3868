from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from canned_views import ASKING, CARD, DONE, LONG_LOG, MANY, MID, SEVERAL, STATES, WHY
from screens import SIZES, settled, shown, text_of
from textual._cells import cell_len
from textual.pilot import Pilot

from advisor.interview.interview import Reply
from advisor.interview.view import EntryView, LineView, View
from advisor.ui.app import AdvisorApp
from advisor.ui.news import Idle, Replied, Shown

GOLDEN = Path(__file__).parent / "golden"
UPDATE = bool(os.environ.get("GPU_ADVISOR_UPDATE_GOLDEN"))

_Step = Callable[[AdvisorApp, Pilot[int]], Awaitable[None]]


async def _refused(app: AdvisorApp, pilot: Pilot[int]) -> None:
    entry = EntryView("xyzzy", "", (LineView("That does not answer the question."),), problem=True)
    app.post_message(app.Came(Replied("xyzzy", Reply(entry, accepted=False))))
    app.post_message(app.Came(Idle(0)))
    await settled(app, pilot)


def _keys(*keys: str) -> _Step:
    async def press(app: AdvisorApp, pilot: Pilot[int]) -> None:
        await pilot.press(*keys)
        await settled(app, pilot)

    return press


AFTER: dict[str, tuple[View, _Step]] = {
    "refused": (MID, _refused),
    "caret": (MID, _keys("down", "down")),
    "ticked": (SEVERAL, _keys("1", "3")),
    "narrowed": (MANY, _keys("r", "1", "2")),
    "begun-command": (MID, _keys("slash", "w", "h")),
    "help": (MID, _keys("f1")),
    "panel": (WHY, _keys("ctrl+o")),
    "second-panel": (WHY, _keys("ctrl+o", "ctrl+o")),
    "leave-once": (MID, _keys("ctrl+c")),
}
"""States of the screen that take keys too."""


def _same(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


async def _at_all_sizes(view: View, step: _Step | None) -> str:
    parts = []
    async with shown(view, SIZES[0]) as (app, _, pilot):
        if step is not None:
            await step(app, pilot)
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await settled(app, pilot)
            parts.append(f"==== {width}x{height}\n{text_of(app)}")
    return "".join(parts)


@pytest.mark.parametrize("name", STATES)
async def test_a_view_looks_as_recorded(name: str) -> None:
    _same(name, await _at_all_sizes(STATES[name], None))


@pytest.mark.parametrize("name", AFTER)
async def test_keys_change_the_screen_as_recorded(name: str) -> None:
    _same(name, await _at_all_sizes(*AFTER[name]))


@pytest.mark.parametrize("name", STATES)
async def test_no_line_is_wider_than_the_screen(name: str) -> None:
    async with shown(STATES[name], (200, 60)) as (app, _, pilot):
        for size in ((200, 60), (100, 30), (99, 30), (59, 17), (40, 10)):
            await pilot.resize_terminal(*size)
            await settled(app, pilot)
            lines = text_of(app).splitlines()
            assert len(lines) == size[1]
            assert max(map(cell_len, lines)) <= size[0]


@pytest.mark.parametrize("size", [(120, 36), (100, 30), (80, 24), (60, 18)])
async def test_the_question_and_the_line_are_always_on_screen(size: tuple[int, int]) -> None:
    async with shown(MID, size) as (app, _, pilot):
        await pilot.press("x", "y", "z")
        text = text_of(app)
    for option in CARD.options:
        assert option.label in text
    assert CARD.text in text
    assert " > xyz" in text


async def test_resizing_shows_what_a_screen_of_that_size_shows() -> None:
    async with shown(WHY, (80, 24)) as (app, _, pilot):
        await pilot.resize_terminal(120, 36)
        await settled(app, pilot)
        resized = text_of(app)
    async with shown(WHY, (120, 36)) as (app, _, _pilot):
        assert resized == text_of(app)


async def test_a_long_conversation_mounts_its_end_alone() -> None:
    async with shown(LONG_LOG, (120, 36)) as (app, _, pilot):
        assert len(app.query("Log > Bubble")) <= 60 + 3
        assert "answer 75" in text_of(app)
        await pilot.press("home", "home")
        await settled(app, pilot)
        assert "answer 1\n" in text_of(app).replace("   (understood as Llama 3.3 70B)", "\n")
        assert len(app.query("Log > Bubble")) == 75 + 3


async def test_a_long_answer_is_shown_from_its_beginning() -> None:
    lines = tuple(LineView(f"line {n}", ("7.1",)) for n in range(1, 60))
    longer = replace(WHY, log=(*WHY.log, EntryView("/how gpu", "On what it rests", lines)))
    async with shown(WHY) as (app, _, pilot):
        app.post_message(app.Came(Shown(longer)))
        app.post_message(app.Came(Idle(0)))
        await settled(app, pilot)
        text = text_of(app)
        assert "> /how gpu" in text
        assert "line 1 " in text
        assert "line 59" not in text
        await pilot.press("end")
        await settled(app, pilot)
        assert "line 59" in text_of(app)


@pytest.mark.parametrize("count", [16, 22, 29, 34])
async def test_a_long_answer_keeps_its_beginning_when_the_question_below_it_comes(
    count: int,
) -> None:
    lines = tuple(LineView(f"line {n}", ("7.1",), "=") for n in range(1, count))
    turn = replace(LONG_LOG.log[0], number=3, lines=lines)
    log = (*MID.log, turn)
    async with shown(MID, (120, 36)) as (app, _, pilot):
        app.post_message(app.Came(Shown(replace(ASKING, log=log))))
        app.post_message(app.Came(Idle(0)))
        await settled(app, pilot)
        app.post_message(app.Came(Shown(replace(MID, log=log))))
        app.post_message(app.Came(Idle(0)))
        await settled(app, pilot)
        await settled(app, pilot)
        assert "3. Which model will you serve?" in text_of(app)
        assert "line 1 " in text_of(app)


async def test_nothing_is_said_to_be_below_where_nothing_is() -> None:
    for first, second in ((ASKING, MID), (MID, ASKING), (MID, DONE), (MANY, MID)):
        async with shown(first, (80, 24)) as (app, _, pilot):
            app.post_message(app.Came(Shown(second)))
            app.post_message(app.Came(Idle(0)))
            await settled(app, pilot)
            await pilot.press("end")
            await settled(app, pilot)
            assert "more line" not in text_of(app).split("So far:")[0]
            await pilot.resize_terminal(80, 20)
            await pilot.resize_terminal(80, 24)
            await settled(app, pilot)
            assert "more line" not in text_of(app).split("So far:")[0]
