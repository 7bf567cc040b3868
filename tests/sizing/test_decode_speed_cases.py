"""Measured decode speeds against the printed band."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import RateRange
from advisor.store.loader import load_knowledge

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent.parent / "cases" / "decode_speed.yaml").read_text(encoding="utf-8")
)["cases"]
COUNTED = [case for case in CASES if case["in_statistics"]]
SINGLE = [c for c in COUNTED if c["kind"] == "dense" and c["args"]["tensor_parallel"] == 1]
OTHERS = [c for c in COUNTED if c not in SINGLE]


def _rate(case: dict[str, Any]) -> RateRange | None:
    result = size_by_name(load_knowledge(), case["model"], case["gpu"], SizeRequest(**case["args"]))
    return result.decode_tokens_per_second


def _inside(case: dict[str, Any]) -> bool:
    rate, measured = _rate(case), 1000 / case["tpot_ms"]
    return rate is not None and rate.low <= measured <= rate.high


def test_nine_in_ten_single_gpu_dense_measurements_lie_in_the_band() -> None:
    outside = [case["id"] for case in SINGLE if not _inside(case)]
    assert len(SINGLE) > 40
    assert len(outside) <= 0.1 * len(SINGLE), outside


@pytest.mark.parametrize("case", SINGLE, ids=lambda c: c["id"])
def test_the_ends_of_a_single_gpu_dense_band_are_at_most_twice_apart(case: dict[str, Any]) -> None:
    rate = _rate(case)
    assert rate is not None
    assert rate.high <= 2.001 * rate.low  # two decimals are printed


@pytest.mark.parametrize("case", OTHERS, ids=lambda c: c["id"])
def test_mixtures_and_several_gpus_lie_in_their_band_or_have_none(case: dict[str, Any]) -> None:
    rate = _rate(case)
    assert rate is None or _inside(case), (1000 / case["tpot_ms"], rate)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_no_estimate_promises_more_than_memory_allows(case: dict[str, Any]) -> None:
    """The memory bound was worked out apart; a faster promise would be wrong."""
    rate = _rate(case)
    if rate is not None:
        assert rate.high <= 1.25 * 1000 / case["reference_bound_ms"]


def test_a_stack_of_estimates_without_evidence_says_why() -> None:
    knowledge = load_knowledge()
    silent = [
        ("llama-3.3-70b", "h100-sxm", SizeRequest(tensor_parallel=8, pipeline_parallel=2)),
        ("deepseek-v3", "mi300x", SizeRequest(tensor_parallel=8)),
        ("deepseek-v3", "a100-80-sxm", SizeRequest(tensor_parallel=8, weight_format="awq_int4")),
        ("llama-3.1-8b", "gaudi3", SizeRequest()),
    ]
    for model, gpu, request in silent:
        result = size_by_name(knowledge, model, gpu, request)
        assert result.decode_tokens_per_second is None, (model, gpu)
        assert result.total_output_tokens_per_second is None, (model, gpu)
        assert result.no_estimate["decode_tokens_per_second"]
