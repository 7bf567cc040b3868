"""What a training step moves between machines and over PCIe."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.sizing.training_plan import TrainingPlan
from advisor.sizing.training_traffic import micro_seconds, offload_seconds, traffic_of
from advisor.store.loader import load_knowledge

GPUS, MODELS = load_knowledge().gpus, load_knowledge().models
LLAMA_70B = MODELS["llama-3.3-70b"]
SHARDED = TrainingPlan(method="full", sequence_tokens=4096, sharding="fsdp", world_size=32)


def test_nothing_crosses_inside_one_machine() -> None:
    traffic = traffic_of(LLAMA_70B, replace(SHARDED, world_size=8))

    assert (traffic.micro_gb, traffic.step_gb) == (0.0, 0.0)


def test_full_sharding_moves_six_bytes_a_parameter_into_each_machine() -> None:
    traffic = traffic_of(LLAMA_70B, SHARDED)

    # 2 bytes gathered twice and 2 reduced, less the quarter that a machine holds already
    assert traffic.micro_gb == pytest.approx(6 * 70.55 * 3 / 4, rel=0.01)
    assert traffic.step_gb == 0.0


def test_copies_move_gradients_once_a_step() -> None:
    traffic = traffic_of(LLAMA_70B, replace(SHARDED, sharding="zero1"))

    assert traffic.micro_gb == 0.0
    assert traffic.step_gb == pytest.approx(4 * 70.55 * 3 / 4, rel=0.01)
    assert traffic.per_micro(8) == pytest.approx(traffic.step_gb / 8)


def test_adapters_move_their_base_and_four_bit_bases_a_quarter_of_it() -> None:
    wide = traffic_of(LLAMA_70B, replace(SHARDED, method="lora"))
    narrow = traffic_of(LLAMA_70B, replace(SHARDED, method="qlora"))

    assert wide.micro_gb == pytest.approx(4 * 70.55 * 3 / 4, rel=0.02)
    assert 0.2 < narrow.micro_gb / wide.micro_gb < 0.4


def test_stages_pass_on_hidden_states_only() -> None:
    plan = replace(SHARDED, world_size=1, tensor_parallel=8, pipeline_parallel=4, sharding="zero1")
    traffic = traffic_of(LLAMA_70B, plan)

    # forward and backward, 4,096 tokens of 8,192 values in 16 bit, one pipeline in a machine
    assert traffic.micro_gb == pytest.approx(2 * 4096 * 8192 * 2 / 1e9)
    assert traffic.step_gb == 0.0


def test_more_stages_leave_fewer_gradients_to_exchange() -> None:
    plans = [
        replace(
            SHARDED, world_size=64 // (8 * stages), tensor_parallel=8, pipeline_parallel=stages,
            sharding="zero1",
        )
        for stages in (1, 2, 4, 8)
    ]  # fmt: skip
    steps = [traffic_of(LLAMA_70B, plan).step_gb for plan in plans]

    assert steps == sorted(steps, reverse=True)
    assert steps[0] > 0
    assert steps[-1] == 0.0


def test_arithmetic_follows_the_tokens_and_is_shared_by_model_parallel_ranks() -> None:
    alone = micro_seconds(LLAMA_70B, SHARDED, 989.0)
    split = micro_seconds(
        LLAMA_70B, replace(SHARDED, tensor_parallel=8, pipeline_parallel=4, world_size=1), 989.0
    )

    # 6 x 70 billion x 4,096 tokens at 40 % of the peak, a little more for attention
    assert alone == pytest.approx(6 * 69.5e9 * 4096 / (989e12 * 0.4), rel=0.05)
    assert split == pytest.approx(alone / 32)


def test_offloading_takes_time_that_grows_with_what_one_gpu_moves() -> None:
    gpu = GPUS["a100-80-sxm"]
    offloaded = replace(SHARDED, offload="cpu", world_size=8)
    few = offload_seconds(LLAMA_70B, offloaded, gpu)
    many = offload_seconds(LLAMA_70B, replace(offloaded, world_size=32), gpu)

    assert few is not None
    assert many is not None
    assert 0 < few[0] < few[1]
    assert many[0] == pytest.approx(few[0] / 4)
    assert offload_seconds(LLAMA_70B, SHARDED, gpu) is None


def test_a_slot_that_is_not_known_gives_no_time() -> None:
    gpu = GPUS["mi455x"]
    assert gpu.interconnect.pcie_generation is None

    assert offload_seconds(LLAMA_70B, replace(SHARDED, offload="cpu"), gpu) is None
