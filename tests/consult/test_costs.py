"""What a choice costs beside its rent: by the token, in power, bought, and how old the price is."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told

from advisor.store.loader import load_knowledge

TEAM = {"context_tokens": 8192, "concurrency": 32, "weight_format": "bf16"}


def asked(gpu: str = "h100-sxm", **answers: Any) -> dict[str, Any]:
    return serving("llama-3.3-70b", gpu, **(TEAM | answers))


def because(document: dict[str, Any]) -> str:
    return told(document).decisions["gpu"].because


# ---- by the token ----


def test_a_million_tokens_cost_the_rent_over_the_estimated_rate() -> None:
    found = told(asked())
    chosen = choice(found)
    rate = found.sizing.total_output_tokens_per_second if found.sizing else None
    assert rate is not None
    fast = rate.high * chosen["replicas"] * 3600 / 1e6
    slow = rate.low * chosen["replicas"] * 3600 / 1e6

    million = chosen["usd_per_million_output_tokens"]
    assert million["low"] == pytest.approx(chosen["usd_per_hour"] / fast, abs=0.01)
    assert million["high"] == pytest.approx(chosen["usd_per_hour"] / slow, abs=0.01)
    assert "a million output tokens cost" in because(asked())


def test_idle_hours_are_paid_by_the_tokens() -> None:
    chosen = choice(told(asked(objectives__utilisation_percent=25)))
    full = chosen["usd_per_million_output_tokens"]
    used = chosen["usd_per_million_output_tokens_at_utilisation"]

    assert used["low"] == pytest.approx(4 * full["low"], abs=0.05)
    assert "at 25 % use" in because(asked(objectives__utilisation_percent=25))


def test_without_a_price_no_token_has_one() -> None:
    document = asked(hardware__acquisition="buy", platform__cloud="on_prem")

    assert "usd_per_million_output_tokens" not in choice(told(document))
    assert "million output tokens" not in because(document)


# ---- power ----


def test_a_machine_takes_more_than_its_gpus() -> None:
    chosen = choice(told(asked(hardware__gpus_per_node=8)))

    assert chosen["gpus_in_a_node"] == 8
    assert chosen["node_kw"]["low"] > 8 * 0.7
    assert chosen["node_kw"]["high"] > chosen["node_kw"]["low"]


def test_a_limit_that_every_estimate_breaks_rejects_with_its_number() -> None:
    document = asked(hardware__gpus_per_node=8, hardware__max_node_kw=5)
    decision = told(document).decisions["gpu"]

    assert choice(told(document))["option"] == "none_fits"
    [line] = [r for r in decision.rejected if r.gpu == "h100-sxm"]
    assert line.rule == "gpu-over-node-power"
    assert "5 kW" in line.because
    assert line.citations


def test_a_limit_inside_the_estimate_warns() -> None:
    document = asked(hardware__gpus_per_node=8, hardware__max_node_kw=9)

    assert choice(told(document))["gpu"] == "h100-sxm"
    assert "warn-node-power" in {w.id for w in told(document).warnings}
    assert "may or may not stay within" in because(document)


def test_a_limit_above_the_estimate_is_said_to_be_kept() -> None:
    document = asked(hardware__gpus_per_node=8, hardware__max_node_kw=20)

    assert "within the 20 kW" in because(document)
    assert "warn-node-power" not in {w.id for w in told(document).warnings}


def test_a_limit_for_a_card_of_unknown_power_is_said_not_to_be_checked() -> None:
    document = asked("my card", hardware__gpu_memory_gib=90, hardware__max_node_kw=5)

    assert "warn-power-not-known" in {w.id for w in told(document).warnings}


def test_a_limit_of_power_counts_as_taken_into_account() -> None:
    document = asked(hardware__gpus_per_node=8, hardware__max_node_kw=20)
    unused = [w.text for w in told(document).warnings if "not taken into account" in w.text]

    assert not any("max_node_kw" in text for text in unused)


def test_own_machines_under_a_limit_are_counted_as_they_were_checked() -> None:
    document = asked(
        hardware__acquisition="buy",
        hardware__max_node_kw=6,
        platform__cloud="on_prem",
        concurrency=128,
    )
    chosen = choice(told(document))

    assert chosen["nodes"] * chosen["gpus_in_a_node"] >= chosen["total_gpus"]
    assert chosen["node_kw"]["low"] <= 6


# ---- bought ----


def test_buying_is_compared_with_renting_where_both_prices_are_known() -> None:
    document = asked(hardware__acquisition="buy")
    chosen = choice(told(document))

    assert chosen["purchase_usd"]["low"] > 0
    assert chosen["break_even_months"]["high"] >= chosen["break_even_months"]["low"] > 0
    assert "an estimate, not a quote" in because(document)
    assert "electricity" in because(document)


def test_a_purchase_price_that_is_not_known_is_named() -> None:
    document = asked("h100-nvl", hardware__acquisition="buy")

    assert "purchase_usd" not in choice(told(document))
    assert "No purchase price of h100-nvl is known." in because(document)


def test_owned_gpus_speak_neither_of_rent_nor_of_buying() -> None:
    document = asked(hardware__acquisition="owned", hardware__gpus_per_node=8)
    found = told(document)
    words = because(document).lower()

    assert choice(found)["option"] == "use_owned"
    assert not [word for word in ("rent", "quote", "usd", "buy", "price") if word in words]
    assert not [key for key in choice(found) if key.startswith(("usd", "price", "purchase"))]


# ---- old prices ----


def test_an_old_price_is_said_to_be_old_wherever_the_reason_is_shown() -> None:
    document = asked(platform__cloud="lambda")
    found = told(document)
    days = choice(found)["price_age_days"]

    assert days > 60
    assert f"is {days} days old: a hint, not a quote" in because(document)
    assert load_knowledge().as_of > choice(found)["price_as_of"]
