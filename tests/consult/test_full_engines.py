"""A batch of which nobody said how wide it is fills the engines, on all that is owned."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, nested, told

from advisor.consult.full_engines import full_engine
from advisor.sizing.result import SizeResult


def _batch(**answers: Any) -> dict[str, Any]:
    usual = {
        "workload.kind": "batch_inference", "workload.model": "llama-3.1-8b",
        "hardware.acquisition": "owned", "hardware.gpu": "l40s", "hardware.gpus_per_node": 8,
    }  # fmt: skip
    given = {key.replace("__", "."): value for key, value in answers.items()}
    return nested({**usual, **given})


def test_a_batch_takes_every_owned_gpu_and_is_estimated_full() -> None:
    full, one = told(_batch()), told(_batch(workload__concurrency=1))

    assert choice(full)["replicas"] == 8
    assert choice(one)["replicas"] == 1
    each = choice(full)["total_output_tokens_per_second"]["low"] / 8
    assert each > 5 * choice(one)["total_output_tokens_per_second"]["low"]


@pytest.mark.parametrize("priority", ["cost", "simplicity", "latency"])
def test_a_batch_with_another_aim_takes_what_it_needs(priority: str) -> None:
    assert choice(told(_batch(objectives__priority=priority)))["replicas"] == 1


def test_a_served_load_stays_one_request_at_a_time() -> None:
    found = told(_batch(workload__kind="serving"))

    assert choice(found)["replicas"] == 1
    assert {a.value for a in found.assumptions if a.key == "workload.concurrency"} == {1}


def test_a_rented_batch_is_priced_full() -> None:
    rented = _batch(hardware__acquisition="rent")
    per_token = choice(told(rented))["usd_per_million_output_tokens"]["low"]

    rented["workload"]["concurrency"] = 1
    assert per_token < choice(told(rented))["usd_per_million_output_tokens"]["low"] / 5


@pytest.mark.parametrize("priority", ["throughput", None])
def test_copies_of_one_gpu_go_before_a_split(priority: str | None) -> None:
    asked = _batch() if priority is None else _batch(objectives__priority=priority)
    pattern = choice(told(asked), "parallelism")

    assert (pattern["option"], pattern["replicas"]) == ("replicas", 8)


def test_a_model_for_two_gpus_is_split_over_two_of_them_four_times() -> None:
    found = choice(told(_batch(workload__model="llama-3.3-70b", workload__weight_format="fp8")))

    assert (found["count_per_replica"], found["replicas"]) == (2, 4)


def test_an_engine_that_would_not_start_full_keeps_its_usual_numbers() -> None:
    usual = told(_batch()).sizing
    assert usual is not None
    starts = SizeResult.model_validate(usual)
    refuses = starts.model_copy(update={"fits": False})

    assert full_engine(lambda _: refuses, 99, 256, starts) is starts
    assert full_engine(lambda _: starts, 0, 256, refuses) is starts


@pytest.mark.parametrize("model", ["bge-m3", "qwen3-embedding-8b", "bge-reranker-v2-m3"])
def test_texts_as_fast_as_can_be_are_read_by_a_copy_on_each_gpu(model: str) -> None:
    kind = "reranking" if "reranker" in model else "embeddings"
    asked = _batch(workload__kind=kind, workload__model=model, objectives__priority="throughput")
    pattern = choice(told(asked), "parallelism")

    assert (pattern["option"], pattern["replicas"]) == ("replicas", 8)


def test_an_embedder_of_which_nothing_is_said_stays_on_one_gpu() -> None:
    found = choice(told(_batch(workload__kind="embeddings", workload__model="bge-m3")))

    assert (found["count_per_replica"], found["replicas"]) == (1, 1)
