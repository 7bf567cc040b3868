"""Laws that hold for every model, card and engine, on drawn examples (always the same ones)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizing_questions import codes

from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge

KNOWLEDGE = load_knowledge()
MODELS, CARDS = sorted(KNOWLEDGE.models), sorted(KNOWLEDGE.gpus)
SLACK = 1 + 1e-9

models = st.sampled_from(MODELS)
cards = st.sampled_from(CARDS)
engines = st.sampled_from(
    [
        *[("vllm", v) for v in (None, "0.6.5", "0.9.0", "0.11.0", "0.20.1", "0.27.0")],
        *[(name, None) for name in ("sglang", "tensorrt_llm", "llama_cpp", "tgi", "other")],
    ]
)
requests = st.builds(
    lambda engine, **rest: SizeRequest(engine=engine[0], engine_version=engine[1], **rest),
    engine=engines,
    tensor_parallel=st.sampled_from([1, 2, 4, 8]),
    pipeline_parallel=st.sampled_from([1, 1, 1, 2, 4]),
    max_model_len=st.sampled_from([None, 2048, 8192, 32_768, 131_072]),
    concurrency=st.sampled_from([None, 1, 8, 32, 200]),
    kv_format=st.sampled_from(["auto", "bf16", "fp8"]),
    weight_format=st.sampled_from([None, None, "fp8", "int8", "awq_int4", "nvfp4"]),
    speculative_tokens=st.sampled_from([0, 0, 2]),
    enforce_eager=st.booleans(),
    gpu_memory_gib=st.sampled_from([14.6, 23.6, 44.4, 65.0, 79.2, 139.7]),
)
lawful = settings(max_examples=400, derandomize=True, deadline=None, database=None)


def _ask(model: str, card: str, request: SizeRequest) -> SizeResult:
    return size_by_name(KNOWLEDGE, model, card, request)


def _cache_gib(result: SizeResult) -> float:
    span = result.kv_cache_gib_per_gpu
    return span.expected if span is not None else 0.0


def _concurrency(result: SizeResult) -> float:
    return result.max_concurrency.expected if result.max_concurrency is not None else 0.0


def _fixed_limits(request: SizeRequest) -> SizeRequest:
    """Pin what engines choose by the size of the GPU, so that only one thing varies."""
    return replace(request, max_num_seqs=64, max_num_batched_tokens=2048)


@lawful
@given(models, cards, requests, st.floats(1.001, 4))
def test_more_memory_never_unfits_nor_shrinks_the_cache(
    model: str, card: str, request: SizeRequest, factor: float
) -> None:
    pinned = replace(_fixed_limits(request), gpu_memory_utilization=0.9)
    small = _ask(model, card, pinned)
    grown = replace(pinned, gpu_memory_gib=(pinned.gpu_memory_gib or 0) * factor)
    large = _ask(model, card, grown)
    assert large.fits >= small.fits
    assert _concurrency(large) * SLACK >= _concurrency(small)
    assert _cache_gib(large) >= _cache_gib(small)


@lawful
@given(models, cards, requests, st.floats(1.001, 2))
def test_more_memory_never_unfits_when_the_advisor_chooses_the_limits(
    model: str, card: str, request: SizeRequest, factor: float
) -> None:
    free = replace(request, gpu_memory_utilization=0.9, concurrency=None)
    grown = replace(free, gpu_memory_gib=(free.gpu_memory_gib or 0) * factor)
    assert _ask(model, card, grown).fits >= _ask(model, card, free).fits


@lawful
@given(models, cards, requests, st.integers(2, 20))
def test_a_shorter_context_never_unfits_nor_lowers_concurrency(
    model: str, card: str, request: SizeRequest, part: int
) -> None:
    pinned = _fixed_limits(request)
    long = _ask(model, card, pinned)
    shorter = max(16, (long.max_model_len or 0) // part)
    short = _ask(model, card, replace(pinned, max_model_len=shorter))
    assert short.fits >= long.fits
    assert _concurrency(short) * SLACK >= _concurrency(long)


@lawful
@given(models, cards, requests, st.integers(2, 20))
def test_fewer_users_are_held_where_more_were(
    model: str, card: str, request: SizeRequest, part: int
) -> None:
    many = replace(request, concurrency=request.concurrency or 40)
    few = replace(many, concurrency=max(1, (many.concurrency or 0) // part))
    crowd, handful = _ask(model, card, many), _ask(model, card, few)
    assert handful.fits >= crowd.fits
    assert bool(handful.holds_concurrency) >= bool(crowd.holds_concurrency)


@lawful
@given(models, cards, requests, st.floats(0.5, 0.98))
def test_a_larger_share_never_lowers_the_cache(
    model: str, card: str, request: SizeRequest, share: float
) -> None:
    pinned = _fixed_limits(request)
    less = _ask(model, card, replace(pinned, gpu_memory_utilization=share))
    more = _ask(model, card, replace(pinned, gpu_memory_utilization=min(1.0, share * 1.02)))
    # nothing left is nothing left: a share of a shortage may grow
    assert max(0.0, _cache_gib(more)) >= max(0.0, _cache_gib(less))


@lawful
@given(models, cards, requests)
def test_spans_are_in_order_and_the_verdict_follows_the_figures(
    model: str, card: str, request: SizeRequest
) -> None:
    check_answer(_ask(model, card, request))


@lawful
@given(models, cards, requests)
def test_the_longest_length_starts_and_the_next_block_does_not(
    model: str, card: str, request: SizeRequest
) -> None:
    pinned = replace(_fixed_limits(request), speculative_tokens=0)
    result = _ask(model, card, pinned)
    codes = {problem.code for problem in result.problems if problem.blocking}
    if codes != {"kv_too_small_for_max_model_len"} or not result.largest_max_model_len:
        return
    longest = result.largest_max_model_len
    assert _ask(model, card, replace(pinned, max_model_len=longest)).fits
    assert longest < (result.max_model_len or 0)


@lawful
@given(models, st.sampled_from([1, 2, 4, 8, 16]))
def test_copies_and_local_heads_make_up_the_ranks(model: str, ranks: int) -> None:
    record = KNOWLEDGE.models[model]
    heads = [getattr(a, "kv_heads", None) for a in record.attention]
    result = _ask(model, "b300", SizeRequest(tensor_parallel=ranks))
    if result.kv_replication is None or not any(heads):
        return
    for count in filter(None, heads):
        local = max(1, count // ranks)
        if count % ranks == 0 or ranks % count == 0:
            assert result.kv_replication * count >= local * ranks


RATES = (
    "decode_tokens_per_second",
    "total_output_tokens_per_second",
    "ttft_ms",
    "prompt_tokens_per_second",
)


def check_answer(result: SizeResult) -> None:
    """Check what must hold inside one answer."""
    _check_order(result)
    _check_verdict(result)
    _check_finite(result.model_dump())
    assert result.weights_gib_per_gpu is not None
    assert result.weights_gib_per_gpu > 0
    for name in RATES:
        rate = getattr(result, name)
        assert (rate is None) == bool(result.no_estimate.get(name))
        if rate is not None:
            assert rate.assumes
            assert 0 < rate.low <= rate.high


def _check_order(result: SizeResult) -> None:
    for span in (result.kv_cache_gib_per_gpu, result.kv_cache_tokens, result.max_concurrency):
        if span is not None:
            assert span.low <= span.expected <= span.high


def _check_verdict(result: SizeResult) -> None:
    blocking = [problem for problem in result.problems if problem.blocking]
    assert result.fits == (result.status == "fits")
    assert (result.status in {"fits", "unknown"}) == (not blocking)
    if result.fits:
        assert result.weights_gib_per_gpu is not None
        assert result.weights_gib_per_gpu < result.gpu_memory_gib
        assert result.max_concurrency is None or result.max_concurrency.expected >= 1
        assert (result.largest_max_model_len or math.inf) >= (result.max_model_len or 0)
    if result.holds_concurrency:
        assert result.fits


def _check_finite(value: Any) -> None:
    if isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for part in value.values():
            _check_finite(part)


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_every_model_on_every_card_gets_an_answer_without_contradiction(ranks: int) -> None:
    for index, (model, card) in enumerate(product(MODELS, CARDS)):
        if index % 4 == (ranks.bit_length() - 1):  # each pair once, at one of the four sizes
            request = SizeRequest(tensor_parallel=ranks, prompt_tokens=1000, max_model_len=2048)
            check_answer(_ask(model, card, request))


@pytest.mark.parametrize("count", [2, 3, 8, 16])
def test_every_model_gets_a_layout_on_any_number_of_cards(count: int) -> None:
    for model in MODELS:
        result = _ask(model, "h100-sxm", SizeRequest(gpu_count=count, max_model_len=2048))
        check_answer(result)
        assert result.layout.gpus * result.layout.instances + result.layout.idle_gpus == count


@pytest.mark.parametrize("stages", [7, 100])
def test_more_stages_than_layers_are_refused_for_every_model(stages: int) -> None:
    knowledge = load_knowledge()
    request = SizeRequest(pipeline_parallel=stages, max_model_len=512)
    for name, model in knowledge.models.items():
        result = size_by_name(knowledge, name, "h100-sxm", request)
        refused = "layers_fewer_than_stages" in codes(result)
        assert refused == (stages > model.layers), name
