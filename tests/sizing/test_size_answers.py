"""What the fields of an answer mean: limits, overrides, loads, speeds, layouts that are chosen."""

from __future__ import annotations

from typing import Any

import pytest
from sizing_questions import ask, blocking, codes, text_of

from advisor.errors import InputError
from advisor.sizing.result import SizeResult


def _expected_gib(result: SizeResult) -> float:
    assert result.kv_cache_gib_per_gpu is not None
    return result.kv_cache_gib_per_gpu.expected


# ---- scheduler limits ----


@pytest.mark.parametrize(
    ("flags", "sequences"),
    [
        ({}, 64),
        ({"concurrency": 10}, 64),
        ({"concurrency": 65}, 128),
        ({"concurrency": 300}, 512),
        ({"concurrency": 300, "data_parallel": 4}, 128),
        ({"max_num_seqs": 7}, 7),
        ({"max_num_seqs": 1024, "concurrency": 3}, 1024),
    ],
)
def test_sequences_are_recommended_for_the_load_unless_stated(
    flags: dict[str, Any], sequences: int
) -> None:
    assert ask("llama-3.1-8b", "h100-sxm", max_model_len=8192, **flags).max_num_seqs == sequences


def test_every_number_is_quoted_at_the_stated_limits() -> None:
    few, many = (ask("qwen3-8b", "h100-sxm", max_num_seqs=n) for n in (64, 1024))
    assert few.max_num_batched_tokens == many.max_num_batched_tokens == 8192
    assert _expected_gib(few) > _expected_gib(many)
    small, large = (ask("qwen3-8b", "h100-sxm", max_num_batched_tokens=n) for n in (2048, 32768))
    assert (small.max_num_batched_tokens, large.max_num_batched_tokens) == (2048, 32768)
    assert _expected_gib(small) > _expected_gib(large)


def test_a_default_that_would_not_start_is_reported_beside_the_recommendation() -> None:
    result = ask("nemotron-3-nano-30b-a3b", "h100-sxm")
    assert result.fits
    assert result.max_num_seqs == 64
    text = text_of(result, "engine_default_does_not_start")
    assert "--max-num-seqs 64" in text
    assert "--max-num-seqs 1024" in text
    stated = ask("nemotron-3-nano-30b-a3b", "h100-sxm", max_num_seqs=1024)
    assert "max_num_seqs_exceeds_state_blocks" in blocking(stated)
    assert "engine_default_does_not_start" not in codes(stated)


def test_state_blocks_limit_the_sequences_of_hybrids_alone() -> None:
    hybrid = ask("qwen3.6-27b", "h100-sxm", max_model_len=32_768)
    assert hybrid.largest_max_num_seqs is not None
    at_limit = {"max_num_seqs": hybrid.largest_max_num_seqs, "max_model_len": 32_768}
    held = ask("qwen3.6-27b", "h100-sxm", kv_cache_gib=_expected_gib(hybrid), **at_limit)
    assert held.fits
    assert held.largest_max_num_seqs == hybrid.largest_max_num_seqs
    at_limit["max_num_seqs"] += 1
    over = ask("qwen3.6-27b", "h100-sxm", kv_cache_gib=_expected_gib(hybrid), **at_limit)
    assert blocking(over) == ["max_num_seqs_exceeds_state_blocks"]
    assert ask("llama-3.1-8b", "h100-sxm").largest_max_num_seqs is None


def test_a_smaller_prefill_batch_is_recommended_where_the_default_leaves_no_room() -> None:
    # at 70 GiB the default batch quadruples, and with it what 52 window layers hold
    flags = {"max_model_len": 110_000, "gpu_compute_capability": "9.0"}
    below = ask("gemma-3-27b", None, gpu_memory_gib=69.9, **flags)
    above = ask("gemma-3-27b", None, gpu_memory_gib=70.1, **flags)
    assert below.fits
    assert above.fits
    assert above.max_num_batched_tokens == below.max_num_batched_tokens == 2048
    assert "--max-num-batched-tokens 8192" in text_of(above, "engine_default_does_not_start")
    stated = ask("gemma-3-27b", None, gpu_memory_gib=70.1, max_num_batched_tokens=8192, **flags)
    assert not stated.fits


# ---- verdicts ----


def test_borderline_says_when_the_ends_of_the_estimate_disagree() -> None:
    result = ask("gpt-oss-120b", "h100-sxm", max_model_len=131_072)
    assert result.fits
    assert result.kv_cache_gib_per_gpu is not None
    low, high = result.kv_cache_gib_per_gpu.low, result.kv_cache_gib_per_gpu.high
    assert low < (result.kv_gib_per_request_per_gpu or 0) < high
    assert "may not start" in text_of(result, "borderline")
    assert "borderline" not in codes(ask("llama-3.1-8b", "h100-sxm"))


