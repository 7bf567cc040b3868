"""Which hardware runs which format, and how."""

from __future__ import annotations

import pytest
from sizing_questions import ask, codes, text_of

from advisor.sizing.unknown_card import architecture_of
from advisor.store.loader import load_knowledge

VOLTA = "0.19.1"  # the last release but one that lists compute capability 7.0
NATIVE, WEIGHT_ONLY, REFUSED, CAST = None, "weight_only_format", "format_unsupported_on_gpu", "cast"

TABLE: list[tuple[str, str, str | None]] = [
    ("fp8", "v100", REFUSED),
    ("fp8", "t4", WEIGHT_ONLY),
    ("fp8", "a100-80-sxm", WEIGHT_ONLY),
    ("fp8", "l40s", NATIVE),
    ("fp8", "h100-sxm", NATIVE),
    ("fp8", "b200", NATIVE),
    ("fp8", "mi300x", NATIVE),
    ("fp8_block", "gaudi3", NATIVE),
    ("int4", "mi300x", WEIGHT_ONLY),
    ("int4", "mi355x", WEIGHT_ONLY),
    ("int4", "gaudi3", REFUSED),
    ("int8", "v100", REFUSED),
    ("int8", "t4", NATIVE),
    ("int8", "h100-sxm", NATIVE),
    ("int8", "b300", WEIGHT_ONLY),
    ("awq_int4", "v100", REFUSED),
    ("awq_int4", "t4", WEIGHT_ONLY),
    ("awq_int4", "h100-sxm", WEIGHT_ONLY),
    ("gptq_int4", "v100", WEIGHT_ONLY),
    ("nvfp4", "v100", REFUSED),
    ("nvfp4", "a100-80-sxm", WEIGHT_ONLY),
    ("nvfp4", "h100-sxm", WEIGHT_ONLY),
    ("nvfp4", "b200", NATIVE),
    ("nvfp4", "rtx-5090", NATIVE),
    ("nvfp4", "mi300x", REFUSED),
    ("mxfp4", "v100", REFUSED),
    ("mxfp4", "t4", REFUSED),
    ("mxfp4", "a100-80-sxm", WEIGHT_ONLY),
    ("mxfp4", "h100-sxm", WEIGHT_ONLY),
    ("mxfp4", "b200", NATIVE),
    ("mxfp4", "mi300x", WEIGHT_ONLY),
    ("mxfp4", "mi355x", NATIVE),
    ("bf16", "v100", REFUSED),
    ("bf16", "t4", REFUSED),
    ("bf16", "a100-80-sxm", NATIVE),
    ("bf16", "mi300x", NATIVE),
    ("fp16", "v100", NATIVE),
    ("fp16", "t4", NATIVE),
]


@pytest.mark.parametrize(("weight_format", "gpu", "expected"), TABLE)
def test_a_format_is_native_weight_only_or_refused(
    weight_format: str, gpu: str, expected: str | None
) -> None:
    result = ask(
        "llama-3.2-1b",
        gpu,
        weight_format=weight_format,
        max_model_len=2048,
        engine_version=VOLTA if gpu == "v100" else None,
    )
    assert codes(result) & {WEIGHT_ONLY, REFUSED} == ({expected} if expected else set())
    assert result.status == ("cannot_run" if expected == REFUSED else "fits")


@pytest.mark.parametrize("gpu", ["t4", "v100"])
def test_a_bf16_checkpoint_runs_as_fp16_where_there_is_no_bf16(gpu: str) -> None:
    version = VOLTA if gpu == "v100" else None
    result = ask("llama-3.2-1b", gpu, max_model_len=2048, engine_version=version)
    assert result.status == "fits"
    assert result.weight_format == "fp16"
    assert "--dtype half" in text_of(result, "dtype_cast")


def test_bf16_that_was_asked_for_is_not_quietly_replaced() -> None:
    result = ask("llama-3.2-1b", "t4", weight_format="bf16", max_model_len=2048)
    assert result.status == "cannot_run"
    assert "fp16" in text_of(result, "format_unsupported_on_gpu")


def test_gpt_oss_cannot_run_on_volta_but_on_ampere_weight_only() -> None:
    assert ask("gpt-oss-20b", "v100", max_model_len=2048).status == "cannot_run"
    ampere = ask("gpt-oss-20b", "a100-80-sxm", max_model_len=2048)
    assert ampere.fits
    assert "weight_only_format" in codes(ampere)


@pytest.mark.parametrize(
    ("kv_format", "gpu", "status", "code"),
    [
        ("fp8", "h100-sxm", "fits", None),
        ("fp8", "a100-80-sxm", "fits", "weight_only_format"),
        ("fp8", "t4", "cannot_run", "format_unsupported_on_gpu"),
        ("nvfp4", "h100-sxm", "cannot_run", "format_unsupported_on_gpu"),
        ("nvfp4", "b200", "fits", None),
        ("int8", "h100-sxm", "fits", "weight_only_format"),
    ],
)
def test_a_cache_format_needs_hardware_that_reads_it(
    kv_format: str, gpu: str, status: str, code: str | None
) -> None:
    result = ask("llama-3.2-1b", gpu, kv_format=kv_format, max_model_len=2048, weight_format="fp16")
    assert result.status == status
    assert code is None or code in codes(result)


