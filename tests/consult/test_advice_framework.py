"""What must come out of the arithmetic and the rules in situations that people get wrong.

Every line is reached by sizing and ranking; nothing in the program knows these situations.
"""

from __future__ import annotations

import pytest
from consult_support import Document, choice, fleet, serving, sizes, told, training, warned


def test_a_16_bit_70b_for_32_users_takes_four_h100_in_one_split() -> None:
    asked = serving(
        "llama-3.3-70b", "h100-sxm", weight_format="bf16", context_tokens=8192, concurrency=32
    )

    assert fleet(asked) == (4, "h100-sxm", "bf16")
    assert sizes(asked) == {"tp": 4}


def test_a_16_bit_405b_on_h100_takes_two_nodes_with_stages_between_them() -> None:
    asked = serving(
        "llama-3.1-405b", "h100-sxm", weight_format="bf16", context_tokens=8192, concurrency=4
    )

    assert fleet(asked) == (16, "h100-sxm", "bf16")
    assert sizes(asked) == {"tp": 8, "pp": 2}
    assert choice(told(asked))["nodes"] == 2
    assert "warn-crosses-nodes" in warned(asked)


def test_an_eight_bit_405b_fits_one_h100_node() -> None:
    asked = serving(
        "llama-3.1-405b", "h100-sxm", weight_format="fp8", context_tokens=8192, concurrency=4
    )

    assert fleet(asked)[0] == 8


@pytest.mark.parametrize("concurrency", [1, 16, 64])
def test_deepseek_r1_never_stands_on_eight_h100_in_8_bit(concurrency: int) -> None:
    asked = serving("deepseek-r1", "h100-sxm", context_tokens=8192, concurrency=concurrency)
    consultation = told(asked)
    decision = consultation.decisions["gpu"]
    shown = [decision.choice, *(a.choice for a in decision.alternatives)]

    for found in shown:
        assert found is not None
        values = found.model_dump()
        if values["weight_format"].startswith("fp8"):
            assert values["count_per_replica"] >= 16
    assert choice(consultation)["weight_format"] == "fp8_block"


def test_deepseek_r1_for_few_users_is_one_split_over_eight_h200() -> None:
    asked = serving("deepseek-r1", "h200-sxm", context_tokens=8192, concurrency=64)

    assert fleet(asked) == (8, "h200-sxm", "fp8_block")
    assert sizes(asked) == {"tp": 8}


def test_deepseek_r1_for_many_users_keeps_each_ranks_own_cache() -> None:
    asked = serving("deepseek-r1", "h200-sxm", context_tokens=8192, concurrency=400)

    assert choice(told(asked), "parallelism")["option"] == "expert_dp_attention"
    assert sizes(asked) == {"dp": 8, "ep": 8}
    assert fleet(asked)[0] == 8


@pytest.mark.parametrize("concurrency", [4, 30, 100, 300])
def test_qwen3_235b_in_8_bit_is_never_cut_eight_ways_without_expert_parallelism(
    concurrency: int,
) -> None:
    asked = serving(
        "qwen3-235b-a22b",
        "h100-sxm",
        weight_format="fp8",
        context_tokens=8192,
        concurrency=concurrency,
    )
    found = choice(told(asked), "parallelism")

    assert found["tensor_parallel"] < 8 or found["expert_parallel"] > 1


def test_qwen3_235b_in_8_bit_for_thirty_users_is_a_split_over_four_h100() -> None:
    asked = serving(
        "qwen3-235b-a22b", "h100-sxm", weight_format="fp8", context_tokens=8192, concurrency=30
    )

    assert sizes(asked) == {"tp": 4}


def test_a_120b_mixture_in_4_bit_does_not_need_four_gpus() -> None:
    few = serving("gpt-oss-120b", "h100-sxm", context_tokens=8192, concurrency=4)

    assert fleet(few) == (1, "h100-sxm", "mxfp4")
    assert choice(told(few))["max_num_seqs"] <= 256


def test_a_120b_mixture_has_room_on_one_h200() -> None:
    asked = serving("gpt-oss-120b", "h200-sxm", context_tokens=8192, concurrency=64)

    assert fleet(asked) == (1, "h200-sxm", "mxfp4")


