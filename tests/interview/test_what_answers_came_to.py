from __future__ import annotations

from dataclasses import replace

import pytest

import advisor.interview.interview as module
from advisor.consult.consultation import Consultation
from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.interview.session import Turn
from advisor.interview.settled import settled_lines
from advisor.interview.showing import view_of
from advisor.interview.view import LineView

LINES = ("serving", "llama 3.1 8b", "4k", "20 users")


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what turns were worked out, by what was said."""
    found: list[str] = []

    def noting(said: Turn, before: Consultation, after: Consultation) -> tuple[LineView, ...]:
        found.append(said.text)
        return settled_lines(said, before, after)

    monkeypatch.setattr(module, "settled_lines", noting)
    return found


def test_what_an_answer_settled_is_worked_out_once(worked_out: list[str]) -> None:
    interview = Interview(Adviser())
    for line in LINES:
        interview.say(line)
        view_of(interview, asking=False)
    assert worked_out == list(LINES)


def test_what_follows_an_edit_is_worked_out_anew(worked_out: list[str]) -> None:
    adviser = Adviser()
    interview = Interview(adviser)
    for line in LINES:
        interview.say(line)
    view_of(interview, asking=False)
    interview.become(interview.session.edited(3, replace(interview.session.turns[2], text="8k")))
    view_of(interview, asking=False)
    assert worked_out == [*LINES, "8k", "20 users"]
    again = Interview(adviser, interview.session)
    assert view_of(again, asking=False).log == view_of(interview, asking=False).log


def test_taking_back_and_putting_on_again_shows_the_same() -> None:
    interview = Interview(Adviser())
    for line in LINES:
        interview.say(line)
    before = view_of(interview, asking=False)
    interview.become(interview.session.back(2))
    assert len(view_of(interview, asking=False).log) == 2
    interview.become(interview.session.redo(2))
    assert view_of(interview, asking=False).log == before.log
