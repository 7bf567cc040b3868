"""The draw of a machine against its limit."""

from __future__ import annotations

import math

import pytest

from advisor.consult.economics import Band
from advisor.consult.power import HOST_SHARE, HostShare, node_power
from advisor.errors import InputError

HALF_TO_ALL = HostShare(0.5, 1.0, "test")


def test_a_machine_draws_its_gpus_and_a_share_for_the_rest() -> None:
    power = node_power(700.0, 8, host=HALF_TO_ALL)
    assert power.gpus_w == 5600.0
    assert power.node_w == Band(8400.0, 11200.0)
    assert power.replica_w == power.node_w


def test_a_replica_takes_its_part_of_one_or_more_machines() -> None:
    assert node_power(700.0, 8, gpus_per_replica=2, host=HALF_TO_ALL).replica_w == Band(2100, 2800)
    assert node_power(700.0, 8, gpus_per_replica=16, host=HALF_TO_ALL).replica_w == Band(
        16800, 22400
    )


def test_the_usual_share_holds_for_the_machines_it_comes_from() -> None:
    dgx = node_power(700.0, 8).node_w
    tray = node_power(1200.0, 4).node_w
    assert dgx is not None
    assert tray is not None
    assert dgx.low <= 10_200 <= dgx.high
    assert tray.low <= 6_667 <= tray.high
    assert "GB200" in HOST_SHARE.source


@pytest.mark.parametrize(
    ("limit", "verdict", "words"),
    [
        (None, "no_limit", "kW."),
        (11.2, "within", "within the 11.2 kW"),
        (10.0, "borderline", "may or may not"),
        (8.3, "over", "more than the 8.3 kW"),
    ],
)
def test_a_limit_is_judged_in_three_ways(limit: float | None, verdict: str, words: str) -> None:
    power = node_power(700.0, 8, max_node_kw=limit, host=HALF_TO_ALL)
    assert power.verdict == verdict
    assert words in power.sentence


def test_a_card_without_a_known_power_gives_no_figure() -> None:
    power = node_power(None, 8, max_node_kw=10.0)
    assert (power.verdict, power.node_w, power.replica_w) == ("unknown", None, None)
    assert power.missing == ("the power limit (TDP) of the GPU",)


@pytest.mark.parametrize("bad", [0.0, -5.0, math.nan, math.inf])
def test_impossible_figures_are_input_errors(bad: float) -> None:
    with pytest.raises(InputError):
        node_power(bad, 8)
    with pytest.raises(InputError):
        node_power(700.0, 8, max_node_kw=bad)
