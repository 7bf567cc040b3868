"""Laws of training memory that hold for every model and plan."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.sizing.training import TrainingMemory, training_memory
from advisor.sizing.training_plan import GibRange, TrainingPlan
from advisor.store.model import DenseFfn, FullAttention, Model, MoeFfn

TOLERANCE = 1e-9


def build(
    layers: int, kv_heads: int, group: int, head_dim: int, width: int, vocabulary: int, experts: int
) -> Model:
    heads = kv_heads * group
    hidden = heads * head_dim
    attention = FullAttention(layers=layers, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    ffn: DenseFfn | MoeFfn = DenseFfn(layers=layers, intermediate_size=width * hidden)
    blocks = 3 * width * hidden * hidden
    if experts > 1:
        ffn = MoeFfn(
            layers=layers, experts=experts, experts_per_token=2, expert_intermediate_size=width * 64
        )
        blocks = experts * 3 * hidden * width * 64 + experts * hidden
    own = 2 * hidden * head_dim * (heads + kv_heads) + blocks
    fields: dict[str, Any] = {
        "id": "made",
        "sources": ("made",),
        "as_of": "2026-01-01",
        "name": "Made",
        "parameters_b": (layers * own + 2 * vocabulary * hidden) / 1e9,
        "layers": layers,
        "hidden_size": hidden,
        "vocab_size": vocabulary,
        "max_context_tokens": 131072,
        "attention": (attention,),
        "ffn": (ffn,),
        "published_format": "bf16",
        "builds": ({"format": "bf16"},),
    }
    return Model(**fields)


models = st.builds(
    build,
    layers=st.integers(1, 96),
    kv_heads=st.sampled_from([1, 4, 8]),
    group=st.sampled_from([1, 4, 8]),
    head_dim=st.sampled_from([64, 128]),
    width=st.integers(2, 4),
    vocabulary=st.sampled_from([32000, 128256]),
    experts=st.sampled_from([1, 1, 8, 64]),
)
plans = st.builds(
    TrainingPlan,
    method=st.sampled_from(["full", "lora", "qlora"]),
    sequence_tokens=st.sampled_from([512, 2048, 8192, 32768]),
    micro_batch=st.integers(1, 4),
    optimizer=st.sampled_from(
        ["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "muon"]
    ),
    master_weights=st.sampled_from(["fp32", "none"]),
    recompute=st.sampled_from(["none", "selective", "full"]),
    offload=st.sampled_from(["none", "none", "cpu", "nvme"]),
    sharding=st.sampled_from(["none", "zero1", "zero2", "zero3", "fsdp"]),
    world_size=st.sampled_from([1, 2, 8]),
    gradient_dtype=st.sampled_from(["bf16", "fp32"]),
    flash_attention=st.booleans(),
    chunked_loss=st.booleans(),
    pipeline_parallel=st.sampled_from([1, 2]),
)


def total(memory: TrainingMemory) -> GibRange:
    assert memory.total is not None
    return memory.total


def never_above(smaller: GibRange, larger: GibRange) -> bool:
    slack = 1 + TOLERANCE
    return (
        smaller.low <= larger.low * slack + TOLERANCE
        and smaller.expected <= larger.expected * slack + TOLERANCE
        and smaller.high <= larger.high * slack + TOLERANCE
    )


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_bounds_are_ordered_and_positive(model: Model, plan: TrainingPlan) -> None:
    span = total(training_memory(model, plan))
    assert 0 < span.low <= span.expected * (1 + TOLERANCE)
    assert span.expected <= span.high * (1 + TOLERANCE)


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_more_ranks_never_raise_memory_per_gpu(model: Model, plan: TrainingPlan) -> None:
    # from one rank to two an unsharded job starts to pay for communication
    start = max(plan.world_size, 2 if plan.sharding == "none" else 1)
    before = training_memory(model, replace(plan, world_size=start))
    after = training_memory(model, replace(plan, world_size=2 * start))
    assert never_above(total(after), total(before))


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_longer_sequences_and_larger_batches_never_lower_memory(
    model: Model, plan: TrainingPlan
) -> None:
    now = total(training_memory(model, plan))
    longer = replace(plan, sequence_tokens=2 * plan.sequence_tokens)
    larger = replace(plan, micro_batch=plan.micro_batch + 1)
    assert never_above(now, total(training_memory(model, longer)))
    assert never_above(now, total(training_memory(model, larger)))


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_lora_never_takes_more_than_full_training(model: Model, plan: TrainingPlan) -> None:
    small = replace(plan, lora_rank=8, offload="none")
    lora = training_memory(model, replace(small, method="lora"))
    full = training_memory(model, replace(small, method="full"))
    assert total(lora).expected <= total(full).expected * (1 + TOLERANCE)


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_a_4_bit_base_is_smaller_than_a_16_bit_one(model: Model, plan: TrainingPlan) -> None:
    resident = replace(plan, offload="none")
    lora = training_memory(model, replace(resident, method="lora"))
    qlora = training_memory(model, replace(resident, method="qlora"))
    assert qlora.weights.expected < lora.weights.expected
    assert qlora.adapters == lora.adapters


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_more_recomputation_never_takes_more_memory(model: Model, plan: TrainingPlan) -> None:
    none, selective, full = (
        total(training_memory(model, replace(plan, recompute=level)))
        for level in ("none", "selective", "full")
    )
    assert never_above(selective, none)
    assert never_above(full, selective)


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_each_sharding_stage_holds_at_most_the_states_of_the_one_before(
    model: Model, plan: TrainingPlan
) -> None:
    states = [
        training_memory(model, replace(plan, sharding=stage, world_size=8, offload="none")).states
        for stage in ("none", "zero1", "zero2", "zero3")
    ]
    assert all(never_above(b, a) for a, b in pairwise(states))


@settings(max_examples=60, deadline=None)
@given(models, plans)
def test_offloading_moves_memory_to_the_host_and_never_adds_any_on_the_gpu(
    model: Model, plan: TrainingPlan
) -> None:
    resident = training_memory(model, replace(plan, offload="none"))
    moved = training_memory(model, replace(plan, offload="cpu"))
    assert never_above(total(moved), total(resident))
    assert moved.host_ram_gib.expected > 0
