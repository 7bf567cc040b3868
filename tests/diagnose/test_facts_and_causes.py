"""Known facts move causes: up when they fit, down when they do not; what is open moves nothing."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.diagnose.diagnose import diagnose
from advisor.diagnose.situation import Situation
from advisor.store.cited import Hint, VersionRange
from advisor.store.loader import load_knowledge


def order(text: str, answers: dict[str, Any] | None = None) -> list[str]:
    given = None if answers is None else read_answers(answers)
    return [cause.id for cause in diagnose(text, load_knowledge(), given).matches[0].causes]


def holds(answers: dict[str, Any], key: str, *values: str) -> bool | None:
    return Situation(read_answers(answers), load_knowledge()).holds(Hint(key=key, values=values))


@pytest.mark.parametrize("symptom", load_knowledge().symptoms.values(), ids=lambda s: s.id)
def test_no_answers_and_empty_answers_say_the_same(symptom: Any) -> None:
    assert order(symptom.example) == order(symptom.example, {})


def test_a_gotcha_that_holds_on_any_cluster_moves_no_cause_up() -> None:
    text = "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices"
    cluster = {"platform": {"orchestrator": "kubernetes"}, "hardware": {"gpu": "h200"}}

    assert order(text, cluster)[0] == order(text)[0] == "plugin-not-registered"


def test_a_fact_that_does_not_fit_moves_a_cause_down() -> None:
    plain = order("no kernel image is available for execution on the device")
    hopper = order(
        "no kernel image is available for execution on the device", {"hardware": {"gpu": "h200"}}
    )

    assert sorted(plain) == sorted(hopper)
    assert plain[0] == "blackwell-old-cuda"
    assert order("cannot allocate all claims", {"platform": {"kubernetes_version": "1.36.1"}})[
        0
    ] == ("scheduler-bug")


def test_a_fixed_version_moves_its_cause_behind_the_open_ones() -> None:
    text = "cannot allocate all claims"

    fixed = order(text, {"platform": {"kubernetes_version": "1.36.4"}})

    assert fixed[-1] == "scheduler-bug" or fixed.index("scheduler-bug") > order(text).index(
        "scheduler-bug"
    )


def test_a_version_that_is_too_short_to_say_leaves_the_order() -> None:
    text = "cannot allocate all claims"

    assert order(text, {"platform": {"kubernetes_version": "1.36"}})[0] == order(text)[0]


def test_what_the_text_says_outweighs_a_fact() -> None:
    slicing = {"platform": {"sharing_now": ["time_slicing"]}}

    assert order("CUDA out of memory after 40 steps", slicing)[0] == "training-length"


def test_an_unknown_answer_is_open() -> None:
    assert holds({"platform": {"secure_boot": "unknown"}}, "platform.secure_boot", "yes") is None


def test_yes_and_no_are_read_from_booleans() -> None:
    assert holds({"platform": {"secure_boot": True}}, "platform.secure_boot", "yes") is True
    assert holds({"platform": {"secure_boot": False}}, "platform.secure_boot", "yes") is False


def test_the_card_tells_architecture_vendor_and_missing_links() -> None:
    card = {"hardware": {"gpu": "l40s"}}

    assert holds(card, "hardware.architectures", "ada") is True
    assert holds(card, "gpu.architecture", "blackwell") is False
    assert holds(card, "hardware.vendors", "amd") is False
    assert holds(card, "hardware.nvlink", "no") is True
    assert holds({"hardware": {"gpu": "h100-sxm"}}, "hardware.nvlink", "yes") is None


def test_one_of_several_allowed_cards_leaves_it_open() -> None:
    cards = {"hardware": {"gpu": ["h200", "b200"]}}

    assert holds(cards, "hardware.architectures", "blackwell") is None
    assert holds(cards, "hardware.architectures", "hopper", "blackwell") is True
    assert holds(cards, "hardware.architectures", "volta") is False


def test_a_card_of_an_inventory_counts() -> None:
    fleet = {"hardware": {"inventory": [{"gpu": "mi300x", "gpus_per_node": 8}]}}

    assert holds(fleet, "hardware.vendors", "amd") is True


def test_a_card_outside_the_catalogue_leaves_everything_open() -> None:
    card = {"hardware": {"gpu": "acme-9000", "gpu_memory_gib": 80}}

    assert holds(card, "hardware.vendors", "amd") is None


def test_what_is_shared_now_stands_for_the_choice() -> None:
    shared = {"platform": {"sharing_now": ["mig", "time_slicing"]}}

    assert holds(shared, "choice.sharing.option", "mps") is False
    assert holds(shared, "choice.sharing.option", "time_slicing") is True


def test_a_version_of_the_runtime_is_that_of_the_runtime_in_use() -> None:
    old = (VersionRange(component="containerd", before_version="2.0.0"),)
    crio = {"platform": {"container_runtime": "cri_o", "container_runtime_version": "1.29"}}
    containerd = crio | {
        "platform": {"container_runtime": "containerd", "container_runtime_version": "1.7.20"}
    }

    found = [
        Situation(read_answers(answers), load_knowledge()).in_versions(old)
        for answers in (crio, containerd)
    ]

    assert found == [None, True]


def test_on_efa_a_missing_provider_goes_before_the_interface() -> None:
    text = "cross-node all-reduce never completes"

    assert order(text, {"hardware": {"fabric": "efa"}})[0] == "no-efa"
    assert order(text, {"hardware": {"fabric": "infiniband"}})[0] != "no-efa"
    assert order(text)[0] == "wrong-interface"


def test_a_cluster_in_containers_hides_the_driver_only_where_one_is_named() -> None:
    text = "nvidia.com/gpu.product=NVIDIA-A100-80GB-PCIe-MIG-INVALID"

    assert order(f"{text} on node kind-control-plane")[0] == "hidden-driver-root"
    assert order(f"kind: Node\n{text}")[0] == "profile-of-other-card"
