"""Quotas of what is billed, machines as rented, reasons that count, speeds on one basis."""

from __future__ import annotations

import re
from typing import Any

import pytest
from consult_support import choice, serving, told

from advisor.reports.advice_text import advice_text

# ---- a quota counts what is billed ----


@pytest.mark.parametrize("quota", [2, 8])
def test_a_quota_counts_the_idle_gpus_of_rented_machines(quota: int) -> None:
    asked = serving(
        "llama-3.3-70b", ["h200-sxm"], context_tokens=16384, concurrency=8,  # type: ignore[arg-type]
        hardware__acquisition="rent", platform__cloud="azure", platform__gpu_quota=quota,
    )  # fmt: skip
    found = told(asked)

    if quota == 8:
        assert choice(found)["instance_gpus"] * choice(found)["instances"] == 8
        return
    assert choice(found)["option"] == "none_fits"
    [line] = [x for x in found.decisions["gpu"].rejected if x.weight_format == "fp8"]
    assert line.rule == "gpu-instances-over-quota"
    assert "hold 8" in line.because


def test_nothing_that_is_shown_bills_more_than_the_quota() -> None:
    asked = serving(
        "llama-3.3-70b", context_tokens=16384, concurrency=8,
        hardware__acquisition="rent", platform__cloud="azure", platform__gpu_quota=2,
    )  # fmt: skip
    decision = told(asked).decisions["gpu"]
    for shown in (decision.choice, *(a.choice for a in decision.alternatives)):
        values = shown.model_dump() if shown else {}
        assert values.get("instances", 1) * values.get("instance_gpus", 1) <= 2


# ---- machines as they are rented ----


def test_replicas_on_machines_of_one_gpu_are_as_many_machines() -> None:
    asked = serving(
        "llama-3.1-8b", context_tokens=8192, concurrency=40,
        hardware__acquisition="rent", platform__cloud="aws",
    )  # fmt: skip
    found = choice(told(asked))

    assert found["instance_gpus"] == 1
    assert found["nodes"] == found["instances"] == found["total_gpus"] > 1


# ---- large cards and small loads ----


def reranking(rate: int | None, **answers: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "workload": {
            "kind": "reranking", "model": "qwen3-reranker-8b", "context_tokens": 1024,
            "prompt_tokens": 600,
        },
        "hardware": {"acquisition": "rent"},
    }  # fmt: skip
    if rate is not None:
        answers["requests_per_second"] = rate
    return asked | ({"objectives": answers} if answers else {})


def test_a_rate_is_met_by_the_cheapest_cards_large_or_not() -> None:
    found = told(reranking(1000))
    rows = found.candidates.shown if found.candidates else ()
    prices = [row["usd_per_hour"] for row in rows if row["usd_per_hour"] is not None]

    assert choice(found)["usd_per_hour"] == pytest.approx(min(prices))
    assert "gpu-whole-card-for-a-small-load" not in rules(found)


def test_without_a_rate_a_large_card_is_still_too_much() -> None:
    assert "gpu-whole-card-for-a-small-load" in rules(told(reranking(None)))


def rules(found: Any) -> set[str | None]:
    return {line.rule for line in found.decisions["gpu"].rejected}


def test_under_priority_cost_a_dearer_layout_loses_by_its_price() -> None:
    found = told(reranking(None, priority="cost"))
    usd = choice(found)["usd_per_hour"]
    dearer = [
        line
        for line in found.decisions["gpu"].rejected
        if line.outranked
        and (price := re.search(r"([\d.]+) USD an hour", line.because))
        and float(price.group(1)) > usd + 0.01
    ]

    assert dearer
    assert {line.rule for line in dearer} == {None}
    assert all("more than the choice" in line.because for line in dearer)


# ---- no estimate ----


@pytest.mark.parametrize("priority", ["balanced", "cost"])
def test_a_layout_without_an_estimate_does_not_lose_to_a_twice_dearer_one(priority: str) -> None:
    asked = serving(
        "kimi-k3", ["gb200", "b300"], context_tokens=65536, concurrency=100,  # type: ignore[arg-type]
        hardware__acquisition="rent", hardware__nvlink="multi_node", objectives__priority=priority,
    )  # fmt: skip
    found = choice(told(asked))

    assert "decode_tokens_per_second" not in found
    assert found["gpu"] == "gb200"


# ---- owned GPUs that would idle ----


def owned(gpu: str, **answers: Any) -> dict[str, Any]:
    return serving(
        "llama-3.1-8b", gpu, context_tokens=16384, hardware__acquisition="owned",
        **({"concurrency": 30, "hardware__gpus_per_node": 2, "hardware__nodes": 2} | answers),
    )  # fmt: skip


def test_owned_gpus_serve_one_replica_each_before_a_split_over_pcie() -> None:
    found = choice(told(owned("l40s")))

    assert (found["count_per_replica"], found["weight_format"]) == (1, "bf16")
    assert found["replicas"] > 2


def test_a_split_over_pcie_stays_where_single_gpus_do_not_carry_the_load() -> None:
    found = choice(told(owned("l40s", hardware__nodes=1)))

    assert found["count_per_replica"] == 2


def test_a_split_inside_nvlink_is_not_put_back() -> None:
    narrow = choice(
        told(owned("h100-sxm", concurrency=58, hardware__gpus_per_node=4, hardware__nodes=1))
    )

    assert narrow["count_per_replica"] == 2


# ---- speeds on one basis ----


def spoken(**answers: Any) -> dict[str, Any]:
    return serving(
        "mistral-small-3", context_tokens=4096, hardware__acquisition="rent",
        objectives__requests_per_second=20, **answers,
    )  # fmt: skip


def test_choice_and_runners_up_tell_the_speed_with_prompts_counted() -> None:
    found = told(spoken(prompt_tokens=1500, output_tokens=300))
    served = choice(found)["user_tokens_per_second"]
    lines = [a.because for a in found.decisions["gpu"].alternatives if "for one user" in a.because]

    assert served["high"] < choice(found)["decode_tokens_per_second"]["high"]
    assert f"{served['low']:,.0f} to {served['high']:,.0f} tokens/s" in advice_text(found)
    assert lines
    assert all("for one user, prompts counted" in line for line in lines)


def test_without_lengths_both_tell_the_speed_while_decoding() -> None:
    found = told(serving("mistral-small-3", concurrency=8, objectives__priority="latency"))
    lines = [a.because for a in found.decisions["gpu"].alternatives if "for one user" in a.because]

    assert "user_tokens_per_second" not in choice(found)
    assert lines
    assert all("for one user while decoding" in line for line in lines)
