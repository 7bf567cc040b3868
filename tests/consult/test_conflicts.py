"""Answers that contradict one another are told, with which of them counts."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise

_SERVING = {"kind": "serving", "model": "qwen3-8b"}


def _told(answers: dict[str, Any]) -> set[str]:
    warnings = advise(read_answers(answers)).warnings
    return {w.id for w in warnings if w.kind == "conflict"}


@pytest.mark.parametrize(
    ("answers", "conflict"),
    [
        (
            {"workload": _SERVING, "hardware": {"gpu": "l4", "inventory": [{"gpu": "a10"}]}},
            "conflict-inventory-and-gpu",
        ),
        (
            {"workload": _SERVING, "hardware": {"gpu": "h100-sxm", "vendors": ["amd"]}},
            "conflict-vendor-and-gpu",
        ),
        (
            {
                "workload": _SERVING,
                "hardware": {
                    "acquisition": "owned", "gpu": "l4", "gpus_per_node": 4, "island_gpus": 8,
                },
            },
            "conflict-island-and-node",
        ),
        (
            {"workload": _SERVING, "workloads": [{"name": "a", "model": "qwen3-14b"}]},
            "conflict-workload-and-workloads",
        ),
        (
            {"workload": {**_SERVING, "weight_format": "awq_int4", "quantization": "not_allowed"}},
            "conflict-format-and-quantization",
        ),
        (
            {"workload": _SERVING, "training": {"method": "qlora"}},
            "conflict-training-and-kind",
        ),
    ],
)  # fmt: skip
def test_a_contradiction_is_told(answers: dict[str, Any], conflict: str) -> None:
    assert _told(answers) == {conflict}


@pytest.mark.parametrize(
    "answers",
    [
        {"workload": _SERVING, "hardware": {"gpu": "mi300x", "vendors": ["amd"]}},
        {"workload": {**_SERVING, "weight_format": "bf16", "quantization": "not_allowed"}},
        {"workload": {**_SERVING, "kind": "fine_tuning"}, "training": {"method": "qlora"}},
        {"workload": {"kind": "serving"}, "workloads": [{"model": "qwen3-14b"}]},
    ],
)
def test_answers_that_agree_are_no_contradiction(answers: dict[str, Any]) -> None:
    assert _told(answers) == set()
