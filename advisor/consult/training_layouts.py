"""Tensor x pipeline x data layouts of a training job, and when they go before full sharding.

Full sharding is simpler and is kept while it is enough. It brings every weight into every
machine for each micro-batch, so the network must carry that behind the arithmetic; stages hand
on one hidden state, and gradients cross once for each step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.consult.layouts import Wanted, wanted_layout
from advisor.consult.situation import Card, Situation
from advisor.consult.training_job import (
    SHARDING_FRAMEWORKS,
    SPLITTING_FRAMEWORKS,
    accumulation_of,
    recompute_is_fixed,
)
from advisor.sizing.training import TrainingMemory, training_memory
from advisor.sizing.training_plan import Recompute, TrainingPlan
from advisor.sizing.training_traffic import micro_seconds, traffic_of
from advisor.store.model import DenseFfn, FullAttention, Model, MoeFfn, WindowedAttention

__all__ = ["Split", "smallest_split", "split_instead", "split_plans", "splits_are_wanted"]

_ENOUGH_NODES = 16
"""Full sharding is kept up to so many machines ..."""
_ENOUGH_B = 100.0
"""... and for models of up to so many billion parameters."""
_MOST_STAGES = 64
_GAIN = 0.8
"""A split must take so much less time for a step before it goes before full sharding."""
_CLEARLY = 0.9
"""The same for a wider split before a narrower one."""
_STEP_TOKENS = 4e6
"""Of one optimizer step of pre-training, over which gradients are summed before they cross: GPT-3
took 3.2 million (arXiv 2005.14165), Llama 2 took 4 million (arXiv 2307.09288)."""
_LINK_SHARE = 0.8
"""Of a link's rate that a large all-reduce reaches."""


@dataclass(frozen=True, slots=True)
class Split:
    """A job on tensor, pipeline and data ranks."""

    memory: TrainingMemory
    why: str
    """``wanted``, ``framework`` (the narrowest), ``framework_recompute``, ``framework_faster``,
    ``memory``, ``size`` or ``link``."""


def split_plans(model: Model, plan: TrainingPlan, card: Card, count: int) -> Iterator[TrainingPlan]:
    """Yield the legal splits of ``count`` GPUs: the fewest model-parallel ranks first.

    Tensor ranks stay inside one machine and its fast links, and divide the heads, the key heads
    and the inner widths; stages divide the layers, with embedding and loss counted as layers where
    the layers alone do not divide (Megatron's ``account_for_embedding_in_pipeline_split``).
    """
    machine = card.machine_gpus
    widest = min(card.island_gpus, max(1, card.gpu.scale_up_gpus))
    tensors = [t for t in (1, 2, 4, 8, 16) if t <= widest and not machine % t and _even(model, t)]
    stages = [p for p in range(1, min(_MOST_STAGES, model.layers) + 1) if _divides(model, p)]
    pairs = [(t, p) for t in tensors for p in stages if not count % (t * p * plan.context_parallel)]
    # a narrow split first; of equally narrow ones the one with fewer stages
    for tensor, pipeline in sorted(pairs, key=lambda pair: (pair[0] * pair[1], pair[1])):
        yield replace(
            plan,
            tensor_parallel=tensor,
            pipeline_parallel=pipeline,
            world_size=count // (tensor * pipeline),
            sharding="zero1",
            sequence_parallel=tensor > 1,
            gradient_dtype="fp32",
        )


def _divides(model: Model, stages: int) -> bool:
    return any(not (model.layers + edge) % stages for edge in (0, 1, 2))


def _even(model: Model, ranks: int) -> bool:
    """Tell whether every width that tensor ranks share divides by them."""
    widths = list(model.dense_block_intermediate_sizes)
    for a in model.attention:
        widths.append(getattr(a, "heads", ranks))
        if isinstance(a, FullAttention | WindowedAttention):
            widths.append(a.kv_heads)
    for f in model.ffn:
        if isinstance(f, DenseFfn):
            widths.append(f.intermediate_size)
        elif isinstance(f, MoeFfn):
            widths.append(f.experts)
    return not any(width % ranks for width in widths)


