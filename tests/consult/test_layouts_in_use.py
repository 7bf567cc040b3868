"""A layout that runs is judged by its shape: machines, stages, width, and the load it holds."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, told, warned

_SHAPES = {"layout-split-crosses-machines", "layout-needless-stages", "layout-wider-than-needed"}


def _in_use(**answers: Any) -> dict[str, Any]:
    usual = {
        "context_tokens": 8192, "concurrency": 8, "hardware__acquisition": "owned",
        "hardware__gpus_per_node": 8,
    }  # fmt: skip
    model, gpu = answers.pop("model", "llama-3.1-8b"), answers.pop("gpu", "h100-sxm")
    return serving(model, gpu, **{**usual, **answers})


def test_a_split_over_machines_is_told() -> None:
    asked = _in_use(model="llama-3.1-405b", layout__tensor_parallel=16, hardware__nodes=2)

    assert warned(asked) & _SHAPES == {"layout-split-crosses-machines"}


def test_a_split_over_the_trays_of_a_rack_is_no_fault() -> None:
    asked = _in_use(
        model="llama-3.1-405b", gpu="gb200", layout__tensor_parallel=8, hardware__gpus_per_node=4,
        hardware__nodes=2, hardware__nvlink="multi_node",
    )  # fmt: skip

    assert "layout-split-crosses-machines" not in warned(asked)


def test_stages_that_nothing_asks_for_are_told() -> None:
    assert warned(_in_use(layout__pipeline_parallel=8)) & _SHAPES == {"layout-needless-stages"}


def test_stages_across_machines_are_no_fault_where_the_model_needs_them() -> None:
    asked = _in_use(
        model="llama-3.1-405b", weight_format="bf16", layout__tensor_parallel=8,
        layout__pipeline_parallel=2, hardware__nodes=2,
    )  # fmt: skip

    assert not warned(asked) & _SHAPES


@pytest.mark.parametrize(("priority", "expected"), [("throughput", True), ("latency", False)])
def test_a_wide_split_is_told_unless_latency_comes_first(priority: str, expected: bool) -> None:
    asked = _in_use(
        weight_format="bf16",
        concurrency=500,
        layout__tensor_parallel=8,
        objectives__priority=priority,
    )

    assert ("layout-wider-than-needed" in warned(asked)) is expected


def test_the_layout_of_the_decision_is_not_judged_wide() -> None:
    asked = _in_use(model="llama-3.3-70b", weight_format="fp8", concurrency=100)
    found = told(asked).decisions["parallelism"].choice
    assert found is not None
    width = found.model_dump()["tensor_parallel"]

    assert not warned(_in_use(
        model="llama-3.3-70b", weight_format="fp8", concurrency=100, layout__tensor_parallel=width
    )) & _SHAPES  # fmt: skip


def test_a_wider_split_for_wider_weights_is_no_fault() -> None:
    """The choice has narrower weights, so its width says nothing about the published ones."""
    asked = _in_use(model="llama-3.3-70b", layout__tensor_parallel=4, hardware__gpu="a100-80-sxm")
    asked["objectives"] = {"priority": "cost"}
    chosen = told(asked).decisions["gpu"].choice
    assert chosen is not None
    narrower = chosen.model_dump()["weight_format"] != "bf16"

    assert narrower <= ("layout-wider-than-needed" not in warned(asked))


def test_room_is_judged_at_the_typical_length() -> None:
    asked = {
        "model": "llama-3-70b", "weight_format": "fp8", "layout__tensor_parallel": 8,
        "concurrency": 210,
    }  # fmt: skip

    assert "layout-holds-too-few" in warned(_in_use(**asked))
    assert "layout-holds-too-few" not in warned(_in_use(**asked, typical_context_tokens=3000))


def test_unequal_owned_cards_are_told_why_they_are_not_added_up() -> None:
    records = [{"gpu": "rtx-4090", "node": "a"}, {"gpu": "rtx-3090", "node": "a"}]
    mixed = serving("qwen2.5-14b", hardware__acquisition="owned", hardware__inventory=records)
    equal = serving("qwen2.5-14b", hardware__acquisition="owned", hardware__inventory=records[:1])

    assert "fleet-unequal-cards" in warned(mixed)
    assert "fleet-unequal-cards" not in warned(equal)


@pytest.mark.parametrize(("ranks", "expected"), [(8, True), (1, False)])
def test_whole_experts_on_ranks_are_told_where_a_plain_split_does(
    ranks: int, expected: bool
) -> None:
    asked = _in_use(
        model="deepseek-r1", gpu="h200-sxm", layout__tensor_parallel=8,
        layout__expert_parallel=ranks,
    )  # fmt: skip

    assert ("layout-experts-without-need" in warned(asked)) is expected


@pytest.mark.parametrize(("engine", "expected"), [("vllm", True), ("llama_cpp", False)])
def test_weights_in_host_ram_are_no_way_to_make_a_model_fit(engine: str, expected: bool) -> None:
    asked = _in_use(cpu_offload="in_use", engine=engine)

    assert ("warn-cpu-offload" in warned(asked)) is expected


def test_four_bit_weights_do_not_win_by_having_an_estimate() -> None:
    asked = _in_use(
        model="deepseek-r1", gpu="h800-sxm", concurrency=200, context_tokens=4096, engine="sglang",
        hardware__nodes=2, hardware__fabric="roce", hardware__fabric_gbps=400,
        objectives__priority="throughput",
    )  # fmt: skip
    chosen = told(asked).decisions["gpu"].choice
    assert chosen is not None

    assert chosen.model_dump()["weight_format"] == "fp8_block"


def test_a_split_over_machines_of_what_one_of_them_holds_is_told_so() -> None:
    asked = _in_use(
        model="gpt-oss-120b", gpu="gb10", hardware__gpus_per_node=1, hardware__nodes=2,
        layout__tensor_parallel=2,
    )  # fmt: skip
    (found,) = [w for w in told(asked).warnings if w.id == "layout-split-crosses-machines"]

    assert found.fix is not None
    assert "take one GPU" in found.fix
    assert "pipeline stages" not in found.fix


def test_a_split_is_no_wider_than_needed_where_no_second_replica_fits() -> None:
    asked = _in_use(
        model="deepseek-r1", gpu="h200-nvl", layout__tensor_parallel=8, concurrency=32,
        context_tokens=131072, typical_context_tokens=700,
    )  # fmt: skip
    chosen = told(asked).decisions["gpu"].choice

    assert chosen is not None
    assert chosen.model_dump()["count_per_replica"] > 4
    assert "layout-wider-than-needed" not in warned(asked)


@pytest.mark.parametrize("length", [8192, 32768])
def test_a_share_that_alone_keeps_it_from_starting_is_to_be_raised(length: int) -> None:
    asked = _in_use(
        model="qwen2.5-32b", weight_format="bf16", concurrency=1, context_tokens=length,
        layout__tensor_parallel=4, layout__gpu_memory_utilization=0.2,
    )  # fmt: skip
    (fault,) = [w for w in told(asked).warnings if "does not work" in w.text]

    assert fault.fix is not None
    assert fault.fix.startswith("Raise gpu-memory-utilization from 0.2")
    assert "warn-memory-share-cannot-help" not in warned(asked)


def test_a_share_is_not_blamed_for_what_no_share_mends() -> None:
    asked = _in_use(
        model="llama-3.1-405b", weight_format="bf16", layout__tensor_parallel=8,
        layout__gpu_memory_utilization=0.9,
    )  # fmt: skip
    (fault,) = [w for w in told(asked).warnings if "does not work" in w.text]

    assert fault.fix == "Take the layout of the decision."
