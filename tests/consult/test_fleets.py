"""Owned machines: islands, mixed fleets, odd counts, and what stays free."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from laws import broken_laws

Values = dict[str, Any]
PAIRS = {"nvlink": "bridge", "island_gpus": 2, "island_link": "nvlink"}


def document(model: str, users: int, hardware: Values, **more: Any) -> Values:
    context = more.pop("context_tokens", 8192)
    workload = {"kind": "serving", "model": model, "context_tokens": context, "concurrency": users}
    asked: Values = {"workload": workload, "hardware": {"acquisition": "owned", **hardware}}
    return {**asked, **more}


def owned(model: str, users: int, hardware: Values, **more: Any) -> tuple[Values, Values, str]:
    """Return both choices and the reason of the first; all laws hold."""
    asked = document(model, users, hardware, **more)
    found = told(asked)
    assert list(broken_laws(asked, found)) == []
    gpu, pattern = found.decisions["gpu"], found.decisions["parallelism"]
    assert gpu.choice is not None
    chosen = pattern.choice.model_dump() if pattern.choice else {}
    return gpu.choice.model_dump(), chosen, gpu.because


def machines(gpu: str | list[str], count: int, nodes: int = 1, **links: Any) -> Values:
    return {"gpu": gpu, "gpus_per_node": count, "nodes": nodes, **links}


def test_a_split_inside_a_pair_goes_before_stages_over_pcie() -> None:
    gpu, pattern, _ = owned("llama-3.3-70b", 4, machines("a100-80-pcie", 4, **PAIRS))
    assert pattern["tensor_parallel"] == 2
    assert pattern["pipeline_parallel"] == 1
    assert pattern["fabric"] == "nvlink_bridge"
    assert gpu["option"] == "use_owned"


def test_what_spans_islands_does_so_by_stages_and_both_links_are_told() -> None:
    gpu, pattern, _ = owned("llama-3.1-405b", 4, machines("h100-nvl", 8, **PAIRS))
    assert pattern["tensor_parallel"] == 2
    assert pattern["pipeline_parallel"] > 1
    assert (pattern["fabric"], pattern["stage_fabric"]) == ("nvlink_bridge", "pcie")
    assert gpu["nodes"] == 1


@pytest.mark.parametrize("island", [1, 2, 3, 4])
@pytest.mark.parametrize("users", [2, 16])
def test_no_group_is_wider_than_its_island(island: int, users: int) -> None:
    hardware = machines("a100-80-pcie", 8, island_gpus=island, island_link="pix")
    _, pattern, _ = owned("llama-3.3-70b", users, hardware)
    assert pattern.get("tensor_parallel", 1) <= island
    assert pattern.get("data_parallel", 1) * pattern.get("tensor_parallel", 1) <= island


def test_replicas_in_several_islands_of_one_machine_are_one_machine() -> None:
    gpu, pattern, _ = owned("llama-3.3-70b", 32, machines("a100-80-pcie", 8, **PAIRS))
    assert pattern["replicas"] > 1
    assert gpu["nodes"] == 1


def test_without_a_bridge_a_pair_meets_over_pcie() -> None:
    fabrics = [
        owned("qwen3-32b", 4, machines("a100-40-pcie", 2, nvlink=nvlink))[1]["fabric"]
        for nvlink in ("bridge", "no")
    ]
    assert fabrics == ["nvlink_bridge", "pcie"]


def test_a_bridge_that_nobody_mentioned_is_an_assumption() -> None:
    asked = document("qwen3-32b", 4, machines("a100-40-pcie", 2))
    notes = {note.key: note.value for note in told(asked).assumptions}
    assert notes["hardware.nvlink"] == "bridge"


def test_no_nvlink_says_nothing_of_another_makers_fabric() -> None:
    _, pattern, _ = owned("llama-3.3-70b", 64, machines("mi300x", 8, nvlink="no"))
    assert pattern["fabric"] == "infinity_fabric"


def test_two_kinds_together_carry_what_neither_does_alone() -> None:
    fleet = [machines("rtx-3090", 4), machines("rtx-4090", 4), machines("a100-40-pcie", 2)]
    gpu, pattern, because = owned("llama-3.1-8b", 120, {"inventory": fleet})
    assert gpu["option"] == "use_owned"
    assert sum(group["requests"] for group in gpu["groups"]) == 120
    assert gpu["fleet_gpus"] == sum(group["total_gpus"] for group in gpu["groups"])
    assert gpu["groups"] == pattern["groups"]
    first = gpu["groups"][0]
    assert [first[k] for k in ("gpu", "replicas", "count_per_replica")] == [
        gpu[k] for k in ("gpu", "replicas", "count_per_replica")
    ]
    assert len({group["gpu"] for group in gpu["groups"]}) == len(gpu["groups"])
    assert "no replica over unequal cards" in because


@pytest.mark.parametrize("users", [1, 40, 120, 160])
def test_no_group_takes_more_than_there_is(users: int) -> None:
    fleet = [machines("rtx-3090", 4), machines("a100-40-pcie", 2), machines("l4", 3, 2)]
    gpu, _, _ = owned("llama-3.1-8b", users, {"inventory": fleet})
    there = {"rtx-3090": 4, "a100-40-pcie": 2, "l4": 6}
    for group in gpu.get("groups", [gpu]):
        if gpu["option"] == "use_owned":
            assert group["total_gpus"] <= there[group["gpu"]]


def test_one_kind_that_carries_the_load_alone_leaves_the_others_free() -> None:
    fleet = [machines("h100-sxm", 8), machines("l40s", 4)]
    gpu, _, because = owned("llama-3.1-8b", 16, {"inventory": fleet})
    assert "groups" not in gpu
    assert "free for other loads" in because


def test_a_list_of_gpus_names_alternatives_that_are_never_there_together() -> None:
    gpu, _, _ = owned("llama-3.1-8b", 120, machines(["rtx-3090", "rtx-4090"], 4))
    assert "groups" not in gpu


def test_unequal_cards_of_one_machine_never_share_a_replica() -> None:
    fleet = [machines("rtx-3090", 1, node="box"), machines("rtx-4090", 1, node="box")]
    gpu, _, _ = owned("qwen3-32b", 2, {"inventory": fleet}, context_tokens=4096)
    groups = gpu.get("groups", [gpu])
    assert all(group["count_per_replica"] == 1 for group in groups) or (
        gpu["option"] == "change_owned"
    )


def test_equal_cards_of_one_machine_in_two_records_are_one_machine() -> None:
    halves = [machines("l40s", 2, node="a"), machines("l40s", 2, node="a")]
    in_two = owned("llama-3.3-70b", 4, {"inventory": halves})
    in_one = owned("llama-3.3-70b", 4, {"inventory": [machines("l40s", 4, node="a")]})
    assert in_two == in_one


def test_a_record_without_numbers_counts_as_one_and_says_so() -> None:
    asked = document("llama-3.1-8b", 2, {"inventory": [{"gpu": "l40s"}]})
    notes = {note.key: note.value for note in told(asked).assumptions}
    assert (notes["hardware.gpus_per_node"], notes["hardware.nodes"]) == (1, 1)


@pytest.mark.parametrize("count", [3, 5, 6, 7])
def test_what_does_not_come_out_even_is_said(count: int) -> None:
    gpu, _, because = owned("llama-3.3-70b", 4, machines("h100-sxm", count))
    free = count - gpu["total_gpus"]
    assert (f"{free} stay" in because) == (free > 0)


def test_machines_too_small_for_two_replicas_hold_one_each() -> None:
    # three cards a machine: one pair in each, although six cards would be three pairs
    gpu, pattern, _ = owned("llama-3.3-70b", 8, machines("a100-80-pcie", 3, 2, nvlink="no"))
    if pattern["tensor_parallel"] == 2 and pattern["pipeline_parallel"] == 1:
        assert gpu["replicas"] <= 2


@pytest.mark.parametrize("priority", ["balanced", "cost", "simplicity"])
def test_what_may_not_start_never_goes_before_what_is_there_anyway(priority: str) -> None:
    hardware = machines("a100-40-sxm", 8)
    asked = document("llama-3-70b", 1, hardware, objectives={"priority": priority})
    asked["workload"]["weight_format"] = "bf16"
    found = told(asked)
    assert "warn-borderline-memory" not in {warned.id for warned in found.warnings}


def test_more_of_what_is_owned_is_the_least_that_does() -> None:
    gpu, _, _ = owned("qwen3-32b", 4, machines("rtx-4090", 1))
    assert gpu["option"] == "change_owned"
    assert gpu["total_gpus"] == 2
