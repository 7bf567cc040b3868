"""What is stated against the advice, and advice that must not contradict itself."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, told
from nodes_support import conflicts, nodes, platform

RACK = {
    "hardware__gpu": "gb200", "hardware__acquisition": "owned", "hardware__gpus_per_node": 4,
    "hardware__nodes": 18, "platform__orchestrator": "kubernetes", "platform__cloud": "on_prem",
    "platform__provider": "vanilla",
}  # fmt: skip


def _rack(**answers: Any) -> dict[str, Any]:
    return serving("deepseek-r1", concurrency=32, context_tokens="16k", **RACK, **answers)


def _because(document: dict[str, Any]) -> str:
    return told(document).decisions["provisioning"].because


# ---- NVLink between nodes ----


@pytest.mark.parametrize("version", [None, "1.36.3", "1.34.2", "1.33.5", "1.31.2"])
def test_a_layout_over_the_nvlink_of_a_rack_gets_a_domain_on_every_kubernetes(
    version: str | None,
) -> None:
    stated = {} if version is None else {"platform__kubernetes_version": version}
    document = _rack(**stated)
    found = nodes(document)

    assert told(document).decisions["parallelism"].choice is not None
    assert found["compute_domain"] is True
    assert "nvidia-dra-driver" in found["versions"]
    warned = "warn-domain-needs-kubernetes" in conflicts(document)
    assert warned == (version in {"1.33.5", "1.31.2"})


@pytest.mark.parametrize(("wish", "warned"), [("no", True), ("wanted", False), (None, False)])
def test_a_domain_that_is_declined_and_needed_is_told(wish: str | None, warned: bool) -> None:
    document = _rack(**({} if wish is None else {"platform__compute_domain": wish}))

    assert ("warn-domain-declined" in conflicts(document)) == warned


def test_a_domain_that_joins_nothing_keeps_karpenter() -> None:
    document = platform(
        provider="eks", node_autoscaler="karpenter", compute_domain="wanted", hardware__gpu="l4"
    )

    assert nodes(document)["option"] == "karpenter"


# ---- precompiled drivers ----


@pytest.mark.parametrize("gpu", ["h100-sxm", "l40s", "gb200", "v100"])
@pytest.mark.parametrize(
    "why",
    [
        {"secure_boot": True},
        {"air_gapped": True},
        {"air_gapped": True, "package_mirror": "images_only"},
        {"driver_install": "container_precompiled"},
    ],
)
@pytest.mark.parametrize("image", ["ubuntu-24.04", "ubuntu-22.04"])
def test_precompiled_drivers_are_of_a_long_term_branch_and_for_x86(
    gpu: str, why: dict[str, Any], image: str
) -> None:
    found = nodes(platform(provider="vanilla", node_image=image, hardware__gpu=gpu, **why))

    if gpu == "gb200":
        assert found["driver_install"] != "container_precompiled"
    else:
        assert found["driver_install"] == "container_precompiled"
        assert found["versions"]["nvidia-driver"] == "580"


def test_a_mirror_of_packages_lets_the_node_build() -> None:
    given = {"provider": "vanilla", "node_image": "ubuntu-24.04", "air_gapped": True}
    packages = nodes(platform(**given, package_mirror="images_and_packages"))
    images = nodes(platform(**given, package_mirror="images_only"))

    assert packages["driver_install"] == "container_build"
    assert images["driver_install"] == "container_precompiled"


def test_openshift_pins_no_kernel() -> None:
    document = platform(provider="openshift", node_image="rhcos", secure_boot=True)

    assert nodes(document)["driver_install"] == "container_precompiled"
    assert "Pin the kernel" not in _because(document)
    assert "pin the kernel" not in _because(document)


# ---- owners ----


@pytest.mark.parametrize(
    "answers",
    [
        {"node_image": "rocky-9", "secure_boot": True},
        {"node_image": "rhel-8", "air_gapped": True, "package_mirror": "images_only"},
        {"node_image": "ubuntu-24.04", "driver_owner_now": "host"},
        {"node_image": "ubuntu-24.04", "hardware__gpu": "gb200", "secure_boot": True},
    ],
)
def test_no_whole_operator_is_added_beside_a_driver_of_the_host(answers: dict[str, Any]) -> None:
    document = platform(provider="vanilla", **answers)

    assert nodes(document)["driver_owner"] == "host"
    assert "whole GPU Operator" not in _because(document)


@pytest.mark.parametrize("document", [
    platform(node_image="aks-driver-none"),
    platform(provider="aks", hardware__gpu="mi300x"),
    platform(provider="aks", driver_owner_now="operator"),
])  # fmt: skip
def test_a_pool_without_driver_is_not_praised_for_the_clouds_driver(
    document: dict[str, Any],
) -> None:
    assert nodes(document)["driver_owner"] == "operator"
    assert "its own GPU driver" not in _because(document)
    assert "cloud's driver" not in _because(document)


@pytest.mark.parametrize("owner", ["host", "image", "provider"])
def test_the_way_to_upgrade_is_the_owners(owner: str) -> None:
    image = {"host": "ubuntu-24.04", "image": "eks-al2023-nvidia", "provider": "gke-cos"}[owner]
    document = platform(node_image=image, driver_owner_now=owner, driver_upgrade="auto")
    found = [w for w in told(document).warnings if w.id.startswith("warn-upgrade-by-operator")]

    assert len(found) == 1
    assert "Through the operator" not in str(found[0].fix)


@pytest.mark.parametrize(
    ("image", "says", "says_not"),
    [
        ("gke-cos", "gke-no-default-nvidia-gpu-device-plugin", "Autopilot"),
        ("gke-ubuntu", "gpu-driver-version=disabled", "DaemonSet"),
        ("gke-autopilot", "Autopilot", "DaemonSet"),
        ("eks-bottlerocket-nvidia", "operands=false", "GKE"),
        ("eks-auto-mode", "operands=false", "GKE"),
        ("aks-managed-gpu", "operands=false", "GKE"),
    ],
)
def test_an_operator_beside_a_plugin_of_the_place_has_a_fix_of_that_place(
    image: str, says: str, says_not: str
) -> None:
    document = platform(node_image=image, gpu_operator_version="26.7.0")
    found = [w for w in told(document).warnings if w.id.startswith("warn-two-plugins")]

    assert [w.severity for w in found] == ["critical"]
    assert says in str(found[0].fix)
    assert says_not not in str(found[0].fix)


@pytest.mark.parametrize(
    "given", [{"driver_owner_now": "operator"}, {"driver_install": "container_build"}]
)
def test_an_operator_that_owns_all_on_ubuntu_of_gke_is_no_conflict(given: dict[str, Any]) -> None:
    document = platform(node_image="gke-ubuntu", gpu_operator_version="26.7.0", **given)

    assert not {name for name in conflicts(document) if name.startswith("warn-two-plugins")}


# ---- images ----


@pytest.mark.parametrize("image", ["rhel-8", "rhel-9", "rocky-9", "dgx-os", "ubuntu-22.04"])
@pytest.mark.parametrize("provider", ["k3s", "rke2", "vanilla"])
def test_distributions_keep_the_systems_that_they_run_on(provider: str, image: str) -> None:
    document = platform(provider=provider, node_image=image, kubernetes_version="1.36.3")

    assert nodes(document)["node_image"] == image
    assert "warn-place-conflict" not in conflicts(document)


@pytest.mark.parametrize("gpu", ["gb200", "gb300-nvl72"])
def test_bottlerocket_boots_no_grace(gpu: str) -> None:
    document = platform(node_image="eks-bottlerocket-nvidia", hardware__gpu=gpu)
    decision = told(document).decisions["provisioning"]

    assert nodes(document)["node_image"] == "eks-al2023-nvidia"
    assert "warn-image-not-for-gpu" in conflicts(document)
    others = [line.choice.model_dump().get("node_image") for line in decision.alternatives]
    assert "eks-ubuntu" not in others


# ---- instance types ----


@pytest.mark.parametrize(
    ("cloud", "gpu", "count", "name"),
    [
        ("aws", "h100-sxm", 8, "p5.48xlarge"),
        ("aws", "h100-sxm", 1, "p5.4xlarge"),
        ("aws", "h100-sxm", 4, None),
        ("aws", "l4", 1, "g6.xlarge"),
        ("aws", "l4", 4, "g6.12xlarge"),
        ("aws", "l4", 8, "g6.48xlarge"),
        ("aws", "l40s", 1, "g6e.xlarge"),
        ("aws", "t4", 8, "g4dn.metal"),
        ("aws", "rtx-pro-6000", 4, "g7e.24xlarge"),
        ("aws", "rtx-pro-6000", 8, "g7e.48xlarge"),
        ("gcp", "l4", 1, "g2-standard-4"),
        ("gcp", "a100-40-sxm", 1, "a2-highgpu-1g"),
        ("gcp", "a100-40-sxm", 8, "a2-highgpu-8g"),
        ("gcp", "a100-40-sxm", 16, "a2-megagpu-16g"),
    ],
)
def test_the_instance_type_has_the_stated_shape(
    cloud: str, gpu: str, count: int, name: str | None
) -> None:
    document = platform(
        cloud=cloud, hardware__gpu=gpu, hardware__gpus_per_node=count, hardware__nodes=2,
        hardware__acquisition="owned",
    )  # fmt: skip

    assert nodes(document).get("instance_type") == name
