"""Behaviour of engine versions on both sides of the release that changed it."""

from __future__ import annotations

from typing import Any

import pytest
from sizing_questions import ask, blocking, codes, text_of

from advisor.sizing.result import SizeResult


def _at(version: str | None, name: str, **flags: Any) -> SizeResult:
    return ask(name, "h100-sxm", engine_version=version, **flags)


def _tokens(version: str, name: str) -> int:
    result = _at(version, name, max_model_len=32_768, kv_cache_gib=10.0)
    assert result.kv_cache_tokens is not None
    return result.kv_cache_tokens.expected


def test_the_printed_figure_of_a_window_model_is_another_quantity_since_0_20_1() -> None:
    # 62 layers in groups of 10: 7 groups, a page of 16 x 8,192 B x 10
    blocks = 10 * 2**30 // (16 * 8192 * 10)
    assert _tokens("0.20.0", "gemma-3-27b") == blocks // 7 * 16
    assert _tokens("0.20.1", "gemma-3-27b") == 48_717
    assert _tokens("0.20.1", "llama-3.1-8b") == _tokens("0.20.0", "llama-3.1-8b") == 81_920


@pytest.mark.parametrize(("version", "share"), [("0.19.0", 0.9), ("0.20.0", 0.92), (None, 0.92)])
def test_the_default_share_grew(version: str | None, share: float) -> None:
    assert _at(version, "llama-3.1-8b").gpu_memory_utilization == share


def test_graphs_are_taken_off_the_share_since_0_20() -> None:
    before, after = (_at(v, "llama-3.1-8b").arithmetic[0] for v in ("0.19.0", "0.20.0"))
    assert "graphs 0.00" in before
    assert "graphs 0.60" in after
    eager = _at("0.20.0", "llama-3.1-8b", enforce_eager=True)
    assert "graphs 0.00" in eager.arithmetic[0]
    assert eager.overheads["cuda_graphs_gib"] == 0


def test_graphs_outside_the_share_can_be_what_does_not_fit() -> None:
    flags = {"tensor_parallel": 8, "weight_format": "awq_int4", "max_model_len": 4096}
    result = ask("llama-3-70b", "a10g", engine_version="0.4.0", **flags)
    assert blocking(result) == ["graphs_do_not_fit"]
    eager = ask("llama-3-70b", "a10g", engine_version="0.4.0", enforce_eager=True, **flags)
    assert eager.fits


@pytest.mark.parametrize(
    ("version", "status"),
    [
        ("0.13.0", "fits"),
        ("0.14.0", "does_not_fit"),
        ("0.16.0", "does_not_fit"),
        ("0.17.0", "fits"),
    ],
)
def test_stages_were_once_compared_with_the_whole_model(version: str, status: str) -> None:
    result = ask(
        "llama-3.3-70b",
        "a100-80-sxm",
        engine_version=version,
        tensor_parallel=2,
        pipeline_parallel=4,
        kv_cache_gib=12.0,
        max_model_len=131_072,
    )
    assert result.status == status
    assert ("version_bug" in codes(result)) == (status == "does_not_fit")
    # 80 layers x 4 heads x 512 B x 131,072 tokens, or a quarter of it
    assert result.kv_gib_per_request_per_gpu == (5.0 if status == "fits" else 20.0)


def test_the_bug_names_both_needs() -> None:
    result = _at("0.15.0", "llama-3.3-70b", tensor_parallel=4, pipeline_parallel=2)
    assert "10.00 GiB instead of 5.00" in text_of(result, "version_bug")


def test_windows_are_charged_for_the_whole_context_before_0_9_1() -> None:
    whole, bounded = (_at(v, "gemma-3-27b", max_model_len=32_768) for v in ("0.9.0", "0.9.1"))
    assert whole.kv_bytes_per_token_per_gpu == 62 * 8192
    assert bounded.kv_bytes_per_token_per_gpu == 10 * 8192
    off = _at(None, "gemma-3-27b", max_model_len=32_768, hybrid_kv_manager=False)
    assert off.kv_bytes_per_token_per_gpu == 62 * 8192


@pytest.mark.parametrize(("version", "layers"), [("0.9.2", 48), ("0.10.0", 12), ("0.10.1", 48)])
def test_chunked_layers_were_bounded_in_one_release(version: str, layers: int) -> None:
    result = _at(version, "llama-4-scout", tensor_parallel=8, max_model_len=32_768)
    assert result.kv_bytes_per_token_per_gpu == layers * 512


def test_the_blocks_of_the_smallest_page_are_what_older_versions_print() -> None:
    # global layers of Gemma 4 have blocks of 32 tokens, local ones of 16: six groups of five
    result = _at("0.19.0", "gemma-4-26b-a4b", kv_cache_gib=10.0, max_model_len=32_768)
    assert result.kv_cache_tokens is not None
    assert result.kv_cache_tokens.expected == 10 * 2**30 // (5 * 131_072) // 6 * 16


@pytest.mark.parametrize(
    ("version", "bytes_per_token"), [("0.7.0", 128 * 512 * 61), (None, 70_272)]
)
def test_latent_caches_came_later_than_latent_models(
    version: str | None, bytes_per_token: int
) -> None:
    # before: 128 heads x 2 x 256 (128 + 64 padded) x 2 B, over eight ranks
    result = ask("deepseek-v3", "h200-sxm", tensor_parallel=8, engine_version=version)
    expected = bytes_per_token * 2 / 8 if version else bytes_per_token
    assert result.kv_bytes_per_token_per_gpu == expected


