"""What a reader must know about a training figure, and the sums in words.

Owns the texts; decides nothing about memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.sizing.training_peaks import Peaks
from advisor.sizing.training_plan import GIB, GibRange, TrainingPlan
from advisor.sizing.training_shapes import attention_only, matrices_of
from advisor.sizing.training_states import RankParameters, States
from advisor.sizing.training_transients import HostMemory, Transients
from advisor.store.model import Model

__all__ = ["SECTION", "TrainingNote", "arithmetic_of", "notes_of"]

SECTION = "7.5"
_LINEAR_KINDS = frozenset({"gdn", "kda", "mamba2", "lightning"})
_TRAINED_FORMATS = frozenset({"bf16", "fp16", "fp32"})
_LARGE_LOGITS_GIB = 2.0
_LOADING_WORTH_SAYING_GIB = 64.0


@dataclass(frozen=True, slots=True)
class TrainingNote:
    """One remark on a training figure."""

    code: str
    text: str
    section: str = SECTION
    blocking: bool = False
    """The plan cannot run as stated, whatever the memory."""


def _legality(model: Model, plan: TrainingPlan) -> Iterator[TrainingNote]:
    t, p = plan.tensor_parallel, plan.pipeline_parallel
    heads = {getattr(a, "heads", 0) for a in model.attention}
    uneven = sorted(h for h in heads if h % t)
    if uneven:
        text = f"{uneven[0]} attention heads do not divide over {t} tensor-parallel ranks."
        yield TrainingNote("heads_not_divisible", text, blocking=True)
    if p > model.layers:
        text = f"{model.layers} layers cannot fill {p} pipeline stages."
        yield TrainingNote("layers_fewer_than_stages", text, blocking=True)
    if plan.sequence_tokens > model.max_context_tokens:
        text = (
            f"Sequences of {plan.sequence_tokens:,} tokens are longer than the model's "
            f"{model.max_context_tokens:,}."
        )
        yield TrainingNote("sequence_beyond_model", text)


def _precision(plan: TrainingPlan) -> Iterator[TrainingNote]:
    if plan.lacks_bf16:
        text = (
            f"{plan.gpu_architecture} has no bf16: train in fp16 with loss scaling and fp32 "
            "master weights; kernels that need Ampere (FlashAttention-2) are out, PyTorch's "
            "memory-efficient attention is not."
        )
        yield TrainingNote("no_bf16", text)
    if plan.master_weights != "none":
        return
    if plan.lacks_bf16:
        text = (
            "fp16 without fp32 master weights does not train: loss scaling cannot unscale fp16 "
            "gradients."
        )
        yield TrainingNote("fp16_needs_master_weights", text, blocking=True)
    text = (
        "Without fp32 master weights small updates round away in 16 bit: compare the loss with "
        "a short mixed-precision run before spending on a long one."
    )
    yield TrainingNote("no_master_weights", text)


def _published(model: Model, plan: TrainingPlan) -> Iterator[TrainingNote]:
    if model.published_format in _TRAINED_FORMATS:
        return
    text = (
        f"Published in {model.published_format}: "
        + ("the base" if plan.method == "qlora" else "training")
        + " is counted from a 16-bit copy, which has to be made first."
    )
    yield TrainingNote("published_in_low_precision", text)


def _unknown(model: Model, peaks: Peaks | None) -> Iterator[TrainingNote]:
    if peaks is None:
        kinds = ", ".join(sorted({a.kind for a in model.attention}))
        text = (
            f"Which tensors this attention ({kinds}) keeps for its backward pass is not known: "
            "states are right, activations and the total are not computed."
        )
        yield TrainingNote("unknown_attention", text)
    if model.unknown_shapes:
        names = ", ".join(model.unknown_shapes)
        yield TrainingNote("unknown_shapes", f"Not known of this model: {names}.")
    if any(a.kind in _LINEAR_KINDS for a in model.attention):
        text = (
            "Activations of linear-attention layers are an estimate from their widths; kernels "
            "differ by a factor of two."
        )
        yield TrainingNote("linear_attention_estimate", text)
    if model.vision is not None and model.vision.parameters_b:
        text = "Activations of the vision or audio tower are not counted."
        yield TrainingNote("tower_activations_not_counted", text)


def _fixed_cost(
    plan: TrainingPlan, states: States, total: GibRange | None
) -> Iterator[TrainingNote]:
    if plan.world_size == 1:
        if plan.sharding != "none":
            text = f"{plan.sharding} over one rank shards nothing."
            yield TrainingNote("sharding_needs_ranks", text)
        return
    if not plan.shards_weights:
        kept = plan.sharding if plan.sharding != "none" else "DDP"
        text = (
            f"{kept} keeps a whole copy of the weights on every GPU "
            f"({states.weights.expected:.1f} GiB): compare the figure with one GPU, not with the "
            "sum of all. ZeRO-3 or FSDP splits it."
        )
        if plan.sharding == "zero2":
            text += (
                " DeepSpeed's own estimator also counts a whole copy of the gradients (the high "
                "figure)."
            )
        yield TrainingNote("replicated_weights", text)
    if total is None:
        return
    fixed = total.expected - (states.total.expected if plan.shards_weights else 0.0)
    text = (
        f"About {fixed:.1f} GiB per GPU do not shrink with more data-parallel GPUs (activations "
        "of one micro-batch, blocks in flight, context, unsharded states): many small GPUs are "
        "not a few large ones."
    )
    yield TrainingNote("fixed_cost_per_gpu", text)


def _batch(
    plan: TrainingPlan, peaks: Peaks | None, states: States, total: GibRange | None
) -> Iterator[TrainingNote]:
    if plan.recompute == "selective" and plan.flash_attention:
        text = (
            "Selective recomputation drops the score matrix, which a fused attention kernel "
            "never stores: nothing is saved here."
        )
        yield TrainingNote("selective_saves_nothing", text)
    if peaks is None or total is None:
        return
    logits = peaks.logits.expected
    if not plan.chunked_loss and logits >= _LARGE_LOGITS_GIB:
        text = (
            f"Logits take {peaks.logits.low:.1f} to {peaks.logits.high:.1f} GiB: a fused or "
            "chunked cross-entropy (Liger, torchtune, cut cross-entropy) removes most of it."
        )
        yield TrainingNote("logits_large", text)
    if plan.offload == "none" and peaks.peak.expected > states.total.expected:
        text = (
            "Activations and logits outweigh the states. More data-parallel GPUs do not help: "
            "shorten the sequence, recompute, split the sequence (context parallelism), or let "
            "checkpoints wait in host RAM."
        )
        yield TrainingNote("activations_dominate", text)
    if not plan.packing:
        text = (
            f"The figure is that of a batch of {plan.sequence_tokens:,}-token sequences; unpacked "
            "data reaches it only with its longest batch, which may come hours into the run."
        )
        yield TrainingNote("longest_batch_decides", text)


def _host(
    model: Model, plan: TrainingPlan, states: States, host: HostMemory
) -> Iterator[TrainingNote]:
    nodes = f"over {plan.nodes} nodes" if plan.nodes > 1 else "on the node"
    if plan.offload != "none":
        text = (
            f"Offloading needs {host.ram.low:,.0f} to {host.ram.high:,.0f} GiB of host RAM "
            f"{nodes} (expected {host.ram.expected:,.0f}); the step waits for PCIe and CPU."
        )
        if plan.offload == "nvme":
            text += f" NVMe holds {host.nvme_gib:,.0f} GiB."
        yield TrainingNote("host_ram", text)
    if states.paged:
        total = states.paged * plan.gpus / GIB
        text = (
            f"Paged moments ({states.paged / GIB:.1f} GiB per GPU) stay on the GPU while there "
            f"is room and move to host RAM when there is not: have {total:,.0f} GiB free {nodes}."
        )
        yield TrainingNote("paged_moments", text)
    copies = min(plan.gpus, plan.gpus_per_node)
    whole = 2.0 * model.parameters_b * 1e9 / GIB
    if plan.shards_weights and whole * copies > _LOADING_WORTH_SAYING_GIB:
        text = (
            f"If every rank reads the whole checkpoint, loading takes {copies} x {whole:,.0f} GiB "
            "of host RAM per node: load on one rank and scatter (zero.Init, "
            "cpu_ram_efficient_loading)."
        )
        yield TrainingNote("host_ram_loading", text)


def _mixture(model: Model, plan: TrainingPlan) -> Iterator[TrainingNote]:
    if plan.method == "full" or not any(ffn.kind == "moe" for ffn in model.ffn):
        return
    routed = [m for m in matrices_of(model) if m.group == "experts"]
    if attention_only(plan, model):
        more = sum(m.adapter(plan.lora_rank) for m in routed)
        text = (
            f"Adapters sit on attention alone; rank {plan.lora_rank} on every routed expert would "
            f"be {more / 1e9:,.1f}B more parameters at 16 bytes. All experts stay in memory."
        )
        yield TrainingNote("adapters_on_attention_only", text)
    if plan.method == "qlora":
        wide = sum(m.parameters for m in routed) * 2.0 / GIB
        text = (
            "Check that the trainer quantises the routed experts: bitsandbytes replaces linear "
            f"layers only, and experts fused into one tensor would take {wide:,.0f} GiB in 16 bit."
        )
        yield TrainingNote("experts_may_stay_wide", text)


def notes_of(
    model: Model,
    plan: TrainingPlan,
    states: States,
    peaks: Peaks | None,
    host: HostMemory,
    total: GibRange | None,
) -> tuple[TrainingNote, ...]:
    """Return what the reader must know, blocking remarks first."""
    found = [
        *_legality(model, plan),
        *_precision(plan),
        *_published(model, plan),
        *_unknown(model, peaks),
        *_fixed_cost(plan, states, total),
        *_batch(plan, peaks, states, total),
        *_host(model, plan, states, host),
        *_mixture(model, plan),
    ]
    return tuple(sorted(found, key=lambda note: not note.blocking))


def arithmetic_of(
    plan: TrainingPlan,
    own: RankParameters,
    states: States,
    peaks: Peaks | None,
    extra: Transients,
    total: GibRange | None,
) -> tuple[str, ...]:
    """Return the expected sums, one line each, GiB per GPU."""
    ranks = f"{plan.sharding} over {plan.world_size}" if plan.sharding != "none" else "unsharded"
    paged = f" ({states.paged / GIB:.1f} more may stay or page out)" if states.paged else ""
    trained = f"adapters {states.adapters.expected:.1f} ({states.trainable / 1e6:,.0f}M parameters)"
    if plan.method == "full":
        gradients, optimizer = states.gradients.expected, states.optimizer.expected
        trained = f"gradients {gradients:.1f} + optimizer {optimizer:.1f}"
    sums = (
        f"states: weights {states.weights.expected:.1f} + {trained}{paged} = "
        f"{states.total.expected:.1f} GiB ({own.total / 1e9:.2f}B parameters, {ranks})"
    )
    if peaks is None or total is None:
        return sums, "activations: not known for this attention"
    return (sums, *_moving_lines(plan, peaks, extra, total))


def _moving_lines(
    plan: TrainingPlan, peaks: Peaks, extra: Transients, total: GibRange
) -> tuple[str, ...]:
    activations = (
        f"activations: kept {peaks.stored.expected:.1f} + layer in work {peaks.live.expected:.1f} "
        f"GiB ({plan.tokens_per_gpu:,.0f} tokens, recompute {plan.recompute}); logits "
        f"{peaks.logits.expected:.1f} GiB; together at most {peaks.peak.expected:.1f}"
    )
    flight = (
        f"in flight: gathered blocks {extra.gathered.expected:.1f} + buckets "
        f"{extra.buckets.expected:.1f} + dequantised {extra.dequantised.expected:.1f} GiB; "
        f"context and NCCL {extra.framework.expected:.1f}"
    )
    result = (
        f"total: {total.expected:.1f} GiB ({total.low:.1f} to {total.high:.1f}) with the reserve "
        "for fragmentation"
    )
    return activations, flight, result
