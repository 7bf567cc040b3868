"""What only several machines carry: why one of them does not do is told with its number."""

from __future__ import annotations

import pytest
from consult_support import Document, choice, serving, told

from advisor.consult.consultation import Rejection

EIGHT = {"hardware__acquisition": "rent", "hardware__gpus_per_node": 8}


def both(model: str, **answers: object) -> Document:
    return serving(
        model, **EIGHT, hardware__gpu=["h100-sxm", "h200-sxm"], weight_format="checkpoint",
        **answers,
    )  # fmt: skip


def line(document: Document, gpu: str) -> Rejection:
    [found] = [r for r in told(document).decisions["gpu"].rejected if r.gpu == gpu]
    return found


@pytest.mark.parametrize("model", ["deepseek-r1", "deepseek-v3"])
def test_eight_that_do_not_carry_the_load_are_rejected_beside_sixteen_that_do(model: str) -> None:
    document = both(model, context_tokens=8192, concurrency=1)
    others = told(document).decisions["gpu"].alternatives
    spanning = [other.choice.model_dump() for other in others if other.choice.nodes == 2]

    assert {other["gpu"] for other in spanning} == {"h100-sxm"}
    found = line(document, "h100-sxm")
    assert found.weight_format == spanning[0]["weight_format"]
    assert found.because.startswith("8 x H100")
    assert "GiB" in found.because
    assert not found.outranked
    assert {cited.section for cited in found.citations} == {"7.3", "7.2"}


def test_what_one_machine_carries_has_no_such_line() -> None:
    document = both("llama-3.3-70b-instruct", context_tokens=8192, concurrency=1)

    for rejected in told(document).decisions["gpu"].rejected:
        assert "of one machine" not in rejected.because


def test_a_choice_over_machines_says_why_one_does_not_do() -> None:
    document = serving(
        "deepseek-r1", "h100-sxm", **EIGHT, weight_format="checkpoint", context_tokens=8192,
        concurrency=1,
    )  # fmt: skip
    made = told(document).decisions["gpu"]

    assert choice(told(document))["nodes"] == 2
    assert "One machine does not do: 8 x H100 SXM5 80 GB of one machine: " in made.because
    assert "h100-sxm" not in {rejected.gpu for rejected in made.rejected}


def test_weights_that_are_far_too_large_are_told_with_their_number() -> None:
    document = serving(
        "deepseek-r1", "a100-80gb-sxm", hardware__acquisition="rent", hardware__gpus_per_node=8,
        weight_format="bf16", context_tokens=8192, concurrency=1,
    )  # fmt: skip
    made = told(document).decisions["gpu"]

    assert choice(told(document))["nodes"] > 1
    assert "One machine does not do: 8 x A100" in made.because
