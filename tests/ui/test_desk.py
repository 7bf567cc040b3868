from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.ui.desk import Desk
from advisor.ui.news import Failed, Idle, Left, Replied, Shown, Stopped, Told

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


def _blocked_at_its_first_consultation(desk: Desk, line: str) -> threading.Event:
    """Say a line and wait until it consults; return what lets it go on."""
    assert desk.interview is not None
    adviser = desk.interview.adviser
    begun, free, go_on = threading.Event(), threading.Event(), adviser.before_each

    def block() -> None:
        begun.set()
        assert free.wait(MOST_SECONDS)
        go_on()

    adviser.before_each = block
    desk.say(line)
    assert begun.wait(MOST_SECONDS)
    return free


@pytest.fixture
def own_desk(heard: Heard) -> Desk:
    """Return a desk whose adviser remembers nothing."""
    desk = Desk(lambda: Interview(Adviser()), heard.queue.put)
    desk.start()
    heard.until(Idle)
    desk.say("serving")
    heard.until(Idle)
    return desk


def test_a_look_up_can_be_given_up_and_changes_nothing(own_desk: Desk, heard: Heard) -> None:
    free = _blocked_at_its_first_consultation(own_desk, "/whatif workload.model=llama-3.1-8b")
    own_desk.say("/facts")
    assert own_desk.looking == "/whatif workload.model=llama-3.1-8b"
    own_desk.stop()
    free.set()
    told = heard.until(Idle)
    assert [one.line for one in told if isinstance(one, Stopped)] == [
        "/whatif workload.model=llama-3.1-8b"
    ]
    assert [one.line for one in told if isinstance(one, Replied)] == ["/facts"]
    assert own_desk.interview is not None
    assert own_desk.interview.pending is None
    assert told[-1] == Idle(own_desk.given)
    own_desk.close()


def test_an_answer_is_never_given_up(own_desk: Desk, heard: Heard) -> None:
    free = _blocked_at_its_first_consultation(own_desk, "llama 3.1 8b")
    assert own_desk.looking == ""
    own_desk.stop()
    free.set()
    told = heard.until(Idle)
    assert not any(isinstance(one, Stopped) for one in told)
    assert own_desk.interview is not None
    assert len(own_desk.interview.session.turns) == 2
    own_desk.close()


def test_a_look_up_that_has_not_begun_is_taken_out_of_the_line() -> None:
    told: list[Told] = []
    desk = Desk(lambda: pytest.fail("begun"), told.append)  # never started
    desk.say("/limits")
    desk.stop()
    assert told == [Stopped("/limits"), Idle(desk.given)]
    assert (desk.waiting, desk.given) == ((), 0)


def test_a_section_that_is_held_stays_open_whatever_is_answered(desk: Desk, heard: Heard) -> None:
    def opened() -> str:
        views = [one.view for one in heard.until(Idle) if isinstance(one, Shown)]
        evidence = views[-1].evidence
        return "" if evidence is None else evidence.section

    heard.until(Idle)
    desk.hold("3.3")
    assert opened() == "3.3"
    desk.say("serving")
    assert opened() == "3.3"
    desk.read("5.2")
    assert opened() == "5.2"
    desk.say("llama 3.1 8b")
    assert opened() == "5.2"
    desk.hold("")
    assert opened() != "5.2"
    desk.close()


def test_a_number_that_is_no_section_opens_nothing(desk: Desk, heard: Heard) -> None:
    heard.until(Idle)
    desk.read("77.7")
    told = heard.until(Idle)
    assert not any(isinstance(one, Failed) for one in told)
    desk.close()


def test_who_leaves_at_a_choice_keeps_what_is_certain(desk: Desk, heard: Heard) -> None:
    desk.say("serve llama 3.1 8b for 50 users and 3000 tokens")
    heard.until(Replied)  # idle it was before, too
    desk.close()
    heard.until(Left)
    assert desk.interview is not None
    assert desk.interview.session.answers.values["workload.concurrency"] == 50
