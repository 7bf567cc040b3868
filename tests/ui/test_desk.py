from __future__ import annotations

import queue
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.ui.desk import Desk, Failed, Idle, Left, Replied, Shown, Told

MOST_SECONDS = 120


class Heard:
    """What a desk told, in order."""

    def __init__(self) -> None:
        self.queue: queue.Queue[Told] = queue.Queue()

    def until(self, kind: type[Told]) -> list[Told]:
        found: list[Told] = []
        while not found or not isinstance(found[-1], kind):
            found.append(self.queue.get(timeout=MOST_SECONDS))
        return found


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def desk(begin: Callable[[], Interview], heard: Heard) -> Desk:
    desk = Desk(begin, heard.queue.put)
    desk.start()
    return desk


def test_the_first_question_is_shown_before_anything_is_consulted(desk: Desk, heard: Heard) -> None:
    told = heard.until(Idle)
    first, second = [one.view for one in told if isinstance(one, Shown)]
    assert first.card is not None
    assert first.asking
    assert first.so_far == ()
    assert second.card is not None
    assert (first.card.key, first.card.text) == (second.card.key, second.card.text)
    assert not second.asking
    desk.close()


def test_lines_typed_ahead_are_taken_in_order(desk: Desk, heard: Heard) -> None:
    for line in ("serving", "/facts", "/back"):
        desk.say(line)
    replies: list[str] = []
    while len(replies) < 3:
        replies += [one.line for one in heard.until(Replied) if isinstance(one, Replied)]
    assert replies == ["serving", "/facts", "/back"]
    heard.until(Idle)
    assert desk.interview is not None
    assert desk.interview.session.turns == ()
    desk.close()


@pytest.mark.parametrize("line", ["serving", "/set workload.kind=serving"])
def test_leaving_waits_for_answers_that_were_given(desk: Desk, heard: Heard, line: str) -> None:
    desk.say(line)
    desk.leave()
    heard.until(Left)
    assert desk.interview is not None
    assert [turn.text for turn in desk.interview.session.turns] == [line]


def test_leaving_does_not_wait_for_what_only_looks(begin: Callable[[], Interview]) -> None:
    told: list[Told] = []
    desk = Desk(begin, told.append)  # never started: nothing of it is ever done
    desk.say("/limits")
    desk.say("?")
    desk.leave()
    assert told == [Left()]


def test_leaving_does_not_wait_where_nothing_was_given(heard: Heard) -> None:
    never_begun = Desk(lambda: pytest.fail("begun"), heard.queue.put)
    never_begun.leave()
    assert heard.until(Left) == [Left()]


def test_what_keeps_it_from_beginning_is_told(heard: Heard) -> None:
    error = InputError(Problem("unknown_model", "There is no such model."))

    def begin() -> Interview:
        raise error

    Desk(begin, heard.queue.put).start()
    assert heard.until(Failed) == [Failed(error)]


def test_quit_leaves(desk: Desk, heard: Heard) -> None:
    desk.say("/quit")
    heard.until(Left)


def test_a_section_is_opened_without_a_word_in_the_log(
    desk: Desk, heard: Heard, adviser: Adviser
) -> None:
    del adviser
    heard.until(Idle)
    desk.read("3.3")
    views = [one.view for one in heard.until(Idle) if isinstance(one, Shown)]
    assert views[-1].evidence is not None
    assert views[-1].evidence.section == "3.3"
    assert views[-1].log == ()
    desk.close()


def test_the_interview_is_held_in_the_context_of_the_program(
    begin: Callable[[], Interview], heard: Heard
) -> None:
    place: ContextVar[str] = ContextVar("place", default="nowhere")
    seen: list[str] = []

    def begin_here() -> Interview:
        seen.append(place.get())
        return begin()

    place.set("here")
    desk = Desk(begin_here, heard.queue.put)
    desk.start()
    heard.until(Idle)
    desk.close()
    assert seen == ["here"]
