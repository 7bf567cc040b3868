"""Random legal answers about clusters, hosts and tenants, the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["random_platform"]

_PLACES: tuple[dict[str, Any], ...] = (
    {"cloud": "aws", "provider": "eks", "node_image": "eks-al2023-nvidia"},
    {"cloud": "aws", "provider": "eks", "node_image": "eks-bottlerocket-nvidia"},
    {"cloud": "aws", "provider": "eks", "node_image": "eks-al2-gpu"},
    {"cloud": "aws", "provider": "eks"},
    {"cloud": "gcp", "provider": "gke", "node_image": "gke-cos"},
    {"cloud": "gcp", "provider": "gke", "node_image": "gke-ubuntu"},
    {"cloud": "gcp", "provider": "gke"},
    {"cloud": "azure", "provider": "aks", "node_image": "aks-ubuntu"},
    {"cloud": "azure", "provider": "aks", "node_image": "aks-driver-none"},
    {"cloud": "azure", "provider": "aks"},
    {"cloud": "on_prem", "provider": "vanilla", "node_image": "ubuntu-22.04"},
    {"cloud": "on_prem", "provider": "openshift", "node_image": "rhcos"},
    {"cloud": "on_prem", "provider": "talos", "node_image": "talos"},
    {"cloud": "on_prem", "provider": "k3s"},
    {"cloud": "on_prem", "orchestrator": "slurm"},
    {"cloud": "on_prem", "orchestrator": "docker"},
    {"orchestrator": "bare_metal"},
    {"cloud": "coreweave"},
    {},
)
_GPUS = (
    "h100-sxm", "a100-80-sxm", "a100-40-pcie", "l4", "l40s", "t4", "b200", "gb200", "a30", "v100",
    "rtx-4090", "rtx-pro-6000-server", "mi300x", "mi355x", "h200-sxm", "a10",
)  # fmt: skip


def random_platform(seed: int) -> dict[str, Any]:
    """Return nested answers: a place, a card, and what somebody says of them."""
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    document: dict[str, Any] = {
        "workload": {"kind": "platform"},
        "platform": {**dice.choice(_PLACES), **_platform(dice)},
        "tenancy": _tenancy(dice),
        "hardware": _hardware(dice),
    }
    if dice.random() < 0.25:
        document["workload"] = {
            "kind": dice.choice(["serving", "embeddings", "fine_tuning"]),
            "model": dice.choice(["qwen3-8b", "llama-3.1-8b", "llama-3.3-70b"]),
        }
    return {group: answers for group, answers in document.items() if answers}


def _some(dice: random.Random, share: float, **choices: list[Any]) -> dict[str, Any]:
    return {key: dice.choice(values) for key, values in choices.items() if dice.random() < share}


def _platform(dice: random.Random) -> dict[str, Any]:
    return _some(
        dice,
        0.15,
        node_autoscaler=["karpenter", "cluster_autoscaler", "auto_mode", "none"],
        scale_to_zero=[True, False],
        capacity=[["on_demand"], ["spot"], ["spot", "on_demand"], ["reserved"]],
        queueing=["none", "kueue", "kai"],
        kubernetes_version=["1.29.4", "1.33.2", "1.35.2", "1.36.1", "1.36.3"],
        driver_owner_now=["image", "operator", "provider", "host"],
        driver_install=["container_build", "container_precompiled", "host_package"],
        driver_version=["550.90.07", "570.133.20", "580.95.05", "595.71"],
        driver_upgrade=["auto", "manual", "node_replacement"],
        gpu_operator_version=["none", "24.9.2", "26.3.1", "26.7.0"],
        dra=["no", "wanted", "in_use"],
        compute_domain=["no", "wanted"],
        device_injection=["legacy", "cdi"],
        rdma_exposure=["none", "shared_plugin", "host_network"],
        sharing_now=[["exclusive"], ["time_slicing"], ["mps"], ["mig"], ["hami"], ["vgpu"]],
        mig_strategy=["none", "single", "mixed"],
        machine=["bare_metal", "vm"],
        hypervisor=["kvm", "vmware"],
        passthrough_now=[True, False],
        secure_boot=[True, False],
        air_gapped=[True, False],
        package_mirror=["none", "images_only", "images_and_packages"],
    )


def _tenancy(dice: random.Random) -> dict[str, Any]:
    return _some(
        dice,
        0.3,
        tenants=["single", "trusted_teams", "untrusted"],
        isolation=["none", "memory", "hardware", "vm"],
        sla=["none", "soft", "hard"],
        duty=["idle", "intermittent", "sustained"],
        crash_isolation=[True, False],
        vgpu_license=[True, False],
        confidential=[True, False],
        workloads_per_gpu=[1, 2, 4, 7, 12],
        metering=["none", "per_pod"],
    )


def _hardware(dice: random.Random) -> dict[str, Any]:
    found = _some(
        dice,
        0.2,
        gpus_per_node=[1, 4, 8],
        nodes=[1, 2, 4],
        fabric=["ethernet", "infiniband", "roce", "none"],
        acquisition=["owned", "rent"],
        iommu_acs=[True, False],
    )
    if dice.random() < 0.8:
        found["gpu"] = [dice.choice(_GPUS)]
    return found