def test_an_fp8_cache_halves_attention_and_no_state() -> None:
    wide = ask("qwen3.6-27b", "b200", kv_format="bf16")
    narrow = ask("qwen3.6-27b", "b200", kv_format="fp8")
    assert wide.kv_bytes_per_token_per_gpu == 2 * (narrow.kv_bytes_per_token_per_gpu or 0)
    assert wide.state_bytes_per_sequence_per_gpu == narrow.state_bytes_per_sequence_per_gpu


@pytest.mark.parametrize(
    ("capability", "weight_format", "code"),
    [
        (None, None, "gpu_unknown"),
        ("8.9", None, None),
        ("7.5", None, "dtype_cast"),
        ("7.0", "fp8", "format_unsupported_on_gpu"),
        ("8.0", "fp8", "weight_only_format"),
        ("10.0", "nvfp4", None),
    ],
)
def test_a_card_outside_the_catalogue_is_judged_by_its_capability(
    capability: str | None, weight_format: str | None, code: str | None
) -> None:
    result = ask(
        "llama-3.2-1b",
        None,
        gpu_memory_gib=40.0,
        gpu_compute_capability=capability,
        weight_format=weight_format,
        max_model_len=2048,
    )
    about = {"gpu_unknown", "dtype_cast", "format_unsupported_on_gpu", "weight_only_format"}
    assert codes(result) & about == ({code} if code else set())
    assert result.gpu_memory_gib == 40.0


def test_a_card_without_a_bandwidth_has_no_speed_and_says_what_is_missing() -> None:
    flags = {"gpu_memory_gib": 40.0, "gpu_compute_capability": "8.9", "max_model_len": 8192}
    silent = ask("llama-3.1-8b", None, **flags)
    assert silent.decode_tokens_per_second is None
    assert "--gpu-memory-bandwidth-gbs" in silent.no_estimate["decode_tokens_per_second"]
    spoken = ask("llama-3.1-8b", None, gpu_memory_bandwidth_gbs=900.0, **flags)
    rate = spoken.decode_tokens_per_second
    assert rate is not None
    # 15.5 GB read per step: 58 a second at the very most
    assert rate.low < rate.high < 900 / 15.5


def test_a_stated_memory_overrides_the_catalogue() -> None:
    given = ask("llama-3.1-8b", "rtx-4090", max_model_len=8192, gpu_memory_gib=20.0)
    assert given.gpu == "rtx-4090"
    assert given.gpu_memory_gib == 20.0
    own = ask("llama-3.1-8b", "rtx-4090", max_model_len=8192)
    assert own.kv_cache_gib_per_gpu is not None
    assert given.kv_cache_gib_per_gpu is not None
    lost = own.kv_cache_gib_per_gpu.expected - given.kv_cache_gib_per_gpu.expected
    assert lost == pytest.approx((own.gpu_memory_gib - 20.0) * 0.92, abs=0.01)


@pytest.mark.parametrize(
    ("capability", "architecture"),
    [
        ("7.0", "volta"),
        ("7.5", "turing"),
        ("8.0", "ampere"),
        ("8.6", "ampere"),
        ("8.9", "ada"),
        ("9.0", "hopper"),
        ("10.0", "blackwell"),
        ("11.0", "blackwell"),
        ("12.0", "blackwell"),
        ("99", "unknown"),
        (None, "unknown"),
    ],
)
def test_the_generation_of_a_card_follows_its_capability(
    capability: str | None, architecture: str
) -> None:
    assert architecture_of(capability) == architecture


def test_a_card_that_the_engine_no_longer_lists_cannot_run_and_an_older_release_can() -> None:
    newest = ask("llama-3.2-1b", "v100", max_model_len=2048)
    assert newest.status == "cannot_run"
    assert "older release" in text_of(newest, "engine_unsupported")
    assert ask("llama-3.2-1b", "v100", max_model_len=2048, engine_version=VOLTA).fits


def _wide_builds() -> list[str]:
    models = load_knowledge().models.values()
    builds = [build for model in models for build in model.builds if build.format == "fp32"]
    return sorted(build.hf_id for build in builds if build.hf_id is not None)


@pytest.mark.parametrize("name", _wide_builds())
def test_a_build_of_32_bits_is_run_in_16_however_it_is_named(name: str) -> None:
    found = ask(name, "a100-80-sxm")

    assert found.status != "cannot_run"
    assert found.weight_format in {"bf16", "fp16"}
