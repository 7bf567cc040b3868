"""A cache that nobody described: nothing fits for sure, and nothing is said not to fit."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, told

_MODEL = "deepseek-v4.1-flash"


@pytest.mark.parametrize(
    "answers",
    [
        {"hardware__acquisition": "rent"},
        {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8},
    ],
)
def test_the_decision_is_open_and_says_what_the_weights_ask_for(answers: dict[str, Any]) -> None:
    found = told(serving(_MODEL, "b300", **answers)).decisions["gpu"]

    assert found.status == "open"
    assert found.choice is None
    assert "2 x b300" in found.because
    assert "476 GiB" in found.because


def test_fewer_gpus_than_the_weights_fill_are_not_named() -> None:
    found = told(serving(_MODEL, "h100-sxm")).decisions["gpu"]

    assert "7 x h100-sxm" in found.because


def test_owned_gpus_that_hold_the_weights_are_not_said_to_be_too_few() -> None:
    owned = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8}
    found = told(serving(_MODEL, "h100-sxm", **owned)).decisions["gpu"]

    assert found.status == "open"


def test_owned_gpus_that_do_not_hold_the_weights_are_too_few() -> None:
    owned = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 4}
    found = told(serving(_MODEL, "h100-sxm", **owned)).decisions["gpu"]

    assert found.choice is not None
    assert found.choice.option != "use_owned"
