"""No sequence of keys and lines raises, loses an answer, or shows a decision without a section."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from screens import held, settled, text_of

from advisor.interview.commands import COMMANDS
from advisor.interview.interview import Interview
from advisor.interview.view import TurnView
from advisor.ui.prompt import Prompt

QUICK = ("facts", "so-far", "open", "back", "redo", "skip", "unknown", "help", "keep", "restart")
LINES = st.sampled_from(
    (
        "serving", "platform", "llama 3.1 8b", "50 users", "0", "100", "yes", "trusted",
        "/edit 1 serving", "/whatif workload.concurrency=8", "/set tenancy.tenants=trusted",
        "/cite 3.3", "/cite 99", "/find passthrough", "/nonsense", "/panels", "/theme light",
        "漢字", "/pin", *(f"/{name}" for name in QUICK),
    )
)  # fmt: skip
KEYS = st.sampled_from(
    (
        "1", "2", "0", "up", "down", "enter", "escape", "tab", "home", "end", "pageup",
        "pagedown", "left_square_bracket", "right_square_bracket", "f1", "ctrl+o", "ctrl+z",
        "ctrl+y", "x", "slash", "backspace", "question_mark",
    )
)  # fmt: skip
STEPS = st.lists(LINES.map(lambda line: ("line", line)) | KEYS.map(lambda key: ("key", key)),
                 min_size=4, max_size=14)  # fmt: skip


@pytest.mark.slow
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS, size=st.sampled_from([(120, 36), (80, 24), (60, 18), (40, 12)]))
async def test_no_keys_and_no_lines_break_the_screen(
    begin: Callable[[], Interview], steps: list[tuple[str, str]], size: tuple[int, int]
) -> None:
    async with held(begin, size) as (app, pilot):
        for kind, what in steps:
            if kind == "line":
                app.query_one(Prompt).put(what)
                await pilot.press("enter")
            else:
                await pilot.press(what)
            await settled(app, pilot)
            assert app.error is None
            interview, view = app.desk.interview, app.view
            assert interview is not None
            assert view is not None
            given_ = [turn.text for turn in interview.session.turns]
            assert view.answered == len(given_)
            assert len([one for one in view.log if isinstance(one, TurnView)]) == len(given_)
            decided = [one for one in view.so_far if one.state != "not applicable"]
            assert all(one.sections for one in decided)
            assert len(text_of(app).splitlines()) == size[1]


def test_the_lines_that_are_tried_are_commands() -> None:
    names = {command.name for command in COMMANDS}
    assert set(QUICK) <= names
