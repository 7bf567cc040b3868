"""Formats that an engine has no kernels for on a card, and what stands in for them."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told

from advisor.consult.consultation import Consultation


def _offers(found: Consultation) -> list[dict[str, Any]]:
    return [other.choice.model_dump() for other in found.decisions["gpu"].alternatives]


def _formats(found: Consultation) -> set[str]:
    return {choice(found)["weight_format"], *(one["weight_format"] for one in _offers(found))}


def _owned(model: str, gpu: str, count: int, **answers: Any) -> Consultation:
    return told(
        serving(model, gpu, hardware__acquisition="owned", hardware__gpus_per_node=count, **answers)
    )


@pytest.mark.parametrize(("gpu", "allowed"), [("a100-80-sxm", False), ("h100-sxm", True)])
def test_tensorrt_llm_gets_fp8_weights_from_ada_on(gpu: str, allowed: bool) -> None:
    found = _owned("llama-2-13b", gpu, 4, engine="tensorrt_llm", objectives__priority="latency")

    assert ("fp8" in _formats(found)) is allowed


def test_gptq_stands_in_where_awq_has_no_kernel() -> None:
    found = _owned("llama-30b", "v100", 3, context_tokens=2048)

    assert "gptq_int4" in _formats(found)
    assert "awq_int4" not in _formats(found)


def test_nothing_stands_in_where_the_kernel_is_there() -> None:
    assert "gptq_int4" not in _formats(_owned("llama-30b", "a100-40-sxm", 3, context_tokens=2048))


def test_a_refused_format_is_replaced_by_one_of_the_same_width_first() -> None:
    found = _owned("qwen1.5-32b", "v100", 2, weight_format="awq_int4", context_tokens=512)
    first = _offers(found)[0]

    assert choice(found)["option"] == "change_owned"
    assert (first["option"], first["weight_format"]) == ("use_owned", "gptq_int4")


def test_a_format_that_is_too_large_is_not_replaced_by_one_of_the_same_width() -> None:
    found = _owned("llama-3.1-405b", "rtx-3090", 2, weight_format="fp8", context_tokens=2048)

    assert all(one["weight_format"] != "int8" for one in _offers(found))


@pytest.mark.parametrize(("engine", "first"), [("sglang", False), ("vllm", True)])
def test_fp8_experts_on_ampere_go_first_only_where_the_engine_unpacks_them(
    engine: str, first: bool
) -> None:
    found = _owned("deepseek-r1", "a100-80-sxm", 8, engine=engine, hardware__nodes=2)

    assert (choice(found)["weight_format"] == "fp8_block") is first
    assert "fp8_block" in _formats(found)


def test_what_is_owned_is_not_rejected_as_a_purchase() -> None:
    found = _owned("llama-30b", "v100", 3, context_tokens=2048)

    assert {line.option for line in found.decisions["gpu"].rejected} == {"use_owned"}
