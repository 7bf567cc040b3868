"""Layouts that no amount of memory makes possible, and the remedy each refusal names."""

from __future__ import annotations

from typing import Any

import pytest
from sizing_questions import ask, blocking, codes, model, tensor, text_of

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.layout import Layout
from advisor.sizing.legality import layout_problems
from advisor.sizing.weights import weight_plan
from advisor.store.loader import load_knowledge

OK = None
CASES: list[tuple[str, dict[str, Any], str | None]] = [
    # 28, 40, 71 and 64 heads
    ("qwen2.5-7b", {"tensor_parallel": 4}, OK),
    ("qwen2.5-7b", {"tensor_parallel": 8}, "heads_not_divisible"),
    ("qwen2.5-32b", {"tensor_parallel": 8}, OK),
    ("qwen2.5-32b", {"tensor_parallel": 16}, "heads_not_divisible"),
    ("falcon-7b", {"tensor_parallel": 1}, OK),
    ("falcon-7b", {"tensor_parallel": 2}, "heads_not_divisible"),
    ("llama-3.3-70b", {"tensor_parallel": 3}, "heads_not_divisible"),
    ("llama-3.3-70b", {"pipeline_parallel": 3}, OK),
    ("llama-3.3-70b", {"tensor_parallel": 72}, "heads_not_divisible"),
    # 10 KV heads
    ("phi-4", {"tensor_parallel": 2}, OK),
    ("phi-4", {"tensor_parallel": 4}, "kv_heads_not_divisible"),
    # 1536 / 8 = 192 and 2560 / 8 = 320 cut blocks of 128
    ("qwen3-235b-a22b", {"tensor_parallel": 4, "weight_format": "fp8"}, OK),
    (
        "qwen3-235b-a22b",
        {"tensor_parallel": 8, "weight_format": "fp8"},
        "quant_group_not_divisible",
    ),
    (
        "qwen3-235b-a22b",
        {"tensor_parallel": 8, "weight_format": "fp8", "expert_parallel": True},
        OK,
    ),
    ("qwen3-235b-a22b", {"tensor_parallel": 8}, OK),
    (
        "qwen3-coder-480b-a35b",
        {"tensor_parallel": 8, "weight_format": "fp8"},
        "quant_group_not_divisible",
    ),
    (
        "qwen3-coder-480b-a35b",
        {"tensor_parallel": 8, "weight_format": "fp8", "expert_parallel": True},
        OK,
    ),
    # latents: the cache of all heads, or its copies
    ("deepseek-r1", {"tensor_parallel": 8, "decode_context_parallel": 8}, OK),
    (
        "deepseek-r1",
        {"tensor_parallel": 8, "decode_context_parallel": 3},
        "context_parallel_not_allowed",
    ),
    (
        "deepseek-r1",
        {"tensor_parallel": 8, "decode_context_parallel": 16},
        "context_parallel_not_allowed",
    ),
    ("qwen3-235b-a22b", {"tensor_parallel": 8, "decode_context_parallel": 2}, OK),
    (
        "qwen3-235b-a22b",
        {"tensor_parallel": 8, "decode_context_parallel": 4},
        "context_parallel_not_allowed",
    ),
    (
        "llama-3.3-70b",
        {"tensor_parallel": 8, "decode_context_parallel": 2},
        "context_parallel_not_allowed",
    ),
    (
        "gpt-oss-120b",
        {"tensor_parallel": 16, "decode_context_parallel": 2},
        "context_parallel_not_allowed",
    ),
    ("gpt2", {"pipeline_parallel": 12}, OK),
    ("gpt2", {"pipeline_parallel": 13}, "layers_fewer_than_stages"),
    ("llama-3.3-70b", {"tensor_parallel": 8, "expert_parallel": True}, "experts_not_divisible"),
]


@pytest.mark.parametrize(("name", "flags", "code"), CASES)
def test_a_layout_runs_or_is_refused_for_the_right_reason(
    name: str, flags: dict[str, Any], code: str | None
) -> None:
    result = ask(name, "b300", max_model_len=4096, **flags)
    if code is None:
        assert result.status == "fits", blocking(result)
    else:
        assert result.status == "cannot_run"
        assert code in blocking(result)
        assert result.decode_tokens_per_second is None
        assert result.no_estimate["decode_tokens_per_second"]


