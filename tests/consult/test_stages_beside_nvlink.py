"""Which layout an owned machine gets, and what is said of stages that hold nothing."""

from __future__ import annotations

import pytest

from advisor import advise, load_knowledge, read_answers
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest

MIXTURE = {
    "workload.kind": "serving",
    "workload.model": "deepseek-v3.1",
    "workload.context_tokens": 32768,
    "workload.concurrency": 8,
    "hardware.acquisition": "owned",
    "hardware.gpus_per_node": 8,
}


@pytest.mark.parametrize("gpu", ["h100-sxm", "h20"])
def test_gpus_that_nvlink_joins_are_split_wide_before_they_queue_in_stages(gpu: str) -> None:
    choice = advise(read_answers({**MIXTURE, "hardware.gpu": gpu})).decisions["parallelism"].choice

    assert choice is not None
    assert (choice.tensor_parallel, choice.pipeline_parallel) == (8, 1)


def test_of_stages_that_hold_no_request_the_fullest_says_what_is_missing() -> None:
    request = SizeRequest(pipeline_parallel=8, weight_format="fp8", max_model_len=32768)
    result = size_by_name(load_knowledge(), "deepseek-v3.1", "h100-sxm", request)

    assert result.weights_gib_per_gpu is not None
    # 671e9 bytes over 61 layers: seven or eight layers a stage, so the fullest has over an eighth
    assert result.weights_gib_per_gpu > 671e9 / 2**30 / 8


def test_what_surely_starts_in_four_bits_beats_eight_bits_that_may_not_start() -> None:
    answers = read_answers(
        {
            "workload.kind": "serving",
            "workload.model": "llama-3.3-70b",
            "workload.context_tokens": 8192,
            "workload.concurrency": 2,
            "hardware.acquisition": "owned",
            "hardware.gpu": "rtx-4090",
            "hardware.gpus_per_node": 2,
        }
    )
    choice = advise(answers).decisions["gpu"].choice

    assert choice is not None
    assert (choice.total_gpus, choice.weight_format) == (4, "awq_int4")


def test_few_parts_are_not_paid_for_many_times_over() -> None:
    answers = {
        "workload.kind": "serving",
        "workload.model": "llama-3.3-70b",
        "workload.context_tokens": 32768,
        "workload.typical_context_tokens": 6000,
        "workload.concurrency": 50,
        "hardware.acquisition": "rent",
        "platform.cloud": "aws",
    }
    simple = advise(read_answers({**answers, "objectives.priority": "simplicity"}))
    gpu = simple.decisions["gpu"]

    assert gpu.choice is not None
    priced = [gpu.choice, *(other.choice for other in gpu.alternatives)]
    bills = [
        choice.usd_per_hour
        for choice in priced
        if getattr(choice, "usd_per_hour", None) and choice.weight_format == "bf16"
    ]
    assert gpu.choice.usd_per_hour <= 3 * min(bills)
