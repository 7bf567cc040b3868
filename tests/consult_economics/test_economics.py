"""Cost per token, purchase against rent, and the age of a price."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.consult.economics import (
    Band,
    break_even,
    price_age_days,
    stale_price_note,
    token_cost,
)
from advisor.consult.purchase import purchase_range
from advisor.errors import InputError
from advisor.store.loader import load_knowledge
from advisor.store.prices import Purchase

MONEY = st.floats(0.01, 1e6)
POSITIVE = st.floats(0.1, 1e5)


def test_a_million_tokens_cost_the_rent_over_the_tokens_of_an_hour() -> None:
    # 1,000 tokens/s are 3.6 million an hour; 36 USD an hour are 10 USD a million
    cost = token_cost(36.0, Band(500.0, 1000.0))
    assert cost.at_full_load == Band(pytest.approx(10.0), pytest.approx(20.0))
    assert cost.at_utilisation == cost.at_full_load
    assert cost.missing == ()


def test_half_the_load_doubles_the_price_of_a_token() -> None:
    cost = token_cost(36.0, Band(1000.0, 1000.0), utilisation_percent=50)
    assert cost.at_utilisation == Band(pytest.approx(20.0), pytest.approx(20.0))
    assert cost.at_full_load == Band(pytest.approx(10.0), pytest.approx(10.0))


def test_replicas_share_the_rent() -> None:
    cost = token_cost(36.0, Band(500.0, 500.0), replicas=2)
    assert cost.at_full_load == Band(pytest.approx(10.0), pytest.approx(10.0))


@settings(derandomize=True, deadline=None)
@given(MONEY, POSITIVE, POSITIVE, st.floats(1, 100))
def test_a_cost_is_a_range_that_falls_with_use(
    usd: float, one: float, other: float, percent: float
) -> None:
    cost = token_cost(usd, Band(min(one, other), max(one, other)), utilisation_percent=percent)
    full, used = cost.at_full_load, cost.at_utilisation
    assert full is not None
    assert used is not None
    assert 0 < full.low <= full.high
    assert used.low >= full.low * 0.999999


@pytest.mark.parametrize(
    ("usd", "rate", "missing"),
    [
        (None, Band(1.0, 2.0), ("a price",)),
        (1.0, None, ("an estimate of output tokens per second",)),
        (None, None, ("a price", "an estimate of output tokens per second")),
    ],
)
def test_what_is_missing_is_named_and_gives_no_figure(
    usd: float | None, rate: Band | None, missing: tuple[str, ...]
) -> None:
    cost = token_cost(usd, rate)
    assert (cost.at_full_load, cost.at_utilisation, cost.missing) == (None, None, missing)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_impossible_figures_are_input_errors(bad: float) -> None:
    for call in (
        lambda: token_cost(bad, Band(1.0, 2.0)),
        lambda: token_cost(1.0, Band(bad, 2.0)),
        lambda: token_cost(1.0, Band(1.0, 2.0), utilisation_percent=bad),
        lambda: break_even(Band(1.0, bad), 1.0),
        lambda: break_even(Band(1.0, 2.0), bad),
        lambda: break_even(Band(1.0, 2.0), 1.0, usd_per_kwh=bad),
    ):
        with pytest.raises(InputError):
            call()


def test_use_above_all_of_it_and_ranges_upside_down_are_input_errors() -> None:
    with pytest.raises(InputError):
        token_cost(1.0, Band(1.0, 2.0), utilisation_percent=101)
    with pytest.raises(InputError):
        token_cost(1.0, Band(2.0, 1.0))


def test_break_even_is_the_price_over_the_rent() -> None:
    result = break_even(Band(73_000.0, 146_000.0), 10.0)
    assert result.hours == Band(pytest.approx(7300.0), pytest.approx(14600.0))
    assert result.months == Band(pytest.approx(10.0), pytest.approx(20.0))
    assert "an estimate, not a quote" in result.sentence
    assert "electricity (no price per kWh was given)" in result.missing
    assert "electricity" in result.sentence


def test_electricity_lengthens_it() -> None:
    # 10 kW at 0.20 USD are 2 USD an hour of the 10 saved; 20 kW are 4
    result = break_even(Band(8000.0, 12000.0), 10.0, power_w=Band(1e4, 2e4), usd_per_kwh=0.20)
    assert result.hours == Band(pytest.approx(1000.0), pytest.approx(2000.0))
    assert not any("electricity" in text for text in result.missing)


def test_electricity_of_an_unknown_card_is_missing_not_free() -> None:
    result = break_even(Band(8000.0, 8000.0), 10.0, usd_per_kwh=0.20)
    assert "electricity (the power of this GPU is not known)" in result.missing


def test_it_never_pays_when_power_costs_the_rent() -> None:
    result = break_even(Band(1.0, 2.0), 1.0, power_w=Band(1e4, 2e4), usd_per_kwh=0.20)
    assert (result.hours, result.months, result.never) == (None, None, True)
    assert "Never" in result.sentence


def test_it_may_never_pay_when_only_the_dearest_power_does() -> None:
    result = break_even(Band(800.0, 900.0), 3.0, power_w=Band(1e4, 2e4), usd_per_kwh=0.20)
    assert result.hours == Band(pytest.approx(800.0), math.inf)
    assert "inf" not in result.sentence


def test_fewer_hours_a_month_take_more_months() -> None:
    result = break_even(Band(1000.0, 1000.0), 10.0, rented_hours_per_month=50)
    assert result.months == Band(pytest.approx(2.0), pytest.approx(2.0))


def test_without_a_price_there_is_no_break_even_and_it_says_why() -> None:
    result = break_even(None, 10.0)
    assert (result.hours, result.missing) == (None, ("a purchase price",))
    assert break_even(None, None).missing == ("a purchase price", "a rental price")


def purchase(
    usd: float, *, count: int = 1, kind: str = "street_price", low: float | None = None
) -> Purchase:
    return Purchase.model_validate(
        {"item": f"{count} cards", "gpu": "x", "gpu_count": count, "usd": usd, "usd_low": low,
         "kind": kind, "as_of": "2026-06", "sources": ("s",)}
    )  # fmt: skip


def test_a_purchase_is_the_range_of_all_prices_times_the_cards() -> None:
    found = purchase_range([purchase(100.0, low=80.0), purchase(120.0)], "x", 4)
    assert found.usd == Band(320.0, 480.0)
    assert "an estimate" in found.sentence
    assert "2026-06" in found.sentence
    assert found.missing == ("the machines around the cards",)


def test_systems_are_bought_whole_and_only_where_they_divide() -> None:
    rows = [purchase(100.0), purchase(2000.0, count=8)]
    assert purchase_range(rows, "x", 2).usd == Band(200.0, 200.0)
    assert purchase_range(rows, "x", 8).usd == Band(800.0, 2000.0)
    assert purchase_range(rows[1:], "x", 9).usd == Band(4000.0, 4000.0)
    assert purchase_range(rows[1:], "x", 9).missing == ()


def test_used_and_discounted_prices_are_not_mixed_with_new_ones() -> None:
    rows = [purchase(100.0), purchase(50.0, kind="street_price_used")]
    rows.append(purchase(10.0, kind="discount_price"))
    assert purchase_range(rows, "x", 1).usd == Band(100.0, 100.0)
    assert purchase_range(rows, "x", 1, used=True).usd == Band(50.0, 50.0)


def test_a_gpu_without_a_purchase_price_says_so() -> None:
    found = purchase_range([], "x", 1)
    assert (found.usd, found.missing) == (None, ("a purchase price of x",))
    assert break_even(found.usd, 10.0, also_missing=found.missing).hours is None


def test_every_purchase_of_the_catalogue_gives_an_estimate() -> None:
    rows = load_knowledge().purchases
    assert rows
    for row in rows:
        used = row.kind == "street_price_used"
        found = purchase_range(rows, row.gpu, row.gpu_count, used=used)
        if row.kind != "discount_price":
            assert found.usd is not None
            assert 0 < found.usd.low <= found.usd.high
            assert "estimate" in found.sentence


@pytest.mark.parametrize(
    ("as_of", "today", "days"),
    [
        ("2026-11-30", "2026-11-30", 0),
        ("2026-10-01", "2026-11-30", 60),
        ("2026-11", "2026-11-30", 29),
        ("2026", "2026-11-30", 333),
        ("2026-11-30", "2026-11", 0),
        ("2024-02-28", "2024-03-01", 2),
        ("2025-11-30", "2025", 31),
        ("2027-01-01", "2026-11-30", 0),
    ],
)
def test_age_is_counted_against_the_knowledge_and_never_too_young(
    as_of: str, today: str, days: int
) -> None:
    assert price_age_days(as_of, today) == days


def test_a_price_is_a_hint_after_sixty_days() -> None:
    assert stale_price_note("2026-10-01", "2026-11-30") is None
    note = stale_price_note("2026-09-30", "2026-11-30")
    assert note == "The price of 2026-09-30 is 61 days old: a hint, not a quote."


@pytest.mark.parametrize("text", ["", "2026-13", "2026-02-30", "26-1-1", "now", "2026-1-1", "²026"])
def test_what_is_no_date_is_an_input_error(text: str) -> None:
    with pytest.raises(InputError):
        price_age_days(text, "2026-11-30")
    with pytest.raises(InputError):
        price_age_days("2026-11-30", text)
