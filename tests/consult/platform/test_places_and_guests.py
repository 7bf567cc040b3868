"""Places that sell no nodes, adapters of GKE, and which machine the driver runs in."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import nodes, out, platform

GUESTS = {"tenancy__isolation": "vm", "hardware__gpu": "a100-80gb-sxm"}


@pytest.mark.parametrize("more", [{}, {"orchestrator": "kubernetes"}, {"provider": "k3s"}])
@pytest.mark.parametrize("traffic", ["steady", "bursty"])
def test_runpod_sells_no_nodes_for_kubernetes(more: dict[str, Any], traffic: str) -> None:
    document = platform(cloud="runpod", hardware__gpu="rtx-5090", workload__traffic=traffic, **more)
    made = told(document).decisions["provisioning"]

    assert made.status == "open"
    assert made.choice is None
    rules = out(document)
    assert rules["static_pool"] == "provisioning-runpod-nodes"
    assert rules.get("managed_pool", "provisioning-runpod-managed") == "provisioning-runpod-managed"
    assert all(line.citations for line in made.rejected)


def test_a_container_of_runpod_has_the_provider_under_it() -> None:
    found = nodes(platform(cloud="runpod", orchestrator="docker", hardware__gpu="rtx-5090"))

    assert found["option"] == "docker_host"
    assert (found["driver_owner"], found["toolkit_owner"]) == ("provider", "provider")
    assert found["gpu_operator"] == "none"


@pytest.mark.parametrize("cloud", ["lambda", "crusoe", "other"])
def test_other_small_clouds_still_have_nodes(cloud: str) -> None:
    assert nodes(platform(cloud=cloud, hardware__gpu="h100-sxm"))["option"] == "static_pool"


@pytest.mark.parametrize("fabric", ["cloud_rdma", "roce"])
@pytest.mark.parametrize("gpu", ["h200-sxm", "b200"])
def test_pods_of_gke_reach_the_adapters_by_multi_networking(gpu: str, fabric: str) -> None:
    document = platform(
        provider="gke", hardware__gpu=gpu, hardware__fabric=fabric, hardware__nodes=4
    )

    assert nodes(document)["rdma_exposure"] == "multi_network"
    assert "gke-multi-networking" in {w.id for w in told(document).warnings}


def test_multi_networking_may_be_stated_on_gke_and_is_none_of_eks() -> None:
    there = platform(provider="gke", rdma_exposure="multi_network", hardware__gpu="h200-sxm")
    elsewhere = platform(
        provider="eks", rdma_exposure="multi_network", hardware__gpu="h200-sxm",
        hardware__fabric="efa", hardware__nodes=2,
    )  # fmt: skip

    assert nodes(there)["rdma_exposure"] == "multi_network"
    assert nodes(elsewhere)["rdma_exposure"] == "efa_plugin"


@pytest.mark.parametrize("tenants", ["single", "trusted_teams", "untrusted"])
@pytest.mark.parametrize("provider", ["openshift", "rke2", "vanilla", "eks", "gke"])
def test_where_machines_isolate_the_driver_has_a_place(provider: str, tenants: str) -> None:
    document = platform(provider=provider, tenancy__tenants=tenants, **GUESTS)
    made = told(document).decisions["provisioning"]

    assert nodes(document)["driver_in"] == "guest_node"
    assert "inside" in made.because


@pytest.mark.parametrize("hypervisor", ["kvm", "proxmox", "vmware"])
def test_under_a_hypervisor_the_guests_are_the_nodes(hypervisor: str) -> None:
    document = platform(provider="openshift", hypervisor=hypervisor, **GUESTS)

    assert nodes(document)["driver_in"] == "guest_node"
    assert "No hypervisor is named" not in told(document).decisions["provisioning"].because


@pytest.mark.parametrize("hypervisor", ["kubevirt", "kata"])
def test_machines_on_the_nodes_leave_the_nodes_without_a_driver(hypervisor: str) -> None:
    found = nodes(platform(provider="openshift", hypervisor=hypervisor, **GUESTS))

    assert found["driver_owner"] == "none"
    assert "driver_in" not in found


def test_containers_say_nothing_of_guests() -> None:
    assert "driver_in" not in nodes(platform(provider="openshift", hardware__gpu="a100-80gb-sxm"))
