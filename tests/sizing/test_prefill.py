"""The time of prompts: one law for the first token and for the rate."""

from __future__ import annotations

import pytest

from advisor.sizing.by_name import size_by_name
from advisor.sizing.layout import Layout
from advisor.sizing.prefill import one_direction_gbs, over_ring
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import RateRange, SizeResult
from advisor.store.loader import load_knowledge


def ask(model: str, gpu: str, **flags: object) -> SizeResult:
    return size_by_name(load_knowledge(), model, gpu, SizeRequest(**flags))  # type: ignore[arg-type]


def rate(model: str, gpu: str, **flags: object) -> RateRange:
    found = ask(model, gpu, **flags).prompt_tokens_per_second
    assert found is not None
    return found


@pytest.mark.parametrize("tokens", [512, 8192])
def test_the_rate_is_the_prompt_by_its_time_at_the_fast_end(tokens: int) -> None:
    first = ask("llama-3.1-8b", "h100-sxm", prompt_tokens=tokens).ttft_ms
    assert first is not None

    fastest = rate("llama-3.1-8b", "h100-sxm", prompt_tokens=tokens).high
    assert fastest == pytest.approx(tokens / (first.low / 1000), rel=1e-3)


def test_the_rate_of_an_8b_is_flops_over_the_peak() -> None:
    # 2 x 7.5e9 FLOPs a token at 65 % of 362 TFLOPS are 15,700 tokens a second, attention apart
    found = rate("llama-3.1-8b", "l40s", prompt_tokens=512, weight_format="awq_int4")

    assert 14_500 < found.high < 15_700
    assert found.low < found.high / 4


def test_weights_that_are_only_stored_narrow_read_prompts_no_faster() -> None:
    wide, narrow, fp8 = (
        rate("llama-3.1-8b", "l40s", prompt_tokens=2048, weight_format=name)
        for name in ("bf16", "awq_int4", "fp8")
    )
    assert narrow.high == wide.high
    assert fp8.high > 1.5 * wide.high


def test_short_prompts_share_a_step() -> None:
    """The fixed cost of a step is paid by all prompts in it, so the slow end keeps its rate."""
    short, long = (rate("llama-3.1-8b", "h100-sxm", prompt_tokens=n) for n in (32, 4096))

    assert short.low > 0.9 * long.low


def test_stages_and_ranks_read_prompts_side_by_side() -> None:
    one, stages = (
        rate(
            "llama-3.3-70b", "h100-sxm", prompt_tokens=2048, tensor_parallel=2, pipeline_parallel=n
        )
        for n in (1, 2)
    )
    assert stages.high == pytest.approx(2 * one.high, rel=1e-3)


def test_an_encoder_has_a_rate_by_the_usual_length_and_no_first_token() -> None:
    result = ask("bge-m3", "l4", typical_context_tokens=512)

    assert result.ttft_ms is None
    assert result.prompt_tokens_per_second is not None
    # 0.31e9 parameters beside the table: 65 % of 121 TFLOPS are 127,000 tokens a second at most
    assert 100_000 < result.prompt_tokens_per_second.high < 127_000
    assert rate("bge-m3", "l4", typical_context_tokens=8192).high < 60_000


def test_a_published_rate_of_prompts_lies_in_the_band() -> None:
    """DeepSeek V3 on H100 nodes: 52.3 thousand prompt tokens a second and node (lmsys, 2025-05)."""
    found = rate(
        "deepseek-v3", "h100-sxm", prompt_tokens=2000, data_parallel=32, expert_parallel=True,
        max_model_len=8192,
    )  # fmt: skip
    assert found.low <= 4 * 52_300 <= found.high


def test_without_a_length_or_a_peak_the_reason_is_said() -> None:
    silent = ask("llama-3.1-8b", "h100-sxm")
    assert silent.prompt_tokens_per_second is None
    assert "--prompt-tokens" in silent.no_estimate["prompt_tokens_per_second"]


@pytest.mark.parametrize("gpu", ["l40s", "rtx-pro-6000-server", "h100-sxm"])
def test_the_span_of_all_reduces_holds_what_was_measured(gpu: str) -> None:
    """A chunk of 8192 tokens of a 70B; the ring of the same links times the span."""
    knowledge = load_knowledge()
    card = knowledge.resolve_gpu(gpu).record
    table = next(record for record in knowledge.allreduce.values() if record.gpu == gpu)
    for point in (p for p in table.points if p.library == "nccl"):
        passes = 2 * (point.gpus - 1) / point.gpus
        gbs = one_direction_gbs(card, point.gpus)
        ring_us = passes * point.message_elements * 2 / gbs / 1e3
        low, high = over_ring(Layout(tensor_parallel=point.gpus), card)
        assert low * ring_us * 0.7 <= point.microseconds <= high * ring_us * 1.05, point.gpus
