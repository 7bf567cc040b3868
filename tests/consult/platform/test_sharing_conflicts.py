"""Answers about sharing that contradict each other, the chip or the place are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from consult_support import choice, nested, serving, told

from advisor.consult.consultation import Consultation
from advisor.store.loader import load_knowledge

KNOWLEDGE = load_knowledge()


def platform(gpu: str | None = None, **answers: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"workload.kind": "platform"}
    document |= {} if gpu is None else {"hardware.gpu": gpu}
    document |= {key.replace("__", "."): value for key, value in answers.items()}
    return nested(document)


def ids(found: Consultation) -> set[str]:
    return {warned.id for warned in found.warnings}


def out(found: Consultation) -> dict[str, str]:
    return {line.option: str(line.rule) for line in found.decisions["sharing"].rejected}


OWNED = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8}
VM = {"tenancy__isolation": "vm", "platform__machine": "vm", "platform__hypervisor": "kvm"}
SECRET = {"tenancy__confidential": True}
UNTRUSTED = {"tenancy__tenants": "untrusted"}
EIGHT_B = {"workload__kind": "serving", "workload__model": "llama-3.1-8b"}
WIDE = {
    "workload__kind": "serving", "workload__model": "llama-3.3-70b",
    "workload__weight_format": "bf16", **OWNED,
}  # fmt: skip
HALVES = {"tenancy__mig_layout_wanted": ["3g.40gb", "3g.40gb"]}

CASES: list[tuple[str, str | None, dict[str, Any], dict[str, Any]]] = [
    ("conflict-layout-holds-no-load", "h100-sxm",
     {**EIGHT_B, **OWNED, "tenancy__mig_layout_wanted": ["1g.10gb"]}, HALVES),
    ("conflict-layout-not-taken", None, HALVES, {"hardware__gpu": "h100-sxm"}),
    ("conflict-layout-not-taken", "h100-sxm", {**HALVES, **SECRET},
     {"tenancy__confidential": False}),
    ("conflict-layout-not-taken", "h100-sxm", {**WIDE, **HALVES},
     {"workload__model": "llama-3.1-8b"}),
    ("conflict-layout-for-more-gpus", "h100-sxm",
     {**OWNED, "hardware__gpus_per_node": 1,
      "tenancy__mig_layout_wanted": [["3g.40gb"], ["7g.80gb"]]},
     {"hardware__gpus_per_node": 2}),
    ("conflict-layout-without-mig-in-use", "h100-sxm",
     {"platform__mig_layout_now": ["3g.40gb"], "platform__sharing_now": ["exclusive"]},
     {"platform__sharing_now": ["mig"]}),
    ("conflict-strategy-none", "h100-sxm", {**HALVES, "platform__mig_strategy": "none"},
     {"platform__mig_strategy": "single"}),
    ("conflict-uneven-pool", "h100-sxm",
     {"platform__provider": "gke", "tenancy__mig_layout_wanted": ["3g.40gb", "2g.20gb"]}, HALVES),
    ("conflict-mig-on-windows", "h100-sxm", {**HALVES, "platform__operating_system": "windows"},
     {"platform__operating_system": "ubuntu"}),
    ("conflict-display-mode", "rtx-pro-6000-workstation", {"platform__sharing_now": ["mig"]},
     {"hardware__gpu": "rtx-pro-6000-server"}),
    ("conflict-more-than-fit", "a30", {**UNTRUSTED, "tenancy__workloads_per_gpu": 5},
     {"tenancy__workloads_per_gpu": 4}),
    ("conflict-mps-clients", "l40s",
     {"platform__sharing_now": ["mps"], "platform__sharing_replicas_now": 49},
     {"platform__sharing_replicas_now": 48}),
    ("conflict-several-pods-and-several-gpus", "h100-sxm",
     {"tenancy__workloads_per_gpu": 4, "tenancy__gpus_per_pod": 4}, {"tenancy__gpus_per_pod": 1}),
    ("conflict-part-of-a-unit", "h100-sxm", {"tenancy__gpus_per_pod": 1.5},
     {"tenancy__gpus_per_pod": 2}),
    ("conflict-part-of-a-unit", "h100-sxm", {"tenancy__gpus_per_pod": 0.5},
     {"tenancy__gpus_per_pod": 1}),
    ("conflict-gpus-of-a-pod", "h100-sxm", {**EIGHT_B, **OWNED, "tenancy__gpus_per_pod": 4},
     {"tenancy__gpus_per_pod": 1}),
    ("conflict-units-of-a-pod", "l40s",
     {**OWNED, "hardware__gpus_per_node": 1, "platform__sharing_now": ["time_slicing"],
      "platform__sharing_replicas_now": 4, "tenancy__units_per_pod": 5},
     {"tenancy__units_per_pod": 1}),
    ("conflict-vgpu-without-licence", "l40s",
     {"platform__sharing_now": ["vgpu"], "tenancy__vgpu_license": False},
     {"tenancy__vgpu_license": True}),
    ("conflict-vms-on-slurm", "h100-sxm",
     {"tenancy__isolation": "vm", "platform__orchestrator": "slurm"}, {"platform__machine": "vm"}),
    ("conflict-vms-on-slurm", "h100-sxm", {**SECRET, "platform__orchestrator": "slurm"},
     {"platform__orchestrator": "kubernetes"}),
    ("conflict-vm-smaller-than-engine", "h100-sxm", {**WIDE, **VM, "platform__gpus_per_vm": 1},
     {"platform__gpus_per_vm": 8}),
    ("conflict-vm-larger-than-node", "h100-sxm", {**OWNED, **VM, "platform__gpus_per_vm": 16},
     {"platform__gpus_per_vm": 8}),
    ("conflict-confidential-count", "h100-sxm",
     {**OWNED, **SECRET, "platform__gpus_per_vm": 2}, {"platform__gpus_per_vm": 8}),
    ("conflict-confidential-not-on-all", None,
     {**SECRET, "hardware__gpu": ["h100-sxm", "mi300x"]}, {"hardware__gpu": ["h100-sxm"]}),
    ("risk-part-of-a-board", "h100-sxm", {**OWNED, **VM, "platform__gpus_per_vm": 4},
     {"platform__gpus_per_vm": 8}),
    ("conflict-whole-gpu-each", "rtx-4090", {**VM, "tenancy__workloads_per_gpu": 2},
     {"tenancy__workloads_per_gpu": 1}),
    ("conflict-whole-gpu-each", "l4", {**UNTRUSTED, "tenancy__workloads_per_gpu": 3},
     {"tenancy__tenants": "trusted_teams"}),
    ("conflict-metering-of-turns", "l4",
     {"platform__sharing_now": ["time_slicing"], "tenancy__metering": "per_tenant"},
     {"tenancy__metering": "none"}),
    ("conflict-shares-of-a-node", "a10",
     {"platform__sharing_now": ["time_slicing", "exclusive"]},
     {"platform__sharing_now": ["time_slicing"]}),
    ("limit-parts-under-slurm", "l4",
     {"platform__orchestrator": "slurm", "tenancy__workloads_per_gpu": 3},
     {"platform__orchestrator": "kubernetes"}),
    ("limit-parts-under-slurm", "h100-sxm", {**HALVES, "platform__orchestrator": "slurm"},
     {"tenancy__mig_layout_wanted": []}),
    ("limit-vms-by-whom", "l4", {"tenancy__isolation": "vm", "platform__provider": "openshift"},
     {"platform__hypervisor": "kubevirt"}),
    ("risk-instinct-reset", "mi300x", VM, {"hardware__gpu": "h100-sxm"}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "gpu", "answers", "cure"), CASES)
def test_what_contradicts_itself_is_told(
    rule: str, gpu: str | None, answers: dict[str, Any], cure: dict[str, Any]
) -> None:
    assert rule in ids(told(platform(gpu, **answers)))
    assert rule not in ids(told(platform(gpu, **{**answers, **cure})))


def fleet(**tenancy: Any) -> dict[str, Any]:
    load = {"model": "llama-3.1-8b", "concurrency": 2, "context_tokens": 8192}
    loads = [{"name": name, "tenant": name, **load} for name in ("first", "second")]
    owned = {"gpu": "h100-sxm", "acquisition": "owned", "gpus_per_node": 1}
    return {"workloads": loads, "hardware": owned, "tenancy": {"tenants": "untrusted", **tenancy}}


def test_a_layout_beside_several_loads_is_told() -> None:
    rule = "conflict-layout-not-kept"

    assert rule in ids(told(fleet(mig_layout_wanted=["1g.10gb"] * 7)))
    assert rule not in ids(told(fleet()))


def two_models(**tenancy: Any) -> dict[str, Any]:
    load = {"concurrency": 1, "context_tokens": 8192, "weight_format": "bf16"}
    models = {"chat": "qwen2.5-32b", "coder": "qwen2.5-coder-32b"}
    loads = [{"name": name, "model": model, **load} for name, model in models.items()]
    owned = {"gpu": "a100-80gb-sxm", "acquisition": "owned", "gpus_per_node": 1}
    return {"workloads": loads, "hardware": owned, "tenancy": tenancy}


def test_models_that_do_not_fit_together_may_take_turns() -> None:
    rule = "loads-in-turn"

    assert rule in ids(told(two_models()))
    assert rule not in ids(told(two_models(duty="sustained")))
    assert rule not in ids(told(fleet()))


def test_every_rule_of_the_file_is_tried_here() -> None:
    path = Path(KNOWLEDGE.path) / "rules" / "sharing-conflicts.yaml"
    rules = {rule["id"] for rule in yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]}

    assert rules == {case[0] for case in CASES} | {
        "conflict-layout-is-tight",
        "conflict-layout-not-kept",
        "loads-in-turn",
    }


@pytest.mark.parametrize(
    "gpu", sorted(g.id for g in KNOWLEDGE.gpus.values() if g.status != "announced")
)
def test_a_confidential_mode_is_promised_only_where_it_is_listed(gpu: str) -> None:
    found = told(platform(gpu, **SECRET)).decisions["sharing"]
    listed = KNOWLEDGE.gpus[gpu].confidential_computing.supported is True

    assert (found.choice is not None) == listed
    if found.choice is not None:
        assert any(cited.section.startswith("3.1") for cited in found.citations)


def test_a_card_that_nobody_knows_has_no_confidential_mode_and_is_not_denied_mig() -> None:
    own = {"hardware__gpu_memory_gib": 64, "hardware__gpu_compute_capability": "9.0"}
    asked = platform("FooCard X", hardware__acquisition="owned", **own, **UNTRUSTED)
    found = told(asked)
    offered = {other.choice.option for other in found.decisions["sharing"].alternatives}

    assert "mig" not in out(found)
    assert "mig" in offered
    assert told(platform("FooCard X", **own, **SECRET)).decisions["sharing"].status == "open"


@pytest.mark.parametrize(("said", "taken"), [(1, 1), (2, 8), (4, 8), (8, 8)])
def test_hopper_boards_are_confidential_by_one_or_by_all(said: int, taken: int) -> None:
    asked = platform("h100-sxm", **OWNED, **SECRET, platform__gpus_per_vm=said)

    assert choice(told(asked), "sharing")["gpus_per_vm"] == taken


def test_a_vm_has_the_gpus_of_its_engine_and_not_more_than_the_node() -> None:
    small = told(platform("h100-sxm", **WIDE, **VM, platform__gpus_per_vm=1))
    large = told(platform("h100-sxm", **OWNED, **VM, platform__gpus_per_vm=16))

    assert choice(small, "sharing")["gpus_per_vm"] == choice(small)["count_per_replica"] > 1
    assert choice(large, "sharing")["gpus_per_vm"] == 8


@pytest.mark.parametrize("licence", [None, True, False])
def test_vgpu_in_use_stays_unless_its_licence_is_denied(licence: bool | None) -> None:
    said = {} if licence is None else {"tenancy__vgpu_license": licence}
    found = told(platform("l40s", platform__sharing_now=["vgpu"], **said))

    assert (choice(found, "sharing")["option"] == "vgpu") == (licence is not False)


GKE = {"platform__provider": "gke", "platform__cloud": "gcp"}
_SIZE = "cloud.google.com/gke-gpu-partition-size"


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_a_pool_of_gke_has_one_size_and_whole_units(count: int) -> None:
    asked = platform("h100-sxm", **GKE, **UNTRUSTED, tenancy__workloads_per_gpu=count)
    made = choice(told(asked), "sharing")

    assert set(made["layout"]) == {made["profile"]}
    assert made["node_selector"] == {_SIZE: made["profile"]}
    assert made["resource_name"] == "nvidia.com/gpu"
    assert "strategy" not in made


def test_turns_on_gke_are_a_setting_of_the_pool() -> None:
    asked = platform("t4", **GKE, tenancy__duty="idle", tenancy__workloads_per_gpu=3)
    made = choice(told(asked), "sharing")

    assert made["option"] == "time_slicing"
    assert made["resource_name"] == "nvidia.com/gpu"
    assert made["node_selector"]["cloud.google.com/gke-max-shared-clients-per-gpu"] == "3"


def test_an_operator_on_gke_names_slices_itself() -> None:
    asked = platform("h100-sxm", **GKE, platform__gpu_operator_version="25.3.0", **UNTRUSTED,
                     tenancy__workloads_per_gpu=3)  # fmt: skip

    assert "node_selector" not in choice(told(asked), "sharing")


def test_a_gpu_with_mig_is_not_said_to_have_none() -> None:
    asked = platform("gb300", **VM, tenancy__vgpu_license=True, tenancy__workloads_per_gpu=2)
    rejected = told(asked).decisions["sharing"].rejected

    assert all("has no MIG" not in line.because for line in rejected)


@pytest.mark.parametrize("option", ["mig", "mps"])
def test_windows_nodes_get_neither_slices_nor_mps(option: str) -> None:
    asked = platform("h100-pcie", platform__operating_system="windows",
                     tenancy__workloads_per_gpu=3)  # fmt: skip

    assert out(told(asked))[option] == "sharing-linux-only"


def test_an_accelerator_of_another_maker_can_be_had_whole() -> None:
    made = choice(told(platform("gaudi3", **OWNED)), "sharing")

    assert (made["option"], made["resource_name"]) == ("exclusive", "habana.ai/gaudi")


@pytest.mark.parametrize("gpu", ["rtx-5090", "mi300x", "a10g", "l40s", "h100-sxm"])
def test_whole_gpus_for_vms_say_nothing_of_slices(gpu: str) -> None:
    found = told(platform(gpu, **VM)).decisions["sharing"]

    assert found.choice is not None
    assert found.choice.option == "passthrough"
    assert "MIG-backed" not in found.because


@pytest.mark.parametrize("gpu", ["mi300x", "mi325x"])
def test_virtual_functions_are_the_alternative_on_instinct(gpu: str) -> None:
    found = told(platform(gpu, **VM)).decisions["sharing"]

    assert "sriov" in {other.choice.option for other in found.alternatives}


def test_copies_that_became_one_engine_are_not_offered_as_turns() -> None:
    load = {"kind": "serving", "model": "qwen2.5-1.5b", "context_tokens": 4096}
    document = {
        "workloads": [{"name": "first", **load}, {"name": "second", **load}],
        "hardware": {"gpu": "t4", "acquisition": "owned", "gpus_per_node": 1},
    }
    alone = serving("qwen2.5-1.5b", "t4", hardware__acquisition="owned", context_tokens=4096)
    turns = [
        {other.choice.option for other in told(asked).decisions["sharing"].alternatives}
        for asked in (document, alone)
    ]

    assert "time_slicing" not in turns[0]
    assert "time_slicing" in turns[1]