def smallest_split(
    situation: Situation, model: Model, plan: TrainingPlan, card: Card, counts: Iterable[int],
    budget_gib: float, why: str,
) -> Split | None:  # fmt: skip
    """Return the first of ``counts`` GPUs that a split surely fits, with the best split of them.

    Best is the narrowest, as fewer tensor and pipeline ranks talk less, unless a wider one ends a
    step clearly sooner. A job that is split because of its network takes the fastest.
    """
    counts = tuple(counts)
    most = max(counts, default=0)
    if not any(True for _ in _safe_splits(situation, model, plan, card, most, budget_gib)):
        # shares only shrink with the count, so what the most GPUs cannot hold none of them can;
        # unless the most do not divide into splits as fewer do
        counts = tuple(count for count in counts if most % count)
    for count in counts:
        safe = [*_safe_splits(situation, model, plan, card, count, budget_gib)]
        if safe:
            return _best(situation, model, card, safe, why)
    return None


def _best(
    situation: Situation, model: Model, card: Card, safe: list[TrainingMemory], why: str
) -> Split:
    """Return the narrowest of ``safe`` splits that is about as fast as any, with the reason."""
    batch = None if why == "link" else _batch(situation, safe[0].plan)
    times = [_seconds(situation, model, card, m.plan, batch) for m in safe]
    enough = min(times) / (1.0 if why == "link" else _CLEARLY)
    best = next(m for m, seconds in zip(safe, times, strict=True) if seconds <= enough)
    if why != "framework" or best is safe[0]:
        return Split(best, why)
    recomputed = safe[0].plan.recompute != best.plan.recompute
    return Split(best, "framework_recompute" if recomputed else "framework_faster")


def _batch(situation: Situation, plan: TrainingPlan) -> int | None:
    """Return the micro-batches of a usual step of pre-training, unless accumulation is stated."""
    given = situation.answers.is_given("training.gradient_accumulation")
    if given or situation.load.kind != "pretraining":
        return None
    return math.ceil(_STEP_TOKENS / (plan.sequence_tokens * plan.micro_batch))


def _safe_splits(
    situation: Situation, model: Model, plan: TrainingPlan, card: Card, count: int,
    budget_gib: float,
) -> Iterator[TrainingMemory]:  # fmt: skip
    """Yield the splits that surely fit, the narrowest first, with the least recomputation."""
    levels: tuple[Recompute, ...] = ("none", "full")
    if recompute_is_fixed(situation):
        levels = (plan.recompute,)
    wanted = wanted_layout(situation.answers)
    for split in split_plans(model, plan, card, count):
        if _hopeless(model, split, budget_gib) or not _allowed(wanted, split):
            continue
        for level in levels:
            memory = training_memory(model, replace(split, recompute=level))
            if not memory.blocking and memory.total and memory.total.high <= budget_gib:
                yield memory
                break


def _allowed(wanted: Wanted | None, split: TrainingPlan) -> bool:
    return wanted is None or (
        wanted.tensor_parallel in {None, split.tensor_parallel}
        and wanted.pipeline_parallel in {None, split.pipeline_parallel}
        and wanted.data_parallel in {None, split.world_size}
    )


def _hopeless(model: Model, plan: TrainingPlan, budget_gib: float) -> bool:
    """Tell whether 16-bit weights and 32-bit gradients alone exceed the memory."""
    shares = plan.tensor_parallel * plan.pipeline_parallel
    return 6e9 * model.parameters_b / shares / 2**30 > budget_gib


def split_instead(
    situation: Situation, model: Model, plan: TrainingPlan, card: Card,
    sharded: TrainingPlan | None, counts: tuple[int, ...], budget_gib: float,
) -> Split | None:  # fmt: skip
    """Return the split that goes before full sharding, with the reason, or ``None``.

    Args:
        situation: What was stated.
        model: Shapes.
        plan: The job before it is spread.
        card: The GPU.
        sharded: The job fully sharded over the fewest GPUs, where that fits.
        counts: GPUs that may be taken, fewest first.
        budget_gib: What a job can fill of each GPU.
    """
    why = _reason(situation, model, plan, sharded)
    if why is None:
        return None
    if sharded is not None and why == "link":
        counts = tuple(count for count in counts if count >= sharded.gpus)
    split = smallest_split(situation, model, plan, card, counts, budget_gib, why)
    if split is None or (split.memory.plan.gpus == 1 and why != "wanted" and sharded is None):
        return None
    if why == "link" and (
        sharded is None or not _faster(situation, model, card, split.memory.plan, sharded)
    ):
        return None
    return split


