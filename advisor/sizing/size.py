"""The calculator behind ``gpu-advisor size``: legality first, then memory, then speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from advisor.errors import InputError, Problem
from advisor.sizing.cache_layers import KV_ELEMENT_BYTES, kv_replication
from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.formats import choose_build, support_problems, weight_bytes
from advisor.sizing.kv_formats import resolve_kv_format
from advisor.sizing.layout import Layout
from advisor.sizing.legality import layout_problems
from advisor.sizing.memo import Memo
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import (
    LayoutResult,
    Range,
    RateRange,
    SizeProblem,
    SizeResult,
    Span,
)
from advisor.sizing.speed import Estimate, decode_estimate, prefill_estimate
from advisor.sizing.stages import Stage, stages_of
from advisor.sizing.verdict import memory_problems, model_problems, unknown_reason
from advisor.sizing.weights import WeightPlan, weight_plan
from advisor.store.formats import WeightFormatRecord
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["RulesFor", "SizingFacts", "size_layout"]

GIB = 2**30
RulesFor = Callable[[SizeRequest, Model, Gpu, float, Layout], EngineRules]
_USUAL_SEQUENCES = 64
_USUAL_CONTEXT_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class SizingFacts:
    """What sizing takes from the knowledge base."""

    formats: Mapping[str, WeightFormatRecord]
    rules_for: RulesFor
    memo: Memo[SizeResult] = field(default_factory=lambda: Memo(20_000), compare=False)
    """Results by inputs, shared by all questions asked of one knowledge base."""


@dataclass(frozen=True, slots=True)
class _Case:
    """Everything about one layout that does not depend on scheduler limits."""

    request: SizeRequest
    model: Model
    gpu: Gpu
    layout: Layout
    rules: EngineRules
    plan: WeightPlan
    total_gib: float
    utilization: float
    kv_format: str
    max_model_len: int

    def stages(self, max_num_seqs: int, batched_tokens: int) -> tuple[Stage, ...]:
        return stages_of(
            self.request, self.model, self.plan, self.layout, self.rules,
            total_gib=self.total_gib,
            utilization=self.utilization,
            kv_format=self.kv_format,
            max_num_seqs=max_num_seqs,
            batched_tokens=batched_tokens,
        )  # fmt: skip

    def tightest(self, stages: tuple[Stage, ...]) -> Stage:
        """Return the stage that holds the fewest requests."""
        return min(stages, key=lambda stage: stage.concurrency(self.max_model_len))


def size_layout(
    request: SizeRequest, model: Model, gpu: Gpu, layout: Layout, facts: SizingFacts
) -> SizeResult:
    """Size one layout; see :class:`SizeResult` for the meaning of every number.

    Raises:
        InputError: a format or engine that is not in the catalogue.
    """
    return facts.memo.get(
        (model, gpu), (request, layout), lambda: _size_layout(request, model, gpu, layout, facts)
    )


def _size_layout(
    request: SizeRequest, model: Model, gpu: Gpu, layout: Layout, facts: SizingFacts
) -> SizeResult:
    total = request.gpu_memory_gib or gpu.engine_memory_gib
    rules = facts.rules_for(request, model, gpu, total, layout)
    plan, problems = _plan(request, model, gpu, rules, facts)
    problems += layout_problems(model, plan, layout, rules)
    kv_format, kv_problems = resolve_kv_format(request, model, gpu, rules)
    problems += kv_problems
    limit = request.max_model_len or model.max_context_tokens
    case = _Case(
        request=request,
        model=model,
        gpu=gpu,
        layout=layout,
        rules=rules,
        plan=plan,
        total_gib=total,
        utilization=request.gpu_memory_utilization or rules.utilization_default,
        kv_format=kv_format,
        max_model_len=limit,
    )
    problems += model_problems(request, model, plan, rules, limit)
    return _assemble(case, problems)


def _plan(
    request: SizeRequest, model: Model, gpu: Gpu, rules: EngineRules, facts: SizingFacts
) -> tuple[WeightPlan, tuple[SizeProblem, ...]]:
    chosen, build = choose_build(model, request.weight_format, request.build)
    record = facts.formats.get(chosen)
    if record is None:
        raise InputError(
            Problem(
                "unknown_format",
                f"weight format {chosen!r} is not in the catalogue.",
                key="weight_format",
                allowed=tuple(sorted(facts.formats)),
            )
        )
    given = request.weight_format not in {None, "checkpoint"}
    runs_as, problems = support_problems(record, gpu, rules, given=given)
    record = facts.formats[runs_as]
    group = build.group_size if build else None
    width = weight_bytes(record, group)
    plan = weight_plan(model, runs_as, width, build, facts.formats, rules.expert_padding)
    return plan, problems


def _batched_tokens(case: _Case, max_num_seqs: int) -> int:
    stated = case.request.max_num_batched_tokens
    if stated is not None:
        return stated
    return max(case.rules.batch.max_num_batched_tokens, min(max_num_seqs, 1024))


def _recommended_sequences(case: _Case) -> int:
    """Return max-num-seqs: room for the load, not for the engine's default of up to 1024.

    Each sequence costs sampling memory (38.5 B x vocabulary) whether it is used or not, so
    the recommendation is the load rounded up to a power of two, at least 64.
    """
    if case.request.max_num_seqs is not None:
        return case.request.max_num_seqs
    per_rank = math.ceil((case.request.concurrency or 1) / case.layout.data_parallel)
    if per_rank <= _USUAL_SEQUENCES:
        return min(_USUAL_SEQUENCES, max(case.rules.batch.max_num_seqs, per_rank))
    return 1 << math.ceil(math.log2(per_rank))


def _settle(case: _Case) -> tuple[int, int, tuple[Stage, ...]]:
    """Choose scheduler limits and size the stages at them."""
    sequences = _recommended_sequences(case)
    batched = _batched_tokens(case, sequences)
    stages = case.stages(sequences, batched)
    stage = case.tightest(stages)
    if case.request.max_num_seqs is None and stage.pool.has_states and case.rules.shared_pool:
        blocks = stage.pool.block_count(stage.bytes_available())
        if 0 < blocks < sequences:
            sequences = blocks
            stages = case.stages(sequences, batched)
    return sequences, batched, stages


def _assemble(case: _Case, problems: tuple[SizeProblem, ...]) -> SizeResult:
    sequences, batched, stages = _settle(case)
    stage = case.tightest(stages)
    pool = stage.pool
    unknown = unknown_reason(case.model)
    if unknown is not None:
        problems += (unknown,)
    checked = _checked_stage(case, stage)
    default = _engine_default(case, sequences)
    found, fits = memory_problems(
        stage, checked, case.max_model_len, case.request, case.rules, sequences, default,
        case.total_gib, case.utilization,
    )  # fmt: skip
    problems += found
    illegal = any(p.blocking for p in problems if p not in found)
    status = _status(illegal=illegal, unknown=unknown is not None, fits=fits)
    caches = any(layer.kind != "encoder" for layer in case.model.attention)
    known = caches and unknown is None
    tokens = case.max_model_len
    concurrency = _concurrency(checked, tokens) if known else None
    decode = _decode(case, stage)
    return SizeResult(
        status=status,
        fits=status == "fits",
        holds_concurrency=_holds(case, concurrency, fits=status == "fits"),
        model=case.model.id,
        gpu=case.gpu.id,
        gpu_memory_gib=round(case.total_gib, 3),
        engine=case.rules.engine,
        engine_version=case.rules.version,
        weight_format=case.plan.format,
        kv_format=case.kv_format if caches else None,
        layout=_layout_result(case.layout),
        max_model_len=tokens,
        concurrency=case.request.concurrency,
        max_num_seqs=sequences,
        max_num_batched_tokens=batched,
        gpu_memory_utilization=case.utilization,
        weights_gib_per_gpu=round(stage.weights_gib, 4),
        kv_bytes_per_token_per_gpu=_number(pool.bytes_per_token) if known else None,
        state_bytes_per_sequence_per_gpu=_number(pool.state_bytes) if known else None,
        kv_fixed_bytes_per_sequence_per_gpu=_number(pool.fixed_bytes) if known else None,
        kv_gib_per_request_per_gpu=_gib(checked.pool.bytes_for(tokens)) if known else None,
        kv_cache_gib_per_gpu=_cache_span(stage) if known else None,
        kv_cache_tokens=_tokens(stage, tokens) if known else None,
        kv_replication=_replication(case) if known else None,
        max_concurrency=concurrency,
        largest_max_model_len=_largest(case, checked) if known else None,
        largest_max_num_seqs=_largest_sequences(case, stage),
        overheads=stage.extra.as_dict(),
        decode_tokens_per_second=_rate(decode, 1),
        total_output_tokens_per_second=_rate(decode, _streams(case)),
        ttft_ms=_rate(_prefill(case), 1),
        problems=problems,
        arithmetic=_arithmetic(case, stage, checked) if known else (stage.available.text,),
    )


def _checked_stage(case: _Case, stage: Stage) -> Stage:
    """Return the stage whose need the engine compares with what is available.

    Versions with the pipeline bug compare one stage's memory with the whole model's need.
    """
    if not case.rules.checks_whole_model_per_stage or case.layout.pipeline_parallel == 1:
        return stage
    whole = replace(case, layout=replace(case.layout, pipeline_parallel=1))
    pool = whole.stages(1, 1)[0].pool
    rules = stage.pool.rules
    return replace(stage, pool=replace(pool, rules=rules))


def _engine_default(case: _Case, sequences: int) -> tuple[int, Stage] | None:
    """Return the engine's own max-num-seqs and the stage at it, where it differs."""
    default = case.rules.batch.max_num_seqs
    if case.request.max_num_seqs is not None or default == sequences:
        return None
    if case.request.kv_cache_gib is not None:
        return None
    return default, case.tightest(case.stages(default, _batched_tokens(case, default)))


