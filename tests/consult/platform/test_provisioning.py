"""How nodes come and go: by place, load, and what is named already."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import assumed, conflicts, nodes, out, platform

BURSTY = {"workload__traffic": "bursty"}
STEADY = {"workload__traffic": "steady"}
CLAIMS = {"dra": "wanted"}


@pytest.mark.parametrize(
    ("document", "option", "image"),
    [
        # where nothing or little is said
        (platform(), "static_pool", "ubuntu-24.04"),
        (platform(cloud="aws"), "static_pool", "eks-al2023-nvidia"),
        (platform(cloud="gcp"), "managed_pool", "gke-cos"),
        (platform(cloud="azure"), "managed_pool", "aks-ubuntu"),
        (platform(cloud="coreweave"), "managed_pool", "other"),
        (platform(cloud="nebius"), "managed_pool", "other"),
        (platform(cloud="lambda"), "static_pool", "other"),
        (platform(cloud="oci"), "static_pool", "other"),
        (platform(cloud="on_prem"), "static_pool", "ubuntu-24.04"),
        (platform(provider="vanilla", cloud="aws"), "static_pool", "ubuntu-24.04"),
        # an answer that gives the place away
        (platform(operating_system="talos"), "static_pool", "talos"),
        (platform(operating_system="rhcos"), "static_pool", "rhcos"),
        (platform(node_image="gke-autopilot"), "managed_pool", "gke-autopilot"),
        (platform(node_image="eks-auto-mode"), "auto_mode", "eks-auto-mode"),
        (platform(node_autoscaler="auto_mode"), "auto_mode", "eks-auto-mode"),
        (platform(provider="vanilla", node_image="other"), "static_pool", "other"),
        # distributions of one's own
        (platform(provider="openshift"), "static_pool", "rhcos"),
        (platform(provider="k3s", cloud="on_prem"), "static_pool", "ubuntu-24.04"),
        (platform(provider="rke2", operating_system="rocky"), "static_pool", "rocky-9"),
        (platform(provider="vanilla", node_image="dgx-os"), "static_pool", "dgx-os"),
        # bursts
        (platform(provider="eks", **BURSTY), "karpenter", "eks-al2023-nvidia"),
        (platform(provider="gke", **BURSTY), "managed_pool", "gke-cos"),
        (platform(provider="aks", **BURSTY), "managed_pool", "aks-ubuntu"),
        (platform(provider="openshift", cloud="aws", **BURSTY), "cluster_autoscaler", "rhcos"),
        (platform(provider="k3s", **BURSTY), "static_pool", "ubuntu-24.04"),
        (platform(provider="eks", scale_to_zero=True), "karpenter", "eks-al2023-nvidia"),
        (platform(provider="eks", capacity=["spot"]), "karpenter", "eks-al2023-nvidia"),
        # capacity that is there anyway
        (platform(provider="gke", **STEADY), "static_pool", "gke-cos"),
        (platform(provider="eks", capacity=["reserved"]), "static_pool", "eks-al2023-nvidia"),
        (platform(provider="eks", capacity=["capacity_block"]), "static_pool", "eks-al2023-nvidia"),
        (
            platform(provider="eks", capacity=["reserved", "on_demand"], **BURSTY),
            "karpenter",
            "eks-al2023-nvidia",
        ),
        (platform(provider="gke", capacity=["flex_start"]), "managed_pool", "gke-cos"),
        (platform(provider="eks", hardware__gpu="gb200"), "static_pool", "eks-al2023-nvidia"),
        # what is named stays
        (platform(provider="eks", node_autoscaler="none", **BURSTY), "static_pool", None),
        (platform(provider="aks", node_autoscaler="karpenter"), "karpenter", "aks-ubuntu"),
        (platform(provider="aks", node_autoscaler="node_auto_provisioning"), "managed_pool", None),
        (
            platform(provider="gke", node_autoscaler="cluster_autoscaler"),
            "cluster_autoscaler",
            None,
        ),
        # not Kubernetes
        (platform(orchestrator="docker"), "docker_host", None),
        (platform(orchestrator="slurm", cloud="aws"), "slurm", None),
        (platform(orchestrator="bare_metal"), "bare_metal", None),
    ],
)
def test_place_and_load_decide_how_nodes_come(
    document: dict[str, Any], option: str, image: str | None
) -> None:
    found = nodes(document)

    assert found["option"] == option
    assert image is None or found["node_image"] == image


@pytest.mark.parametrize(
    ("document", "stated", "option", "rule"),
    [
        (
            platform(provider="eks", node_autoscaler="karpenter", **CLAIMS),
            "karpenter", "static_pool", "provisioning-karpenter-claims",
        ),
        (
            platform(provider="eks", node_autoscaler="karpenter", **CLAIMS, **BURSTY),
            "karpenter", "cluster_autoscaler", "provisioning-karpenter-claims",
        ),
        (
            platform(
                provider="eks", node_autoscaler="karpenter", tenancy__tenants="untrusted",
                hardware__gpu="a100-80-sxm",
            ),
            "karpenter", "static_pool", "provisioning-karpenter-slices",
        ),
        (
            platform(
                provider="eks", node_autoscaler="karpenter", sharing_now=["time_slicing"],
                hardware__gpu="l40s", tenancy__workloads_per_gpu=4, tenancy__duty="idle",
            ),
            "karpenter", "static_pool", "provisioning-karpenter-shared-names",
        ),
        (
            platform(node_image="aks-managed-gpu", node_autoscaler="cluster_autoscaler"),
            "cluster_autoscaler", "managed_pool", "provisioning-image-forbids",
        ),
        (
            platform(node_image="gke-autopilot", node_autoscaler="none"),
            "static_pool", "managed_pool", "provisioning-image-forbids",
        ),
        (
            platform(node_image="eks-al2023-nvidia", node_autoscaler="auto_mode"),
            "auto_mode", "static_pool", "provisioning-image-forbids",
        ),
        (
            platform(provider="gke", node_autoscaler="auto_mode"),
            "auto_mode", "managed_pool", "provisioning-not-here",
        ),
        (
            platform(orchestrator="slurm", node_autoscaler="karpenter"),
            "karpenter", "slurm", "provisioning-not-here",
        ),
        (
            platform(
                provider="eks", node_autoscaler="cluster_autoscaler", kubernetes_version="1.34.3",
                dra="in_use",
            ),
            "cluster_autoscaler", "static_pool", "provisioning-autoscaler-claims-old",
        ),
    ],
)  # fmt: skip
def test_what_is_named_gives_way_where_a_rule_forbids_it(
    document: dict[str, Any], stated: str, option: str, rule: str
) -> None:
    assert nodes(document)["option"] == option
    assert out(document)[stated] == rule
    assert "warn-stated-nodes-out" in conflicts(document)


def test_nothing_said_of_the_place_is_an_assumption_that_is_shown() -> None:
    found = told(platform())

    assert assumed(found)["platform.provider"] == "vanilla"
    assert found.decisions["provisioning"].status == "provisional"
    asked = [needed.question for needed in found.decisions["provisioning"].depends_on]
    assert asked[:3] == ["platform.provider", "platform.cloud", "platform.orchestrator"]
    assert "workload.traffic" in asked


def test_every_reason_and_rejection_is_cited() -> None:
    decision = told(platform(provider="eks", node_autoscaler="karpenter", **CLAIMS)).decisions[
        "provisioning"
    ]

    assert decision.citations
    assert all(line.citations and line.rule for line in decision.rejected)
    assert all(line.would_be_chosen_if for line in decision.alternatives)


def test_no_sentence_speaks_of_a_parameter_that_another_rule_has_set() -> None:
    because = told(platform(provider="vanilla", **CLAIMS)).decisions["provisioning"].because

    assert "The plugin hands out" not in because