def _reason(
    situation: Situation, model: Model, plan: TrainingPlan, sharded: TrainingPlan | None
) -> str | None:
    """Return why full sharding may not be what is wanted, or not be enough."""
    answers = situation.answers
    if splits_are_wanted(situation):
        return "wanted"
    if plan.method != "full" or plan.context_parallel > 1 or plan.offload != "none":
        return None
    framework = answers.get("training.framework")
    stated = answers.is_given("training.sharding") or "sharding" in dict(situation.job)
    if framework in SPLITTING_FRAMEWORKS:
        alone = sharded is not None and sharded.gpus == 1
        return None if alone or (stated and plan.shards_weights) else "framework"
    if stated or framework in SHARDING_FRAMEWORKS:
        return None
    return "memory" if sharded is None else _outgrown(situation, model, sharded)


def splits_are_wanted(situation: Situation) -> bool:
    """Tell whether the answers insist on tensor or pipeline ranks."""
    wanted = wanted_layout(situation.answers)
    sizes = () if wanted is None else (wanted.tensor_parallel, wanted.pipeline_parallel)
    return any(size is not None and size > 1 for size in sizes)


def _outgrown(situation: Situation, model: Model, sharded: TrainingPlan) -> str | None:
    """Return why a job that full sharding holds may do better without it."""
    if sharded.nodes == 1:
        return None
    if sharded.nodes > _ENOUGH_NODES or model.parameters_b > _ENOUGH_B:
        return "size"
    return "link" if situation.answers.is_given("hardware.fabric_gbps") else None


def _faster(
    situation: Situation, model: Model, card: Card, split: TrainingPlan, sharded: TrainingPlan
) -> bool:
    """Tell whether the split clearly needs less time for each sample."""
    mine = step_seconds(situation, model, card, split)
    other = step_seconds(situation, model, card, sharded)
    if mine is None or other is None:
        return False
    return mine / split.gpus < _GAIN * other / sharded.gpus


def step_seconds(
    situation: Situation, model: Model, card: Card, plan: TrainingPlan
) -> float | None:
    """Return the time of one optimizer step with one micro-batch for each GPU and accumulation.

    ``None`` without the rate of the card or of the network.
    """
    if not isinstance(situation.answers.get("hardware.fabric_gbps"), int | float):
        return None
    seconds = _seconds(situation, model, card, plan, None)
    return seconds if math.isfinite(seconds) else None


def _seconds(
    situation: Situation, model: Model, card: Card, plan: TrainingPlan, batch: int | None
) -> float:
    """Return the time of a step of ``batch`` micro-batches, or of as many as accumulation makes.

    Arithmetic and network overlap, where the rate of the network is stated; the pipeline's bubble
    and the all-reduces of tensor ranks do not. Infinite without the rate of the card.
    """
    rate, gbps = card.gpu.tflops.bf16, situation.answers.get("hardware.fabric_gbps")
    if not rate:
        return math.inf
    whole = replace(plan, tensor_parallel=1, pipeline_parallel=1)
    batches = batch or accumulation_of(situation.answers, whole) * plan.gpus
    micro = max(1, round(batches / plan.world_size))
    seconds = micro_seconds(model, plan, rate) + _all_reduce_seconds(model, card, plan)
    arithmetic = seconds * (micro + plan.pipeline_parallel - 1)
    if not isinstance(gbps, int | float):
        return arithmetic
    traffic = traffic_of(model, plan)
    network = (traffic.micro_gb * micro + traffic.step_gb) * 8 / gbps
    return max(arithmetic, network)


def _all_reduce_seconds(model: Model, card: Card, plan: TrainingPlan) -> float:
    """Return what tensor ranks wait for each other in one micro-batch: four times a layer."""
    links, ranks = card.gpu.interconnect, plan.tensor_parallel
    both_ways = links.nvlink_bidirectional_gbs or links.fabric_bidirectional_gbs
    if ranks == 1 or not both_ways:
        return 0.0
    hidden = 2.0 * plan.tokens_per_gpu * model.hidden_size * 2 * (ranks - 1) / ranks
    layers = model.layers / plan.pipeline_parallel
    return 4 * layers * hidden / (both_ways / 2 * 1e9 * _LINK_SHARE)
