"""What a runner-up would take to be chosen, what is bought whole, and which miss is nearest."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, serving, told

CHAT = {"context_tokens": 8192, "concurrency": 8, "weight_format": "bf16"}


def asked(priority: str = "balanced", **answers: Any) -> Document:
    return serving("llama-3.3-70b", **(CHAT | {"objectives__priority": priority} | answers))


def conditions(document: Document) -> list[str]:
    return [a.would_be_chosen_if for a in told(document).decisions["gpu"].alternatives]


@pytest.mark.parametrize("priority", ["balanced", "latency", "throughput", "simplicity"])
def test_no_rent_is_spoken_of_where_nothing_is_rented(priority: str) -> None:
    bought = asked(priority, hardware__acquisition="buy", platform__cloud="on_prem")
    decision = told(bought).decisions["gpu"]

    assert decision.alternatives
    for other in decision.alternatives:
        assert "rent" not in f"{other.because} {other.would_be_chosen_if}"


def test_runners_up_of_a_wish_for_speed_say_how_fast_they_are() -> None:
    decision = told(asked("latency")).decisions["gpu"]

    assert decision.alternatives
    for other in decision.alternatives:
        assert "tokens/s" in other.because or "no estimate" in other.because


def test_under_latency_a_slower_runner_up_is_not_said_to_lose_by_its_price() -> None:
    found = told(asked("latency"))
    mine = choice(found)["decode_tokens_per_second"]
    slower = [
        other.would_be_chosen_if
        for other in found.decisions["gpu"].alternatives
        if (rate := other.choice.model_dump().get("decode_tokens_per_second"))
        and rate["high"] < 0.7 * mine["high"]
        and "did not count" not in other.would_be_chosen_if
    ]

    assert all("fast enough" in text for text in slower)


def test_a_dearer_runner_up_says_by_how_much() -> None:
    found = told(asked("cost"))
    mine = choice(found)["usd_per_hour"]
    dearer = {
        other.would_be_chosen_if: other.choice.model_dump()["usd_per_hour"] - mine
        for other in found.decisions["gpu"].alternatives
        if "USD an hour less" in other.would_be_chosen_if
    }

    assert dearer
    for text, gap in dearer.items():
        assert f"{gap:.2f}" in text


def test_several_replicas_are_told_with_each_and_all() -> None:
    crowd = serving("llama-3.1-8b", context_tokens=8192, concurrency=300)
    for other in told(crowd).decisions["gpu"].alternatives:
        replicas = other.choice.model_dump()["replicas"]
        if replicas > 1 and "room for" in other.because:
            assert f"{replicas} replicas of" in other.because
            assert "in all" in other.because


# ---- bought whole ----


def bought(gpu: str, **answers: Any) -> Document:
    return serving("llama-3.1-8b", gpu, concurrency=2, hardware__acquisition="buy", **answers)


def test_a_gpu_sold_on_boards_is_bought_by_the_board() -> None:
    found = told(bought("b300"))
    chosen = choice(found)

    assert chosen["total_gpus"] < 8
    assert (chosen["board_gpus"], chosen["boards"], chosen["purchased_gpus"]) == (8, 1, 8)
    assert "sold on boards of 8" in found.decisions["gpu"].because


def test_a_card_is_bought_by_the_card_and_a_rent_is_no_purchase() -> None:
    assert "boards" not in choice(told(bought("l40s")))
    assert "boards" not in choice(told(serving("llama-3.1-8b", "b300", concurrency=2)))


@pytest.mark.parametrize("how", ["buy", "rent"])
def test_a_stated_way_of_having_gpus_is_repeated(how: str) -> None:
    found = told(serving("llama-3.1-8b", concurrency=2, hardware__acquisition=how))

    assert (choice(found)["option"], choice(found)["acquisition"]) == ("buy_or_rent", how)
    others = [a.choice.model_dump() for a in found.decisions["gpu"].alternatives]
    assert {o["acquisition"] for o in others if o["option"] == "buy_or_rent"} <= {how}


def test_rooms_are_whole_requests_of_every_rank() -> None:
    found = told(serving("deepseek-r1", "b300", context_tokens=32768, concurrency=300))
    split = choice(found, "parallelism")
    chosen = choice(found)

    assert chosen["room_requests_per_replica"] % split["data_parallel"] == 0
    limit = chosen["max_num_seqs"] * split["data_parallel"]
    assert chosen["admitted_requests_per_replica"] == limit


# ---- nothing fits ----


def test_the_nearest_of_what_is_too_slow_is_the_fastest() -> None:
    found = told(asked("latency", objectives__tokens_per_second_per_user=1000))
    decision = found.decisions["gpu"]
    assert choice(found)["option"] == "none_fits"
    first, *rest = [a.choice.model_dump() for a in decision.alternatives]
    fastest = first["decode_tokens_per_second"]["high"]

    assert f"x {first['gpu']}" in decision.because
    assert f"{fastest:.0f} tokens a second" in decision.because
    for other in rest:
        assert other["decode_tokens_per_second"]["high"] > fastest / 2


def test_the_nearest_of_what_is_too_dear_is_the_cheapest() -> None:
    found = told(asked("balanced", objectives__budget_usd_per_hour=0.5))
    decision = found.decisions["gpu"]
    first, *rest = [a.choice.model_dump() for a in decision.alternatives]

    assert choice(found)["option"] == "none_fits"
    assert f"{first['usd_per_hour']:.2f} USD an hour" in decision.because
    assert all(o.get("usd_per_hour", 0) >= first["usd_per_hour"] for o in rest)
