"""What the same wish comes to at one place and at another."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import conflicts, nodes, out, platform

_CLAIMS: dict[str, Any] = {
    "dra": "in_use", "scale_to_zero": "yes", "node_autoscaler": "cluster_autoscaler",
    "kubernetes_version": "1.36.3",
}  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "to_zero"), [("gke", True), ("eks", False), ("aks", False), ("vanilla", False)]
)
def test_claims_start_the_first_node_only_where_the_autoscaler_knows_an_empty_pool(
    provider: str, *, to_zero: bool
) -> None:
    document = platform(provider=provider, **_CLAIMS)

    assert nodes(document)["scale_to_zero"] is to_zero
    assert ("warn-zero-claims" in conflicts(document)) is not to_zero


@pytest.mark.parametrize("autoscaler", ["cluster_autoscaler", "none"])
def test_an_alternative_beside_claims_hands_out_nothing_by_a_plugin(autoscaler: str) -> None:
    document = platform(provider="gke", dra="in_use", node_autoscaler=autoscaler)

    assert nodes(document)["device_owner"] == "dra"
    assert "second_device_plugin" not in out(document)


@pytest.mark.parametrize(
    ("provider", "cloud", "rule"),
    [
        ("gke", "gcp", "provisioning-karpenter-gke"),
        ("talos", "gcp", "provisioning-karpenter-no-provider"),
        ("talos", "azure", "provisioning-karpenter-no-provider"),
        ("talos", "oci", "provisioning-karpenter-no-provider"),
        ("talos", "aws", None),
        ("eks", "aws", None),
        ("aks", "azure", None),
    ],
)
def test_karpenter_stays_where_a_provider_starts_the_machines(
    provider: str, cloud: str, rule: str | None
) -> None:
    document = platform(provider=provider, cloud=cloud, node_autoscaler="karpenter")

    assert out(document).get("karpenter") == rule
    assert (nodes(document)["option"] == "karpenter") is (rule is None)


@pytest.mark.parametrize("provider", ["k3s", "rke2"])
@pytest.mark.parametrize(
    ("stated", "way"),
    [
        ({}, "nri"),
        ({"gpu_operator_version": "26.3.1"}, "nri"),
        ({"gpu_operator_version": "24.9.0"}, "cdi"),
        ({"container_runtime": "containerd", "container_runtime_version": "1.7.17"}, "cdi"),
        ({"container_runtime": "containerd", "container_runtime_version": "2.0.4"}, "cdi"),
        ({"container_runtime": "containerd", "container_runtime_version": "2.1.5"}, "nri"),
    ],
)
def test_the_plugin_of_the_runtime_is_advised_where_the_stated_versions_have_it(
    provider: str, stated: dict[str, str], way: str
) -> None:
    document = platform(provider=provider, **stated)

    assert nodes(document)["device_injection"] == way


def test_oracle_brings_driver_toolkit_and_plugin() -> None:
    chosen = nodes(platform(cloud="oci", hardware__gpu="a10"))

    assert (chosen["driver_owner"], chosen["toolkit_owner"]) == ("image", "image")
    assert (chosen["device_owner"], chosen["gpu_operator"]) == ("platform", "none")


def test_shares_on_oracle_take_the_operators_plugin() -> None:
    chosen = nodes(platform(cloud="oci", hardware__gpu="a10", sharing_now=["time_slicing"]))

    assert chosen["device_owner"] == "device_plugin"


@pytest.mark.parametrize(("operator", "told"), [("26.7.0", True), ("none", False)])
def test_an_operator_beside_oracles_add_on_is_told(operator: str, *, told: bool) -> None:
    document = platform(cloud="oci", hardware__gpu="a10", gpu_operator_version=operator)

    assert ("warn-two-plugins-oke" in conflicts(document)) is told


@pytest.mark.parametrize(
    ("nodes_said", "provider", "fabric", "way"),
    [
        (4, "eks", None, "efa_plugin"),
        (4, "eks", "efa", "efa_plugin"),
        (1, "eks", None, "none"),
        (4, "aks", "infiniband", "shared_plugin"),
        (4, "vanilla", None, "none"),
        (4, "vanilla", "roce", "shared_plugin"),
    ],
)
def test_a_job_without_a_model_over_several_nodes_gets_the_adapters(
    nodes_said: int, provider: str, fabric: str | None, way: str
) -> None:
    document: dict[str, Any] = {
        "workload": {"kind": "pretraining"},
        "hardware": {"gpu": "h100-sxm", "gpus_per_node": 8, "nodes": nodes_said},
        "platform": {"provider": provider},
    }
    if fabric is not None:
        document["hardware"]["fabric"] = fabric

    chosen = nodes(document)
    assert chosen["rdma_exposure"] == way
    assert (chosen["queueing"] == "kueue") is (nodes_said > 1)


@pytest.mark.parametrize(
    ("image", "told_by"),
    [
        ("aks-ubuntu", "aks-driver-version-ignored"),
        ("aks-azurelinux", "aks-driver-version-ignored"),
        ("gke-cos", "gke-cos-operator-driver"),
        ("talos", "talos-driver-container"),
        ("eks-al2023-nvidia", "warn-two-driver-owners"),
        ("dgx-os", "warn-two-driver-owners"),
    ],
)
def test_two_owners_of_the_driver_are_told_once(image: str, told_by: str) -> None:
    document = platform(node_image=image, driver_owner_now="operator")
    found = {warned.id: warned.severity for warned in told(document).warnings}

    owners = {*(name for _, name in _OWNERS), "warn-two-driver-owners", "two-driver-owners"}
    assert owners & set(found) == {told_by}
    assert found[told_by] == "critical"


_OWNERS = [
    ("aks-ubuntu", "aks-driver-version-ignored"),
    ("gke-cos", "gke-cos-operator-driver"),
    ("talos", "talos-driver-container"),
]


@pytest.mark.parametrize(
    ("provider", "image"),
    [
        ("eks", "eks-ubuntu"),
        ("aks", "aks-driver-none"),
        ("vanilla", "ubuntu-24.04"),
        ("openshift", "rhcos"),
    ],
)
def test_images_with_nvidias_driver_are_not_for_the_cards_of_others(
    provider: str, image: str
) -> None:
    assert nodes(platform(provider=provider, hardware__vendors=["amd"]))["node_image"] == image


@pytest.mark.parametrize(
    ("cloud", "answers", "wanted"),
    [
        ("nebius", {}, True),
        ("nebius", {"driver_owner_now": "operator"}, False),
        ("coreweave", {}, True),
        ("on_prem", {}, False),
    ],
)
def test_an_operator_beside_the_stack_of_a_cloud_is_told(
    cloud: str, answers: dict[str, str], *, wanted: bool
) -> None:
    document = platform(cloud=cloud, gpu_operator_version="26.7.0", **answers)

    assert ("warn-two-stacks-cloud" in conflicts(document)) is wanted


def test_an_offer_that_is_no_machine_names_no_instance_type() -> None:
    document = {
        "workload": {"kind": "serving", "model": "qwen3-32b"},
        "hardware": {"gpu": "a100-80-sxm"},
        "platform": {"orchestrator": "kubernetes"},
    }
    named = nodes(document).get("instance_type")

    assert named is None or " " not in named