def test_cannot_run_comes_before_does_not_fit() -> None:
    result = ask("llama-3.3-70b", "l4", tensor_parallel=3)
    assert {"heads_not_divisible", "weights_exceed_memory"} <= codes(result)
    assert result.status == "cannot_run"


def test_a_refusal_names_the_splits_that_work() -> None:
    text = text_of(ask("qwen2.5-7b", "h100-sxm", tensor_parallel=8), "heads_not_divisible")
    assert "1, 2, 4, 7, 14, 28" in text


def test_a_cut_block_is_cured_by_whole_experts() -> None:
    result = ask("qwen3-235b-a22b", "h100-sxm", tensor_parallel=8, weight_format="fp8")
    assert "192" in text_of(result, "quant_group_not_divisible")
    assert "expert parallelism" in text_of(result, "quant_group_not_divisible")


def test_fp8_means_the_published_block_build_and_says_so() -> None:
    result = ask("qwen3-235b-a22b", "h100-sxm", tensor_parallel=4, weight_format="fp8")
    assert result.weight_format == "fp8_block"
    assert "Qwen/Qwen3-235B-A22B-FP8" in text_of(result, "assumption")
    plain = ask("llama-3.3-70b", "h100-sxm", tensor_parallel=4, weight_format="fp8")
    assert plain.weight_format == "fp8"
    assert "assumption" not in codes(plain)


def _problems(name: str, weight_format: str, layout: Layout, *, vendor: bool) -> list[str]:
    formats = load_knowledge().formats
    found = next(b for b in model(name).builds if b.format == weight_format)
    plan = weight_plan(model(name), weight_format, 0.52, found if vendor else None, formats)
    rules = EngineRules(engine="vllm", version=None, label="vLLM", uneven_experts=False)
    return [problem.code for problem in layout_problems(model(name), plan, layout, rules)]


def test_29568_cuts_groups_of_128_unless_the_vendor_padded_it() -> None:
    # 29,568 / 2 = 14,784 = 115.5 groups; 29,696 / 2 = 116 groups
    two = tensor(2)
    assert _problems("qwen2.5-72b", "awq_int4", two, vendor=False) == ["quant_group_not_divisible"]
    assert _problems("qwen2.5-72b", "awq_int4", two, vendor=True) == []


@pytest.mark.parametrize(("ranks", "expected"), [(4, []), (3, ["experts_not_divisible"])])
def test_engines_without_uneven_experts_want_equal_shares(ranks: int, expected: list[str]) -> None:
    # 16 experts; data-parallel ranks, so that heads stay whole
    dbrx = model("dbrx-132b")
    plan = weight_plan(dbrx, "bf16", 2.0, None, load_knowledge().formats)
    rules = EngineRules(engine="x", version=None, label="x", uneven_experts=False)
    layout = Layout(data_parallel=ranks, expert_parallel=True)
    found = [problem.code for problem in layout_problems(dbrx, plan, layout, rules)]
    assert found == expected


def test_plain_arithmetic_refuses_heads_and_nothing_finer() -> None:
    flags = {"tensor_parallel": 8, "weight_format": "gguf_q8", "engine": "llama_cpp"}
    assert blocking(ask("qwen3-235b-a22b", "b300", **flags)) == []
    assert "heads_not_divisible" in blocking(
        ask("qwen2.5-7b", "b300", tensor_parallel=8, engine="other")
    )


@pytest.mark.parametrize(("tiles", "refused"), [(True, True), (False, False)])
def test_old_marlin_kernels_want_whole_tiles_whatever_the_group(tiles: bool, refused: bool) -> None:
    # 18,944 / 8 = 2,368 is 74 groups of 32 and 18.5 tiles of 128
    qwen = model("qwen2.5-7b")
    build = qwen.builds[0].model_copy(update={"group_size": 32, "format": "gptq_int4"})
    plan = weight_plan(qwen, "gptq_int4", 0.5625, build, load_knowledge().formats)
    rules = EngineRules(engine="vllm", version=None, label="x", marlin_tile_required=tiles)
    found = [problem.code for problem in layout_problems(qwen, plan, tensor(8), rules)]
    assert ("quant_group_not_divisible" in found) == refused
