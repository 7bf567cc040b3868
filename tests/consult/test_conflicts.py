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
            {"workload": _SERVING, "hardware": {"gpu": "h100-sxm", "nvlink": "no"}},
            "conflict-nvlink-and-gpu",
        ),
        (
            {
                "workload": _SERVING,
                "hardware": {
                    "acquisition": "owned", "gpu": "a100-80-sxm", "gpus_per_node": 8,
                    "nvlink": "no",
                },
            },
            "conflict-nvlink-and-gpu",
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
        {"workload": _SERVING, "hardware": {"gpu": "l40s", "nvlink": "no"}},
        {"workload": _SERVING, "hardware": {"gpu": "h100-nvl", "nvlink": "no"}},
        {"workload": _SERVING, "hardware": {"gpu": "h100-sxm", "nvlink": "yes"}},
        {"workload": {**_SERVING, "weight_format": "bf16", "quantization": "not_allowed"}},
        {"workload": {**_SERVING, "kind": "fine_tuning"}, "training": {"method": "qlora"}},
        {"workload": {"kind": "serving"}, "workloads": [{"model": "qwen3-14b"}]},
    ],
)
def test_answers_that_agree_are_no_contradiction(answers: dict[str, Any]) -> None:
    assert _told(answers) == set()


def test_without_nvlink_no_card_is_proposed_whose_board_has_it() -> None:
    load = {**_SERVING, "model": "llama-3.3-70b", "concurrency": 20, "context_tokens": 16384}
    answers = {"workload": load, "hardware": {"nvlink": "no"}}
    told = advise(read_answers(answers))
    choice = told.decisions["gpu"].choice
    assert choice is not None
    chosen = [choice, *told.decisions["gpu"].alternatives]
    names = " ".join(str(one.model_dump()) for one in chosen)
    assert "sxm" not in names
    assert "b200" not in names
    assert "conflict-nvlink-and-gpu" not in {w.id for w in told.warnings}


_CHAT = {"kind": "serving", "model": "qwen3-8b", "context_tokens": 8192, "concurrency": 8}
_EMBED = {"kind": "embeddings", "model": "bge-m3", "concurrency": 4}


def _notice(loads: list[dict[str, Any]], **workload: Any) -> str:
    answers = {"workloads": loads, "workload": workload, "hardware": {"gpu": "l40s"}}
    told = advise(read_answers(answers)).warnings
    return " ".join(w.text for w in told if w.id == "answers-not-used")


def test_what_each_of_several_loads_says_itself_is_told_as_not_taken_into_account() -> None:
    told = _notice([_CHAT, _EMBED], concurrency=500, model="qwen3-32b")
    assert "each load in `workloads` says its own: workload.model, workload.concurrency." in told
    copies = _notice([{**_CHAT, "instances": 2}], concurrency=500)
    assert "says its own: workload.concurrency." in copies


def test_what_one_load_leaves_to_workload_or_all_agree_with_is_no_matter() -> None:
    silent = {name: value for name, value in _EMBED.items() if name != "concurrency"}
    assert _notice([_CHAT, silent], concurrency=500) == ""
    assert _notice([_CHAT, {**_EMBED, "concurrency": 8}], concurrency=8) == ""


@pytest.mark.parametrize("kept", [{"concurrency": 8}, {}])
def test_loads_that_are_joined_count_as_the_conflict_says(kept: dict[str, int]) -> None:
    first = {"model": "qwen3-8b", "context_tokens": 8192}
    loads = [{"name": "a", **first, **kept}, {"name": "b", **first, "concurrency": 8}]
    usual = {} if not kept else {"concurrency": 500}
    hardware = {"gpu": "l40s"}

    def gpus(**groups: Any) -> Any:
        choice = advise(read_answers({"hardware": hardware, **groups})).decisions["gpu"].choice
        assert choice is not None
        return choice.model_dump()["total_gpus"]

    joined = gpus(workloads=loads, workload=usual or {"concurrency": 492})
    alone = gpus(workload={**first, "concurrency": 16 if kept else 500})
    assert joined == alone


def test_the_duty_of_a_single_load_in_the_list_counts() -> None:
    given = {"workloads": [{**_CHAT, "name": "a", "duty": "intermittent"}]}
    depends = advise(read_answers(given)).decisions["sharing"].depends_on
    assert "tenancy.duty" not in {one.question for one in depends}
