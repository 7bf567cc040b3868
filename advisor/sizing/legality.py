"""Whether a layout and a format can run at all, before any memory is counted.

No amount of memory helps against these: heads that do not divide, quantisation groups that a
split would cut, formats that a generation cannot compute.

Source: checks in vLLM 0.33 ``config/model.py`` and ``quantization/*``; handbook section 7.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeProblem
from advisor.sizing.weights import WeightPlan
from advisor.store.model import (
    DenseFfn,
    FullAttention,
    MlaAttention,
    Model,
    MoeFfn,
    WindowedAttention,
)

__all__ = ["layout_problems"]

_FP8_BLOCK = 128
_MARLIN_K = 128
_GROUPED_FORMATS = frozenset({"awq_int4", "gptq_int4", "int4"})


def _block(code: str, text: str, section: str = "7.3") -> SizeProblem:
    return SizeProblem(code=code, text=text, section=section, blocking=True)


def layout_problems(
    model: Model, plan: WeightPlan, layout: Layout, rules: EngineRules
) -> tuple[SizeProblem, ...]:
    """Return everything that makes ``layout`` illegal for ``model``, in reading order."""
    return (
        *_head_problems(model, layout),
        *_context_parallel_problems(model, layout),
        *_stage_problems(model, layout),
        *_group_problems(model, plan, layout, rules),
        *_expert_problems(model, layout, rules),
    )


def _head_problems(model: Model, layout: Layout) -> Iterator[SizeProblem]:
    ranks = layout.tensor_parallel
    seen: set[str] = set()
    for a in model.attention:
        heads = getattr(a, "heads", None) or getattr(a, "value_heads", None) or 1
        if heads % ranks:
            message = (
                f"{heads} heads do not divide by tensor parallel {ranks}; "
                f"use {_divisors(heads)} or add pipeline stages."
            )
            if message not in seen:
                seen.add(message)
                yield _block("heads_not_divisible", message)
    for a in model.attention:
        if not isinstance(a, FullAttention | WindowedAttention) or a.heads % ranks:
            continue
        heads = a.kv_heads
        if heads % ranks and ranks % heads:
            message = (
                f"{heads} KV heads neither divide by tensor parallel {ranks} nor "
                f"repeat evenly over it; use {_divisors(heads)}."
            )
            if message not in seen:
                seen.add(message)
                yield _block("kv_heads_not_divisible", message)


def _divisors(number: int, limit: int = 64) -> str:
    return ", ".join(str(d) for d in range(1, min(number, limit) + 1) if number % d == 0)


def _context_parallel_problems(model: Model, layout: Layout) -> Iterator[SizeProblem]:
    ways = layout.decode_context_parallel
    if ways == 1:
        return
    ranks = layout.tensor_parallel
    if ways > ranks or ranks % ways:
        yield _block(
            "context_parallel_not_allowed",
            f"decode context parallel {ways} must divide tensor parallel {ranks}.",
        )
        return
    for a in model.attention:
        if isinstance(a, FullAttention):
            most = ranks // a.kv_heads
            if ways > most:
                yield _block(
                    "context_parallel_not_allowed",
                    f"with {a.kv_heads} KV heads, tensor parallel {ranks} leaves "
                    f"{max(0, most)} copies to interleave; decode context parallel {ways} "
                    "needs that many.",
                )
                return
        elif not isinstance(a, MlaAttention):
            yield _block(
                "context_parallel_not_allowed",
                "decode context parallelism is for layers that keep the whole context; "
                f"this model has {a.kind} layers.",
            )
            return


def _stage_problems(model: Model, layout: Layout) -> Iterator[SizeProblem]:
    if layout.pipeline_parallel > model.layers:
        yield _block(
            "layers_fewer_than_stages",
            f"{model.layers} layers cannot fill {layout.pipeline_parallel} pipeline stages.",
        )


def _quantised_widths(model: Model, plan: WeightPlan, layout: Layout) -> Iterator[tuple[str, int]]:
    """Yield (what, elements per rank) for each quantised dimension that a split cuts."""
    ranks = layout.tensor_parallel
    for f in model.ffn:
        if isinstance(f, DenseFfn) and "dense_ffn" not in plan.wide:
            width = round(f.intermediate_size * plan.intermediate_scale)
            yield f"intermediate size {width}", width // ranks if width % ranks == 0 else 1
        elif isinstance(f, MoeFfn) and "experts" not in plan.wide and not layout.expert_parallel:
            width = f.expert_intermediate_size
            parts = layout.expert_ranks
            yield f"expert intermediate size {width}", width // parts if width % parts == 0 else 1
    for a in model.attention:
        if isinstance(a, FullAttention) and "attention" not in plan.wide and a.heads % ranks == 0:
            per_rank = a.heads // ranks * a.head_dim
            yield f"attention output width {a.heads * a.head_dim}", per_rank


def _required_multiple(plan: WeightPlan, rules: EngineRules) -> tuple[int, str] | None:
    if plan.format == "fp8_block":
        return _FP8_BLOCK, "the 128x128 scale blocks"
    if plan.format in _GROUPED_FORMATS:
        group = plan.group_size or 128
        if rules.marlin_tile_required and group < _MARLIN_K:
            return _MARLIN_K, f"Marlin's k tile of {_MARLIN_K}"
        return group, f"the quantisation groups of {group}"
    if plan.format == "nvfp4":
        return 16, "the scale groups of 16"
    return None


def _group_problems(
    model: Model, plan: WeightPlan, layout: Layout, rules: EngineRules
) -> Iterator[SizeProblem]:
    required = _required_multiple(plan, rules)
    if required is None or rules.ignores_shapes:
        return
    multiple, reason = required
    for what, width in _quantised_widths(model, plan, layout):
        experts = what.startswith("expert")
        split = layout.expert_ranks if experts else layout.tensor_parallel
        if split == 1 or width % multiple == 0:
            continue
        remedy = "enable expert parallelism" if experts else "use fewer tensor-parallel ranks"
        yield _block(
            "quant_group_not_divisible",
            f"{what} over {split} ranks gives {width}, which cuts {reason}; "
            f"{remedy} or a format without groups.",
        )


def _expert_problems(model: Model, layout: Layout, rules: EngineRules) -> Iterator[SizeProblem]:
    for f in model.ffn:
        if not isinstance(f, MoeFfn):
            continue
        ranks = layout.expert_ranks
        if layout.expert_parallel and f.experts % ranks and not rules.uneven_experts:
            yield _block(
                "experts_not_divisible",
                f"{f.experts} experts do not divide over {ranks} expert-parallel ranks.",
            )
        if not layout.expert_parallel and ranks > 1 and f.expert_intermediate_size % ranks:
            yield _block(
                "quant_group_not_divisible",
                f"expert intermediate size {f.expert_intermediate_size} does not divide by "
                f"{ranks}; enable expert parallelism.",
            )
        return
    if layout.expert_parallel:
        yield _block("experts_not_divisible", "this model has no experts to spread.")
