from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from screens import held, settled, text_of, typed

from advisor.answers.validate import read_answers
from advisor.errors import InputError
from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.interview.plain_run import run_plain
from advisor.interview.session import Session
from advisor.interview.showing import view_of
from advisor.interview.view import View
from advisor.transcripts.model import Said
from advisor.transcripts.read import read_transcript
from advisor.transcripts.record import begun
from advisor.ui.app import AdvisorApp
from advisor.ui.card import Card
from advisor.ui.prompt import Prompt
from advisor.ui.waiting import Waiting

CONSULTATIONS = (
    ("serving", "llama 3.3 70b for 50 users at 16k", "6000", "0", "/back", "/so-far", "no"),
    ("9", "untrusted tenants on EKS", "0", "/whatif tenancy.tenants=trusted", "/keep"),
    ("fine-tuning", "qwen3 32b", "nonsense here", "/edit 2 llama 3.1 8b", "yes", "lora"),
)


TRANSCRIPTS = sorted((Path(__file__).parents[2] / "transcripts").glob("*.md"))
DRIVEN = TRANSCRIPTS[:: max(1, len(TRANSCRIPTS) // 4)]
"""Four of them: every one is replayed by its own test, here the way through the screen counts."""


def _in_plain_lines(interview: Interview, lines: Sequence[str]) -> Interview:
    run_plain(interview, lines, io.StringIO(), why="a test")
    return interview


async def _on_screen(begin: Callable[[], Interview], lines: Sequence[str]) -> View:
    async with held(begin, (100, 30)) as (app, pilot):
        for line in lines:
            prompt = app.query_one(Prompt)
            prompt.put(line)
            await pilot.press("enter")
            await settled(app, pilot)
            prompt.clear()
        assert app.view is not None
        return app.view


@pytest.mark.parametrize("lines", CONSULTATIONS, ids=lambda lines: lines[0])
@pytest.mark.slow
async def test_the_screen_and_plain_lines_come_to_the_same(
    begin: Callable[[], Interview], lines: Sequence[str]
) -> None:
    on_screen = await _on_screen(begin, lines)
    assert on_screen == view_of(_in_plain_lines(begin(), lines))


@pytest.mark.parametrize("path", DRIVEN, ids=lambda path: path.stem)
@pytest.mark.slow
async def test_a_transcript_comes_to_the_same_on_the_screen(adviser: Adviser, path: Path) -> None:
    transcript = read_transcript(path)
    lines = [item.text for item in transcript.items if isinstance(item, Said)]
    assert lines

    def begin() -> Interview:
        return begun(adviser, transcript.ask, path)

    on_screen = await _on_screen(begin, lines)
    assert on_screen.so_far == view_of(_in_plain_lines(begin(), lines)).so_far


async def test_an_answer_shows_what_it_settled_and_the_next_question(
    begin: Callable[[], Interview],
) -> None:
    async with held(begin, (120, 36)) as (app, pilot):
        await pilot.press("1")
        await settled(app, pilot)
        text = text_of(app)
        assert "1. What should the GPUs do?" in text
        assert "Which model?" in text
        assert "1 answered" in text
        assert app.view is not None
        assert app.view.evidence is not None
        assert f"§{app.view.evidence.section} " in text


async def test_a_line_that_is_refused_stays_in_the_line(begin: Callable[[], Interview]) -> None:
    async with held(begin, (80, 24)) as (app, pilot):
        await typed(app, pilot, "/whynot")
        assert app.query_one(Prompt).value == "/whynot"
        assert "! Say which option" in text_of(app)


async def test_an_answers_file_that_leads_to_an_error_ends_the_screen(adviser: Adviser) -> None:
    def begin() -> Interview:
        answers = read_answers({"workload.model": "no-such-model-at-all"})
        interview = Interview(adviser, Session(start=answers))
        interview.become(interview.session)
        return interview

    app = AdvisorApp(begin)
    async with app.run_test() as pilot:
        await settled(app, pilot)
    assert isinstance(app.error, InputError)
    assert app.return_code == 1


async def test_nothing_ticks_while_nobody_types(begin: Callable[[], Interview]) -> None:
    async with held(begin, (120, 36)) as (app, pilot):
        await typed(app, pilot, "serving")
        ticking = [
            timer
            for node in (app, *app.screen.walk_children(with_self=True))
            for timer in node._timers
            if timer._active.is_set() and timer._interval != 0
        ]
        assert ticking == []


async def test_one_section_is_mounted_and_never_the_book(begin: Callable[[], Interview]) -> None:
    async with held(begin, (120, 36)) as (app, pilot):
        before = len(app.screen.walk_children())
        await typed(app, pilot, "/cite 8.4")
        # one more part of the conversation; the section itself is text of one widget
        assert len(app.screen.walk_children()) <= before + 1


async def test_the_clock_ticks_only_while_something_is_worked_out(
    begin: Callable[[], Interview],
) -> None:
    async with held(begin, (120, 36)) as (app, pilot):
        waiting = app.query_one(Waiting)
        waiting.show(("/limits",), "working", stops=True)
        await pilot.pause()
        assert any(timer._active.is_set() for timer in waiting._timers if timer._interval)
        waiting.show((), "")
        await pilot.pause()
        assert not any(timer._active.is_set() for timer in waiting._timers if timer._interval)


async def test_a_fault_of_the_screen_is_reported_as_every_other(
    begin: Callable[[], Interview], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = AdvisorApp(begin)

    async def break_it() -> None:
        async with app.run_test() as pilot:
            await settled(app, pilot)
            monkeypatch.setattr(Card, "render", lambda _: 1 // 0)
            app.query_one(Card).refresh()
            await pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await break_it()
    assert isinstance(app.error, ZeroDivisionError)
    assert app.return_code == 1
    assert not app._exit_renderables  # no page of source lines and locals


async def test_the_section_shows_on_what_the_advice_rests(begin: Callable[[], Interview]) -> None:
    async with held(begin, (120, 36)) as (app, pilot):
        for line in ("serving", "llama 3.3 70b for 50 users at 16k"):
            await typed(app, pilot, line)
        assert app.view is not None
        evidence = app.view.evidence
        assert evidence is not None
        assert evidence.passages
        assert ">> " in text_of(app)
