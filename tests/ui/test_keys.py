from __future__ import annotations

from dataclasses import replace

import pytest
from canned_views import CARD, DONE, EVIDENCE, MANY, MID, NUMBER, PENDING, SEVERAL
from screens import settled, shown, text_of, typed
from textual.events import Key, Paste
from textual.pilot import Pilot

from advisor.interview.commands import COMMANDS
from advisor.interview.interview import Reply
from advisor.interview.view import EntryView, LineView
from advisor.ui import local
from advisor.ui.app import AdvisorApp
from advisor.ui.log import Log
from advisor.ui.news import Idle, Replied, Shown, Stopped
from advisor.ui.prompt import Prompt


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (["2"], ["2"]),
        (["0"], ["0"]),
        (["question_mark"], ["?"]),
        (["down", "enter"], ["1"]),
        (["up", "enter"], ["3"]),
        (["down", "down", "down", "down", "enter"], ["1"]),
        (["p", "c", "i", "e", "enter"], ["pcie"]),
        (["x", "2", "enter"], ["x2"]),
        (["enter"], []),
        (["9"], []),
        (["ctrl+z"], ["/back"]),
        (["ctrl+y"], ["/redo"]),
        (["a", "escape", "2"], ["2"]),
        (["slash", "b", "a", "tab", "enter"], ["/back"]),
        (["slash", "e", "x", "tab", "a", "enter"], ["/export a"]),
        (["slash", "s", "o", "tab", "enter"], ["/so-far"]),
        (["a", "enter", "b", "up", "enter"], ["a", "a"]),
    ],
)
async def test_keys_say_lines(keys: list[str], said: list[str]) -> None:
    async with shown(MID) as (app, desk, pilot):
        await pilot.press(*keys)
        await settled(app, pilot)
        assert desk.said == said


async def test_digits_are_text_where_a_number_is_asked_for() -> None:
    async with shown(NUMBER) as (app, desk, pilot):
        await pilot.press("8", "0", "enter")
        await settled(app, pilot)
        assert desk.said == ["80"]


async def test_digits_wait_for_enter_where_there_are_more_than_nine_options() -> None:
    async with shown(MANY) as (app, desk, pilot):
        await pilot.press("1", "2")
        assert desk.said == []
        await pilot.press("enter")
        await settled(app, pilot)
        assert desk.said == ["12"]


async def test_typing_narrows_many_options_and_the_caret_keeps_their_numbers() -> None:
    async with shown(MANY) as (app, desk, pilot):
        await pilot.press(*"provider13")
        text = text_of(app)
        assert "13 Provider13" in text
        assert "Provider12" not in text
        await pilot.press("escape", "up", "enter")
        await settled(app, pilot)
        assert desk.said == ["14"]


async def test_digits_tick_where_several_may_be_picked_and_enter_says_them() -> None:
    async with shown(SEVERAL) as (app, desk, pilot):
        await pilot.press("3", "1", "2", "2", "enter")
        await settled(app, pilot)
        assert desk.said == ["1, 3"]


async def test_a_choice_that_stands_open_is_left_with_escape() -> None:
    async with shown(PENDING) as (app, desk, pilot):
        await pilot.press("escape")
        await settled(app, pilot)
        assert desk.said == ["0"]


async def test_brackets_step_through_what_is_cited() -> None:
    async with shown(MID) as (app, desk, pilot):
        await pilot.press("right_square_bracket", "left_square_bracket")
        await settled(app, pilot)
        # the section of the question is open: 7.1, the last of 8.1 7.3 8.2 8.3 7.2 7.1
        assert desk.sections == ["8.1", "7.2"]


async def test_what_is_pasted_becomes_one_line() -> None:
    async with shown(MID) as (app, _, _pilot):
        app.query_one(Prompt)._on_paste(Paste("llama 70b\nfor 50 users\r\n"))
        assert app.query_one(Prompt).value == "llama 70b for 50 users"


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_an_option_and_a_section_can_be_clicked(size: tuple[int, int]) -> None:
    async with shown(MID, size) as (app, desk, pilot):
        for word in ("2  PCIe only", "§7.3"):
            lines = text_of(app).splitlines()
            y, line = next((n, one) for n, one in enumerate(lines) if word in one)
            await pilot.click(offset=(line.index(word) + 1, y))
            await settled(app, pilot)
        assert desk.said == ["2"]
        assert desk.sections == ["7.3"]


async def test_every_command_can_be_begun_from_the_palette() -> None:
    async with shown(MID) as (app, desk, pilot):
        kept = [command for command in COMMANDS if command.name != "quit"]
        for command in (*kept, *local.LOCAL):
            app.begin_command(command)
            await pilot.pause()
            if local.needs_words(command):
                assert app.query_one(Prompt).value == f"/{command.name} "
                app.query_one(Prompt).clear()
        assert desk.said == [f"/{c.name}" for c in kept if not local.needs_words(c)]


