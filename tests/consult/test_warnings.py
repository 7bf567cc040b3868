"""Warnings fire on what is there, and stay away where it is not."""

from __future__ import annotations

import pytest
from consult_support import Document, serving, told, warned

from advisor.consult.advise import BUILT

OWNED = {"hardware__acquisition": "owned", "hardware__nodes": 1}


def owned(model: str, gpu: str, count: int, **answers: object) -> Document:
    return serving(model, gpu, **OWNED, hardware__gpus_per_node=count, **answers)


CASES: dict[str, tuple[Document, Document]] = {
    "warn-engine-preallocates-memory": (
        owned("llama-3.1-8b", "h100-sxm", 1, observed__memory_used_gib="70GiB"),
        owned("llama-3.1-8b", "h100-sxm", 1),
    ),
    "warn-images-raise-peak": (
        owned("qwen2.5-vl-7b", "h100-sxm", 1, images_per_prompt=20),
        owned("qwen2.5-vl-7b", "h100-sxm", 1, images_per_prompt=1),
    ),
    "warn-long-prefill": (
        owned("llama-3.1-8b", "h100-sxm", 1, context_tokens=131072),
        owned("llama-3.1-8b", "h100-sxm", 1, context_tokens=8192),
    ),
    "warn-requests-queue": (
        owned("llama-3.3-70b", "h200-sxm", 2, context_tokens=131072, concurrency=2),
        owned("llama-3.1-8b", "h200-sxm", 1, context_tokens=8192, concurrency=2),
    ),
    "warn-memory-does-not-grow": (
        owned("llama-3.1-8b", "h200-sxm", 1, context_tokens=131072),
        owned("llama-3.1-8b", "h200-sxm", 1, context_tokens=8192),
    ),
    "warn-memory-share-cannot-help": (
        owned("llama-3.1-70b", "h100-sxm", 4, weight_format="bf16", context_tokens=122880),
        owned("llama-3.1-70b", "h100-sxm", 4, weight_format="bf16", context_tokens=4096),
    ),
    "warn-set-tensor-parallel": (
        owned("llama-3.1-70b", "h100-sxm", 4, weight_format="bf16"),
        owned("llama-3.1-70b", "h100-sxm", 4, weight_format="bf16", layout__tensor_parallel=4),
    ),
    "warn-disaggregation-needs-fast-fabric": (
        owned("llama-3.1-8b", "h100-sxm", 8, disaggregated="wanted", hardware__fabric="ethernet"),
        owned(
            "llama-3.1-8b", "h100-sxm", 8, disaggregated="wanted",
            hardware__fabric="infiniband", hardware__fabric_gbps=400,
        ),
    ),
    "warn-ep-kernels-need-nvlink": (
        owned("deepseek-v3", "l20", 8, layout__expert_parallel=8),
        owned("deepseek-v3", "h200-sxm", 8, layout__expert_parallel=8),
    ),
    "warn-gpu-name-ambiguous": (
        owned("llama-3.1-8b", "h100", 1),
        owned("llama-3.1-8b", "h100-sxm", 1),
    ),
    "warn-price-moves": (
        serving("llama-3.1-8b", "l40s", objectives__priority="cost"),
        serving("llama-3.1-8b", "l40s"),
    ),
    "warn-idle-hours-cost": (
        serving("llama-3.1-8b", "l40s", objectives__utilisation_percent=10),
        serving("llama-3.1-8b", "l40s", objectives__utilisation_percent=90),
    ),
    "warn-slow-fabric": (
        serving(
            "llama-3.1-405b", "h100-sxm", weight_format="bf16", hardware__acquisition="owned",
            hardware__gpus_per_node=8, hardware__nodes=2, hardware__fabric="ethernet",
        ),
        serving(
            "llama-3.1-405b", "h100-sxm", weight_format="bf16", hardware__acquisition="owned",
            hardware__gpus_per_node=8, hardware__nodes=2, hardware__fabric="infiniband",
        ),
    ),
}  # fmt: skip
"""Id to answers that bring the warning and answers, else alike, that do not."""


@pytest.mark.parametrize("name", CASES)
def test_a_warning_comes_with_its_cause(name: str) -> None:
    bad, good = CASES[name]

    assert name in warned(bad)
    assert name not in warned(good)


@pytest.mark.parametrize("name", CASES)
def test_a_warning_says_how_to_check_and_what_to_do(name: str) -> None:
    found = next(warning for warning in told(CASES[name][0]).warnings if warning.id == name)

    assert found.text
    assert found.check
    assert found.fix
    assert found.citations
    assert found.decision in BUILT


def test_what_is_wrong_with_owned_cards_is_told_though_others_are_chosen() -> None:
    asked = owned("deepseek-v3", "l20", 8, hardware__nvlink="no", layout__expert_parallel=8)
    found = told(asked)
    choice = found.decisions["gpu"].choice

    assert choice is not None
    assert choice.model_dump()["gpu"] != "l20"
    assert "warn-ep-kernels-need-nvlink" in warned(asked)


def test_a_slow_network_rules_out_separate_prefill() -> None:
    bad, good = CASES["warn-disaggregation-needs-fast-fabric"]

    assert [r.option for r in told(bad).decisions["parallelism"].rejected] == ["disaggregated"]
    (other,) = told(good).decisions["parallelism"].rejected
    assert other.rule == "parallelism-chunked-prefill-before-disaggregation"


def test_ranks_of_experts_alone_are_judged_as_so_many_gpus() -> None:
    asked = owned("deepseek-v3", "l20", 8, layout__expert_parallel=8, layout__state="tried")
    texts = [w.text for w in told(asked).warnings if w.id.startswith("layout-")]

    assert any("on 8 x l20" in text for text in texts)


def test_a_stated_length_alone_is_judged() -> None:
    asked = owned("llama-3.1-8b", "rtx-3090", 1, layout__max_model_len=131072)

    assert any(name.startswith("layout-") for name in warned(asked))


def test_a_card_without_nvlink_needs_no_bridge() -> None:
    asked = owned("llama-3.1-8b", "rtx-3090", 2, weight_format="bf16", concurrency=8)
    without = owned(
        "llama-3.1-8b", "rtx-3090", 2, weight_format="bf16", concurrency=8,
        hardware__nvlink="no", layout__tensor_parallel=2, layout__state="wanted",
    )  # fmt: skip
    bridged = owned(
        "llama-3.1-8b", "rtx-3090", 2, weight_format="bf16", concurrency=8,
        hardware__nvlink="bridge", layout__tensor_parallel=2, layout__state="wanted",
    )  # fmt: skip
    fabrics = [
        told(document).decisions["parallelism"].choice.model_dump()["fabric"]  # type: ignore[union-attr]
        for document in (without, bridged)
    ]

    assert fabrics == ["pcie", "nvlink_bridge"]
    assert told(asked).decisions["parallelism"].choice is not None


def test_a_card_without_bf16_runs_fp16() -> None:
    choice = told(owned("llama-3.2-3b", "t4", 1)).decisions["gpu"].choice

    assert choice is not None
    assert "bf16" not in {choice.model_dump()["kv_format"], choice.model_dump()["weight_format"]}
