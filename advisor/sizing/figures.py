"""From a trial to the published result: the numbers, each with the meaning of its field."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from advisor.sizing.cache_layers import KV_ELEMENT_BYTES, kv_replication
from advisor.sizing.case import Case
from advisor.sizing.layout import Layout
from advisor.sizing.prefill import Prefill
from advisor.sizing.result import (
    LayoutResult,
    Range,
    RateRange,
    SizeProblem,
    SizeResult,
    Span,
)
from advisor.sizing.speed import DecodeLoad, Estimate, decode_estimate
from advisor.sizing.stages import Stage
from advisor.sizing.trial import Trial
from advisor.sizing.verdict import memory_problems, unknown_reason
from advisor.store.gpu import Gpu

__all__ = ["started", "with_load"]

GIB = 2**30

_RATES = (
    "decode_tokens_per_second",
    "total_output_tokens_per_second",
    "ttft_ms",
    "prompt_tokens_per_second",
)


def started(trial: Trial, problems: tuple[SizeProblem, ...]) -> SizeResult:
    """Return what holds of ``trial`` whatever the load: memory, cache, problems.

    Args:
        trial: A layout at the limits of its scheduler.
        problems: Those found before memory was counted.
    """
    case = trial.case
    unknown = unknown_reason(case.model)
    if unknown is not None:
        problems += (unknown,)
    illegal = any(problem.blocking for problem in problems)
    found, starts = memory_problems(trial)
    status = _status(illegal=illegal, unknown=unknown is not None, fits=starts)
    known = case.has_cache and unknown is None
    return SizeResult(
        status=status,
        fits=status == "fits",
        weights_gib_per_gpu=round(trial.stage.weights_gib, 4),
        max_concurrency=_concurrency(trial) if known else None,
        largest_max_num_seqs=_largest_sequences(trial),
        overheads=trial.stage.extra.as_dict(),
        problems=problems + found,
        arithmetic=_arithmetic(trial) if known else (trial.stage.available.text,),
        **_question(trial),
        **(_cache_figures(trial) if known else {}),
    )


def with_load(result: SizeResult, trial: Trial) -> SizeResult:
    """Return ``result`` with what depends on the load of the case of ``trial``.

    Args:
        result: From :func:`started`, at the same limits.
        trial: The case with its load, and the stage that decides.
    """
    rates = _no_rates() if result.status == "cannot_run" else _rates(trial)
    load = {
        "concurrency": trial.case.request.concurrency,
        "holds_concurrency": _holds(trial, result.max_concurrency, fits=result.fits),
    }
    return result.model_copy(update={**load, **rates})


def _status(*, illegal: bool, unknown: bool, fits: bool) -> str:
    if illegal:
        return "cannot_run"
    if not fits:
        return "does_not_fit"
    return "unknown" if unknown else "fits"


def _question(trial: Trial) -> dict[str, Any]:
    """Return what was sized, defaults filled in."""
    case = trial.case
    return {
        "model": case.model.id,
        "gpu": case.gpu.id,
        "gpu_memory_gib": round(case.total_gib, 3),
        "engine": case.rules.engine,
        "engine_version": case.rules.version,
        "weight_format": case.plan.format,
        "kv_format": case.kv_format if case.has_cache else None,
        "layout": _layout_result(case.layout),
        "max_model_len": case.max_model_len,
        "max_num_seqs": trial.limits.max_num_seqs,
        "max_num_batched_tokens": trial.limits.max_num_batched_tokens,
        "gpu_memory_utilization": case.utilization,
    }


def _layout_result(layout: Layout) -> LayoutResult:
    return LayoutResult(
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        data_parallel=layout.data_parallel,
        expert_parallel=layout.expert_ranks if layout.expert_parallel else 1,
        decode_context_parallel=layout.decode_context_parallel,
        gpus=layout.gpus,
    )


def _cache_figures(trial: Trial) -> dict[str, Any]:
    pool, tokens = trial.stage.pool, trial.case.max_model_len
    left = trial.stage.available
    return {
        "kv_bytes_per_token_per_gpu": _number(pool.bytes_per_token),
        "state_bytes_per_sequence_per_gpu": _number(pool.state_bytes),
        "kv_fixed_bytes_per_sequence_per_gpu": _number(pool.fixed_bytes),
        "kv_gib_per_request_per_gpu": round(trial.checked.pool.bytes_for(tokens) / GIB, 4),
        "kv_cache_gib_per_gpu": Span(
            low=round(left.low, 4), expected=round(left.expected, 4), high=round(left.high, 4)
        ),
        "kv_cache_tokens": _tokens(trial.stage, tokens),
        "kv_replication": _replication(trial.case),
        "largest_max_model_len": trial.longest(
            max(trial.case.model.max_context_tokens, trial.case.request.max_model_len or 0)
        ),
    }


def _concurrency(trial: Trial) -> Span:
    tokens = trial.case.max_model_len
    low, expected, high = (trial.checked.concurrency(tokens, index) for index in range(3))
    return Span(low=_number(low), expected=_number(expected), high=_number(high))


def _holds(trial: Trial, concurrency: Span | None, *, fits: bool) -> bool | None:
    case = trial.case
    wanted = case.request.concurrency
    if wanted is None:
        return None
    per_rank = float(trial.limits.max_num_seqs)
    if concurrency is not None:
        per_rank = min(per_rank, concurrency.expected)
    return fits and per_rank * case.layout.data_parallel >= wanted


def _tokens(stage: Stage, tokens: int) -> Range:
    low, expected, high = (
        max(0, stage.pool.printed_tokens(stage.bytes_available(index), tokens))
        for index in range(3)
    )
    return Range(low=low, expected=expected, high=high)


def _replication(case: Case) -> int:
    copies = kv_replication(case.model, case.layout.tensor_parallel)
    return max(1, copies // case.layout.decode_context_parallel)


def _largest_sequences(trial: Trial) -> int | None:
    pool, rules = trial.stage.pool, trial.case.rules
    if not (pool.has_states and rules.shared_pool and rules.checks_state_blocks):
        return None
    return pool.block_count(trial.stage.bytes_available())


def _no_rates() -> dict[str, Any]:
    return {"no_estimate": dict.fromkeys(_RATES, "this cannot run")}


def _rates(trial: Trial) -> dict[str, Any]:
    case = trial.case
    decode = _decode(trial)
    prefill = Prefill(case.model, case.plan, case.layout, case.gpu, case.request.prompt_tokens)
    estimates = (decode, decode, prefill.first_token_ms(), _prompts(trial, prefill))
    factors = (1, case.streams, 1, 1)
    found: dict[str, Any] = {}
    for name, estimate, factor in zip(_RATES, estimates, factors, strict=True):
        found[name] = _rate(estimate, factor)
    missing = zip(_RATES, estimates, strict=True)
    found["no_estimate"] = {
        name: estimate.assumes.removeprefix("no estimate: ")
        for name, estimate in missing
        if estimate.low is None
    }
    return found


def _prompts(trial: Trial, prefill: Prefill) -> Estimate:
    """Return the rate at which prompts are read; what embeds reads texts of the usual length."""
    case = trial.case
    if prefill.prompt_tokens is None and case.model.modality in {"embedding", "reranker"}:
        prefill = replace(prefill, prompt_tokens=case.live_tokens)
    return prefill.tokens_per_second(trial.limits.max_num_batched_tokens)


def _decode(trial: Trial) -> Estimate:
    case, pool = trial.case, trial.stage.pool
    live = pool.bytes_per_token * case.live_tokens / case.layout.decode_context_parallel
    # a state is read and written back
    cache = (live + pool.fixed_bytes + 2 * pool.state_bytes) * case.layout.pipeline_parallel
    load = DecodeLoad(
        streams=max(1, math.ceil(case.streams / case.layout.data_parallel)),
        context_tokens=case.live_tokens,
        cache_bytes_per_stream=cache,
    )
    stated = case.request.weights_gib
    return decode_estimate(
        case.model,
        case.plan,
        case.layout,
        _with_bandwidth(case),
        load,
        engine=case.rules.engine,
        weights_bytes=stated * GIB if stated is not None else None,
    )


def _with_bandwidth(case: Case) -> Gpu:
    stated = case.request.gpu_memory_bandwidth_gbs
    if stated is None:
        return case.gpu
    return case.gpu.model_copy(update={"memory_bandwidth_gbs": stated})


def _rate(estimate: Estimate, factor: int) -> RateRange | None:
    if estimate.low is None or estimate.high is None:
        return None
    return RateRange(
        low=round(estimate.low * factor, 2),
        high=round(estimate.high * factor, 2),
        assumes=estimate.assumes,
    )


def _number(value: float) -> float:
    return round(value, 3) if math.isfinite(value) else value


def _arithmetic(trial: Trial) -> tuple[str, ...]:
    case, stage, checked = trial.case, trial.stage, trial.checked
    tokens = case.max_model_len
    need = checked.pool.bytes_for(tokens) / GIB
    element = KV_ELEMENT_BYTES[case.kv_format]
    first = stage.available.text
    if case.request.kv_cache_gib is not None:
        first = f"cache as stated: {case.request.kv_cache_gib:g} GiB per GPU"
    return (
        first,
        f"{stage.pool.bytes_per_token:,.0f} B per token and GPU at {element:g} B per element",
        (
            f"one request of {tokens:,} tokens takes {need:.2f} GiB per GPU; "
            f"{checked.concurrency(tokens):.2f} fit"
        ),
    )
