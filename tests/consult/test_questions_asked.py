"""The next questions are those that could change this choice most."""

from __future__ import annotations

import pytest
from consult_support import Document, serving, told, training


def asked(document: Document) -> list[str]:
    return [question.key for question in told(document).next_questions]


def test_the_model_comes_first_where_none_is_named() -> None:
    assert asked({"workload": {"kind": "serving", "concurrency": 4}})[0] == "workload.model"


def test_a_name_of_several_cards_is_asked_though_it_was_given() -> None:
    document = serving("llama-3.1-8b", "h100", concurrency=4)

    assert asked(document)[0] == "hardware.gpu"
    assert "warn-gpu-name-ambiguous" in {w.id for w in told(document).warnings}


def test_the_name_of_one_card_is_not_asked_again() -> None:
    document = serving("llama-3.1-8b", "h100-sxm", concurrency=4)

    assert "hardware.gpu" not in asked(document)
    assert "warn-gpu-name-ambiguous" not in {w.id for w in told(document).warnings}


def test_a_card_outside_the_catalogue_is_asked_for_its_generation() -> None:
    document = serving("llama-3.1-8b", "ours", concurrency=4, hardware__gpu_memory_gib="80GiB")

    assert "hardware.gpu_compute_capability" in asked(document)


def test_a_stated_layout_asks_for_its_card() -> None:
    document = serving("llama-3.1-8b", concurrency=4, layout__tensor_parallel=2)

    assert asked(document)[0] == "hardware.gpu"


def test_long_windows_of_several_users_ask_for_the_usual_length() -> None:
    long = serving("llama-3.3-70b", concurrency=5, context_tokens=131072)
    short = serving("llama-3.3-70b", concurrency=5, context_tokens=4096)

    assert asked(long)[0] == "workload.typical_context_tokens"
    assert asked(short)[0] != "workload.typical_context_tokens"


def test_a_layout_over_nodes_asks_for_the_network() -> None:
    document = serving(
        "llama-3.1-405b", "h100-sxm", weight_format="bf16", concurrency=1, context_tokens=8192,
        hardware__acquisition="owned", hardware__gpus_per_node=8, hardware__nodes=2,
    )  # fmt: skip

    assert "hardware.fabric" in asked(document)


def test_a_stated_network_is_not_asked() -> None:
    document = serving(
        "llama-3.1-405b", "h100-sxm", weight_format="bf16", concurrency=1, context_tokens=8192,
        hardware__acquisition="owned", hardware__gpus_per_node=8, hardware__nodes=2,
        hardware__fabric="infiniband",
    )  # fmt: skip

    assert "hardware.fabric" not in asked(document)
    assert told(document).decisions["parallelism"].choice.model_dump()["fabric"] == "infiniband"


def test_a_price_that_decides_asks_how_busy_the_gpus_are() -> None:
    document = serving(
        "llama-3.1-8b", concurrency=32, context_tokens=8192, objectives__priority="cost"
    )

    assert "objectives.utilisation_percent" in asked(document)


def test_what_is_said_to_be_unknown_is_not_asked_again() -> None:
    document = serving("llama-3.3-70b", concurrency=5, context_tokens=131072)
    document["workload"]["typical_context_tokens"] = "unknown"

    assert asked(document)[0] != "workload.typical_context_tokens"


def test_questions_of_training_are_about_training() -> None:
    found = asked(training("llama-3.1-8b", "h100-sxm"))

    assert found == ["training.method", "training.sequence_tokens", "training.dataset_tokens"]


def test_offloading_asks_for_the_memory_of_the_host() -> None:
    document = training("llama-3.1-8b", "h100-sxm", method="full", offload="cpu")

    assert "hardware.host_ram_gib" in asked(document)


@pytest.mark.parametrize("priority", ["balanced", "latency", "throughput", "cost"])
def test_the_choice_itself_is_not_asked_while_facts_are_missing(priority: str) -> None:
    document = serving("gpt-oss-120b", concurrency=40, objectives__priority=priority)

    assert not {"hardware.gpu", "workload.weight_format"} & set(asked(document))


def test_an_hourly_budget_is_not_asked_where_nothing_is_rented() -> None:
    bought = serving(
        "llama-3.3-70b", concurrency=5, context_tokens=8192, hardware__acquisition="buy",
        workload__prompt_tokens=2000, workload__output_tokens=200, objectives__priority="balanced",
        workload__typical_context_tokens=4096,
    )  # fmt: skip

    assert "objectives.budget_usd_per_hour" not in asked(bought)


def test_a_wish_for_speed_asks_how_fast_and_how_long_prompts_are() -> None:
    document = serving(
        "llama-3.3-70b", concurrency=5, context_tokens=8192, objectives__priority="latency"
    )

    assert asked(document)[:2] == [
        "workload.prompt_tokens", "objectives.tokens_per_second_per_user",
    ]  # fmt: skip
