"""A digit picks at once, and a sentence may begin with one all the same."""

from __future__ import annotations

import pytest
from canned_views import MID, PENDING, SEVERAL
from screens import settled, shown, text_of
from textual.events import Key

from advisor.ui.app import AdvisorApp
from advisor.ui.news import Idle, Shown
from advisor.ui.prompt import Prompt
from advisor.ui.resumed import Picks

NAMES = {" ": "space"}


def typing(app: AdvisorApp, text: str, *, ended: bool = True) -> None:
    """Type a line as fast as a line can be typed."""
    for letter in text:
        app.post_message(Key(NAMES.get(letter, letter), letter))
    if ended:
        app.post_message(Key("enter", "\r"))


@pytest.mark.parametrize(
    ("line", "back"),
    [
        ("2 nodes with H100", "/back"),
        ("3x H100 on eks", "/back"),
        ("16 H100", "/back"),
    ],
)
async def test_a_sentence_takes_the_place_of_the_digit_that_it_began_with(
    line: str, back: str
) -> None:
    async with shown(MID) as (app, desk, pilot):
        typing(app, line)
        await settled(app, pilot)
        assert desk.said == [line[0], back, line]


async def test_digits_that_answered_two_questions_are_both_taken_back() -> None:
    async with shown(MID) as (app, desk, pilot):
        typing(app, "1", ended=False)
        await settled(app, pilot)
        desk.tell(Shown(MID))  # the next question is there before the next digit
        desk.tell(Idle(desk.given))
        await settled(app, pilot)
        prompt = app.query_one(Prompt)
        prompt._picks.add("2", prompt._picks._at)  # as fast as a key can follow
        typing(app, " nodes")
        await settled(app, pilot)
        assert desk.said == ["1", "/back 2", "12 nodes"]


async def test_what_becomes_of_the_pick_is_said_and_escape_lets_it_stand() -> None:
    async with shown(MID) as (app, desk, pilot):
        typing(app, "2 nod", ended=False)
        await settled(app, pilot)
        assert app.query_one(Prompt).value == "2 nod"
        assert "in place of the pick (2)" in text_of(app)
        await pilot.press("escape")
        typing(app, "pcie")
        await settled(app, pilot)
        assert desk.said == ["2", "pcie"]


async def test_an_answer_typed_ahead_is_for_the_next_question() -> None:
    async with shown(MID) as (app, desk, pilot):
        typing(app, "2llama")
        await settled(app, pilot)
        assert desk.said == ["2", "llama"]


async def test_a_digit_that_is_deleted_again_stays_picked() -> None:
    async with shown(MID) as (app, desk, pilot):
        typing(app, "2 nodes", ended=False)
        await settled(app, pilot)
        await pilot.press("home", "delete", "enter")
        await settled(app, pilot)
        assert desk.said == ["2", " nodes"]


async def test_a_tick_goes_away_when_its_digit_begins_a_sentence() -> None:
    async with shown(SEVERAL) as (app, desk, pilot):
        typing(app, "2 nodes")
        await settled(app, pilot)
        assert desk.said == ["2 nodes"]


async def test_which_of_two_meanings_is_picked_is_no_answer_to_take_back() -> None:
    async with shown(PENDING) as (app, desk, pilot):
        typing(app, "1 nodes")
        await settled(app, pilot)
        assert desk.said == ["1", " nodes"]


def test_a_rest_that_comes_late_belongs_to_the_next_answer() -> None:
    picks = Picks()
    picks.add("2", 100.0)

    assert picks.before("", " ", 104.9) == "2"
    assert picks.before("", " ", 105.1) == ""
    assert picks.before("", "n", 100.1) == ""
    assert picks.before("abc", " ", 100.1) == ""


def test_digits_far_apart_are_picks_of_their_own() -> None:
    picks = Picks()
    picks.add("1", 100.0)
    picks.add("6", 100.5)
    assert picks.before("", " ", 100.6) == "16"
    picks.add("2", 103.0)
    assert picks.before("", " ", 103.1) == "2"
    picks.forget()
    assert picks.before("", " ", 103.1) == ""
