"""More users never make the advice much cheaper in silence, and what a rule puts back is named.

A rule that speaks against a layout makes it dearer in the comparison. The choice may cost more for
that, within a band, and the cheaper layout stands beside it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from consult_support import Document, choice, serving, told

USERS = (4, 7, 10, 14, 20, 21, 28, 40, 56)
BAND = 1.6
"""A rule about links counts one and a half times; the rest are machines that come whole."""
SAME = 0.01
POOL = [
    ("llama-3.3-70b", "l40s", "bf16"),
    ("llama-3.3-70b", "h100-nvl", "bf16"),
    ("llama-3.3-70b", "a10g", "fp8"),
    ("qwen3-32b", "l4", "fp8"),
]


def asked(
    model: str, gpu: str, weight_format: str, users: int, priority: str = "balanced"
) -> Document:
    return serving(
        model, gpu, weight_format=weight_format, context_tokens=16384, concurrency=users,
        objectives__priority=priority,
    )  # fmt: skip


def rent(document: Document) -> float:
    return float(choice(told(document))["usd_per_hour"])


def others(document: Document) -> list[dict[str, Any]]:
    found = told(document).decisions["gpu"].alternatives
    return [other.choice.model_dump() for other in found]


@pytest.mark.parametrize("priority", ["balanced", "cost"])
@pytest.mark.parametrize(("model", "gpu", "weight_format"), POOL)
def test_more_users_never_make_the_bill_much_smaller(
    model: str, gpu: str, weight_format: str, priority: str
) -> None:
    bills = [rent(asked(model, gpu, weight_format, users, priority)) for users in USERS]

    for fewer, more in pairwise(bills):
        assert more >= fewer / BAND, dict(zip(USERS, bills, strict=True))


@pytest.mark.parametrize(("model", "gpu", "weight_format"), POOL)
def test_what_carries_more_users_for_less_is_named_for_fewer(
    model: str, gpu: str, weight_format: str
) -> None:
    documents = [asked(model, gpu, weight_format, users) for users in USERS]
    for fewer, more in pairwise(documents):
        cheaper = rent(more)
        if cheaper > rent(fewer) - SAME:
            continue
        named = [c for c in others(fewer) if (c.get("usd_per_hour") or cheaper + 1) <= cheaper]
        assert named
        assert "counts as dearer" in told(fewer).decisions["gpu"].because


def test_eight_cards_in_stages_go_before_three_times_the_bill() -> None:
    few, many = (choice(told(asked(*POOL[0], users))) for users in (20, 21))

    assert few["total_gpus"] == many["total_gpus"]
    assert few["usd_per_hour"] == many["usd_per_hour"]


def test_the_first_by_price_is_the_cheapest_or_says_what_counts_as_dearer() -> None:
    for users in USERS:
        for model, gpu, weight_format in POOL:
            document = asked(model, gpu, weight_format, users)
            decision = told(document).decisions["gpu"]
            mine = rent(document)
            cheaper = [
                c for c in others(document)
                if c.get("usd_per_hour") is not None
                and c["usd_per_hour"] < mine - SAME
                and c["kv_format"] == choice(told(document))["kv_format"]
            ]  # fmt: skip
            if cheaper:
                assert "counts as dearer" in decision.because


def test_the_layout_that_a_rule_puts_back_comes_with_its_price_and_the_reason() -> None:
    document = serving("llama-3.3-70b", context_tokens=8192, concurrency=8)
    decision = told(document).decisions["gpu"]
    told_of = [a for a in decision.alternatives if "did not count" in a.would_be_chosen_if]

    assert "would be first" in decision.because
    assert "USD an hour less" in decision.because
    assert told_of[0].choice.model_dump()["usd_per_hour"] < rent(document)


def test_under_priority_cost_nothing_that_was_compared_is_cheaper() -> None:
    for model, gpu, weight_format in POOL:
        decision = told(asked(model, gpu, weight_format, 20, "cost")).decisions["gpu"]

        assert "USD an hour less)" not in decision.because
