"""The parts of training memory: plan, shapes, activations, states, notes, time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.sizing.parameters import active_parameters, parts_of
from advisor.sizing.training import training_memory
from advisor.sizing.training_activations import attention_saved, ffn_saved
from advisor.sizing.training_plan import GIB, TrainingPlan
from advisor.sizing.training_shapes import adapter_parameters, matrices_of
from advisor.sizing.training_time import training_flops, training_hours
from advisor.store.loader import load_knowledge
from advisor.store.model import DenseFfn, FullAttention, MlaAttention, Model


def model(name: str) -> Model:
    return load_knowledge().find_model(name)


def codes(name: str, plan: TrainingPlan) -> set[str]:
    return {note.code for note in training_memory(model(name), plan).notes}


@pytest.mark.parametrize("field", ["sequence_tokens", "micro_batch", "world_size", "lora_rank"])
def test_a_plan_refuses_sizes_below_one_and_names_the_key(field: str) -> None:
    values: dict[str, Any] = {"method": "full", "sequence_tokens": 2048, field: 0}
    with pytest.raises(InputError) as caught:
        TrainingPlan(**values)
    assert caught.value.problems[0].key == f"training.{field}"


def test_a_plan_refuses_context_parallel_ranks_that_do_not_divide_the_world() -> None:
    with pytest.raises(InputError, match="does not divide"):
        TrainingPlan(method="full", sequence_tokens=2048, world_size=8, context_parallel=3)


def test_listed_matrices_add_up_to_the_counted_projections_of_every_model() -> None:
    for entry in load_knowledge().models.values():
        listed: Counter[str] = Counter()
        counted: Counter[str] = Counter()
        for matrix in matrices_of(entry):
            listed[matrix.group] += matrix.parameters
        for part in parts_of(entry):
            if part.linear and part.group != "other":
                counted[part.group] += int(part.parameters)
        assert dict(listed) == pytest.approx(dict(counted), rel=1e-6), entry.id


def test_rank_16_on_all_linear_layers_of_an_8b_is_42_million_parameters() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=2048, lora_rank=16)
    assert adapter_parameters(model("llama-3.1-8b"), plan) == pytest.approx(41.9e6, rel=0.01)
    memory = training_memory(model("llama-3.1-8b"), plan)
    assert memory.adapters.expected * GIB == pytest.approx(41.9e6 * 16, rel=0.01)


def test_adapters_of_a_mixture_stay_on_attention_unless_asked_for() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=2048)
    few = adapter_parameters(model("qwen3-30b-a3b"), plan)
    many = adapter_parameters(model("qwen3-30b-a3b"), replace(plan, lora_targets="all_linear"))
    assert many > 20 * few
    assert "adapters_on_attention_only" in codes("qwen3-30b-a3b", plan)


def test_saved_tensors_reproduce_the_published_34_bytes_less_two_dropout_masks() -> None:
    # arXiv 2205.05198: as many key as query heads, ungated feed-forward of four times the width
    h, heads = 12288, 96
    attention = attention_saved(
        h, FullAttention(layers=1, heads=heads, kv_heads=heads, head_dim=h // heads)
    )
    block = ffn_saved(h, DenseFfn(layers=1, intermediate_size=4 * h, gated=False), adapted=True)
    assert attention is not None
    kept = sum(saved.per_token(1, residual_ranks=1, ranks=1) for saved in (attention, block))
    assert kept / h == pytest.approx(34 - 2, rel=0.01)
    assert attention.scores(2048, 1) / h == pytest.approx(5 * heads * 2048 / h)


def test_tensor_parallelism_divides_norms_and_residuals_only_with_sequence_parallelism() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=4096, tensor_parallel=8)
    plain = training_memory(model("llama-3.3-70b"), plan).activations
    split = training_memory(
        model("llama-3.3-70b"), replace(plan, sequence_parallel=True)
    ).activations
    whole = training_memory(model("llama-3.3-70b"), replace(plan, tensor_parallel=1)).activations
    assert plain is not None
    assert split is not None
    assert whole is not None
    assert split.expected == pytest.approx(whole.expected / 8)
    assert plain.expected > 1.5 * split.expected


def test_latent_attention_without_known_head_sizes_is_unknown() -> None:
    known = MlaAttention(
        layers=1, heads=16, kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128,
        v_head_dim=128,
    )  # fmt: skip
    assert attention_saved(2048, known) is not None
    assert attention_saved(2048, known.model_copy(update={"v_head_dim": None})) is None


@pytest.mark.parametrize(
    ("optimizer", "master", "gradient", "bytes_per_parameter"),
    [
        ("adamw", "fp32", "bf16", 16),
        ("adamw", "fp32", "fp32", 18),
        ("adamw", "none", "bf16", 8),
        ("adamw_8bit", "fp32", "bf16", 10),
        ("adamw_8bit", "none", "bf16", 6),
        ("sgd", "fp32", "bf16", 12),
        ("adafactor", "fp32", "bf16", 8),
    ],
)
def test_bytes_per_parameter_follow_from_the_parts(
    optimizer: Any, master: Any, gradient: Any, bytes_per_parameter: float
) -> None:
    plan = TrainingPlan(
        method="full",
        sequence_tokens=2048,
        optimizer=optimizer,
        master_weights=master,
        gradient_dtype=gradient,
    )
    memory = training_memory(model("llama-3.1-8b"), plan)
    expected = bytes_per_parameter * 8.03e9 / GIB
    assert memory.states.expected == pytest.approx(expected, rel=0.01)


def test_muon_keeps_one_moment_for_matrices_and_two_for_embeddings() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=2048, optimizer="muon")
    llama = model("llama-3.1-8b")
    tables = 2 * 128256 * 4096
    expected = (12 * (8.03e9 - tables) + 16 * tables) / GIB
    assert training_memory(llama, plan).states.expected == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("sharding", "bytes_per_parameter"),
    [("zero1", 4 + 12 / 32), ("zero2", 2 + 14 / 32), ("zero3", 16 / 32), ("fsdp", 16 / 32)],
)
def test_sharding_divides_what_its_stage_says(sharding: Any, bytes_per_parameter: float) -> None:
    plan = TrainingPlan(method="full", sequence_tokens=2048, sharding=sharding, world_size=32)
    memory = training_memory(model("llama-3.3-70b"), plan)
    expected = bytes_per_parameter * 70.55e9 / GIB
    assert memory.states.expected == pytest.approx(expected, rel=0.01)


def test_logits_take_ten_bytes_each_and_a_chunked_loss_far_less() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=8192)
    logits = training_memory(model("llama-3.1-8b"), plan).logits
    chunked = training_memory(model("llama-3.1-8b"), replace(plan, chunked_loss=True)).logits
    assert logits is not None
    assert chunked is not None
    assert logits.expected * GIB == pytest.approx(8192 * 128256 * 10)
    assert chunked.expected == pytest.approx(logits.expected / 8)
    assert "logits_large" in codes("llama-3.1-8b", plan)


def test_embedding_models_have_no_logits() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=512)
    logits = training_memory(model("bge-m3"), plan).logits
    assert logits is not None
    assert logits.high == 0


def test_waiting_checkpoints_leave_the_gpu_and_show_in_host_ram() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=32768, recompute="full")
    here = training_memory(model("llama-3.1-8b"), plan)
    away = training_memory(model("llama-3.1-8b"), replace(plan, offload_activations=True))
    assert here.activations is not None
    assert away.activations is not None
    saved = here.activations.expected - away.activations.expected
    assert saved == pytest.approx(away.host_ram_gib.expected)
    assert saved > 0


def test_pipeline_stages_divide_states_but_not_the_activations_of_the_first_stage() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=4096)
    one = training_memory(model("llama-3.3-70b"), plan)
    four = training_memory(model("llama-3.3-70b"), replace(plan, pipeline_parallel=4))
    assert four.states.expected < 0.27 * one.states.expected
    assert four.activations == one.activations


def test_pre_ampere_cards_train_in_fp16_and_need_master_weights() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=2048, gpu_architecture="turing")
    assert plan.half_precision == "fp16"
    assert "no_bf16" in codes("llama-2-7b", plan)
    pure = training_memory(model("llama-2-7b"), replace(plan, master_weights="none"))
    assert [note.code for note in pure.blocking] == ["fp16_needs_master_weights"]
    assert "no_bf16" not in codes("llama-2-7b", replace(plan, gpu_architecture="ampere"))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"tensor_parallel": 3}, "heads_not_divisible"),
        ({"pipeline_parallel": 64}, "layers_fewer_than_stages"),
        ({"sequence_tokens": 10**6}, "sequence_beyond_model"),
        ({"sharding": "zero2", "world_size": 8}, "replicated_weights"),
        ({"sharding": "fsdp", "world_size": 8}, "fixed_cost_per_gpu"),
        ({"sharding": "fsdp"}, "sharding_needs_ranks"),
        ({"recompute": "selective"}, "selective_saves_nothing"),
        ({"offload": "cpu"}, "host_ram"),
        ({"optimizer": "paged_adamw_8bit"}, "paged_moments"),
        ({"master_weights": "none"}, "no_master_weights"),
        ({"method": "lora", "sequence_tokens": 65536}, "activations_dominate"),
        ({}, "longest_batch_decides"),
    ],
)
def test_a_plan_says_what_will_bite(change: dict[str, Any], code: str) -> None:
    plan = replace(TrainingPlan(method="full", sequence_tokens=2048), **change)
    assert code in codes("llama-3.1-8b", plan)
    quiet = TrainingPlan(
        method="full", sequence_tokens=2048, packing=True, recompute="full", chunked_loss=True
    )
    assert code not in codes("llama-3.1-8b", quiet)


def test_a_quantised_mixture_warns_of_experts_that_may_stay_wide() -> None:
    plan = TrainingPlan(method="qlora", sequence_tokens=2048)
    assert "experts_may_stay_wide" in codes("qwen3-30b-a3b", plan)
    assert "experts_may_stay_wide" not in codes("llama-3.1-8b", plan)


def test_a_model_published_in_8_bit_says_that_a_16_bit_copy_is_counted() -> None:
    plan = TrainingPlan(method="lora", sequence_tokens=2048)
    assert "published_in_low_precision" in codes("deepseek-v3", plan)


def test_arithmetic_lines_name_parameters_tokens_and_total() -> None:
    plan = TrainingPlan(method="full", sequence_tokens=2048, sharding="fsdp", world_size=4)
    memory = training_memory(model("llama-3.1-8b"), plan)
    assert memory.total is not None
    text = "\n".join(memory.arithmetic)
    assert "8.03B parameters" in text
    assert "2,048 tokens" in text
    assert f"{memory.total.expected:.1f} GiB" in text


def test_flops_are_6_n_t_and_8_with_full_recomputation_and_4_for_a_frozen_base() -> None:
    llama = model("llama-3.1-8b")
    n = active_parameters(llama)
    assert training_flops(llama, 1e9) == pytest.approx(6 * n * 1e9)
    assert training_flops(llama, 1e9, "full") == pytest.approx(8 * n * 1e9)
    assert training_flops(llama, 1e9, method="lora") == pytest.approx(4 * n * 1e9)


def test_flops_of_a_mixture_count_active_parameters_only() -> None:
    mixture = model("qwen3-30b-a3b")
    assert training_flops(mixture, 1e9) < 6 * 4e9 * 1e9


def test_attention_work_grows_with_the_sequence_and_a_window_stops_it() -> None:
    llama = model("llama-3.1-8b")
    extra = training_flops(llama, 1.0, sequence_tokens=32768) - training_flops(llama, 1.0)
    # three passes of 2*s*heads*head_dim per layer
    assert extra == pytest.approx(3 * 2 * 32768 * 32 * 128 * 32)
    windowed = model("gemma-3-27b")
    short = training_flops(windowed, 1.0, sequence_tokens=32768)
    long = training_flops(windowed, 1.0, sequence_tokens=65536)
    full_layers = sum(a.layers for a in windowed.attention if a.kind == "full")
    full = next(a for a in windowed.attention if a.kind == "full")
    assert isinstance(full, FullAttention)
    grown = 3 * 2 * 32768 * full.heads * full.head_dim * full_layers
    assert long - short == pytest.approx(grown)


def test_hours_are_a_range_that_halves_with_twice_the_gpus() -> None:
    llama = model("llama-3.1-8b")
    eight = training_hours(llama, 1e9, 8, 989.0)
    sixteen = training_hours(llama, 1e9, 16, 989.0)
    assert eight.low == pytest.approx(2 * sixteen.low)
    assert eight.high / eight.low == pytest.approx(0.45 / 0.25)
    assert "989" in eight.assumes
    best = 6 * active_parameters(llama) * 1e9 / (8 * 989e12 * 0.45) / 3600
    assert eight.low == pytest.approx(best)


def test_qlora_hours_reach_further_up_than_lora_hours() -> None:
    llama = model("llama-3.1-8b")
    lora = training_hours(llama, 1e9, 1, 989.0, method="lora")
    qlora = training_hours(llama, 1e9, 1, 989.0, method="qlora")
    assert qlora.low == lora.low
    assert qlora.high > 1.5 * lora.high


def test_hours_refuse_a_card_without_a_rate() -> None:
    with pytest.raises(InputError):
        training_hours(model("llama-3.1-8b"), 1e9, 1, 0.0)
