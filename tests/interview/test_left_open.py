"""A choice that nobody makes: nothing that was typed gets lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from interview_support import adviser, kept, plain_text, store_in

from advisor.interview.interview import Interview
from advisor.interview.keeping import resumed
from advisor.interview.store import Store

SENTENCE = "serve llama 3.1 8b for 50 users and 3000 tokens"
UNCERTAIN = "about 3000 tokens"


def held(store: Store, *lines: str) -> tuple[Interview, str]:
    interview = kept(store)
    return interview, " ".join(plain_text(interview, lines).split())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path)


@pytest.mark.parametrize("end", [(), ("/quit",)])
def test_what_is_certain_is_kept_when_the_lines_end_at_a_choice(
    store: Store, end: tuple[str, ...]
) -> None:
    interview, out = held(store, SENTENCE, *end)

    assert interview.session.answers.values["workload.model"] == "llama-3.1-8b"
    assert interview.session.answers.values["workload.concurrency"] == 50
    assert "Not read: “3000 tokens”." in out
    assert "Saved as" in out


def test_a_text_of_which_nothing_is_certain_is_kept_as_it_was_said(store: Store) -> None:
    interview, out = held(store, UNCERTAIN)

    assert "Not chosen: what “about 3000 tokens” means." in out
    assert "Nothing was answered" not in out
    again = resumed(adviser(), store, store.load(interview.case), command="gpu-advisor")
    assert [turn.text for turn in again.session.turns] == [UNCERTAIN]
    assert not again.session.answers.values


def test_who_goes_on_without_choosing_keeps_what_is_certain(store: Store) -> None:
    interview, out = held(store, SENTENCE, "8k context", "/quit")

    values = interview.session.answers.values
    assert values["workload.model"] == "llama-3.1-8b"
    assert values["workload.context_tokens"] == 8192
    assert f"Kept of “{SENTENCE}”:" in out
    assert "Not read: “3000 tokens”." in out


def test_who_goes_on_is_told_what_was_not_kept(store: Store) -> None:
    _, out = held(store, UNCERTAIN, "serving")

    assert f"Not kept, for nothing was chosen of it: “{UNCERTAIN}”." in out


def test_what_is_no_answer_leaves_the_choice_open(store: Store) -> None:
    interview = kept(store)
    interview.say(SENTENCE)
    pending = interview.pending

    assert not interview.say("zebra").accepted
    assert interview.pending is pending
    assert not interview.session.turns