async def test_the_palette_finds_a_command_by_what_it_does() -> None:
    async with shown(DONE) as (app, desk, pilot):
        await pilot.press("ctrl+p", *"restart")
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter")
        await settled(app, pilot)
        assert desk.said == ["/restart"]


async def test_no_action_needs_a_modifier() -> None:
    keys = " ".join(f"{key} {does}" for key, does in local.KEYS if "Ctrl" in key)
    for action in ("panels", "back", "redo"):
        assert f"/{action}" in keys
    names = {command.name for command in (*COMMANDS, *local.LOCAL)}
    assert {"panels", "back", "redo", "quit", "copy", "help"} <= names


async def test_a_second_press_is_not_for_a_question_nobody_has_seen() -> None:
    async with shown(MID) as (app, desk, pilot):
        await pilot.press("2", "2")
        await settled(app, pilot)
        assert desk.said == ["2"]
        assert app.query_one(Prompt).value == "2"


async def test_keys_that_come_in_one_burst_keep_their_order() -> None:
    async with shown(MID) as (app, desk, pilot):
        for key in (*"abc", "enter", *"de", "enter"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await settled(app, pilot)
        await pilot.pause()
        assert desk.said == ["abc", "de"]


async def _given_back(app: AdvisorApp, pilot: Pilot[int], line: str) -> None:
    entry = EntryView(line, "", (LineView("Not that."),), problem=True)
    app.post_message(app.Came(Replied(line, Reply(entry, accepted=False))))
    app.post_message(app.Came(Idle(app.desk.given)))
    await settled(app, pilot)


async def test_a_line_that_came_back_gives_way_to_the_next_one() -> None:
    async with shown(MID) as (app, desk, pilot):
        await _given_back(app, pilot, "owned")
        assert "! Not that." in text_of(app)
        await pilot.press(*"rented", "enter")
        await _given_back(app, pilot, "rented")
        await pilot.press("question_mark")
        await _given_back(app, pilot, "rented")
        await pilot.press("2")
        await settled(app, pilot)
        assert desk.said == ["rented", "?", "2"]


async def test_a_line_that_came_back_can_be_edited() -> None:
    async with shown(MID) as (app, desk, pilot):
        await _given_back(app, pilot, "pcje")
        await pilot.press("end", "left", "left", "backspace", "x", "enter")
        await settled(app, pilot)
        assert desk.said == ["pxje"]


async def test_ctrl_c_clears_then_warns_then_leaves() -> None:
    async with shown(MID) as (app, _, pilot):
        await pilot.press("a", "ctrl+c")
        assert app.query_one(Prompt).value == ""
        await pilot.press("ctrl+c")
        assert "Ctrl+C or Ctrl+D again leaves" in text_of(app)
        await pilot.press("x", "ctrl+c", "ctrl+d")
        assert app.is_running
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert app.return_code == 0


async def test_themes_are_changed_by_a_word() -> None:
    async with shown(MID) as (app, desk, pilot):
        for name, theme in (("light", "advisor-light"), ("dark", "advisor-dark")):
            await typed(app, pilot, f"/theme {name}")
            assert app.theme == theme
        await typed(app, pilot, "/theme pink")
        assert "Say which: dark, light, terminal" in text_of(app)
        assert desk.said == []


async def test_panels_swap_and_escape_returns() -> None:
    async with shown(MID, (80, 24)) as (app, _, pilot):
        before = text_of(app)
        await typed(app, pilot, "/panels evidence")
        assert "§7.1 The hardware constraint" in text_of(app)
        assert "Which model will you serve?" not in text_of(app)
        await pilot.press("pagedown", "escape")
        await settled(app, pilot)
        assert text_of(app) == before


async def test_escape_stops_a_look_up_before_anything_else() -> None:
    async with shown(MID) as (app, desk, pilot):
        desk.looking = "/limits"
        await pilot.press("a", "escape")
        assert (desk.stopped, app.query_one(Prompt).value) == (1, "a")
        desk.looking = ""
        await pilot.press("escape")
        assert (desk.stopped, app.query_one(Prompt).value) == (1, "")
        app.post_message(app.Came(Stopped("/limits")))
        app.post_message(app.Came(Idle(desk.given)))
        await settled(app, pilot)
        assert "Stopped: /limits" in text_of(app)


async def test_what_is_under_way_is_shown_with_how_to_stop_it() -> None:
    async with shown(MID) as (app, desk, pilot):
        desk.waiting = ("/limits",)
        desk.looking = "/limits"
        app.query_one(Log).show_waiting(desk.waiting, "working", stops=True)
        await pilot.pause()
        text = text_of(app)
        assert " > /limits" in text
        assert "... working" in text
        assert "(Esc stops it)" in text


async def test_a_section_is_pinned_and_let_go_by_a_word() -> None:
    async with shown(MID) as (app, desk, pilot):
        await typed(app, pilot, "/pin")
        assert "(pinned)" not in text_of(app)  # the desk that notes shows no new view
        assert "§7.1 stays open" in text_of(app)
        await typed(app, pilot, "/pin")
        assert desk.held == ["7.1", ""]


async def test_a_section_is_pinned_by_its_number() -> None:
    async with shown(MID) as (app, desk, pilot):
        await typed(app, pilot, "/pin 3.3")
        assert "§3.3 stays open" in text_of(app)
        await typed(app, pilot, "/pin 99.9")
        assert "There is no section 99.9" in text_of(app)
        assert desk.held == ["3.3"]


async def test_the_keys_scroll_the_evidence_where_all_stands_side_by_side() -> None:
    long = replace(EVIDENCE, markdown="# T\n\n" + "\n\n".join(f"line {n}" for n in range(90)))
    async with shown(replace(MID, evidence=long)) as (app, _, pilot):
        before = text_of(app)
        await pilot.press("tab", "pagedown")
        await settled(app, pilot)
        assert "line 0 " not in text_of(app)
        assert CARD.text in text_of(app)
        await pilot.press("pageup", "escape")
        await settled(app, pilot)
        assert text_of(app) == before


async def test_the_passage_that_the_advice_rests_on_is_in_sight() -> None:
    words = "\n\n".join(f"line {n}" for n in range(60))
    text = f"## 7.1 T\n\n{words}\n\n### Speed\n\nmarked\n"
    long = replace(EVIDENCE, markdown=text, passages=("Speed",))
    async with shown(replace(MID, evidence=long)) as (app, _, pilot):
        await settled(app, pilot)
        assert ">> Speed" in text_of(app)
        assert "line 0 " not in text_of(app)


async def test_answers_that_a_section_is_about_stand_above_it() -> None:
    evidence = replace(EVIDENCE, facts=("model: Llama 3.3 70B (answer 1)",))
    async with shown(replace(MID, evidence=evidence)) as (app, _, _pilot):
        assert "Facts used here:" in text_of(app)
        assert "model: Llama 3.3 70B (answer 1)" in text_of(app)


async def test_what_holds_for_now_is_told_apart_from_what_is_settled() -> None:
    lines = (
        LineView("GPU: this", ("8.1",), "="),
        LineView("Sharing: that", ("8.2",), "=", firm=True),
    )
    view = replace(MID, log=(replace(MID.log[0], lines=lines),))
    async with shown(view) as (app, _, _pilot):
        assert "= for now: GPU: this" in text_of(app)
        assert "= settled: Sharing: that" in text_of(app)


async def test_what_is_out_of_sight_below_is_said_and_can_be_clicked() -> None:
    lines = tuple(LineView(f"line {n}", ("7.1",)) for n in range(1, 60))
    longer = replace(MID, log=(*MID.log, EntryView("/how gpu", "On what it rests", lines)))
    async with shown(MID) as (app, _, pilot):
        assert "more line" not in text_of(app)
        app.post_message(app.Came(Shown(longer)))
        app.post_message(app.Came(Idle(0)))
        await settled(app, pilot)
        rows = text_of(app).splitlines()
        y, row = next((n, one) for n, one in enumerate(rows) if "more lines: PgDn, End" in one)
        await pilot.click(offset=(row.index("more lines") + 1, y))
        await settled(app, pilot)
        assert "line 59" in text_of(app)
        assert "more line" not in text_of(app)


async def test_what_is_marked_with_the_mouse_is_copied() -> None:
    async with shown(MID) as (app, _, pilot):
        rows = text_of(app).splitlines()
        first = next(n for n, row in enumerate(rows) if "1. Which model" in row)
        x = rows[first].index("Which")
        await pilot.mouse_down(offset=(x, first))
        await pilot.hover(offset=(x + 13, first + 1))
        await pilot.mouse_up(offset=(x + 13, first + 1))
        await pilot.pause()
        # both lines from the mark on: the second as far as it was marked
        marked = app.screen.get_selected_text()
        assert marked is not None
        lines = marked.split("\n")
        assert lines[0].startswith("Which model will you serve?")
        assert lines[1].strip().startswith("> llama 70b")
        await pilot.press("ctrl+c")
        assert app._clipboard == marked
        assert "Copied." in text_of(app)
