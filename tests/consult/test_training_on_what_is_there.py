"""Training on owned GPUs: odd counts, host RAM of which nothing is said, other machines."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told, training, warned


def _owned(gpus: int, **answers: Any) -> dict[str, Any]:
    model, gpu = answers.pop("model", "llama-2-70b"), answers.pop("gpu", "rtx-3090")
    return training(
        model, gpu, hardware__acquisition="owned", hardware__gpus_per_node=gpus, **answers
    )


@pytest.mark.parametrize("gpus", [3, 5, 6, 7])
def test_all_of_an_odd_number_of_gpus_count(gpus: int) -> None:
    asked = _owned(
        gpus, model="llama-3.1-405b", gpu="a800-80-sxm", method="full", sequence_tokens=1024
    )
    [line, *_] = told(asked).decisions["gpu"].rejected

    assert f"Over {gpus} GPUs" in line.because


def test_host_ram_that_nobody_stated_is_an_alternative_and_never_the_choice() -> None:
    asked = _owned(
        2, method="qlora", sequence_tokens=512, micro_batch=1, sharding="fsdp", lora_rank=32
    )
    made = told(asked).decisions["gpu"]
    offers = [one for one in made.alternatives if one.choice.model_dump()["offload"] == "cpu"]

    assert choice(told(asked))["offload"] == "none"
    assert [one.choice.model_dump()["total_gpus"] for one in offers] == [2]
    assert "GiB of host RAM" in offers[0].because


def test_stated_host_ram_lets_the_job_be_changed() -> None:
    asked = _owned(
        2, method="qlora", sequence_tokens=512, micro_batch=1, sharding="fsdp",
        lora_rank=32, hardware__host_ram_gib=256,
    )  # fmt: skip

    assert choice(told(asked))["offload"] == "cpu"


def test_a_refused_offload_is_not_offered() -> None:
    asked = _owned(
        2, method="qlora", sequence_tokens=512, sharding="fsdp", offload="none", lora_rank=32
    )
    made = told(asked).decisions["gpu"]

    assert all(one.choice.model_dump().get("offload") != "cpu" for one in made.alternatives)


def test_a_job_that_may_not_start_is_told_what_surely_would() -> None:
    asked = _owned(2, method="qlora", sequence_tokens=512, micro_batch=1, sharding="fsdp")
    made = told(asked).decisions["gpu"]

    assert "warn-borderline-training-memory" in warned(asked)
    assert made.alternatives


@pytest.mark.parametrize(("ram", "expected"), [(600, "tight"), (1500, "offload"), (300, "small")])
def test_host_ram_is_told_of_once(ram: int, expected: str) -> None:
    names = {
        "tight": "warn-host-ram-tight", "offload": "warn-offload-host-ram",
        "small": "warn-host-ram-too-small",
    }  # fmt: skip
    asked = _owned(
        8, model="llama-30b", gpu="a100-40-sxm", method="full", sequence_tokens=2048,
        sharding="zero3", offload="cpu", hardware__host_ram_gib=ram,
    )  # fmt: skip

    told_of = warned(asked) & {*names.values()}
    assert names[expected] in told_of
    assert expected == "small" or told_of == {names[expected]}
    assert ("warn-training-offload-loading" in warned(asked)) is (expected == "offload")


@pytest.mark.parametrize(("nodes", "expected"), [(4, True), (1, False)])
def test_machines_that_stay_free_are_told_how_to_help(nodes: int, expected: bool) -> None:
    asked = _owned(
        8, model="llama-2-13b", gpu="a100-80-sxm", method="full", sharding="fsdp",
        hardware__nodes=nodes,
    )  # fmt: skip

    assert ("warn-training-other-machines" in warned(asked)) is expected


@pytest.mark.parametrize(("gpu", "expected"), [("rtx-4090", True), ("h100-sxm", False)])
def test_full_sharding_over_pcie_is_told(gpu: str, expected: bool) -> None:
    asked = _owned(8, model="llama-2-7b", gpu=gpu, method="full", sharding="fsdp")

    assert ("warn-sharded-training-over-pcie" in warned(asked)) is expected


def _batch(**answers: Any) -> dict[str, Any]:
    asked = serving(
        "llama-3.1-405b", "h100-sxm", weight_format="bf16", context_tokens=8192,
        hardware__acquisition="owned", hardware__gpus_per_node=8, hardware__nodes=8,
        objectives__priority="throughput", **answers,
    )  # fmt: skip
    asked["workload"]["kind"] = "batch_inference"
    return choice(told(asked))


def test_a_batch_fills_all_owned_machines_with_the_narrowest_replicas() -> None:
    found = _batch()

    assert (found["count_per_replica"], found["replicas"]) == (16, 4)


def test_a_batch_of_a_stated_width_takes_no_more_replicas_than_requests() -> None:
    assert _batch(concurrency=2)["replicas"] <= 2


@pytest.mark.parametrize(("gbps", "machines"), [(10, 1), (400, 2)])
def test_a_network_that_makes_two_machines_slower_than_one_leaves_one(
    gbps: int, machines: int
) -> None:
    asked = training(
        "llama-3.1-8b", "a100-80-sxm", method="full", sequence_tokens=8192,
        workload__kind="pretraining", hardware__acquisition="owned", hardware__gpus_per_node=8,
        hardware__nodes=2, hardware__fabric="ethernet", hardware__fabric_gbps=gbps,
    )  # fmt: skip
    found = told(asked)
    chosen = found.decisions["gpu"].choice

    assert chosen is not None
    assert chosen.model_dump()["nodes"] == machines
    said = {warning.id for warning in found.warnings}
    assert ("warn-training-other-machines" in said) is (machines == 1)
