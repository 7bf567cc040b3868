"""The state of one 131,072-token sequence, and the jobs that other sizing tools were given."""

from __future__ import annotations

import pytest
from sizing_questions import GIB, ask, codes

from advisor.sizing.result import SizeResult

LENGTH = 131_072


def _alone(name: str, **flags: object) -> SizeResult:
    return ask(name, "b300", max_model_len=LENGTH, kv_cache_gib=100.0, **flags)


def _growing_gib(result: SizeResult) -> float:
    return (result.kv_bytes_per_token_per_gpu or 0.0) * LENGTH / GIB


def _window_gib(result: SizeResult) -> float:
    return (result.kv_fixed_bytes_per_sequence_per_gpu or 0.0) / GIB


@pytest.mark.parametrize(
    ("name", "growing_gib", "windows_gib"),
    [
        ("llama-3.3-70b", 40.00, 0.0),
        ("deepseek-r1", 8.58, 0.0),
        ("gpt-oss-120b", 4.50, 0.0044),
        ("qwen3.5-35b-a3b", 2.50, 0.0),
        ("gemma-4-26b-a4b", 2.50, 0.195),
        ("deepseek-v3.2", 8.58 + 0.98, 0.0),
        ("minimax-m3", 15.0 + 57 * 256 * LENGTH / GIB, 0.0),
    ],
)
def test_the_state_of_a_long_sequence_follows_the_config(
    name: str, growing_gib: float, windows_gib: float
) -> None:
    result = _alone(name)
    assert _growing_gib(result) == pytest.approx(growing_gib, abs=0.006)
    assert _window_gib(result) == pytest.approx(windows_gib, abs=0.001)


def test_an_engine_sets_aside_at_least_the_state_by_the_config() -> None:
    for name in ("gpt-oss-120b", "gemma-4-26b-a4b", "qwen3.5-35b-a3b"):
        result = _alone(name)
        state = (result.state_bytes_per_sequence_per_gpu or 0.0) / GIB
        assert (result.kv_gib_per_request_per_gpu or 0.0) >= _growing_gib(result) + state


def test_linear_layers_keep_a_state_and_no_tokens() -> None:
    # 30 x (32 x 128 x 128 x 4 + (2 x 16 x 128 + 32 x 128) x 3 x 2) B
    result = _alone("qwen3.5-35b-a3b")
    assert result.state_bytes_per_sequence_per_gpu == 30 * (2_097_152 + 49_152)


def test_an_index_key_stays_wide_and_whole_whatever_the_split_and_format() -> None:
    result = _alone("minimax-m3", tensor_parallel=4, kv_format="fp8")
    assert result.kv_bytes_per_token_per_gpu == 60 * 256 + 57 * 256


def test_seventy_billion_in_bf16_takes_four_h100_for_thirty_two_users() -> None:
    flags = {"weight_format": "bf16", "max_model_len": 8192, "concurrency": 32}
    chosen = ask("llama-3.3-70b", "h100-sxm", gpu_count=8, **flags)
    assert chosen.layout.tensor_parallel == 4
    assert chosen.holds_concurrency
    assert chosen.layout.instances == 2
    two = ask("llama-3.3-70b", "h100-sxm", tensor_parallel=2, **flags)
    assert two.fits
    assert two.holds_concurrency is False


def test_a_small_mixture_holds_one_long_request_on_one_h100() -> None:
    result = ask("qwen3-30b-a3b-2507", "h100-sxm", max_model_len=LENGTH)
    assert result.fits
    assert result.kv_gib_per_request_per_gpu == pytest.approx(12.0)
    assert result.max_concurrency is not None
    assert 1 <= result.max_concurrency.expected < 2


def test_eight_ranks_hold_each_of_four_heads_twice() -> None:
    result = ask("qwen3-30b-a3b-2507", "h100-sxm", max_model_len=LENGTH, tensor_parallel=8)
    assert result.kv_replication == 2
    assert result.max_concurrency is not None
    assert result.max_concurrency.expected == pytest.approx(21, abs=1)  # true heads, not 41


def test_latents_on_eight_h200_hold_eighty_sequences_of_8k_not_six_hundred() -> None:
    result = ask("deepseek-r1", "h200-sxm", tensor_parallel=8, max_model_len=8192, concurrency=64)
    assert result.kv_replication == 8
    assert result.max_concurrency is not None
    assert 79 <= result.max_concurrency.expected <= 92
    assert result.holds_concurrency


@pytest.mark.parametrize(("gpu", "least", "most"), [("l40s", 20, 29), ("a10", 3, 6)])
def test_eight_billion_serve_8k_on_an_inference_card(gpu: str, least: int, most: int) -> None:
    result = ask("llama-3.1-8b", gpu, max_model_len=8192)
    assert result.fits
    assert "gpu_unknown" not in codes(result)
    assert result.max_concurrency is not None
    assert least <= result.max_concurrency.expected <= most


def test_four_hundred_billion_in_bf16_take_two_nodes_of_h100() -> None:
    one = ask("llama-3.1-405b", "h100-sxm", tensor_parallel=8, max_model_len=8192)
    assert one.status == "does_not_fit"
    two = ask("llama-3.1-405b", "h100-sxm", gpu_count=16, max_model_len=8192)
    assert two.fits
    assert (two.layout.tensor_parallel, two.layout.pipeline_parallel) == (8, 2)
    assert two.max_concurrency is not None
    assert two.max_concurrency.expected == pytest.approx(91, abs=5)


def test_four_hundred_billion_in_bf16_fit_one_node_of_h200() -> None:
    result = ask("llama-3.1-405b", "h200-sxm", gpu_count=8, max_model_len=8192)
    assert result.fits
    assert (result.layout.tensor_parallel, result.layout.pipeline_parallel) == (8, 1)
    assert result.max_concurrency is not None
    assert result.max_concurrency.expected == pytest.approx(62, abs=5)


@pytest.mark.parametrize(("ways", "copies"), [(1, 8), (2, 4), (8, 1)])
def test_context_parallel_ranks_share_what_were_copies(ways: int, copies: int) -> None:
    flags = {"tensor_parallel": 8, "decode_context_parallel": ways, "max_model_len": 8192}
    assert ask("deepseek-r1", "h200-sxm", **flags).kv_replication == copies
