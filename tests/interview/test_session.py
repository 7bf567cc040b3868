from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.answers.dump import dump_answers
from advisor.answers.questions import UNKNOWN
from advisor.answers.validate import read_answers, read_answers_text
from advisor.interview.session import Session, Turn, turn

POOL = [
    turn("70b", {"workload.model": "llama-3.3-70b"}, asked="workload.model", topic="task"),
    turn("8b", {"workload.model": "llama-3.1-8b"}, asked="workload.model", topic="task"),
    turn("32k", {"workload.context_tokens": "32k"}, asked="workload.context_tokens", topic="load"),
    turn("50 users at 8k", {"workload.concurrency": 50, "workload.context_tokens": 8192}),
    turn("?", {"workload.concurrency": UNKNOWN}, asked="workload.concurrency", topic="load"),
    turn("h100", {"hardware.gpu": ["h100-sxm"]}),
    turn("no", {"tenancy.confidential": "no"}, topic="tenants"),
]
turns = st.lists(st.sampled_from(POOL), max_size=6)


def session(said: list[Turn]) -> Session:
    found = Session()
    for one in said:
        found = found.answered(one)
    return found


def test_answers_are_what_a_file_with_the_same_answers_gives() -> None:
    told = session([POOL[0], POOL[3], POOL[5]]).answers
    written = read_answers(
        {
            "workload": {"model": "llama-3.3-70b", "context_tokens": "8k", "concurrency": 50},
            "hardware": {"gpu": "h100-sxm"},
        }
    )

    assert told == written


def test_the_later_answer_to_a_question_wins() -> None:
    told = session([POOL[2], POOL[3], POOL[4]])

    assert told.answers.values["workload.context_tokens"] == 8192
    assert "workload.concurrency" not in told.answers.values
    assert told.answers.unknown == {"workload.concurrency"}
    assert told.number_of("workload.concurrency") == 3


def test_an_answer_remembers_what_was_typed_and_where() -> None:
    origin = session([POOL[2]]).answers.origin["workload.context_tokens"]

    assert (origin.file, origin.text) == ("answer 1", "32k")


def test_the_topic_is_that_of_the_last_question_answered() -> None:
    assert session([POOL[0], POOL[2], POOL[3]]).topic == "load"
    assert Session().topic is None


def test_an_edit_of_a_turn_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError):
        session([POOL[0]]).edited(2, POOL[1])


def test_a_question_put_off_is_off_until_it_is_answered() -> None:
    told = session([POOL[0]]).skip("workload.concurrency")

    assert told.skipped == ("workload.concurrency",)
    assert told.answered(POOL[3]).skipped == ()


@given(turns, st.integers(1, 7))
def test_back_then_redo_is_where_one_was(said: list[Turn], count: int) -> None:
    told = session(said)

    assert told.back(count).redo(count) == told


@given(turns, st.sampled_from(POOL))
def test_back_then_the_same_answer_is_the_same_session(said: list[Turn], last: Turn) -> None:
    told = session([*said, last])

    assert told.back().answered(last) == told


@given(turns, st.sampled_from(POOL), st.data())
def test_an_edit_is_the_replay_with_that_answer_changed(
    said: list[Turn], new: Turn, data: st.DataObject
) -> None:
    if not said:
        return
    number = data.draw(st.integers(1, len(said)))
    changed = [*said[: number - 1], new, *said[number:]]

    assert session(said).edited(number, new) == session(changed)


@given(turns)
def test_export_then_import_is_identity(said: list[Turn]) -> None:
    told = session(said).answers

    assert read_answers_text(dump_answers(told), name="export") == told


@given(st.permutations([POOL[0], POOL[2], POOL[5], POOL[6]]))
def test_the_order_of_answers_to_different_questions_does_not_matter(said: list[Turn]) -> None:
    assert session(said).answers == session([POOL[0], POOL[2], POOL[5], POOL[6]]).answers
    assert list(session(said).answers.values) == list(session(sorted(said, key=str)).answers.values)
