"""Memory that comes and goes beside states and activations, and what the host must hold.

Gathered blocks of ZeRO-3 and FSDP, communication buckets, the dequantised copy of QLoRA, the
optimizer step, CUDA context and NCCL, fragmentation; host RAM and disk of offloading.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.training_plan import GIB, GibRange, TrainingPlan
from advisor.sizing.training_shapes import largest_layer, matrices_of
from advisor.sizing.training_states import NF4_BYTES, RankParameters, States
from advisor.store.model import Model

__all__ = ["HostMemory", "Transients", "host_memory", "transients_of"]

_CONTEXT_GIB = GibRange(0.5, 1.0, 1.4)
"""CUDA context and kernels; 1,343 MiB were measured before any weight was loaded
(transformers documentation, model memory anatomy)."""
_NCCL_GIB = GibRange(0.3, 0.4, 1.0)
"""0.34 (2 GPUs) to 0.39 GiB (4 to 8) measured (aiconfigurator); more with many groups."""
_BUCKET_ELEMENTS = 5e8
"""DeepSpeed's default reduce and all-gather bucket, and LLaMA-Factory's ZeRO-2 file."""
_OVERLAP_FACTOR = 4.5
"""With ``overlap_comm`` buckets take 4.5 times their size: 9 GB at the default
(transformers documentation, DeepSpeed)."""
_SUB_GROUP_ELEMENTS = 1e9
"""Parameters that DeepSpeed's ZeRO-3 steps at once."""
_PARAMETER_BUFFERS_BYTES = 5 * 1e8 * 2
"""DeepSpeed's pinned buffers for weights on NVMe: five of 1e8 elements."""
_OPTIMIZER_BUFFER_BYTES = 4 * 4
"""Per parameter of a sub-group: four fp32 buffers (weight, gradient, two moments)."""
_HOST_BUFFER_FACTOR = 1.5
"""DeepSpeed's own estimator adds half for pinned and staging buffers."""


@dataclass(frozen=True, slots=True)
class Transients:
    """Per GPU."""

    gathered: GibRange
    buckets: GibRange
    dequantised: GibRange
    optimizer_step: GibRange
    """Lives while activations do not."""
    framework: GibRange


@dataclass(frozen=True, slots=True)
class HostMemory:
    """What offloading, paging and waiting checkpoints need outside the GPUs, whole job."""

    ram: GibRange
    nvme_gib: float


def _weight_bytes(plan: TrainingPlan) -> float:
    return NF4_BYTES if plan.method == "qlora" else 2.0


def _gathered(model: Model, plan: TrainingPlan, own: RankParameters) -> GibRange:
    """Return the blocks that are whole at one time: the one in work and the prefetched next.

    ``low`` gathers one layer without prefetch, ``high`` also keeps the root's tables whole.
    """
    if not plan.shards_weights:
        return GibRange.zero()
    layer = largest_layer(model) / plan.tensor_parallel * _weight_bytes(plan)
    table = 2.0 * own.embedding
    tables = table if model.tie_embeddings else 2 * table
    expected = 2 * max(layer, table)
    return GibRange.of_bytes(expected, low=layer, high=max(expected, tables + 2 * layer))


def _buckets(model: Model, plan: TrainingPlan, states: States) -> GibRange:
    gradient = 4.0 if plan.gradient_dtype == "fp32" else 2.0
    trained = states.trainable
    bucket = 2.0 * min(_BUCKET_ELEMENTS, trained)
    if plan.sharding in {"zero1", "zero2"}:
        return GibRange.of_bytes(2 * bucket, low=bucket, high=2 * bucket * _OVERLAP_FACTOR)
    if plan.sharding == "zero3":
        tuned = 2.0 * min(trained, float(model.hidden_size) ** 2)
        return GibRange.of_bytes(bucket, low=min(bucket, tuned), high=2 * bucket)
    if plan.sharding == "fsdp":
        # whole gradients of the block in work, before they are reduced and split
        block = gradient * min(trained, largest_layer(model) / plan.tensor_parallel)
        return GibRange.of_bytes(block, low=0.0, high=2 * block)
    if plan.world_size == 1:
        return GibRange.zero()
    # DDP copies gradients into its buckets unless gradients are made views of them
    return GibRange.of_bytes(gradient * trained, low=0.0)


def _dequantised(model: Model, plan: TrainingPlan) -> GibRange:
    if plan.method != "qlora":
        return GibRange.zero()
    # one projection at a time is expanded to 16 bit; a compiled graph may hold a layer of them
    matrix = max((m.inputs * m.outputs for m in matrices_of(model)), default=0)
    layer = max(largest_layer(model, whole_experts=False), matrix)
    t = plan.tensor_parallel
    return GibRange.of_bytes(2.0 * matrix / t, high=2.0 * layer / t)


def _optimizer_step(plan: TrainingPlan, states: States) -> GibRange:
    """Return what the step itself needs: fp32 copies of 16-bit gradients, or temporaries.

    DeepSpeed converts its share of the gradients (stages 1 and 2 at once, stage 3 by
    sub-groups); an unfused PyTorch optimizer allocates fp32 temporaries, a fused one none.
    """
    if plan.offload != "none" or plan.master_weights == "none":
        return GibRange.zero()
    ranks = 1 if plan.sharding == "none" else plan.world_size
    copy = 4.0 * states.trainable / ranks
    if plan.sharding == "zero3":
        copy = min(copy, 4.0 * _SUB_GROUP_ELEMENTS)
    if plan.sharding in {"zero1", "zero2", "zero3"}:
        needed = 0.0 if plan.gradient_dtype == "fp32" else copy
        return GibRange.of_bytes(needed, low=needed, high=copy)
    return GibRange.of_bytes(0.0, high=copy)


def transients_of(
    model: Model, plan: TrainingPlan, own: RankParameters, states: States
) -> Transients:
    """Return the memory that comes and goes, per GPU."""
    communicates = plan.gpus > 1 or plan.sharding != "none"
    return Transients(
        gathered=_gathered(model, plan, own),
        buckets=_buckets(model, plan, states),
        dequantised=_dequantised(model, plan),
        optimizer_step=_optimizer_step(plan, states),
        framework=_CONTEXT_GIB + _NCCL_GIB if communicates else _CONTEXT_GIB,
    )


def host_memory(plan: TrainingPlan, states: States, checkpoints: GibRange) -> HostMemory:
    """Return host RAM and NVMe of the whole job in GiB.

    ``expected`` of CPU offloading counts fp32 gradients as DeepSpeed's estimator does (18
    bytes per parameter under AdamW), ``low`` 16-bit ones (16), ``high`` adds its factor for
    buffers (1.5).
    """
    gpus = float(plan.gpus)
    ram = checkpoints.times(gpus)
    paged = gpus * states.paged
    ram += GibRange.of_bytes(paged, low=0.0)
    moved = gpus * states.moved
    if plan.offload == "cpu":
        whole = moved + gpus * states.moved_gradient_copies
        ram += GibRange.of_bytes(whole, low=moved, high=_HOST_BUFFER_FACTOR * whole)
    if plan.offload == "nvme":
        weights = _PARAMETER_BUFFERS_BYTES if plan.shards_weights else 0.0
        group = min(_SUB_GROUP_ELEMENTS, states.trainable / plan.world_size)
        buffers = gpus * (weights + _OPTIMIZER_BUFFER_BYTES * group)
        ram += GibRange.of_bytes(buffers, low=gpus * weights, high=_HOST_BUFFER_FACTOR * buffers)
        return HostMemory(ram, (moved + gpus * states.moved_gradient_copies) / GIB)
    return HostMemory(ram, 0.0)