def test_a_trillion_parameters_in_8_bit_take_eight_b200() -> None:
    asked = serving("kimi-k2", "b200", context_tokens=32768, concurrency=16)

    assert fleet(asked) == (8, "b200", "fp8_block")


def test_a_trillion_parameters_on_h200_are_4_bit_in_a_node_or_8_bit_in_two() -> None:
    asked = serving("kimi-k2", "h200-sxm", context_tokens=32768, concurrency=16)
    decision = told(asked).decisions["gpu"]
    assert decision.choice is not None
    shown = [a.choice.model_dump() for a in decision.alternatives]
    counts = {
        values["weight_format"]: values["total_gpus"]
        for values in [decision.choice.model_dump(), *shown]
    }

    assert counts["fp8_block"] == 16
    assert counts["awq_int4"] == 8


def test_an_8b_for_few_users_fits_one_l4() -> None:
    asked = serving("llama-3.1-8b", "l4", context_tokens=8192, concurrency=2)

    assert fleet(asked)[:2] == (1, "l4")


def test_an_8b_for_few_users_is_a_24_gb_card_when_cost_decides() -> None:
    asked = serving("llama-3.1-8b", context_tokens=8192, concurrency=2, objectives__priority="cost")

    assert fleet(asked)[1] in {"l4", "a10g"}


@pytest.mark.parametrize(
    ("kind", "model"),
    [("embeddings", "bge-m3"), ("embeddings", "qwen3-embedding-8b"),
     ("reranking", "bge-reranker-v2-m3"), ("development", "llama-3.1-8b"),
     ("serving", "bge-m3")],
)  # fmt: skip
def test_a_small_load_never_gets_a_card_above_50_gib(kind: str, model: str) -> None:
    found = choice(told({"workload": {"kind": kind, "model": model}}))

    assert found["gpu_memory_gib"] < 50
    assert found["total_gpus"] == 1


def test_a_70b_in_8_bit_fits_one_h200_for_twenty_users() -> None:
    asked = serving(
        "llama-3.3-70b", "h200-sxm", weight_format="fp8", context_tokens=8192, concurrency=20
    )

    assert fleet(asked)[0] == 1


def test_a_small_model_scales_by_replicas_and_not_by_a_wider_split() -> None:
    asked = serving("llama-3.1-8b", "h100-sxm", context_tokens=8192, concurrency=300)

    assert "tp" not in sizes(asked)
    assert sizes(asked)["replicas"] > 1


def test_cards_without_nvlink_are_not_cut_eight_ways_for_many_users() -> None:
    asked = serving("llama-3.3-70b", context_tokens=8192, concurrency=32)
    found = choice(told(asked), "parallelism")

    assert found["fabric"] != "pcie" or found["tensor_parallel"] <= 2


@pytest.mark.parametrize(
    ("asked", "counts"),
    [(training("llama-3.1-8b", "rtx-4090", method="qlora", sequence_tokens=2048), {1}),
     (training("llama-3.1-8b", "l4", method="qlora", sequence_tokens=2048), {1}),
     (training("llama-3.1-8b", "h100-sxm", method="full", sequence_tokens=4096), {4}),
     (training("llama-3.1-70b", "h100-sxm", method="qlora", sequence_tokens=4096), {1, 2}),
     (training("llama-3.1-70b", "h100-sxm", method="full", sequence_tokens=4096), {24, 32})],
)  # fmt: skip
def test_training_takes_the_gpus_that_its_states_need(asked: Document, counts: set[int]) -> None:
    assert fleet(asked)[0] in counts


def test_full_training_of_a_70b_on_one_node_names_what_would_make_it_fit() -> None:
    asked = training(
        "llama-3.1-70b",
        "a100-80-sxm",
        method="full",
        hardware__acquisition="owned",
        hardware__gpus_per_node=8,
    )
    decision = told(asked).decisions["gpu"]

    assert choice(told(asked))["option"] == "change_owned"
    assert (choice(told(asked))["total_gpus"], choice(told(asked))["gpu"]) == (8, "a100-80-sxm")
    assert choice(told(asked))["optimizer"] == "paged_adamw_8bit"
    offered = [a.choice.model_dump() for a in decision.alternatives]
    assert any(o["training_method"] == "lora" and o["total_gpus"] == 8 for o in offered)
    assert any(o["optimizer"] == "adamw" and o["total_gpus"] in {24, 32} for o in offered)
