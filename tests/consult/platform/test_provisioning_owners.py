"""Who owns image, driver, toolkit and plugin, and what answers say against each other."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import training
from nodes_support import conflicts, nodes, platform

CLAIMS = {"dra": "wanted"}


@pytest.mark.parametrize(
    ("document", "owners", "operator"),
    [
        (platform(provider="eks"), ("image", "image", "device_plugin"), "no_driver_no_toolkit"),
        (
            platform(node_image="eks-bottlerocket-nvidia"),
            ("image", "image", "platform"),
            "none",
        ),
        (platform(node_image="eks-auto-mode"), ("provider", "provider", "platform"), "none"),
        (platform(node_image="eks-ubuntu"), ("operator", "operator", "device_plugin"), "full"),
        (platform(provider="gke"), ("provider", "provider", "platform"), "none"),
        (
            platform(provider="gke", driver_owner_now="operator"),
            ("operator", "operator", "device_plugin"),
            "full",
        ),
        (
            platform(provider="aks"),
            ("provider", "provider", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (
            platform(provider="aks", driver_owner_now="operator"),
            ("operator", "operator", "device_plugin"),
            "full",
        ),
        (platform(node_image="aks-managed-gpu"), ("provider", "provider", "platform"), "none"),
        (platform(cloud="coreweave"), ("provider", "provider", "platform"), "none"),
        (platform(provider="talos"), ("image", "operator", "device_plugin"), "no_driver"),
        (
            platform(provider="talos", os_version="1.12"),
            ("image", "image", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (
            platform(provider="vanilla", driver_owner_now="host"),
            ("host", "operator", "device_plugin"),
            "no_driver",
        ),
        (
            platform(provider="vanilla", node_image="custom-prebaked"),
            ("image", "image", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (platform(orchestrator="docker"), ("host", "host", "none"), "none"),
        (platform(orchestrator="slurm"), ("host", "host", "none"), "none"),
        (platform(orchestrator="bare_metal"), ("host", "none", "none"), "none"),
        (
            platform(provider="aks", hardware__gpu="mi300x"),
            ("operator", "none", "device_plugin"),
            "full",
        ),
        (
            platform(provider="vanilla", hardware__gpu="gaudi3"),
            ("host", "host", "device_plugin"),
            "none",
        ),
    ],
)
def test_each_part_has_one_owner(
    document: dict[str, Any], owners: tuple[str, str, str], operator: str
) -> None:
    found = nodes(document)

    assert (found["driver_owner"], found["toolkit_owner"], found["device_owner"]) == owners
    assert found["gpu_operator"] == operator


@pytest.mark.parametrize(
    ("document", "image"),
    [
        (platform(node_image="eks-al2-gpu"), "eks-al2023-nvidia"),
        (platform(node_image="eks-al2023-standard"), "eks-al2023-nvidia"),
        (platform(node_image="aks-ubuntu", hardware__gpu="mi300x"), "aks-driver-none"),
        (platform(provider="eks", node_image="gke-cos"), "eks-al2023-nvidia"),
    ],
)
def test_an_image_that_cannot_serve_gives_way(document: dict[str, Any], image: str) -> None:
    assert nodes(document)["node_image"] == image
    assert conflicts(document)


@pytest.mark.parametrize(
    ("gpu", "modules"),
    [("b200", "open"), ("gb200", "open"), ("gh200-96", "open"), ("h100-sxm", "open"),
     ("t4", "open"), ("v100", "proprietary"), ("mi300x", None)],
)  # fmt: skip
def test_the_generation_decides_about_kernel_modules(gpu: str, modules: str | None) -> None:
    document = platform(provider="vanilla", node_image="ubuntu-24.04", hardware__gpu=gpu)

    assert nodes(document).get("kernel_modules") == modules


def test_modules_of_an_image_are_not_guessed() -> None:
    found = nodes(platform(node_image="eks-bottlerocket-nvidia", hardware__gpu="l40s"))

    assert "kernel_modules" not in found


@pytest.mark.parametrize(
    ("document", "warning"),
    [
        (platform(provider="eks", cloud="gcp"), "warn-place-conflict"),
        (platform(orchestrator="slurm", provider="eks"), "warn-place-conflict"),
        (
            platform(node_image="eks-al2023-nvidia", driver_owner_now="operator"),
            "warn-two-driver-owners",
        ),
        (platform(node_image="dgx-os", driver_owner_now="operator"), "warn-two-driver-owners"),
        (
            platform(node_image="eks-auto-mode", gpu_operator_version="26.7.0"),
            "warn-two-plugins",
        ),
        (
            platform(node_image="ubuntu-24.04", driver_owner_now="image"),
            "warn-image-owner-on-plain",
        ),
        (platform(node_image="eks-al2-gpu"), "warn-image-ended"),
        (platform(node_image="eks-al2023-standard"), "warn-no-driver-owner"),
        (
            platform(node_image="rocky-9", driver_install="container_precompiled"),
            "warn-precompiled-none",
        ),
        (
            platform(node_image="ubuntu-24.04", secure_boot=True, driver_install="container_build"),
            "warn-stated-build-secure-boot",
        ),
        (platform(air_gapped=True, package_mirror="none"), "warn-air-gapped-no-mirror"),
        (platform(air_gapped=True), "warn-air-gapped-mirror-open"),
        (platform(provider="eks", driver_upgrade="auto"), "warn-upgrade-by-operator"),
        (platform(provider="k3s", scale_to_zero=True), "warn-zero-not-possible"),
        (platform(provider="eks", rdma_exposure="sriov_plugin"), "warn-rdma-not-offered"),
        (platform(**CLAIMS, device_injection="legacy"), "warn-legacy-injection-claims"),
    ],
)
def test_answers_that_stand_against_each_other_are_told(
    document: dict[str, Any], warning: str
) -> None:
    assert warning in conflicts(document)


@pytest.mark.parametrize(
    ("document", "install"),
    [
        (platform(), "container_build"),
        (platform(secure_boot=True), "container_precompiled"),
        (platform(air_gapped=True, package_mirror="images_only"), "container_precompiled"),
        (platform(driver_install="container_precompiled"), "container_precompiled"),
        (platform(node_image="rhel-9", secure_boot=True), "host_package"),
        (
            platform(node_image="rhel-9", air_gapped=True, package_mirror="images_only"),
            "host_package",
        ),
        (
            platform(node_image="rhel-9", air_gapped=True, package_mirror="images_and_packages"),
            "container_build",
        ),
    ],
)
def test_signed_and_offline_nodes_do_not_build_a_driver(
    document: dict[str, Any], install: str
) -> None:
    assert nodes(document)["driver_install"] == install


@pytest.mark.parametrize(
    ("document", "upgrade"),
    [
        (platform(provider="eks"), "node_replacement"),
        (platform(provider="gke", driver_upgrade="auto"), "node_replacement"),
        (platform(), "auto"),
        (platform(driver_upgrade="manual"), "manual"),
        (training("llama-3.1-8b", "h100-sxm", platform__provider="vanilla"), "manual"),
    ],
)
def test_the_owner_of_the_driver_decides_how_it_changes(
    document: dict[str, Any], upgrade: str
) -> None:
    assert nodes(document)["driver_upgrade"] == upgrade