def test_what_is_too_long_is_told_a_length_that_starts() -> None:
    result = ask("llama-3.1-8b", "rtx-4090")
    assert blocking(result) == ["kv_too_small_for_max_model_len"]
    longest = result.largest_max_model_len
    assert longest is not None
    assert f"{longest:,}" in text_of(result, "kv_too_small_for_max_model_len")
    assert ask("llama-3.1-8b", "rtx-4090", max_model_len=longest).fits
    assert not ask("llama-3.1-8b", "rtx-4090", max_model_len=longest + 16).fits


def test_weights_beyond_the_share_say_by_how_much() -> None:
    result = ask("llama-3.3-70b", "h100-sxm")
    assert blocking(result) == ["weights_exceed_memory"]
    assert "131.4 GiB" in text_of(result, "weights_exceed_memory")
    assert "72.9" in text_of(result, "weights_exceed_memory")


def test_a_length_beyond_the_model_is_said_and_sized() -> None:
    result = ask("llama-3.1-8b", "b300", max_model_len=200_000)
    assert "context_beyond_model" in codes(result)
    assert result.max_model_len == 200_000


# ---- overrides ----


def test_a_stated_cache_replaces_the_memory_sum() -> None:
    result = ask("llama-3.3-70b", "rtx-3090", kv_cache_gib=40.0)
    span = result.kv_cache_gib_per_gpu
    assert span is not None
    assert span.low == span.expected == span.high == 40.0
    assert result.max_concurrency is not None
    assert result.max_concurrency.low == result.max_concurrency.high == 1.0
    tokens = result.kv_cache_tokens
    assert tokens is not None
    assert tokens.expected == 131_072
    assert not {"borderline", "weights_exceed_memory"} & codes(result)


def test_no_cache_at_all_is_called_that() -> None:
    result = ask("llama-3.1-8b", "h100-sxm", kv_cache_gib=0.0)
    assert blocking(result) == ["no_kv_memory_left"]
    assert "0 GiB are stated" in text_of(result, "no_kv_memory_left")


def test_stated_weights_move_the_cache_and_the_speed() -> None:
    own = ask("llama-3.1-8b", "h100-sxm", max_model_len=8192)
    stated = ask("llama-3.1-8b", "h100-sxm", max_model_len=8192, weights_gib=30.0)
    assert stated.weights_gib_per_gpu == 30.0
    moved = _expected_gib(own) - _expected_gib(stated)
    assert moved == pytest.approx(30.0 - (own.weights_gib_per_gpu or 0), abs=1e-3)
    slow, fast = stated.decode_tokens_per_second, own.decode_tokens_per_second
    assert slow is not None
    assert fast is not None
    assert slow.high < 0.7 * fast.high


# ---- load and speed ----


def test_the_load_is_held_by_all_data_parallel_ranks_together() -> None:
    flags = {"max_model_len": 131_072, "concurrency": 8, "max_num_seqs": 64}
    one = ask("llama-3.1-8b", "h100-sxm", **flags)
    three = ask("llama-3.1-8b", "h100-sxm", data_parallel=3, **flags)
    assert one.fits
    assert one.holds_concurrency is False
    assert three.holds_concurrency is True
    assert one.max_concurrency == three.max_concurrency
    assert ask("llama-3.1-8b", "h100-sxm").holds_concurrency is None


def test_decode_is_per_user_and_the_total_is_that_times_the_users() -> None:
    result = ask("llama-3.1-8b", "h100-sxm", concurrency=8, max_model_len=8192)
    per_user, total = result.decode_tokens_per_second, result.total_output_tokens_per_second
    assert per_user is not None
    assert total is not None
    assert total.low == pytest.approx(8 * per_user.low, rel=1e-3)
    assert total.high == pytest.approx(8 * per_user.high, rel=1e-3)
    assert per_user.assumes.startswith("8 streams of 4,096 live tokens")
    alone = ask("llama-3.1-8b", "h100-sxm", max_model_len=8192)
    assert alone.decode_tokens_per_second is not None
    assert alone.decode_tokens_per_second.assumes.startswith("1 stream of")


def test_more_live_tokens_decode_slower() -> None:
    short, long = (
        ask("llama-3.1-8b", "h100-sxm", typical_context_tokens=n, concurrency=8)
        for n in (512, 100_000)
    )
    assert short.decode_tokens_per_second is not None
    assert long.decode_tokens_per_second is not None
    assert long.decode_tokens_per_second.high < short.decode_tokens_per_second.low


