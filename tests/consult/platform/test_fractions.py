"""A fraction of a GPU for each pod: what hands out fractions, and what a pod asks for."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, told
from nodes_support import conflicts, platform

from advisor.consult.consultation import Consultation


def asked(part: float, **more: Any) -> dict[str, Any]:
    return platform(
        orchestrator="kubernetes", tenancy__gpus_per_pod=part, hardware__gpu="l40s", **more
    )


def others(found: Consultation) -> set[str]:
    return {other.choice.option for other in found.decisions["sharing"].alternatives}


@pytest.mark.parametrize("part", [0.5, 0.25, 0.33, 0.1])
@pytest.mark.parametrize("provider", ["vanilla", "gke", "rke2"])
def test_a_fraction_is_an_equal_part_by_mps_and_the_pod_asks_for_one_unit(
    provider: str, part: float
) -> None:
    document = asked(part, provider=provider)
    found = told(document)
    shares = choice(found, "sharing")

    assert (shares["option"], shares["replicas"]) == ("mps", int(1 / part))
    assert found.decisions["sharing"].rules[0] == "sharing-fraction-of-a-gpu"
    assert "asks for one shared unit" in found.decisions["sharing"].because
    assert "steady" not in found.decisions["sharing"].because
    assert "conflict-part-of-a-unit" in conflicts(document)
    assert {"time_slicing", "fractional_scheduler"} <= others(found)


@pytest.mark.parametrize("duty", ["idle", "intermittent"])
def test_pods_that_rest_take_turns(duty: str) -> None:
    found = told(asked(0.5, tenancy__duty=duty))

    assert choice(found, "sharing")["option"] == "time_slicing"
    assert "fractional_scheduler" in others(found)


def test_a_scheduler_that_takes_fractions_is_the_choice_where_it_is_there() -> None:
    document = asked(0.5, queueing="kai")

    assert choice(told(document), "sharing")["option"] == "fractional_scheduler"
    assert "conflict-part-of-a-unit" not in conflicts(document)


@pytest.mark.parametrize(
    "wall", [{"tenancy__isolation": "hardware"}, {"tenancy__crash_isolation": True},
             {"tenancy__tenants": "untrusted"}]
)  # fmt: skip
def test_walls_rule_the_fractions_of_software_out(wall: dict[str, Any]) -> None:
    document = asked(0.5, **wall)
    found = told(document)

    assert choice(found, "sharing")["option"] == "exclusive"
    rejected = {line.option for line in found.decisions["sharing"].rejected}
    assert {"mps", "fractional_scheduler"} <= rejected
    assert not {"mps", "fractional_scheduler"} & others(found)


def test_a_fraction_of_which_one_fits_is_a_whole_gpu_or_a_booked_part() -> None:
    found = told(asked(0.75))

    assert choice(found, "sharing")["option"] == "exclusive"
    assert "fractional_scheduler" in others(found)
