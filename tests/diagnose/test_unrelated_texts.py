"""What is about something else is not diagnosed; what is unknown is said to be."""

from __future__ import annotations

import pytest
from diagnose_support import cases, told, unrelated
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.store.loader import load_knowledge

WORDS = ("error", "failed", "GPU", "CUDA", "pod", "node", "memory", "driver", "container", "NVIDIA")
HALVES = ("no space left", "reason: oomkilled", "exit code: 137")
"""Half of a symptom: the image that could not be pulled, the container that is not named."""
NOISE = [
    line
    for text in unrelated()
    for line in text.splitlines()
    if not any(half in line.lower() for half in HALVES)
]
ONE_LINE = [case for case in cases("questions") if "\n" not in case["text"]]


@pytest.mark.parametrize("text", unrelated(), ids=lambda text: text[:50])
def test_what_is_about_something_else_is_not_diagnosed(text: str) -> None:
    report = told(text)

    assert report.matches == ()
    assert report.unknown


def test_there_are_enough_unrelated_texts() -> None:
    assert len(unrelated()) >= 50


def test_all_unrelated_texts_in_one_log_are_not_diagnosed() -> None:
    assert told("\n".join(NOISE)).unknown


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_usual_words_alone_never_match(words: list[str]) -> None:
    assert told(" ".join(words)).unknown


@given(st.text(max_size=300))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_any_text_at_all_is_answered(text: str) -> None:
    report = told(text)

    assert report.unknown == (not report.matches)


@given(
    case=st.sampled_from(ONE_LINE),
    before=st.lists(st.sampled_from(NOISE), max_size=30),
    after=st.lists(st.sampled_from(NOISE), max_size=30),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_noise_around_never_loses_a_match(
    case: dict[str, str], before: list[str], after: list[str]
) -> None:
    alone = told(case["text"])
    report = told("\n".join([*before, case["text"], *after]))

    assert {match.id for match in alone.matches} <= {match.id for match in report.matches}
    assert report.matches[0].id == case["symptom"]
    assert report.matches[0].evidence.line == len(before) + 1


def test_the_nearest_entries_are_named_where_something_is_near() -> None:
    report = told("the fabric manager service on the NVSwitch board has an odd version")

    assert report.unknown
    assert report.nearest
    assert set(report.nearest) <= {*load_knowledge().symptoms, *load_knowledge().gotchas}


def test_nothing_is_near_to_a_text_about_something_else() -> None:
    assert told("the moon is red tonight").nearest == ()


@pytest.mark.parametrize("text", ["", "\n\n", "   ", "\x00\x00"])
def test_an_empty_text_is_unknown(text: str) -> None:
    assert told(text).unknown
