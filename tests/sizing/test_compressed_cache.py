"""Requests of a million tokens to DeepSeek V4 Flash, as logs of eight B200 print them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.store.loader import load_knowledge

_MILLION = 1_048_576


@pytest.mark.parametrize(
    ("layout", "printed"),
    [
        (SizeRequest(tensor_parallel=8), 20.43),
        (SizeRequest(data_parallel=8, expert_parallel=True), 156.9 / 8),
    ],
    ids=["copies on eight ranks", "a pool for each rank"],
)
def test_a_million_tokens_take_what_vllm_0_25_prints(layout: SizeRequest, printed: float) -> None:
    request = replace(layout, max_model_len=_MILLION, engine_version="0.25.0", gpu_count=8)
    found = size_by_name(load_knowledge(), "deepseek-v4-flash", "b200", request)

    assert found.max_concurrency is not None
    assert found.max_concurrency.expected == pytest.approx(printed, rel=0.05)


def test_older_releases_charge_windows_for_the_whole_length() -> None:
    request = SizeRequest(
        max_model_len=_MILLION, engine_version="0.22.0", gpu_count=8, tensor_parallel=8
    )
    found = size_by_name(load_knowledge(), "deepseek-v4-flash", "b200", request)

    assert found.max_concurrency is not None
    assert found.max_concurrency.expected < 3
