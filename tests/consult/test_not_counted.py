"""What is wanted and cannot be counted is said first, not at the end of a list."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, serving, told

WANTED: list[tuple[str, Document]] = [
    ("warn-rate-not-counted", {"objectives__requests_per_second": 100}),
    ("warn-rate-without-answers", {"objectives__requests_per_second": 5, "prompt_tokens": 1000}),
    ("warn-first-token-not-counted", {"objectives__ttft_ms": 500}),
]


def asked(**answers: Any) -> Document:
    return serving("llama-3.3-70b", "h100-sxm", **answers)


@pytest.mark.parametrize(("warning", "answers"), WANTED)
def test_a_wish_that_was_not_counted_is_critical_and_opens_the_reasons(
    warning: str, answers: Document
) -> None:
    found = told(asked(**answers))
    told_of = next(w for w in found.warnings if w.id == warning)

    assert told_of.severity == "critical"
    assert found.warnings[0].severity == "critical"
    assert told_of.text in found.decisions["gpu"].because[: len(told_of.text) + 300]


@pytest.mark.parametrize(("warning", "answers"), WANTED)
def test_with_the_lengths_it_is_counted_and_nothing_is_said(
    warning: str, answers: Document
) -> None:
    lengths = {"prompt_tokens": 1000, "output_tokens": 300}
    found = told(asked(**(answers | lengths)))

    assert warning not in {w.id for w in found.warnings}


def test_a_rate_without_lengths_has_them_asked_first() -> None:
    found = told(asked(objectives__requests_per_second=100))
    asked_for = [question.key for question in found.next_questions]

    assert asked_for[:2] == ["workload.prompt_tokens", "workload.output_tokens"]


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("bandwidth-and-gpu", {"hardware__gpu_memory_bandwidth_gbs": 900}),
        ("capability-and-gpu", {"hardware__gpu_compute_capability": "8.0"}),
        ("architecture-and-gpu", {"hardware__architectures": ["ada"]}),
    ],
)
def test_a_figure_that_the_catalogue_overrules_is_told(name: str, figures: Document) -> None:
    assert f"conflict-{name}" in {w.id for w in told(asked(**figures)).warnings}


@pytest.mark.parametrize(
    "figures",
    [
        {"hardware__gpu_memory_bandwidth_gbs": 3350},
        {"hardware__gpu_compute_capability": "9.0"},
        {"hardware__architectures": ["hopper"]},
    ],
)
def test_the_catalogue_s_own_figure_is_no_conflict(figures: Document) -> None:
    found = told(asked(**figures)).warnings

    assert not [w for w in found if w.id.startswith("conflict-")]
