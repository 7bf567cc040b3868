"""The few numbers under a choice: each with its label, and none that the choice does not have."""

from __future__ import annotations

from typing import Any

import pytest
from reports_support import consultation

from advisor.consult.consultation import Consultation
from advisor.reports.advice_figures import decisive_figures
from advisor.reports.advice_text import advice_text


def with_choice(**values: Any) -> Consultation:
    """Return the serving consultation with other parameters of the chosen GPUs."""
    found = consultation("serving")
    decision = found.decisions["gpu"]
    assert decision.choice is not None
    choice = decision.choice.model_copy(update=values)
    gpu = decision.model_copy(update={"choice": choice})
    return found.model_copy(update={"decisions": {**found.decisions, "gpu": gpu}})


def figures(**values: Any) -> dict[str, str]:
    return dict(decisive_figures(with_choice(**values)))


def test_room_and_the_limit_of_the_scheduler_stand_side_by_side() -> None:
    room = figures(replicas=1, room_requests_per_replica=691, admitted_requests_per_replica=512)[
        "room"
    ]

    assert "691 requests" in room
    assert "admits 512" in room


def test_room_of_several_replicas_is_told_in_all_and_in_each() -> None:
    room = figures(room_requests_per_replica=9, replicas=2)["room"]

    assert room.startswith("18 requests")
    assert "9 in each of 2" in room


def test_a_rent_is_told_by_the_hour_and_by_the_month() -> None:
    assert (
        figures(usd_per_hour=10.0)["cost"]
        == "10.00 USD an hour, 7,300 USD for a month of 730 hours"
    )
    assert "cost" not in figures(usd_per_hour=None)


def test_power_is_of_all_gpus_and_only_where_it_is_the_readers_own() -> None:
    own: dict[str, Any] = {
        "usd_per_hour": None, "all_gpus_kw": 22.4, "total_gpus": 32, "gpus_in_a_node": 8,
        "node_kw": {"low": 7.7, "high": 10.2},
    }  # fmt: skip

    assert "22.40 kW for all 32 GPUs" in figures(**own)["power"]
    assert "30.8 to 40.8 kW" in figures(**own)["power"]
    assert "power" not in figures(**{**own, "usd_per_hour": 5.0})
    assert "power" not in figures(**{**own, "acquisition": "rent"})


def test_what_is_bought_besides_is_told_with_the_power() -> None:
    power = figures(usd_per_hour=None, all_gpus_kw=4.4, total_gpus=4, purchased_gpus=8)["power"]

    assert "of 8 that are bought" in power


@pytest.mark.parametrize("acquisition", ["buy", "rent"])
def test_the_headline_says_what_the_answers_said(acquisition: str) -> None:
    text = advice_text(with_choice(option="buy_or_rent", acquisition=acquisition))

    assert f"=> {acquisition}: " in text
    assert "buy or rent" not in text.splitlines()[1]


@pytest.mark.parametrize("width", [60, 80, 100, 110])
@pytest.mark.parametrize("verbose", [True, False])
def test_no_line_is_wider_than_asked_but_for_words_that_cannot_break(
    width: int, verbose: bool
) -> None:
    for line in advice_text(consultation("serving"), verbose=verbose, width=width).splitlines():
        assert len(line) <= width or " " not in line.strip()


def test_what_is_cut_says_how_much_and_where_it_is() -> None:
    found = consultation("serving")
    many = found.model_copy(update={"warnings": found.warnings * 9})
    shown = advice_text(many)

    left = len(many.warnings) - 10
    assert f"{left} more warnings (--verbose)" in shown
    assert "more warnings" not in advice_text(many, verbose=True)