def _status(*, illegal: bool, unknown: bool, fits: bool) -> str:
    if illegal:
        return "cannot_run"
    if not fits:
        return "does_not_fit"
    return "unknown" if unknown else "fits"


def _holds(case: _Case, concurrency: Span | None, *, fits: bool) -> bool | None:
    wanted = case.request.concurrency
    if wanted is None:
        return None
    if concurrency is None:
        return fits
    return fits and concurrency.expected * case.layout.data_parallel >= wanted


def _concurrency(stage: Stage, tokens: int) -> Span:
    low, expected, high = (stage.concurrency(tokens, index) for index in range(3))
    return Span(low=_number(low), expected=_number(expected), high=_number(high))


def _tokens(stage: Stage, tokens: int) -> Range:
    low, expected, high = (
        max(0, stage.pool.printed_tokens(stage.bytes_available(index), tokens))
        for index in range(3)
    )
    return Range(low=low, expected=expected, high=high)


def _cache_span(stage: Stage) -> Span:
    left = stage.available
    return Span(low=round(left.low, 4), expected=round(left.expected, 4), high=round(left.high, 4))


def _replication(case: _Case) -> int:
    copies = kv_replication(case.model, case.layout.tensor_parallel)
    return max(1, copies // case.layout.decode_context_parallel)


def _largest(case: _Case, stage: Stage) -> int:
    ceiling = max(case.model.max_context_tokens, case.request.max_model_len or 0)
    return stage.pool.largest_length(stage.bytes_available(), ceiling)


def _largest_sequences(case: _Case, stage: Stage) -> int | None:
    if not (stage.pool.has_states and case.rules.shared_pool and case.rules.checks_state_blocks):
        return None
    return stage.pool.block_count(stage.bytes_available())


def _streams(case: _Case) -> int:
    return case.request.concurrency or 1


def _context(case: _Case) -> int:
    """Return the live tokens per stream: as stated, else the prompt, else a usual length."""
    request = case.request
    stated = request.typical_context_tokens or request.prompt_tokens
    return min(case.max_model_len, stated or _USUAL_CONTEXT_TOKENS)


def _decode(case: _Case, stage: Stage) -> Estimate:
    pool = stage.pool
    stages = case.layout.pipeline_parallel
    context = _context(case)
    live = pool.bytes_per_token * context / case.layout.decode_context_parallel
    cache = (live + pool.fixed_bytes + 2 * pool.state_bytes) * stages
    stated = case.request.weights_gib
    return decode_estimate(
        case.model,
        case.plan,
        case.layout,
        _with_bandwidth(case),
        streams=max(1, math.ceil(_streams(case) / case.layout.data_parallel)),
        context_tokens=context,
        cache_bytes_per_stream=cache,
        engine=case.rules.engine,
        weights_bytes=stated * GIB if stated is not None else None,
    )


def _with_bandwidth(case: _Case) -> Gpu:
    stated = case.request.gpu_memory_bandwidth_gbs
    return (
        case.gpu if stated is None else case.gpu.model_copy(update={"memory_bandwidth_gbs": stated})
    )


def _prefill(case: _Case) -> Estimate:
    return prefill_estimate(
        case.model, case.plan, case.layout, case.gpu, prompt_tokens=case.request.prompt_tokens
    )


def _rate(estimate: Estimate, factor: int) -> RateRange:
    if estimate.low is None or estimate.high is None:
        return RateRange(low=None, high=None, assumes=estimate.assumes)
    return RateRange(
        low=round(estimate.low * factor, 2),
        high=round(estimate.high * factor, 2),
        assumes=estimate.assumes,
    )


def _layout_result(layout: Layout) -> LayoutResult:
    return LayoutResult(
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        data_parallel=layout.data_parallel,
        expert_parallel=layout.expert_ranks if layout.expert_parallel else 1,
        decode_context_parallel=layout.decode_context_parallel,
        gpus=layout.gpus,
    )


def _number(value: float) -> float:
    return round(value, 3) if math.isfinite(value) else value


def _gib(size: float) -> float:
    return round(size / GIB, 4)


def _arithmetic(case: _Case, stage: Stage, checked: Stage) -> tuple[str, ...]:
    tokens = case.max_model_len
    need = checked.pool.bytes_for(tokens) / GIB
    element = KV_ELEMENT_BYTES[case.kv_format]
    lines = [stage.available.text]
    if case.request.kv_cache_gib is not None:
        lines = [f"cache as stated: {case.request.kv_cache_gib:g} GiB per GPU"]
    lines.append(
        f"{stage.pool.bytes_per_token:,.0f} B per token and GPU at {element:g} B per element"
    )
    lines.append(
        f"one request of {tokens:,} tokens takes {need:.2f} GiB per GPU; "
        f"{checked.concurrency(tokens):.2f} fit"
    )
    return tuple(lines)
