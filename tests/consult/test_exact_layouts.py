"""Sizes that are insisted on bind though no usual layout has them; new machines are free."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, sizes, told

WIDE: dict[str, Any] = {
    "workload": {"model": "deepseek-r1", "concurrency": 512, "context_tokens": 16384},
    "hardware": {"gpu": "h200-sxm", "acquisition": "rent", "fabric": "efa"},
    "layout": {"expert_parallel": 16, "state": "wanted"},
    "platform": {"cloud": "aws", "provider": "eks"},
}


def with_layout(**layout: int) -> dict[str, Any]:
    return {**WIDE, "layout": {**layout, "state": "wanted"}}


def test_experts_over_several_machines_are_sized_when_they_are_insisted_on() -> None:
    made = choice(told(WIDE))

    assert (made["count_per_replica"], made["nodes"]) == (16, 2)
    assert sizes(WIDE) == {"dp": 16, "ep": 16}


def test_the_adapters_that_such_experts_lack_stand_among_the_worst() -> None:
    found = {warning.id: warning.severity for warning in told(WIDE).warnings}

    assert found["deepep-needs-mlx5"] == "critical"


@pytest.mark.parametrize(
    ("layout", "wanted"),
    [
        ({"tensor_parallel": 8, "data_parallel": 2, "expert_parallel": 16}, 16),
        ({"tensor_parallel": 8, "expert_parallel": 32}, 32),
        ({"tensor_parallel": 4, "pipeline_parallel": 4}, 16),
    ],
)
def test_every_size_that_is_insisted_on_is_kept(layout: dict[str, int], wanted: int) -> None:
    document = with_layout(**layout)
    pattern = choice(told(document), "parallelism")

    assert {name: pattern[name] for name in layout} == layout
    assert choice(told(document))["count_per_replica"] == wanted


def test_sizes_that_do_not_go_together_fit_nothing() -> None:
    document = with_layout(tensor_parallel=8, data_parallel=3, expert_parallel=16)

    assert choice(told(document))["option"] == "none_fits"


def test_requests_are_counted_in_whole_ranks_wherever_they_are_told() -> None:
    found = told(WIDE)
    room = choice(found)["room_requests_per_replica"]

    assert room % 16 == 0
    assert f"holds {room} requests" in found.decisions["gpu"].because
    assert f"{room} requests at once" in found.decisions["parallelism"].because


def test_machines_that_come_in_place_of_owned_ones_have_their_own_shape() -> None:
    document = {
        "workload": {"model": "llama-3.1-405b", "context_tokens": 4096, "concurrency": 2},
        "hardware": {"acquisition": "owned", "gpu": "a10g", "gpus_per_node": 1},
    }
    made = choice(told(document))

    assert made["option"] == "change_owned"
    assert made["gpu"] != "a10g"
    assert made["nodes"] == 1
    assert "pp" not in sizes(document)
