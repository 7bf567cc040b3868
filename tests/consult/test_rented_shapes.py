"""What is rented is a whole machine that somebody sells, at a price of the kind asked for."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told

from advisor.store.loader import load_knowledge

Values = dict[str, Any]
PRICES = load_knowledge().prices
SHAPES = {(p.provider, p.instance): p.gpu_count for p in PRICES if p.up_to_gpus is None}


def rented(platform: Values, model: str = "llama-3.3-70b", **hardware: Any) -> Values:
    asked = {
        "workload": {"kind": "serving", "model": model, "context_tokens": 8192, "concurrency": 16},
        "hardware": {"acquisition": "rent", **hardware},
        "platform": platform,
    }
    found = told(asked).decisions["gpu"]
    assert found.choice is not None
    return {**found.choice.model_dump(), "because": found.because}


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp", "crusoe", "lambda", "nebius"])
def test_whole_machines_of_the_cloud_are_billed(cloud: str) -> None:
    choice = rented({"cloud": cloud})
    assert choice["provider"] == cloud
    shape = SHAPES.get((cloud, choice["instance_type"]))
    assert shape in {None, choice["instance_gpus"]}
    billed = choice["instances"] * choice["instance_gpus"]
    assert billed == choice["total_gpus"] + choice.get("idle_gpus", 0)


@pytest.mark.parametrize("capacity", ["reserved", "spot", "capacity_block", "flex_start"])
def test_a_price_of_another_kind_than_asked_for_says_so(capacity: str) -> None:
    kinds = {"reserved": {"reserved_1y", "reserved_3y"}}.get(capacity, {capacity})
    for cloud in ("aws", "gcp", "azure"):
        choice = rented({"cloud": cloud, "capacity": [capacity]})
        other = choice["price_kind"] not in kinds
        assert (choice.get("price_stands_in_for") == capacity) == other
        assert ("not the price asked for" in choice["because"]) == other


def test_the_next_preference_counts_before_the_rent_on_demand() -> None:
    choice = rented({"cloud": "gcp", "capacity": ["flex_start", "spot"]})
    assert choice["price_kind"] == "spot"
    assert "price_stands_in_for" not in choice


def test_on_demand_asked_for_stands_in_for_nothing() -> None:
    assert "price_stands_in_for" not in rented({"cloud": "aws", "capacity": ["on_demand"]})


def test_named_instances_are_the_only_ones() -> None:
    names = ["p4d.24xlarge", "g6e.12xlarge"]
    found = told(
        {
            "workload": {"kind": "serving", "model": "llama-3.3-70b", "concurrency": 16},
            "platform": {"cloud": "aws", "instance_type": names},
        }
    ).decisions["gpu"]
    assert found.choice is not None
    shown = [found.choice, *(other.choice for other in found.alternatives)]
    assert {choice.model_dump()["instance_type"] for choice in shown} <= set(names)


def test_an_instance_that_nobody_is_known_to_sell_is_no_choice() -> None:
    choice = rented({"cloud": "aws", "instance_type": ["p9.48xlarge"]})
    assert choice["option"] == "none_fits"
    assert "p9.48xlarge" in choice["because"]


def test_a_named_gpu_in_an_unknown_instance_is_taken_without_a_price() -> None:
    choice = rented({"cloud": "aws", "instance_type": ["p9.48xlarge"]}, gpu="h200-sxm")
    assert choice["option"] == "buy_or_rent"
    assert "usd_per_hour" not in choice


@pytest.mark.parametrize("gpus", [1, 2, 4, 8])
@pytest.mark.parametrize("card", ["l40s", "h100-sxm", "a100-80-sxm", "l4"])
def test_a_stated_shape_is_that_of_the_machines_that_are_quoted(card: str, gpus: int) -> None:
    choice = rented({}, gpu=card, gpus_per_node=gpus)
    if "instance_gpus" in choice:
        assert choice["instance_gpus"] == gpus
        assert choice["nodes"] == choice["instances"]
    else:
        assert "price" in choice["because"]
        assert f"machines with {gpus} x {card}" in choice["because"]


def test_a_shape_that_nobody_offers_has_no_price_and_names_those_that_are_offered() -> None:
    choice = rented({}, gpu="l40s", gpus_per_node=2)

    assert "usd_per_hour" not in choice
    assert "instance_type" not in choice
    assert "No offer of machines with 2 x l40s is known" in choice["because"]
    assert "known ones have 1, 4 or 8" in choice["because"]


def test_idle_gpus_of_a_stated_shape_are_paid_for() -> None:
    small = rented({}, "llama-3.1-8b", gpu="h100-sxm", gpus_per_node=8)

    assert small["instance_gpus"] == 8
    assert small["idle_gpus"] == 8 - small["total_gpus"]


def test_what_is_rented_beside_owned_machines_need_not_look_like_them() -> None:
    owned = {
        "workload": {"kind": "serving", "model": "deepseek-r1", "context_tokens": 8192},
        "hardware": {"acquisition": "owned", "gpu": "l4", "gpus_per_node": 2, "nodes": 1},
    }
    choice = told(owned).decisions["gpu"].choice

    assert choice is not None
    assert choice.option == "change_owned"
    assert choice.model_dump()["instance_gpus"] > 2