@pytest.mark.parametrize(("version", "lost"), [("0.28.0", 0), ("0.29.0", 1)])
def test_newer_versions_set_a_block_aside_before_they_test_one_request(
    version: str, lost: int
) -> None:
    # 32 layers x 8 heads x 512 B x 16 tokens a block: 1 GiB is 512 blocks
    result = _at(version, "llama-3.1-8b", max_model_len=8192, kv_cache_gib=1.0)
    assert result.status == ("does_not_fit" if lost else "fits")
    assert result.largest_max_model_len == 16 * (512 - lost)


def test_a_version_that_is_not_known_is_named() -> None:
    for version, taken in (("99", "0.33.0"), ("0.0.5", "0.1.7"), ("0.33.0rc1.dev5", "0.33.0")):
        result = _at(version, "llama-3.1-8b")
        assert result.engine_version == taken
        assert version in text_of(result, "engine_version_unknown")
    assert "engine_version_unknown" not in codes(_at("0.33.0", "llama-3.1-8b"))


def test_no_version_means_the_newest_and_is_echoed() -> None:
    result = ask("llama-3.1-8b", "l40s")
    assert (result.engine, result.engine_version) == ("vllm", "0.33.0")


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt_llm", "llama_cpp", "tgi", "other"])
def test_every_engine_answers_with_the_same_weights_and_cache_bytes(engine: str) -> None:
    result = ask("llama-3.1-8b", "l40s", engine=engine, max_model_len=8192)
    assert result.fits
    assert result.engine == engine
    assert result.kv_bytes_per_token_per_gpu == 131_072
    assert result.weights_gib_per_gpu == pytest.approx(14.97, abs=0.03)
    assert result.kv_cache_tokens is not None
    assert 150_000 < result.kv_cache_tokens.expected < 250_000
    assert {"non_torch_gib", "activation_peak_gib", "cuda_graphs_gib"} <= result.overheads.keys()


def test_an_unknown_engine_is_plain_arithmetic_with_a_wider_band() -> None:
    flags = {"max_model_len": 8192}
    known, other = (ask("gpt-oss-20b", "l40s", engine=e, **flags) for e in ("vllm", "other"))
    assert other.kv_bytes_per_token_per_gpu == known.kv_bytes_per_token_per_gpu
    assert "assumption" in codes(other)
    a, b = known.decode_tokens_per_second, other.decode_tokens_per_second
    assert a is not None
    assert b is not None
    assert b.low < a.low
    assert b.high > a.high


def test_tensorrt_llm_takes_its_share_of_what_is_free() -> None:
    # 47.3 GiB hold weights of 43.5: nine tenths of the rest are cache
    result = ask(
        "llama-3.1-8b", None, gpu_memory_gib=16.5, engine="tensorrt_llm", max_model_len=1024
    )
    assert result.weights_gib_per_gpu is not None
    assert result.weights_gib_per_gpu > 0.9 * 16.5
    assert "weights_exceed_memory" not in codes(result)


def test_sglang_keeps_states_in_a_pool_of_their_own() -> None:
    result = ask("qwen3.6-27b", "b200", engine="sglang", max_model_len=32_768)
    assert result.largest_max_num_seqs is None
    assert result.kv_gib_per_request_per_gpu == pytest.approx(65_536 * 32_768 / 2**30)


@pytest.mark.parametrize(
    ("name", "flags", "version", "status"),
    [
        ("gpt-oss-20b", {}, "0.10.0", "cannot_run"),
        ("gpt-oss-20b", {}, "0.10.1", "fits"),
        ("llama-3.1-8b", {"weight_format": "fp8"}, "0.4.0", "cannot_run"),
        ("llama-3.1-8b", {"weight_format": "fp8"}, "0.5.1", "fits"),
        ("llama-3.1-8b", {"weight_format": "nvfp4"}, "0.8.0", "cannot_run"),
        ("llama-3.1-8b", {"weight_format": "nvfp4"}, "0.9.0", "fits"),
    ],
)
def test_formats_came_with_versions(
    name: str, flags: dict[str, Any], version: str, status: str
) -> None:
    result = ask(name, "a100-80-sxm", engine_version=version, max_model_len=4096, **flags)
    assert result.status == status
    assert ("format_unsupported_on_gpu" in blocking(result)) == (status == "cannot_run")


def test_a_card_below_the_floor_of_the_engine_is_pointed_out() -> None:
    new, old = (ask("llama-3.2-1b", "v100", engine_version=v) for v in ("0.33.0", "0.19.0"))
    assert "older release" in text_of(new, "engine_unsupported")
    assert "engine_unsupported" not in codes(old)


def test_sglang_shares_what_is_left_between_attention_and_states() -> None:
    # nine tenths as much for states as for attention, and the sum shows it
    result = ask("qwen3.6-27b", "b200", engine="sglang", max_model_len=32_768)
    assert result.kv_cache_gib_per_gpu is not None
    assert result.gpu_memory_utilization is not None
    budget = result.gpu_memory_utilization * result.gpu_memory_gib
    rest = budget - (result.weights_gib_per_gpu or 0)
    assert result.kv_cache_gib_per_gpu.expected == pytest.approx(rest / 1.9, rel=1e-3)
    assert ") x 0.526 = " in result.arithmetic[0]
    plain = ask("llama-3.1-8b", "b200", engine="sglang", max_model_len=32_768)
    assert " x 0.526" not in plain.arithmetic[0]
