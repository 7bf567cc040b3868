"""Training memory against published peaks and known cases; nothing here is tuned per case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from advisor.sizing.training import (
    lightest_recompute,
    recommended_world,
    smallest_world_size,
    training_memory,
)
from advisor.sizing.training_plan import GIB, TrainingPlan
from advisor.store.loader import load_knowledge
from advisor.store.model import Model

H100_GIB = 79.2
V100_GIB = 31.7
RTX_4090_GIB = 23.6


def model(name: str) -> Model:
    return load_knowledge().find_model(name)


TORCHTUNE: dict[str, Any] = {
    "sequence_tokens": 2048,
    "micro_batch": 2,
    "recompute": "full",
    "chunked_loss": True,
}


@pytest.mark.parametrize(
    ("name", "plan", "measured_gib"),
    [
        ("llama-3.1-8b", TrainingPlan(method="qlora", lora_rank=8, **TORCHTUNE), 7.4),
        ("llama-3.1-8b", TrainingPlan(method="lora", lora_rank=8, **TORCHTUNE), 16.2),
        (
            "llama-3.3-70b",
            TrainingPlan(method="lora", sharding="fsdp", world_size=8, **TORCHTUNE),
            27.6,
        ),
        (
            "llama-3.3-70b",
            TrainingPlan(
                method="full",
                sharding="fsdp",
                world_size=8,
                offload="cpu",
                master_weights="none",
                **TORCHTUNE,
            ),
            13.9,
        ),
    ],
)
def test_expected_total_is_within_15_percent_of_torchtunes_published_peak(
    name: str, plan: TrainingPlan, measured_gib: float
) -> None:
    # torchtune README, "Memory and training speed"; its peak excludes the CUDA context
    memory = training_memory(model(name), plan)
    assert memory.total is not None
    allocated = memory.total.expected - memory.framework.expected
    assert allocated == pytest.approx(measured_gib, rel=0.15)


def test_lora_without_recomputation_brackets_the_measured_peak_of_a_compiled_8b() -> None:
    # torchtune README: 30.3 GiB on one A6000, compiled
    plan = TrainingPlan(
        method="lora", sequence_tokens=2048, micro_batch=2, lora_rank=8, chunked_loss=True
    )
    memory = training_memory(model("llama-3.1-8b"), plan)
    assert memory.total is not None
    assert memory.total.low - memory.framework.low <= 30.3 <= memory.total.expected


def test_pure_16_bit_70b_with_paged_moments_takes_about_51_gb_on_each_of_eight_gpus() -> None:
    plan = TrainingPlan(
        method="full",
        sequence_tokens=2048,
        optimizer="paged_adamw_8bit",
        master_weights="none",
        recompute="full",
        sharding="fsdp",
        world_size=8,
    )
    for name in ("llama-2-70b", "llama-3.3-70b"):
        memory = training_memory(model(name), plan)
        assert memory.total is not None
        assert memory.total.expected * GIB / 1e9 == pytest.approx(51, rel=0.15)
        assert memory.fits(H100_GIB)
        # moments may also stay: 2 bytes per parameter more
        kept = model(name).parameters_b * 1e9 * 6 / 8 / GIB
        assert memory.states.high == pytest.approx(kept, rel=0.03)


def test_8b_qlora_fits_a_24_gb_card() -> None:
    plan = TrainingPlan(method="qlora", sequence_tokens=2048)
    assert training_memory(model("llama-3.1-8b"), plan).fits(RTX_4090_GIB)


def test_8b_full_adamw_holds_128_gb_of_states_and_needs_four_80_gb_gpus() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=4096, sharding="fsdp")
    alone = training_memory(model("llama-3.1-8b"), plan)
    assert alone.states.expected * GIB / 1e9 == pytest.approx(128.5, rel=0.01)
    world = smallest_world_size(model("llama-3.1-8b"), plan, H100_GIB, [1, 2, 4, 8])
    assert world.gpus == 4


def test_8b_at_short_sequences_on_two_gpus_is_called_borderline_and_four_safe() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=2048, sharding="fsdp")
    world = smallest_world_size(model("llama-3.1-8b"), plan, H100_GIB, [1, 2, 4, 8])
    assert world.gpus == 2
    assert world.borderline
    assert world.safe_gpus == 4


def test_70b_qlora_fits_one_80_gb_gpu_with_checkpoints_and_not_even_two_without() -> None:
    plan = TrainingPlan(method="qlora", sequence_tokens=2048, sharding="fsdp")
    llama = model("llama-3.3-70b")
    world = recommended_world(llama, plan, H100_GIB, [1, 2, 4, 8])
    assert world.memory is not None
    assert (world.safe_gpus, world.memory.plan.recompute) == (1, "full")
    without = smallest_world_size(llama, plan, H100_GIB, [1, 2])
    assert without.gpus is None


@pytest.mark.parametrize("sequence_tokens", [2048, 4096, 8192])
def test_recommended_gpus_for_full_training_of_an_8b_are_four_at_any_usual_length(
    sequence_tokens: int,
) -> None:
    plan = TrainingPlan(method="full", sequence_tokens=sequence_tokens, sharding="fsdp")
    world = recommended_world(model("llama-3.1-8b"), plan, H100_GIB, [1, 2, 4, 8, 16])
    assert world.safe_gpus == 4


def test_recommended_world_falls_back_to_what_is_expected_to_fit() -> None:
    plan = TrainingPlan(method="qlora", sequence_tokens=2048)
    world = recommended_world(model("llama-3.1-8b"), plan, 8.5, [1])
    assert (world.gpus, world.safe_gpus) == (None, None)
    world = recommended_world(model("llama-3.1-8b"), plan, 11.0, [1])
    assert (world.gpus, world.safe_gpus) == (1, None)


def test_70b_full_adamw_needs_24_to_32_gpus_of_80_gb_and_15_for_states_alone() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=8192, sharding="fsdp", recompute="full")
    legal = range(1, 65)
    states_only = next(
        n
        for n in legal
        if training_memory(model("llama-3.3-70b"), replace(plan, world_size=n)).states.expected
        <= 80e9 / GIB
    )
    assert states_only == 15
    world = smallest_world_size(model("llama-3.3-70b"), plan, H100_GIB, [8, 16, 24, 32, 64])
    assert (world.gpus, world.safe_gpus) == (24, 32)


def test_plain_adamw_of_a_70b_does_not_fit_one_node_of_eight_80_gb_gpus() -> None:
    plan = TrainingPlan(
        method="full", sequence_tokens=512, sharding="fsdp", world_size=8, recompute="full"
    )
    memory = training_memory(model("llama-3.3-70b"), plan)
    assert memory.total is not None
    assert memory.total.low > H100_GIB


def test_zero2_of_a_7b_does_not_fit_eight_v100_but_zero3_does() -> None:
    # 8 x 32 GB are 256 GB and the states 112 GB; ZeRO-2 still keeps whole weights per GPU
    plan = TrainingPlan(
        method="full",
        sequence_tokens=2048,
        sharding="zero2",
        world_size=8,
        gpu_architecture="volta",
    )
    for name in ("baichuan-7b", "llama-2-7b"):
        assert training_memory(model(name), plan).fits(V100_GIB) is False
        assert training_memory(model(name), replace(plan, sharding="zero3")).fits(V100_GIB)


def test_zero2_of_a_7b_on_v100_stays_borderline_even_with_full_recomputation() -> None:
    plan = TrainingPlan(
        method="full", sequence_tokens=2048, sharding="zero2", world_size=8, recompute="full"
    )
    memory = training_memory(model("baichuan-7b"), plan)
    assert memory.total is not None
    assert memory.total.high > V100_GIB


def test_offloading_a_70b_needs_more_host_ram_than_a_terabyte_node_has() -> None:
    plan = TrainingPlan(
        method="full",
        sequence_tokens=2048,
        sharding="zero3",
        world_size=8,
        offload="cpu",
        recompute="full",
    )
    memory = training_memory(model("llama-3.3-70b"), plan)
    assert memory.host_ram_gib.low > 1024
    assert 1.2e12 <= memory.host_ram_gib.expected * GIB <= 1.5e12
    assert memory.fits(H100_GIB)


def test_offloaded_states_are_spread_over_the_nodes_of_a_job() -> None:
    plan = TrainingPlan(
        method="full", sequence_tokens=2048, sharding="zero3", world_size=16, offload="cpu"
    )
    memory = training_memory(model("llama-3.3-70b"), plan)
    assert memory.host_ram_gib.expected == pytest.approx(memory.host_ram_job_gib.expected / 2)


def test_nvme_takes_the_states_and_leaves_only_buffers_in_host_ram() -> None:
    plan = TrainingPlan(
        method="full", sequence_tokens=2048, sharding="zero3", world_size=8, offload="cpu"
    )
    in_ram = training_memory(model("llama-3.3-70b"), plan)
    on_disk = training_memory(model("llama-3.3-70b"), replace(plan, offload="nvme"))
    assert on_disk.nvme_job_gib == pytest.approx(in_ram.host_ram_job_gib.expected)
    assert on_disk.host_ram_job_gib.expected < in_ram.host_ram_job_gib.expected / 4


def test_70b_qlora_at_32k_tokens_does_not_fit_and_more_gpus_do_not_help() -> None:
    plan = TrainingPlan(
        method="qlora", sequence_tokens=32768, sharding="fsdp", recompute="full", world_size=4
    )
    llama = model("llama-3.3-70b")
    assert smallest_world_size(llama, plan, H100_GIB, [8, 16, 64]).gpus is None
    split = replace(plan, context_parallel=4, chunked_loss=True)
    assert smallest_world_size(llama, split, H100_GIB, [8, 16, 64]).gpus == 8
    logits = training_memory(llama, replace(plan, world_size=8)).logits
    assert logits is not None
    assert logits.low * GIB == pytest.approx(8.4e9, rel=0.01)


def test_lightest_recompute_names_the_cheapest_level_that_fits() -> None:
    plan = TrainingPlan(method="qlora", sequence_tokens=8192)
    llama = model("llama-3.1-8b")
    assert lightest_recompute(llama, plan, 200.0) == "none"
    assert lightest_recompute(llama, plan, RTX_4090_GIB) == "full"
    assert lightest_recompute(llama, plan, 6.0) is None


def test_counts_that_the_model_parallel_ranks_do_not_divide_are_skipped() -> None:
    plan = TrainingPlan(
        method="full",
        sequence_tokens=4096,
        sharding="zero1",
        tensor_parallel=4,
        pipeline_parallel=2,
        recompute="full",
        sequence_parallel=True,
    )
    world = smallest_world_size(model("llama-3.1-8b"), plan, H100_GIB, [4, 8, 12, 16])
    assert world.gpus == 8
    assert all(count % 8 == 0 for count, _ in world.tried)


def test_unknown_attention_gives_states_but_no_total() -> None:
    memory = training_memory(
        model("deepseek-v4-flash"), TrainingPlan(method="lora", sequence_tokens=2048)
    )
    assert memory.total is None
    assert memory.activations_gib_per_gpu is None
    assert memory.fits(1e9) is None
    assert memory.training_states_gib_per_gpu > 0
    assert "unknown_attention" in {note.code for note in memory.notes}


def test_every_catalogue_model_has_a_total_or_says_why_not() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=1024, recompute="full")
    for entry in load_knowledge().models.values():
        memory = training_memory(entry, plan)
        codes = {note.code for note in memory.notes}
        assert (memory.total is None) == ("unknown_attention" in codes), entry.id
        if memory.total is not None:
            assert 0 < memory.total.low <= memory.total.expected <= memory.total.high, entry.id
