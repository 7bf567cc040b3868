"""Several loads and a MIG layout that is wanted: it binds, or the choice says why it cannot."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from consult_support import choice, told

LOAD = {"kind": "serving", "context_tokens": 4096, "concurrency": 2}
EIGHT_B = {**LOAD, "model": "llama-3.1-8b-instruct"}
SEVEN_B = {**LOAD, "model": "qwen2.5-7b-instruct"}
SMALL = {**LOAD, "model": "llama-3.2-3b-instruct"}
HALVES = ["3g.40gb", "3g.40gb"]
MIXED = [["3g.40gb", "2g.20gb", "2g.20gb"]]


def asked(loads: list[dict[str, Any]], wanted: Any, gpu: str = "a100-80gb-sxm", **more: Any) -> Any:
    named = [{**load, "name": f"load {n}"} for n, load in enumerate(loads)]
    return {
        "workloads": named,
        "hardware": {"acquisition": "owned", "gpu": gpu, "gpus_per_node": 4},
        "tenancy": {"mig_layout_wanted": wanted, **more},
    }


def warned(document: Any) -> set[str]:
    return {w.id for w in told(document).warnings if w.kind == "conflict"}


@pytest.mark.parametrize("tenants", ["trusted_teams", "untrusted"])
@pytest.mark.parametrize(
    ("loads", "wanted", "gpus"),
    [
        ([EIGHT_B, SEVEN_B], HALVES, 1),
        ([EIGHT_B, SEVEN_B, EIGHT_B], HALVES, 2),
        ([EIGHT_B, SEVEN_B], [HALVES, ["7g.80gb"]], 1),
        ([EIGHT_B, SEVEN_B], [["7g.80gb"], HALVES], 2),
        ([EIGHT_B, SEVEN_B], ["7g.80gb"], 2),
        ([SMALL, SMALL, {**EIGHT_B, "context_tokens": 32768}], MIXED, 1),
    ],
)
def test_a_layout_that_carries_the_loads_binds(
    loads: list[dict[str, Any]], wanted: Any, gpus: int, tenants: str
) -> None:
    document = asked(loads, wanted, tenants=tenants)
    found = told(document)
    shares, made = choice(found, "sharing"), choice(found)
    rows = wanted if isinstance(wanted[0], list) else [wanted]

    assert (shares["option"], made["total_gpus"]) == ("mig", gpus)
    assert shares["layout"] == [rows[n % len(rows)] for n in range(gpus)]
    placed = Counter[str]()
    for line in shares["placement"]:
        placed[line["profile"]] += line["replicas"]
    there = Counter(name for row in shares["layout"] for name in row)
    assert all(there[name] >= count for name, count in placed.items())
    assert "binds" in found.decisions["gpu"].because
    assert not {w for w in warned(document) if "layout" in w}


@pytest.mark.parametrize(
    ("loads", "wanted", "gpu", "why"),
    [
        ([EIGHT_B, SEVEN_B], ["1g.10gb"] * 7, "a100-80gb-sxm", "load 0 fits no instance of it"),
        ([EIGHT_B, SEVEN_B], HALVES, "l40s", "L40S has no MIG"),
        ([EIGHT_B] * 5 + [SEVEN_B] * 4, HALVES, "a100-80gb-sxm", "more than are there"),
    ],
)
def test_a_layout_that_does_not_is_refused_with_the_reason(
    loads: list[dict[str, Any]], wanted: Any, gpu: str, why: str
) -> None:
    document = asked(loads, wanted, gpu, crash_isolation=len(loads) > 2)
    found = told(document)

    assert "is not kept" in found.decisions["gpu"].because
    assert why in found.decisions["gpu"].because
    [warning] = [w for w in found.warnings if w.id == "conflict-layout-not-kept"]
    assert why in warning.text
    assert "conflict-layout-not-taken" not in warned(document)


def test_profiles_of_a_smaller_card_are_read_as_those_of_this_one() -> None:
    found = told(asked([EIGHT_B, SEVEN_B], ["3g.20gb", "3g.20gb"]))

    assert choice(found, "sharing")["layout"] == [HALVES]


def test_without_a_wish_nothing_is_said_of_it() -> None:
    document = asked([EIGHT_B, SEVEN_B], HALVES)
    del document["tenancy"]["mig_layout_wanted"]

    assert "layout that is wanted" not in told(document).decisions["gpu"].because