def test_the_first_token_needs_a_prompt() -> None:
    silent = ask("llama-3.1-8b", "h100-sxm")
    assert silent.ttft_ms is None
    assert "--prompt-tokens" in silent.no_estimate["ttft_ms"]
    given = ask("llama-3.1-8b", "h100-sxm", prompt_tokens=8192).ttft_ms
    assert given is not None
    # 2 x 7.5e9 x 8192 FLOPs and attention at 989 TFLOPS take 0.13 s: never faster than that
    assert given.low > 130
    assert given.high > given.low


def test_an_encoder_has_weights_and_no_cache_and_no_speed() -> None:
    result = ask("bge-m3", "l4")
    assert result.fits
    assert result.kv_cache_tokens is None
    assert result.kv_format is None
    assert result.decode_tokens_per_second is None
    assert result.no_estimate["decode_tokens_per_second"] == "an encoder does not decode"


# ---- layouts that are chosen ----


def test_a_count_alone_takes_the_smallest_layout_and_counts_the_rest() -> None:
    result = ask("llama-3.1-8b", "h100-sxm", gpu_count=6)
    assert result.layout.gpus == 1
    assert (result.layout.instances, result.layout.idle_gpus) == (6, 0)
    large = ask("llama-3.3-70b", "h100-sxm", gpu_count=7, max_model_len=32_768)
    assert (large.layout.gpus, large.layout.instances, large.layout.idle_gpus) == (4, 1, 3)
    assert "smallest legal layout" in text_of(large, "layout_chosen")


def test_three_cards_join_as_stages_because_64_heads_do_not_divide() -> None:
    flags = {"weight_format": "bf16", "max_model_len": 65_536}
    assert not ask("llama-3.3-70b", "h100-sxm", gpu_count=2, **flags).fits
    result = ask("llama-3.3-70b", "h100-sxm", gpu_count=3, **flags)
    assert result.fits
    assert (result.layout.tensor_parallel, result.layout.pipeline_parallel) == (1, 3)


def test_a_layout_beyond_the_stated_gpus_is_refused() -> None:
    with pytest.raises(InputError, match="needs 8 GPUs, 4 are stated"):
        ask("llama-3.3-70b", "h100-sxm", gpu_count=4, tensor_parallel=8)


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        ({"max_model_len": -5}, "max_model_len"),
        ({"tensor_parallel": 0}, "tensor_parallel"),
        ({"gpu_memory_utilization": float("nan")}, "gpu_memory_utilization"),
        ({"gpu_memory_utilization": 1.5}, "gpu_memory_utilization"),
        ({"gpu_memory_gib": float("inf")}, "gpu_memory_gib"),
        ({"weights_gib": 0.0}, "weights_gib"),
        ({"gpu_compute_capability": "ninety"}, "gpu_compute_capability"),
        ({"weight_format": "fp7"}, "weight_format"),
        ({"kv_format": "fp7"}, "kv_format"),
        ({"engine": "vlm"}, "engine"),
    ],
)
def test_figures_and_names_that_mean_nothing_are_refused(flags: dict[str, Any], key: str) -> None:
    with pytest.raises(InputError) as caught:
        ask("llama-3.1-8b", "h100-sxm", **flags)
    (problem,) = caught.value.problems
    assert problem.key == key


def test_an_engine_that_is_not_known_is_told_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        ask("llama-3.1-8b", "h100-sxm", engine="vlm")
    assert "vllm" in caught.value.problems[0].nearest
    assert "other" in caught.value.problems[0].allowed


def test_a_load_above_max_num_seqs_is_not_held() -> None:
    flags = {"max_model_len": 8192, "max_num_seqs": 4}
    assert ask("llama-3.1-8b", "l40s", concurrency=4, **flags).holds_concurrency
    assert ask("llama-3.1-8b", "l40s", concurrency=5, **flags).holds_concurrency is False
    apart = ask(
        "deepseek-r1", "b300", data_parallel=8, expert_parallel=True, concurrency=32, **flags
    )
    assert apart.holds_concurrency


def test_a_stated_cache_beyond_the_card_is_believed_and_doubted() -> None:
    result = ask("llama-3.1-8b", "l4", kv_cache_gib=100.0, max_model_len=8192)
    assert any("larger than the GPU" in problem.text for problem in result.problems)
    log = ask("llama-3.1-8b", "l4", kv_cache_gib=4.0, max_model_len=8192)
    assert not any("larger than the GPU" in problem.text for problem in log.problems)


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        ask("llama-3.1-8b", "l4", weight_format="nvfp5")
    assert "nvfp4" in caught.value.problems[0].nearest
