"""An independent set of printed memory figures, through the function that ``size`` uses.

The tolerances are those of ``test_engine_memory_cases``. A figure that ``size`` does not reproduce
is marked with its cause in the case, and the mark is strict: a cause that was removed fails here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent.parent / "cases" / "engine_memory_more.yaml").read_text(encoding="utf-8")
)["cases"]
PADDED = {"vllm-23278"}


def _size(case: dict[str, Any]) -> SizeResult:
    request = SizeRequest(**case["args"])
    return size_by_name(load_knowledge(), case["model"], case.get("gpu"), request)


def _with(name: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"], marks=_marks(case, name))
        for case in CASES
        if name in case["expect"]
    ]


def _marks(case: dict[str, Any], name: str) -> list[pytest.MarkDecorator]:
    reason = case.get("xfail", {}).get(name)
    return [pytest.mark.xfail(strict=True, reason=reason)] if reason else []


def test_each_case_names_its_public_source_and_expects_something() -> None:
    assert [case["id"] for case in CASES if not (case.get("url") or case.get("source"))] == []
    assert [case["id"] for case in CASES if not case["expect"]] == []
    assert [c["id"] for c in CASES if not c.get("xfail", {}).keys() <= c["expect"].keys()] == []


@pytest.mark.parametrize("case", _with("status"))
def test_the_verdict_is_that_of_the_engine(case: dict[str, Any]) -> None:
    result = _size(case)
    assert case["expect"]["status"] == result.status, [p.text for p in result.problems]
    assert result.fits == (result.status == "fits")


@pytest.mark.parametrize("case", _with("kv_tokens"))
def test_cache_tokens_agree_with_the_printed_line(case: dict[str, Any]) -> None:
    tokens = _size(case).kv_cache_tokens
    assert tokens is not None
    assert case["expect"]["kv_tokens"] == pytest.approx(tokens.expected, rel=0.01)


@pytest.mark.parametrize("case", _with("concurrency"))
def test_the_number_of_whole_requests_agrees_with_the_printed_line(case: dict[str, Any]) -> None:
    concurrency = _size(case).max_concurrency
    assert concurrency is not None
    assert case["expect"]["concurrency"] == pytest.approx(concurrency.expected, rel=0.01)


@pytest.mark.parametrize("case", _with("need_gib"))
def test_the_need_of_one_request_agrees_with_the_printed_line(case: dict[str, Any]) -> None:
    expected = case["expect"]["need_gib"]
    assert expected == pytest.approx(_size(case).kv_gib_per_request_per_gpu, rel=0.01)


@pytest.mark.parametrize("case", _with("largest"))
def test_the_longest_request_agrees_with_the_printed_estimate(case: dict[str, Any]) -> None:
    assert case["expect"]["largest"] == pytest.approx(_size(case).largest_max_model_len, rel=0.01)


@pytest.mark.parametrize("case", _with("weights_gib"))
def test_weights_agree_with_the_printed_line(case: dict[str, Any]) -> None:
    tolerance = 0.06 if case["id"] in PADDED else 0.02
    expected = case["expect"]["weights_gib"]
    assert expected == pytest.approx(_size(case).weights_gib_per_gpu, rel=tolerance)


@pytest.mark.parametrize("case", _with("cache_gib"))
def test_the_memory_sum_agrees_with_the_printed_line(case: dict[str, Any]) -> None:
    span = _size(case).kv_cache_gib_per_gpu
    assert span is not None
    assert case["expect"]["cache_gib"] == pytest.approx(span.expected, rel=0.1)
    assert span.low <= case["expect"]["cache_gib"] <= span.high


@pytest.mark.parametrize("case", _with("peak_gib"))
def test_the_peak_of_the_profiling_run_agrees_with_the_printed_line(case: dict[str, Any]) -> None:
    peak = _size(case).overheads["activation_peak_gib"]
    assert case["expect"]["peak_gib"] == pytest.approx(peak, rel=0.02)


@pytest.mark.parametrize("case", _with("state_blocks"))
def test_state_blocks_limit_the_sequences(case: dict[str, Any]) -> None:
    result = _size(case)
    tolerance = case["expect"]["state_tolerance"]
    assert case["expect"]["state_blocks"] == pytest.approx(
        result.largest_max_num_seqs, rel=tolerance
    )
    assert "max_num_seqs_exceeds_state_blocks" in {problem.code for problem in result.problems}


@pytest.mark.parametrize("case", _with("problem"))
def test_the_reason_is_named(case: dict[str, Any]) -> None:
    assert case["expect"]["problem"] in {problem.code for problem in _size(case).problems}
