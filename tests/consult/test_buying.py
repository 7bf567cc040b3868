"""What is bought is ranked by what must be bought, and a budget to buy with binds it alone."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told, training, warned

from advisor.consult.purchase import purchase_range
from advisor.store.loader import load_knowledge

LOAD = {"context_tokens": 8192, "concurrency": 10}
PAIR = ["rtx-pro-6000-workstation", "l40s"]


def buying(*gpus: str, how: str = "buy", **answers: Any) -> dict[str, Any]:
    found = serving("llama-3.3-70b", hardware__acquisition=how, **(LOAD | answers))
    if gpus:
        found["hardware"]["gpu"] = list(gpus)
    return found


def middle(usd: dict[str, float]) -> float:
    return float((usd["low"] * usd["high"]) ** 0.5)


@pytest.mark.parametrize("priority", ["balanced", "cost"])
def test_a_card_with_a_purchase_price_goes_before_one_that_only_rents(priority: str) -> None:
    bought = choice(told(buying(*PAIR, objectives__priority=priority)))
    rented = choice(told(buying(*PAIR, how="rent", objectives__priority=priority)))

    assert (bought["gpu"], rented["gpu"]) == ("rtx-pro-6000-workstation", "l40s")


def test_nothing_that_is_bought_speaks_of_a_rent_that_it_ranks_by() -> None:
    found = told(buying())
    decision = found.decisions["gpu"]
    conditions = [other.would_be_chosen_if for other in decision.alternatives]

    assert "usd_per_hour" not in choice(found)
    assert "cheapest to buy" in decision.because
    assert not [text for text in conditions if text and "rented" in text]
    assert not [line.because for line in decision.rejected if "USD an hour" in line.because]


def test_the_cheapest_to_buy_is_chosen_under_priority_cost() -> None:
    found = told(buying(objectives__priority="cost"))
    rows = found.candidates.shown if found.candidates else ()
    known = [row["purchase_usd"] for row in rows if row["purchase_usd"] is not None]

    assert len(known) > 3
    assert middle(choice(found)["purchase_usd"]) == pytest.approx(min(known), rel=0.001)


def test_whole_boards_are_priced_where_a_gpu_is_sold_on_boards_only() -> None:
    found = choice(told(buying("h100-sxm", weight_format="fp8")))
    board = purchase_range(load_knowledge().purchases, "h100-sxm", found["purchased_gpus"]).usd
    used = purchase_range(load_knowledge().purchases, "h100-sxm", found["total_gpus"]).usd

    assert board is not None
    assert used is not None
    assert found["purchase_usd"]["low"] == board.low > used.low


def test_what_has_no_purchase_price_is_never_free() -> None:
    found = told(buying())
    rows = found.candidates.shown if found.candidates else ()
    priced = [row["purchase_usd"] is not None for row in rows]

    assert True in priced
    assert False in priced
    assert priced == sorted(priced, reverse=True)


def test_a_runner_up_names_the_price_at_which_it_would_be_bought() -> None:
    cards = ("rtx-pro-6000-workstation", "rtx-pro-6000-max-q")
    found = told(buying(*cards, weight_format="fp8"))
    other = next(
        a for a in found.decisions["gpu"].alternatives if a.choice.model_dump()["gpu"] == cards[1]
    )
    more = middle(other.choice.model_dump()["purchase_usd"]) - middle(choice(found)["purchase_usd"])

    assert other.would_be_chosen_if == f"If it could be bought for {more:,.0f} USD less."


def test_a_card_that_is_no_longer_made_is_bought_only_when_it_is_named() -> None:
    gpus = load_knowledge().gpus
    rows = told(buying()).candidates
    assert rows is not None
    assert not {gpus[row["gpu"]].status for row in rows.shown} & {"legacy", "announced"}
    assert choice(told(buying("a40")))["gpu"] == "a40"


def test_a_budget_to_buy_with_rejects_what_is_dearer_with_the_number() -> None:
    # one H200 holds less than two cards of 96 GB, and nobody sells it for less
    large = {"h200-nvl", "gh200-144"}
    chat = told(buying()).decisions["gpu"]
    assert not [o for o in chat.alternatives if o.choice.model_dump()["gpu"] in large]

    asked = buying("rtx-pro-6000-workstation", weight_format="bf16", objectives__budget_usd=5000)
    decision = told(asked).decisions["gpu"]

    assert choice(told(asked))["option"] == "none_fits"
    [line] = decision.rejected
    assert line.rule == "gpu-over-purchase-budget"
    assert "5,000" in line.because
    asked["objectives"]["budget_usd"] = 50000
    assert choice(told(asked))["gpu"] == "rtx-pro-6000-workstation"


def test_a_budget_to_buy_with_forbids_what_has_no_purchase_price() -> None:
    decision = told(buying("l40s", objectives__budget_usd=1_000_000)).decisions["gpu"]

    assert {line.rule for line in decision.rejected} == {"gpu-purchase-budget-without-a-price"}
    assert choice(told(buying("l40s")))["gpu"] == "l40s"


@pytest.mark.parametrize("how", ["rent", "buy"])
def test_a_budget_to_buy_with_is_said_not_to_bind_a_rent(how: str) -> None:
    told_so = "warn-purchase-budget-of-a-rent" in warned(
        buying("h100-sxm", how=how, objectives__budget_usd=1_000_000)
    )

    assert told_so == (how == "rent")


def test_a_training_run_that_is_bought_is_not_refused_for_want_of_a_rent() -> None:
    asked: dict[str, Any] = {
        "workload": {"kind": "fine_tuning", "model": "llama-3.1-8b"},
        "training": {"method": "lora", "sequence_tokens": 2048, "dataset_tokens": 10_000_000},
        "hardware": {"acquisition": "buy", "gpu": ["rtx-pro-6000-workstation"]},
        "objectives": {"budget_usd": 50000},
    }

    assert choice(told(asked))["purchase_usd"]["low"] <= 50000


# ---- vGPU ----


def test_a_vgpu_license_for_machines_keeps_out_cards_that_are_not_known_to_support_it() -> None:
    asked = buying(platform__machine="vm", tenancy__vgpu_license=True)
    gpus = load_knowledge().gpus

    assert gpus[choice(told(asked))["gpu"]].vgpu.supported is True
    named = buying("rtx-pro-6000-workstation", platform__machine="vm", tenancy__vgpu_license=True)
    assert choice(told(named))["gpu"] == "rtx-pro-6000-workstation"


def tuned(**answers: Any) -> dict[str, Any]:
    return training(
        "llama-3.1-8b", method="lora", micro_batch=2, hardware__acquisition="buy", **answers
    )


SMALL_JOBS = [tuned(), tuned(objectives__priority="simplicity"), buying()]


@pytest.mark.parametrize("document", SMALL_JOBS)
def test_a_smaller_card_without_a_known_price_is_named_and_asked_for(
    document: dict[str, Any],
) -> None:
    found = told(document)
    mine = choice(found)
    cards = load_knowledge().gpus
    unpriced = [
        (other, values)
        for other in found.decisions["gpu"].alternatives
        if (values := other.choice.model_dump()).get("purchase_usd") is None
    ]

    for other, values in unpriced:
        memory = values["total_gpus"] * cards[values["gpu"]].memory_gb
        assert memory < mine["purchased_gpus" if "purchased_gpus" in mine else "total_gpus"] * (
            cards[mine["gpu"]].memory_gb
        )
        assert "ask for a price" in other.would_be_chosen_if
        assert values["gpu"] in other.would_be_chosen_if


def test_the_one_large_card_with_a_price_is_not_first_in_silence() -> None:
    decision = told(tuned(objectives__priority="simplicity")).decisions["gpu"]
    asked = [
        other for other in decision.alternatives if "ask for a price" in other.would_be_chosen_if
    ]

    assert asked
    assert "perhaps cheaper: " in decision.because
    assert "ask for one before buying" in decision.because


def test_cards_that_are_sold_on_whole_boards_only_are_not_called_smaller() -> None:
    cards = load_knowledge().gpus
    for document in SMALL_JOBS:
        for other in told(document).decisions["gpu"].alternatives:
            if "ask for a price" in other.would_be_chosen_if:
                card = cards[other.choice.model_dump()["gpu"]]
                least = min(card.board_gpus, default=1) * card.memory_gb
                assert least < cards[choice(told(document))["gpu"]].memory_gb * 2
