"""Large jobs: when tensor, pipeline and data ranks go before full sharding, and which are legal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from consult_support import Document, choice, told, training, warned

from advisor.consult.situation import Card
from advisor.consult.training_layouts import split_plans
from advisor.sizing.training import training_memory
from advisor.sizing.training_plan import TrainingPlan
from advisor.sizing.training_result import USABLE
from advisor.store.loader import load_knowledge
from advisor.store.model import Model

GPUS, MODELS = load_knowledge().gpus, load_knowledge().models


def machines(nodes: int, **answers: Any) -> dict[str, Any]:
    return {
        "hardware__acquisition": "owned",
        "hardware__gpus_per_node": 8,
        "hardware__nodes": nodes,
        "workload__kind": "pretraining",
        **answers,
    }


def pattern(asked: Document) -> dict[str, Any]:
    return choice(told(asked), "parallelism")


def splits(model: str, gpu: str, per_node: int, count: int) -> list[TrainingPlan]:
    card = Card(GPUS[gpu], gpu, 80.0, (per_node,))
    plan = TrainingPlan(method="full", sequence_tokens=4096, gpus_per_node=per_node)
    return list(split_plans(MODELS[model], plan, card, count))


@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.3-70b", "llama-3.1-405b", "qwen2.5-7b"])
@pytest.mark.parametrize("count", [1, 8, 24, 64, 256])
def test_every_split_is_legal(model: str, count: int) -> None:
    shapes, found = MODELS[model], splits(model, "h100-sxm", 8, count)
    first = shapes.attention[0]

    assert found
    for plan in found:
        tensor, stages = plan.tensor_parallel, plan.pipeline_parallel
        assert plan.gpus == count
        assert 8 % tensor == 0
        assert first.heads % tensor == 0
        assert getattr(first, "kv_heads", tensor) % tensor == 0
        assert 0 in {(shapes.layers + edge) % stages for edge in (0, 1, 2)}
        assert plan.sequence_parallel == (tensor > 1)


def test_tensor_ranks_stay_inside_what_is_joined() -> None:
    assert max(p.tensor_parallel for p in splits("llama-3.3-70b", "h100-sxm", 8, 64)) == 8
    assert max(p.tensor_parallel for p in splits("llama-3.3-70b", "h100-nvl", 8, 64)) == 2
    assert max(p.tensor_parallel for p in splits("llama-3.3-70b", "l40s", 8, 64)) == 1


def test_the_narrowest_split_comes_first() -> None:
    ranks = [
        p.tensor_parallel * p.pipeline_parallel for p in splits("llama-3.3-70b", "h100-sxm", 8, 64)
    ]

    assert ranks == sorted(ranks)


def test_full_sharding_is_kept_while_it_is_enough() -> None:
    asked = training("llama-3.1-70b", "h100-sxm", method="full", hardware__acquisition="rent")

    assert pattern(asked)["option"] == "fsdp"


@pytest.mark.parametrize("framework", ["megatron", "nemo"])
def test_a_framework_of_model_parallel_ranks_gets_them(framework: str) -> None:
    asked = training("llama-2-13b", "h100-sxm", framework=framework, **machines(4))
    found = pattern(asked)

    assert found["option"] == "tensor_pipeline_data"
    assert found["tensor_parallel"] * found["pipeline_parallel"] * found["data_parallel"] == 32
    assert framework in told(asked).decisions["parallelism"].because
    assert "answers-not-used" not in warned(asked)


def test_a_model_that_its_data_ranks_hold_is_not_split_for_the_framework() -> None:
    asked = training("llama-3.2-1b", "h100-sxm", framework="megatron", **machines(1))
    found = pattern(asked)

    assert (found["option"], found["tensor_parallel"]) in {("ddp", 1), ("single", 1)}


@pytest.mark.parametrize("framework", ["hf_trainer", "torchtune", "deepspeed", "torch_fsdp"])
def test_a_framework_that_only_shards_is_never_told_to_split(framework: str) -> None:
    asked = training("llama-3.1-405b", "h200-sxm", framework=framework, **machines(32))

    assert pattern(asked)["option"] == "fsdp"


def test_sharding_that_was_stated_is_kept() -> None:
    asked = training("llama-3.1-405b", "h200-sxm", sharding="fsdp", **machines(32))

    assert pattern(asked)["option"] == "fsdp"


def test_a_job_too_large_for_full_sharding_names_the_number_that_decides() -> None:
    asked = training("llama-3.1-405b", "h200-sxm", **machines(32))
    because = told(asked).decisions["parallelism"].because

    assert pattern(asked)["option"] == "tensor_pipeline_data"
    assert "Gbit/s per machine to hide" in because
    assert "warn-training-crosses-nodes" in warned(asked)


def test_activations_that_no_sharding_divides_are_split_over_tensor_ranks() -> None:
    asked = training(
        "llama-3.1-70b", "h100-sxm", method="full", sequence_tokens=131072,
        hardware__acquisition="rent",
    )  # fmt: skip

    assert pattern(asked)["tensor_parallel"] > 1
    assert "on no number of these" in told(asked).decisions["parallelism"].because


def test_a_slow_network_calls_for_stages_and_a_fast_one_does_not() -> None:
    slow = training("llama-3.1-70b", "h100-sxm", **machines(8, hardware__fabric_gbps=25))
    fast = training("llama-3.1-70b", "h100-sxm", **machines(8, hardware__fabric_gbps=3200))

    assert pattern(slow)["option"] == "tensor_pipeline_data"
    assert pattern(slow)["pipeline_parallel"] > 1
    assert pattern(fast)["option"] == "fsdp"
    assert "would hide them, 25 are there" in told(slow).decisions["parallelism"].because


def test_a_layout_that_is_wanted_is_the_layout() -> None:
    asked = training(
        "llama-3.1-70b", "h100-sxm",
        **machines(
            8, layout__tensor_parallel=8, layout__pipeline_parallel=4, layout__state="wanted"
        ),
    )  # fmt: skip
    found = pattern(asked)

    sizes = (found["tensor_parallel"], found["pipeline_parallel"], found["data_parallel"])
    assert sizes == (8, 4, 2)
    assert "warn-pipeline-bubble" in warned(asked)


def test_a_wanted_layout_that_does_not_fit_is_not_replaced_by_another() -> None:
    wanted = {"tensor_parallel": 2, "pipeline_parallel": 1, "state": "wanted"}
    asked = {**training("llama-3.3-70b", "h100-sxm", **machines(2)), "layout": wanted}
    made = told(asked).decisions["gpu"]
    lines = [line.because for line in made.rejected if line.option == "use_owned"]

    assert made.choice is not None
    assert made.choice.option == "change_owned"
    assert any("sizes that are wanted" in line for line in lines)


def test_a_wanted_number_of_data_ranks_is_the_number_of_gpus() -> None:
    asked = training(
        "llama-3.1-8b", "h100-sxm", method="full", hardware__acquisition="rent",
        layout__data_parallel=16, layout__state="wanted",
    )  # fmt: skip

    assert choice(told(asked))["total_gpus"] == 16


def test_a_network_slower_than_the_arithmetic_is_warned_about_and_stretches_the_hours() -> None:
    slow, fast = (
        training(
            "llama-3.1-8b", "h100-sxm", dataset_tokens="100B", framework="torch_fsdp",
            **machines(4, hardware__fabric_gbps=rate),
        )
        for rate in (150, 3200)
    )  # fmt: skip

    assert "warn-training-network-bound" in warned(slow)
    assert "warn-training-network-bound" not in warned(fast)
    assert choice(told(slow))["hours"]["high"] > 2 * choice(told(fast))["hours"]["high"]
    assert pattern(slow)["fabric_gbps_needed"] == pattern(fast)["fabric_gbps_needed"]


def test_one_machine_needs_no_network() -> None:
    asked = training("llama-3.1-8b", "h100-sxm", **machines(1, hardware__fabric_gbps=10))

    assert "fabric_gbps_needed" not in pattern(asked)
    assert not {"warn-training-network-bound", "warn-training-crosses-nodes"} & warned(asked)


def test_a_mixture_says_that_its_experts_may_be_shared_out_further() -> None:
    asked = training("deepseek-v3", "h200-sxm", **machines(42))

    assert pattern(asked)["option"] == "tensor_pipeline_data"
    assert "warn-training-mixture-split" in warned(asked)


def test_workers_over_machines_are_placed_by_topology_on_kubernetes() -> None:
    where = {"platform__orchestrator": "kubernetes"}
    asked = training("llama-3.1-8b", "h100-sxm", **machines(4, **where))
    stated = training(
        "llama-3.1-8b", "h100-sxm", **machines(4, platform__topology_scheduling="required", **where)
    )
    alone = training("llama-3.1-8b", "h100-sxm", **machines(1, **where))

    assert pattern(asked)["topology"] == "preferred"
    assert pattern(stated)["topology"] == "required"
    assert "topology" not in pattern(alone)


def test_islands_of_a_machine_are_one_machine() -> None:
    asked = training(
        "llama-3.1-8b", "a100-80-sxm", method="full", hardware__acquisition="owned",
        hardware__gpus_per_node=8, hardware__island_gpus=2,
    )  # fmt: skip

    assert choice(told(asked))["nodes"] == 1
    assert choice(told(asked))["total_gpus"] == 8
    assert "warn-training-crosses-nodes" not in warned(asked)


@pytest.mark.parametrize("model", ["llama-3.2-3b", "llama-3.1-8b", "llama-2-13b", "llama-3.3-70b"])
@pytest.mark.parametrize("framework", ["megatron", "nemo"])
def test_a_split_is_said_to_be_the_narrowest_only_where_it_is(model: str, framework: str) -> None:
    asked = training(
        model, "h200-sxm", framework=framework, **machines(4, hardware__fabric_gbps=400)
    )
    found, because = pattern(asked), told(asked).decisions["parallelism"].because
    if found["option"] != "tensor_pipeline_data":
        return
    width = found["tensor_parallel"] * found["pipeline_parallel"]
    plan = TrainingPlan(method="full", sequence_tokens=4096, gpus_per_node=8)
    card = Card(GPUS["h200-sxm"], "h200-sxm", 139.7, (8,), 32, 4)
    holding = [
        (p.tensor_parallel * p.pipeline_parallel, level)
        for p in split_plans(MODELS[model], plan, card, 32)
        for level in ("none", "full")
        if safely(MODELS[model], replace(p, recompute=level), 139.7 * USABLE)
    ]
    narrowest = min(w for w, _ in holding)

    assert ("these are the narrowest: fewer" in because) == (width == narrowest)
    if "full recomputation only" in because:
        assert width == min(w for w, level in holding if level == "none")


def safely(model: Model, plan: TrainingPlan, budget_gib: float) -> bool:
    memory = training_memory(model, plan)
    return memory.total is not None and memory.total.high <= budget_gib
