"""GPUs of virtual machines: pods that are some, nodes that are some, and who has the driver."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import conflicts, nodes, platform

BARE = {"orchestrator": "kubernetes", "cloud": "on_prem", "machine": "bare_metal"}
ISOLATED = {"tenancy__isolation": "vm", "tenancy__tenants": "untrusted"}


def _own(gpu: str, **answers: Any) -> dict[str, Any]:
    return platform(hardware__gpu=gpu, hardware__acquisition="owned", **answers)


PODS = [
    (
        _own("a100-80-pcie", provider="vanilla", hypervisor="kata", **BARE, **ISOLATED),
        "kata-deploy",
    ),
    (
        _own("h100-pcie", provider="vanilla", hypervisor="kubevirt", cloud="on_prem", machine="vm"),
        "permittedHostDevices",
    ),
    (
        _own("a100-80-sxm", provider="openshift", hypervisor="kubevirt", machine="vm", **ISOLATED),
        "permittedHostDevices",
    ),
    (
        _own("h100-sxm", provider="vanilla", tenancy__confidential=True, **BARE, **ISOLATED),
        "CC manager",
    ),
]


@pytest.mark.parametrize(("document", "part"), PODS)
def test_a_gpu_of_a_pod_that_is_a_machine_has_no_driver_on_the_host(
    document: dict[str, Any], part: str
) -> None:
    decision = told(document).decisions["provisioning"]
    assert decision.choice is not None
    found = decision.choice.model_dump()

    assert (found["driver_owner"], found["toolkit_owner"]) == ("none", "none")
    assert found["gpu_operator"] == "no_driver_no_toolkit"
    assert "driver_install" not in found
    assert {"nvidia-driver", "nvidia-device-plugin", "dcgm-exporter"}.isdisjoint(found["versions"])
    assert "sandboxWorkloads.enabled" in decision.because
    assert "vm-passthrough" in decision.because
    assert part in decision.because


@pytest.mark.parametrize("hypervisor", ["kvm", "vmware", "proxmox"])
def test_nodes_that_are_machines_have_a_driver_as_usual(hypervisor: str) -> None:
    document = _own(
        "h100-pcie", provider="vanilla", cloud="on_prem", machine="vm", hypervisor=hypervisor
    )

    assert nodes(document)["driver_owner"] == "operator"


@pytest.mark.parametrize("provider", ["eks", "gke", "aks"])
def test_nodes_of_a_cloud_hand_no_gpu_on(provider: str) -> None:
    document = platform(provider=provider, hypervisor="kata", machine="vm", **ISOLATED)

    assert nodes(document)["driver_owner"] != "none"
    assert "warn-guests-on-managed-nodes" in conflicts(document)


@pytest.mark.parametrize("secure", [True, False])
def test_a_vgpu_guest_takes_the_licensed_driver(secure: bool) -> None:
    document = _own(
        "l40s", provider="vanilla", cloud="on_prem", machine="vm", hypervisor="vmware",
        secure_boot=secure, tenancy__isolation="vm", tenancy__vgpu_license=True,
        tenancy__workloads_per_gpu=4,
    )  # fmt: skip
    decision = told(document).decisions["provisioning"]
    assert decision.choice is not None
    found = decision.choice.model_dump()

    assert "driver.licensingConfig" in decision.because
    assert "nvidia-driver" not in found["versions"]
    assert found["driver_install"] != "container_precompiled"


@pytest.mark.parametrize("option", [PODS[0][0], PODS[1][0]])
def test_machines_with_whole_gpus_are_not_explained_by_slices(option: dict[str, Any]) -> None:
    assert "slices" not in told(option).decisions["provisioning"].because


@pytest.mark.parametrize("orchestrator", ["bare_metal", "docker", "slurm"])
def test_without_a_cluster_the_driver_is_inside_the_guest_too(orchestrator: str) -> None:
    document = _own(
        "h100-pcie", orchestrator=orchestrator, cloud="on_prem", hypervisor="proxmox", **ISOLATED
    )
    decision = told(document).decisions["provisioning"]

    assert decision.choice is not None
    assert decision.choice.model_dump()["driver_in"] == "guest_node"
    assert "binds it to vfio-pci" in decision.because
    assert "on the host itself" not in decision.because
