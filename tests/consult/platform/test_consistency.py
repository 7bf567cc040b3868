"""No decision contradicts another, whatever was said; what contradicts itself is told."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from consult_support import nested, told
from invariants import check_consultation
from random_platforms import random_platform

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Warned
from advisor.errors import InputError
from advisor.store.loader import load_knowledge

SEEDS = range(300)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_decision_contradicts_another(seed: int) -> None:
    document = random_platform(seed)
    try:
        found = advise(read_answers(document), engine="reference")
    except InputError:
        return
    assert check_consultation(found.model_dump(mode="json", by_alias=True)) == [], document


def test_the_random_platforms_reach_most_options() -> None:
    sharing: set[str] = set()
    nodes: set[str] = set()
    for seed in range(0, 300, 2):
        decisions = advise(read_answers(random_platform(seed)), engine="reference").decisions
        for name, seen in (("sharing", sharing), ("provisioning", nodes)):
            choice = decisions[name].choice  # type: ignore[index]
            if choice is not None:
                seen.add(choice.option)

    assert {"exclusive", "mig", "time_slicing"} <= sharing
    assert {"static_pool", "karpenter", "managed_pool", "slurm", "docker_host"} <= nodes


def warnings(**answers: Any) -> tuple[Warned, ...]:
    document = {"workload.kind": "platform"}
    document |= {key.replace("__", "."): value for key, value in answers.items()}
    return told(nested(document)).warnings


def shown(**answers: Any) -> set[str]:
    return {warning.id for warning in warnings(**answers)}


@pytest.mark.parametrize(
    ("rule", "answers", "cure"),
    [
        ("consistency-mig-without-mig",
         {"hardware__gpu": "l40s", "platform__sharing_now": ["mig"]},
         {"hardware__gpu": "h100-sxm"}),
        ("consistency-mig-without-mig",
         {"hardware__gpu": "l4", "tenancy__mig_layout_wanted": ["1g.10gb"]},
         {"hardware__gpu": ["l4", "h100-sxm"]}),
        ("consistency-acs-off-under-vms",
         {"hardware__iommu_acs": False, "platform__passthrough_now": True,
          "tenancy__tenants": "untrusted"},
         {"hardware__iommu_acs": True}),
        ("consistency-acs-off-under-vms",
         {"hardware__iommu_acs": False, "platform__passthrough_now": True,
          "tenancy__tenants": "trusted_teams"},
         {"tenancy__tenants": "single"}),
        ("consistency-passthrough-on-bare-metal",
         {"platform__passthrough_now": True, "platform__machine": "bare_metal"},
         {"platform__machine": "vm"}),
        ("consistency-rack-fabric-without-rack",
         {"hardware__gpu": "h100-sxm", "hardware__fabric": "nvlink_rack"},
         {"hardware__gpu": "gb200"}),
        ("consistency-efa-elsewhere",
         {"platform__cloud": "gcp", "hardware__fabric": "efa"},
         {"platform__cloud": "aws"}),
        ("consistency-infiniband-on-aws",
         {"platform__cloud": "aws", "hardware__fabric": "infiniband"},
         {"hardware__fabric": "efa"}),
        ("consistency-several-slices-for-one-process",
         {"platform__sharing_now": ["mig"], "tenancy__units_per_pod": 2},
         {"tenancy__units_per_pod": 1}),
        ("consistency-rdma-without-fabric",
         {"platform__rdma_exposure": "shared_plugin", "hardware__fabric": "none"},
         {"hardware__fabric": "infiniband"}),
        ("consistency-rdma-without-fabric",
         {"platform__rdma_exposure": "sriov_plugin", "hardware__fabric": "ethernet"},
         {"platform__rdma_exposure": "none"}),
        ("consistency-runtime-without-kubernetes",
         {"platform__orchestrator": "kubernetes", "platform__container_runtime": "docker"},
         {"platform__container_runtime": "containerd"}),
        ("consistency-runtime-without-kubernetes",
         {"platform__orchestrator": "kubernetes", "platform__container_runtime": "podman"},
         {"platform__orchestrator": "docker"}),
        ("consistency-runtime-of-the-distribution",
         {"platform__provider": "k3s", "platform__container_runtime": "cri_o"},
         {"platform__provider": "vanilla"}),
        ("consistency-flex-start-elsewhere",
         {"platform__cloud": "aws", "platform__capacity": ["flex_start"]},
         {"platform__cloud": "gcp"}),
        ("consistency-capacity-block-elsewhere",
         {"platform__cloud": "gcp", "platform__capacity": ["capacity_block"]},
         {"platform__cloud": "aws"}),
        ("consistency-spot-in-own-rooms",
         {"platform__cloud": "on_prem", "platform__capacity": ["spot"]},
         {"platform__cloud": "azure"}),
        ("consistency-operator-not-installed",
         {"platform__gpu_operator_version": "none", "platform__driver_owner_now": "operator"},
         {"platform__gpu_operator_version": "26.7.0"}),
        ("consistency-kubernetes-parts-without-kubernetes",
         {"platform__orchestrator": "docker", "platform__gpu_operator_version": "26.7.0"},
         {"platform__gpu_operator_version": "none"}),
        ("consistency-kubernetes-parts-without-kubernetes",
         {"platform__orchestrator": "slurm", "platform__node_autoscaler": "karpenter"},
         {"platform__node_autoscaler": "none"}),
        ("consistency-nvidia-parts-for-others",
         {"hardware__gpu": "mi300x", "platform__gpu_operator_version": "26.7.0"},
         {"hardware__gpu": "h100-sxm"}),
        ("consistency-nvidia-parts-for-others",
         {"hardware__gpu": "gaudi-3", "platform__container_toolkit_version": "1.18.0"},
         {"hardware__gpu": ["gaudi-3", "h100-sxm"]}),
        ("consistency-amd-not-sold-there",
         {"hardware__gpu": "mi300x", "platform__cloud": "aws", "platform__provider": "eks"},
         {"platform__cloud": "azure", "platform__provider": "aks"}),
        ("consistency-gaudi-not-sold-there",
         {"hardware__gpu": "gaudi-3", "platform__cloud": "aws", "platform__provider": "eks"},
         {"platform__cloud": "on_prem", "platform__provider": "vanilla"}),
        ("consistency-secure-boot-driver-of-image",
         {"platform__secure_boot": True, "platform__node_image": "eks-al2023-nvidia"},
         {"platform__secure_boot": False}),
        ("consistency-secure-boot-driver-of-image",
         {"platform__secure_boot": True, "platform__provider": "talos"},
         {"platform__provider": "vanilla"}),
    ],
)  # fmt: skip
def test_answers_that_contradict_each_other_are_told(
    rule: str, answers: dict[str, Any], cure: dict[str, Any]
) -> None:
    assert rule in shown(**answers)
    assert rule not in shown(**{**answers, **cure})


TWO_NODES = {
    "workload__kind": "serving", "workload__model": "deepseek-r1",
    "workload__weight_format": "fp8_block", "hardware__gpu": "h100-sxm",
    "hardware__acquisition": "owned", "hardware__gpus_per_node": 8, "hardware__nodes": 2,
    "hardware__fabric": "infiniband",
}  # fmt: skip
JOB = {
    "workload__kind": "fine_tuning", "workload__model": "llama-3.3-70b",
    "training__method": "full", "hardware__gpu": "h100-sxm", "hardware__acquisition": "owned",
    "hardware__gpus_per_node": 8, "hardware__nodes": 4, "hardware__fabric": "infiniband",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "answers", "cure"),
    [
        ("consistency-spot-for-a-group", {**TWO_NODES, "platform__capacity": ["spot"]},
         {"platform__capacity": ["reserved"]}),
        ("consistency-spot-for-a-job", {**JOB, "platform__capacity": ["spot"]},
         {"platform__capacity": ["reserved"]}),
        ("consistency-rdma-in-guests", {**TWO_NODES, "platform__machine": "vm"},
         {"platform__machine": "bare_metal"}),
    ],
)  # fmt: skip
def test_what_spans_nodes_and_cannot_is_told(
    rule: str, answers: dict[str, Any], cure: dict[str, Any]
) -> None:
    assert rule in shown(**answers)
    assert rule not in shown(**{**answers, **cure})


PROMISED = {
    "workload__kind": "serving", "workload__model": "llama-3.1-8b", "hardware__gpu": "l4",
    "hardware__acquisition": "rent", "platform__cloud": "aws", "platform__provider": "eks",
    "tenancy__sla": "hard",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "answers", "cure"),
    [
        ("consistency-hard-promise-at-zero",
         {"platform__scale_to_zero": True, "workload__traffic": "bursty"},
         {"platform__scale_to_zero": False}),
        ("consistency-hard-promise-at-zero",
         {"platform__scale_to_zero": True, "workload__traffic": "bursty"},
         {"tenancy__sla": "soft"}),
        ("consistency-hard-promise-on-spot", {"platform__capacity": ["spot"]},
         {"platform__capacity": ["spot", "on_demand"]}),
        ("consistency-hard-promise-on-spot", {"platform__capacity": ["spot"]},
         {"tenancy__sla": "none"}),
        ("consistency-hard-promise-one-spot-copy",
         {"platform__capacity": ["spot", "on_demand"], "workload__concurrency": 8},
         {"platform__capacity": ["on_demand"]}),
    ],
)  # fmt: skip
def test_a_contract_does_not_go_with_nodes_that_may_be_gone(
    rule: str, answers: dict[str, Any], cure: dict[str, Any]
) -> None:
    found = {w.id: w for w in warnings(**PROMISED, **answers)}

    assert found[rule].severity == "critical"
    assert rule not in shown(**{**PROMISED, **answers, **cure})


def test_work_that_may_wait_takes_spot_under_any_contract() -> None:
    batch = {**PROMISED, "workload__kind": "batch_inference", "platform__capacity": ["spot"]}

    assert not {name for name in shown(**batch) if name.startswith("consistency-hard-promise")}


def test_a_place_of_each_maker_is_not_doubted() -> None:
    for cloud in ("azure", "oci", "crusoe", "on_prem"):
        assert "consistency-amd-not-sold-there" not in shown(
            hardware__gpu="mi300x", platform__cloud=cloud
        )
    assert not {"consistency-amd-not-sold-there", "consistency-gaudi-not-sold-there"} & shown(
        hardware__gpu="h100-sxm", platform__cloud="aws"
    )


MONITORED: dict[str, dict[str, Any]] = {
    "monitor-nvidia-health": {},
    "monitor-nvidia-health-older": {"hardware__gpu": "t4"},
    "monitor-gaudi-health": {"hardware__gpu": "gaudi-3"},
    "monitor-nvidia-in-guests": {
        "platform__hypervisor": "kubevirt", "tenancy__isolation": "vm",
        "tenancy__tenants": "untrusted", "hardware__gpu": "h100-sxm",
    },
    "monitor-nvidia-without-kubernetes": {"platform__orchestrator": "slurm"},
    "monitor-amd-health": {"hardware__gpu": "mi300x"},
    "monitor-vllm-queue": {
        "workload__kind": "serving", "workload__model": "qwen3-8b", "hardware__gpu": "l40s",
    },
    "monitor-mig-instances": {"platform__sharing_now": ["mig"]},
    "monitor-nvlink": TWO_NODES,
    "monitor-training-waits": JOB,
}  # fmt: skip


@pytest.mark.parametrize("rule", MONITORED)
def test_a_situation_says_what_to_watch(rule: str) -> None:
    assert rule in shown(**MONITORED[rule])
    assert rule == "monitor-nvidia-health" or rule not in shown()


@pytest.mark.parametrize("card", ["v100", "t4"])
def test_cards_before_ampere_are_watched_for_retired_pages(card: str) -> None:
    texts = {w.id: w.text for w in warnings(hardware__gpu=card)}

    assert "monitor-nvidia-health" not in texts
    assert "DCGM_FI_DEV_RETIRED_PENDING" in texts["monitor-nvidia-health-older"]
    assert "monitor-nvidia-health-older" not in shown(hardware__gpu="a100-80-sxm")


def test_gaudi_is_watched_by_its_own_series() -> None:
    texts = {w.id: w.text for w in warnings(hardware__gpu="gaudi-3")}

    assert "habanalabs_" in texts["monitor-gaudi-health"]
    assert not {name for name, text in texts.items() if "DCGM_FI" in text}


def test_every_rule_of_these_files_is_tried_here() -> None:
    tried = {*MONITORED, "versions-not-stated"}
    for test in (
        test_answers_that_contradict_each_other_are_told,
        test_what_spans_nodes_and_cannot_is_told,
        test_a_contract_does_not_go_with_nodes_that_may_be_gone,
    ):
        tried |= {case[0] for case in test.pytestmark[0].args[1]}  # type: ignore[attr-defined]

    assert tried == set(_rules("consistency")) | set(_rules("monitoring"))


def test_monitoring_names_only_series_that_the_catalogue_knows() -> None:
    knowledge = load_knowledge()
    known = {name for metric in knowledge.metrics.values() for name in metric.series}
    prefixes = ("DCGM_", "vllm:", "gpu_ecc", "gpu_afid", "gpu_violation", "gpu_gfx")
    for name, rule in _rules("monitoring").items():
        if name == "monitor-gaudi-health":
            continue  # the catalogue has no exporter of Intel's
        text = f"{rule['set']['text']} {rule['set']['check']} {rule['set']['fix']}"
        words = (word.strip(".,;:()[]") for word in text.replace("[", " ").split())
        named = {word.split("(")[-1] for word in words}
        used = {word for word in named if word.startswith(prefixes)}
        assert used, name
        assert used <= known, name


def _rules(name: str) -> dict[str, dict[str, Any]]:
    text = (load_knowledge().path / "rules" / f"{name}.yaml").read_text(encoding="utf-8")
    return {rule["id"]: rule for rule in yaml.safe_load(text)["rules"]}
