"""Training memory in the form that ``size`` prints."""

from __future__ import annotations

from typing import get_args

from advisor.sizing.result import LayoutResult, ProblemCode, SizeProblem, SizeResult, Span
from advisor.sizing.training import TrainingMemory, TrainingPlan, training_memory
from advisor.sizing.training_plan import GibRange
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["USABLE", "training_result"]

USABLE = 0.97
"""Share of what the runtime reports that a job can fill before the allocator gives up."""
_CODES = frozenset(get_args(ProblemCode))


def training_result(
    model: Model,
    gpu: Gpu,
    plan: TrainingPlan,
    *,
    total_gib: float,
    weight_format: str,
    gpu_count: int | None = None,
    host_ram_gib: float | None = None,
) -> SizeResult:
    """Size ``plan`` on ``gpu``.

    Args:
        model: Shapes.
        gpu: The card.
        plan: The job; its world size is the number of sharding ranks.
        total_gib: What the runtime reports per GPU.
        weight_format: Format of the base weights.
        gpu_count: GPUs stated by the caller.
        host_ram_gib: Host memory per node, where known: too little is a blocking problem.
    """
    memory = training_memory(model, plan)
    budget = total_gib * USABLE
    problems = _problems(memory, budget, host_ram_gib)
    fits = memory.fits(budget)
    illegal = any(note.blocking for note in memory.notes)
    blocked = any(problem.blocking for problem in problems)
    status = "cannot_run" if illegal else "unknown" if fits is None else "fits"
    if status == "fits" and (blocked or not fits):
        status = "does_not_fit"
    return SizeResult(
        status=status,
        fits=status == "fits",
        model=model.id,
        gpu=gpu.id,
        gpu_memory_gib=round(total_gib, 3),
        weight_format=weight_format,
        layout=_layout(plan, gpu_count),
        max_model_len=plan.sequence_tokens,
        weights_gib_per_gpu=round(memory.weights.expected, 4),
        overheads=_overheads(memory),
        training_states_gib_per_gpu=round(memory.training_states_gib_per_gpu, 4),
        activations_gib_per_gpu=_rounded(memory.activations_gib_per_gpu),
        host_ram_gib=_rounded(memory.host_ram_gib.expected),
        total_gib_per_gpu=_span(memory.total),
        training=_settings(plan, memory),
        problems=problems,
        arithmetic=memory.arithmetic,
    )


def _problems(
    memory: TrainingMemory, budget: float, host_ram_gib: float | None
) -> tuple[SizeProblem, ...]:
    found = [
        SizeProblem(
            code=note.code if note.code in _CODES else "training_note",
            text=note.text,
            section=note.section,
            blocking=note.blocking,
        )
        for note in memory.notes
    ]
    total = memory.total
    if total is not None and total.expected > budget:
        text = (
            f"a GPU needs {total.expected:.1f} GiB and {budget:.1f} can be filled: "
            f"{total.expected - budget:.1f} GiB too many. Shard over more GPUs, recompute, use an "
            "8-bit optimizer, offload, or train adapters."
        )
        found.append(
            SizeProblem(code="weights_exceed_memory", text=text, section="7.5", blocking=True)
        )
    elif memory.borderline(budget):
        assert total is not None  # noqa: S101 - borderline says so
        text = f"within the error of this estimate: {total.low:.1f} to {total.high:.1f} GiB."
        found.append(SizeProblem(code="borderline", text=text, section="7.5"))
    need = memory.host_ram_gib.expected
    if host_ram_gib is not None and need > host_ram_gib:
        text = f"the fullest node needs {need:,.0f} GiB of host RAM and has {host_ram_gib:,.0f}."
        found.append(SizeProblem(code="host_ram", text=text, section="7.5", blocking=True))
    return tuple(found)


def _layout(plan: TrainingPlan, gpu_count: int | None) -> LayoutResult:
    idle = 0 if gpu_count is None else max(0, gpu_count - plan.gpus)
    return LayoutResult(
        tensor_parallel=plan.tensor_parallel,
        pipeline_parallel=plan.pipeline_parallel,
        data_parallel=plan.world_size,
        gpus=plan.gpus,
        gpu_count=gpu_count,
        idle_gpus=idle,
    )


def _overheads(memory: TrainingMemory) -> dict[str, float]:
    parts = {
        "weights_gib": memory.weights,
        "gradients_gib": memory.gradients,
        "optimizer_states_gib": memory.optimizer_states,
        "adapters_gib": memory.adapters,
        "logits_gib": memory.logits,
        "gathered_weights_gib": memory.gathered,
        "communication_buckets_gib": memory.buckets,
        "dequantised_layer_gib": memory.dequantised,
        "fragmentation_gib": memory.reserve,
        "non_torch_gib": memory.framework,
    }
    found = {name: round(part.expected, 3) for name, part in parts.items() if part is not None}
    peak = memory.activation_peak
    return {
        **found,
        "activation_peak_gib": round(peak.expected, 3) if peak else 0.0,
        "cuda_graphs_gib": 0.0,
    }


def _settings(plan: TrainingPlan, memory: TrainingMemory) -> dict[str, float | str | int | None]:
    settings: dict[str, float | str | int | None] = {
        "method": plan.method,
        "sequence_tokens": plan.sequence_tokens,
        "micro_batch": plan.micro_batch,
        "optimizer": plan.optimizer,
        "master_weights": plan.master_weights,
        "sharding": plan.sharding,
        "recompute": plan.recompute,
        "offload": plan.offload,
        "lora_rank": plan.lora_rank if plan.method != "full" else None,
        "trainable_parameters_b": round(memory.trainable_parameters / 1e9, 4),
    }
    if plan.chunked_loss:
        settings["loss"] = "chunked"
    if plan.context_parallel > 1:
        settings["context_parallel"] = plan.context_parallel
    return settings


def _span(value: GibRange | None) -> Span | None:
    """Return what is needed: at the least, as expected and at the most."""
    if value is None:
        return None
    return Span(
        low=round(value.low, 3), expected=round(value.expected, 3), high=round(value.high, 3)
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
