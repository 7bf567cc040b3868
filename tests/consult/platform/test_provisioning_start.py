"""The cold start: its parts, and that they add up."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told

from advisor.store.loader import load_knowledge


def start(**answers: Any) -> dict[str, Any]:
    """Return the cold start of an 8B on an L4; keys without a group belong to ``platform``."""
    given = {(key if "__" in key else f"platform__{key}"): value for key, value in answers.items()}
    document = serving("llama-3.1-8b", "l4", workload__traffic="bursty", **given)
    found: dict[str, Any] = choice(told(document), "provisioning")["cold_start"]
    return found


def parts(found: dict[str, Any]) -> list[str]:
    return [part["part"] for part in found["parts"]]


def test_the_minutes_are_the_sum_of_the_parts() -> None:
    found = start(provider="eks")
    low = sum(part["low_s"] for part in found["parts"])
    high = sum(part["high_s"] for part in found["parts"])

    assert found["low_minutes"] == pytest.approx(low / 60, abs=0.1)
    assert found["high_minutes"] == pytest.approx(high / 60, abs=0.1)
    assert found["until"] == "first token"


def test_the_parts_are_those_that_the_nodes_wait_for() -> None:
    prebuilt, built = start(provider="eks"), start(node_image="eks-ubuntu")

    assert parts(prebuilt) == ["node-vm", "plugin-ready", "image-pull", "weights-read",
                               "engine-start"]  # fmt: skip
    assert [p for p in parts(built) if p not in parts(prebuilt)] == ["driver-build"]
    assert parts(start(provider="gke"))[:2] == ["node-vm", "driver-provider"]
    assert parts(start(node_image="eks-bottlerocket-nvidia"))[1] == "image-pull"


def test_precompiled_modules_are_quicker_than_a_build() -> None:
    built = start(node_image="eks-ubuntu")
    ready = start(node_image="eks-ubuntu", secure_boot=True)

    assert "driver-precompiled" in parts(ready)
    assert ready["high_minutes"] < built["high_minutes"]


def test_a_physical_node_takes_longer() -> None:
    assert parts(start(cloud="coreweave"))[0] == "node-metal"
    assert parts(start(cloud="nebius"))[0] == "node-vm"
    assert parts(start(provider="eks", machine="bare_metal"))[0] == "node-metal"


def test_weights_take_their_size_over_the_stated_rate() -> None:
    slow = start(provider="eks", hardware__weights_read_gb_per_s=0.5)
    fast = start(provider="eks", hardware__weights_read_gb_per_s=2.0)
    read = {name: part for part in slow["parts"] for name in [part["part"]]}["weights-read"]
    quick = {name: part for part in fast["parts"] for name in [part["part"]]}["weights-read"]

    assert read["low_s"] == read["high_s"]
    assert read["low_s"] == pytest.approx(4 * quick["low_s"], rel=0.15)


def test_fixed_nodes_wait_for_no_node() -> None:
    found = start(provider="eks", node_autoscaler="none")

    assert parts(found)[0] == "image-pull"


def test_a_platform_without_a_model_has_the_node_alone() -> None:
    document = {"workload": {"kind": "platform", "traffic": "bursty"},
                "platform": {"provider": "eks"}}  # fmt: skip
    found = choice(told(document), "provisioning")["cold_start"]

    assert parts(found) == ["node-vm", "plugin-ready"]
    assert found["until"] == "node offers GPUs"


def test_zero_nodes_are_told_with_the_wait() -> None:
    document = serving("llama-3.1-8b", "l4", platform__provider="eks",
                       platform__scale_to_zero=True)  # fmt: skip
    decision = told(document).decisions["provisioning"]

    assert decision.choice is not None
    assert decision.choice.model_dump()["scale_to_zero"] is True
    assert "provisioning-zero" in decision.rules
    rejected = {line.option: line.rule for line in decision.rejected}
    assert rejected["static_pool"] == "provisioning-static-never-zero"


def test_every_part_has_a_source_and_says_what_is_not_confirmed() -> None:
    records = load_knowledge().cold_start_parts.values()

    assert all(record.sources and record.as_of for record in records)
    recalled = [record for record in records if any("recalled" in s for s in record.sources)]
    assert all(record.unverified for record in recalled)
