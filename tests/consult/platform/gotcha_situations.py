"""For each gotcha a few answers that bring it, and none that is not needed for it."""

from __future__ import annotations

from typing import Any

from gotcha_answers import Answers
from gotcha_answers import dotted as _dotted
from gotcha_answers import platform as _platform
from gotcha_answers import serving as _serving

__all__ = ["BROUGHT_BY"]


def _two_nodes(**answers: Any) -> Answers:
    """Return answers about a model that needs both of two nodes."""
    large = {
        "workload.kind": "serving", "workload.model": "deepseek-r1",
        "workload.weight_format": "fp8_block", "hardware.gpu": "h100-sxm",
        "hardware.acquisition": "owned", "hardware.gpus_per_node": 8, "hardware.nodes": 2,
    }  # fmt: skip
    return {**large, **_dotted(answers)}


_KARPENTER: Answers = {"platform__node_autoscaler": "karpenter", "platform__provider": "eks"}
_JOB_AT_GOOGLE: Answers = {
    "platform__cloud": "gcp", "platform__provider": "gke", "hardware__fabric": "cloud_rdma",
    "hardware__nodes": 4, "hardware__gpus_per_node": 8, "hardware__acquisition": "owned",
}  # fmt: skip
_MIG: Answers = {"platform__sharing_now": ["mig"]}
_SLICED: Answers = {"platform__sharing_now": ["time_slicing"]}
_MPS: Answers = {"platform__sharing_now": ["mps"]}
_OPERATOR: Answers = {"platform__driver_owner_now": "operator"}
_AUTOSCALER: Answers = {
    "platform__node_autoscaler": "cluster_autoscaler", "platform__provider": "eks",
}  # fmt: skip

BROUGHT_BY: dict[str, Answers] = {
    "karpenter-consolidation": _platform(**_KARPENTER),
    "karpenter-expiry": _platform(**_KARPENTER),
    "karpenter-alias-latest": _platform(**_KARPENTER, platform__cloud="aws"),
    "karpenter-ignores-claims": _platform(**_KARPENTER, platform__dra="wanted"),
    "karpenter-unknown-partitions": _platform(**_KARPENTER, **_SLICED),
    "karpenter-waits-for-gpu": _platform(**_KARPENTER),
    "small-root-volume": _platform(**_KARPENTER, platform__cloud="aws"),
    "autoscaler-empty-group": _platform(**_AUTOSCALER, platform__scale_to_zero="yes"),
    "spot-notice-too-short": _platform(platform__capacity=["spot"]),
    "spot-without-fallback": _platform(**_KARPENTER, platform__capacity=["spot"]),
    "capacity-block-ends": _platform(platform__capacity=["capacity_block"]),
    "flex-start-ends": _platform(platform__capacity=["flex_start"]),
    "scale-to-zero-cold-start": _serving(platform__scale_to_zero="yes"),
    "quota-is-not-capacity": _platform(
        platform__cloud="aws", hardware__gpu="h100-sxm", platform__capacity=["on_demand"]
    ),
    "no-device-plugin": _platform(platform__node_image="eks-al2023-nvidia"),
    "second-device-plugin": _platform(platform__node_image="eks-bottlerocket-nvidia", **_OPERATOR),
    "bottlerocket-sharing-settings": _platform(
        platform__node_image="eks-bottlerocket-nvidia", **_SLICED
    ),
    "gpu-dropped-after-xid": _platform(),
    "dead-gpu-blocks-node": _platform(hardware__gpus_per_node=8),
    "two-containers-two-gpus": _platform(**_SLICED),
    "kubernetes-1-36-early": _platform(platform__kubernetes_version="1.36.1"),
    "kubernetes-1-35-claims": _platform(
        platform__compute_domain="in_use",
        hardware__gpu="gb200",
        platform__kubernetes_version="1.35.2",
    ),
    "two-allocators": _platform(platform__dra="wanted"),
    "dra-rights-1-36": _platform(platform__dra="in_use", platform__kubernetes_version="1.36.4"),
    "dra-no-preemption": _platform(platform__dra="in_use"),
    "compute-domain-places-nothing": _platform(platform__compute_domain="wanted"),
    "imex-on-host": _platform(platform__compute_domain="in_use"),
    "amd-dra-no-devices": _platform(hardware__gpu="mi300x", platform__dra="wanted"),
    "driver-library-mismatch": _platform(platform__driver_owner_now="host"),
    "two-driver-owners": _platform(platform__node_image="custom-prebaked", **_OPERATOR),
    "nouveau-holds-gpu": _platform(platform__driver_install="host_package"),
    "secure-boot-unsigned": _platform(
        platform__secure_boot="yes", platform__driver_install="container_build"
    ),
    "driver-cannot-build": _platform(platform__driver_install="container_build"),
    "air-gapped-mirror-without-packages": _platform(
        platform__air_gapped="yes",
        platform__package_mirror="images_only",
        platform__driver_install="container_build",
    ),
    "driver-upgrade-evicts": _platform(**_OPERATOR),
    "driver-upgrade-stuck": _platform(**_OPERATOR, platform__driver_upgrade="auto"),
    "old-gpus-lose-driver": _platform(hardware__gpu="v100", platform__driver_version="595.10"),
    "rebooted-node-waits": _platform(**_OPERATOR, platform__gpu_operator_version="25.10.0"),
    "r595-on-aws-p6e": _platform(
        platform__cloud="aws",
        hardware__gpu="gb200",
        hardware__fabric="efa",
        platform__driver_version="595.71",
    ),
    "blackwell-driver-floor": _platform(hardware__gpu="b200", platform__driver_version="550.90"),
    "blackwell-cuda-floor": _platform(hardware__gpu="b200", platform__cuda_version="12.4"),
    "driver-older-than-cuda": _platform(
        platform__driver_version="570.148", platform__cuda_version="13.0"
    ),
    "fabric-manager-missing": _platform(
        hardware__gpu="h100-sxm", platform__driver_owner_now="host"
    ),
    "cgroup-v1-refused": _platform(
        platform__node_image="rhel-8", platform__kubernetes_version="1.35.2"
    ),
    "eks-al2-ended": _platform(platform__node_image="eks-al2-gpu"),
    "eks-standard-image": _platform(platform__node_image="eks-al2023-standard"),
    "gke-cos-operator-driver": _platform(platform__node_image="gke-cos", **_OPERATOR),
    "gke-toolkit-breaks-containerd": _platform(platform__provider="gke", **_OPERATOR),
    "gke-priority-quota": _platform(platform__provider="gke", **_OPERATOR),
    "aks-driver-version-ignored": _platform(platform__node_image="aks-ubuntu", **_OPERATOR),
    "aks-skip-tag-ended": _platform(
        platform__provider="aks", platform__node_image="aks-driver-none"
    ),
    "talos-driver-container": _platform(platform__provider="talos", **_OPERATOR),
    "second-clusterpolicy": _platform(**_OPERATOR),
    "mig-strategy-alone": _platform(**_MIG),
    "mig-resource-name": _platform(**_MIG),
    "mig-profile-of-other-card": _platform(**_MIG),
    "mig-needs-idle-gpu": _platform(**_MIG),
    "full-gpu-beside-mig": _platform(**_MIG, platform__driver_version="570.133.20"),
    "mig-glibc-rhel8": _platform(**_MIG, platform__node_image="rhel-8"),
    "mig-no-spanning": _platform(**_MIG, layout__tensor_parallel=2),
    "dynamic-mig-cloud-a100": _platform(
        **_MIG, hardware__gpu="a100-80-sxm", platform__machine="vm", platform__dra="in_use"
    ),
    "mig-manager-unknown-card": _platform(
        **_MIG, hardware__gpu="rtx-pro-6000-server", platform__gpu_operator_version="24.9.2"
    ),
    "ecc-alert-never-fires": _platform(**_OPERATOR),
    "xid-alert-never-clears": _platform(**_OPERATOR),
    "free-memory-alert": _serving(),
    "utilisation-misread": _platform(**_OPERATOR),
    "exporter-not-on-tainted-nodes": _platform(platform__provider="gke", platform__cloud="gcp"),
    "nccl-falls-back-to-tcp": _platform(hardware__fabric="infiniband"),
    "rdma-memlock": _platform(platform__rdma_exposure="shared_plugin"),
    "rdma-devices-leak": _platform(
        hardware__fabric="infiniband", platform__gpu_operator_version="26.3.1"
    ),
    "gpudirect-rdma-off": _platform(hardware__fabric="roce"),
    "nccl-prefix-match": _platform(hardware__fabric="roce"),
    "gke-h100-without-rdma": _platform(hardware__gpu="h100-sxm", **_JOB_AT_GOOGLE),
    "gke-multi-networking": _platform(hardware__gpu="h200-sxm", **_JOB_AT_GOOGLE),
    "infiniband-advice-on-aws": _platform(platform__cloud="aws", hardware__fabric="efa"),
    "efa-no-provider": _platform(platform__provider="eks", hardware__fabric="efa"),
    "nccl-env-not-in-every-pod": _two_nodes(hardware__fabric="infiniband"),
    "acs-slows-p2p": _platform(
        hardware__gpu="l40s", hardware__gpus_per_node=4, hardware__iommu_acs="yes"
    ),
    "geforce-p2p-hang": _platform(hardware__gpu="rtx-4090", hardware__gpus_per_node=4),
    "deepep-needs-mlx5": _platform(hardware__fabric="efa", layout__expert_parallel=16),
    "kv-transfer-corrupts": _platform(
        workload__disaggregated="wanted", hardware__fabric="infiniband"
    ),
    "toolkit-container-escape": _platform(platform__container_toolkit_version="1.17.4"),
    "gpu-lost-after-reload": _platform(platform__device_injection="legacy"),
    "cdi-too-new-for-runtime": _platform(
        platform__device_injection="cdi", platform__container_runtime_version="1.7.10"
    ),
    "nri-too-new-for-runtime": _platform(
        platform__device_injection="nri", platform__container_runtime_version="1.7.20"
    ),
    "nri-before-operator-26-3": _platform(
        platform__device_injection="nri", platform__gpu_operator_version="25.3.0"
    ),
    "mig-gone-after-reboot": _platform(
        **_MIG, platform__driver_owner_now="host", platform__gpu_operator_version="none"
    ),
    "cdi-stale-after-mig": _platform(
        **_MIG, platform__driver_owner_now="host", platform__orchestrator="docker"
    ),
    "management-pod-loses-gpus": _platform(
        platform__device_injection="cdi", platform__gpu_operator_version="26.3.4"
    ),
    "pods-see-all-gpus": _platform(
        platform__device_injection="legacy", tenancy__tenants="trusted_teams"
    ),
    "k3s-rke2-containerd-paths": _platform(platform__provider="k3s", **_OPERATOR),
    "idle-notebook-holds-memory": {"workload.kind": "development", "hardware.gpu": "l4"},
    "mig-shares-kernel": _platform(**_MIG, tenancy__tenants="untrusted"),
    "time-slicing-untrusted": _platform(**_SLICED, tenancy__tenants="untrusted"),
    "time-slicing-no-memory-limit": _platform(**_SLICED),
    "shared-request-two": _platform(**_MPS),
    "time-slicing-config-ignored": _platform(**_SLICED, **_OPERATOR),
    "mps-excludes-mig": _platform(platform__sharing_now=["mps", "mig"]),
    "mps-fault-ends-all": _platform(**_MPS),
    "shared-metrics-without-pod": _platform(**_MPS),
    "engines-started-together": _platform(**_SLICED),
    "vgpu-unlicensed": _platform(platform__sharing_now=["vgpu"]),
    "vgpu-licence-in-guest": _platform(platform__sharing_now=["vgpu"], tenancy__vgpu_license="yes"),
    "one-gpu-use-per-node": _platform(
        platform__hypervisor="kubevirt", platform__passthrough_now="yes"
    ),
    "fractions-not-enforced": _platform(platform__sharing_now=["hami"]),
    "shm-too-small": _platform(layout__tensor_parallel=2),
    "probe-kills-loading": _serving(),
    "ready-but-cannot-answer": _serving(),
    "every-replica-downloads": _serving(platform__scale_to_zero="yes"),
    "fp8-on-ampere": _serving(hardware__gpu="a100-80-sxm", workload__weight_format="fp8"),
    "no-gang": _platform(training__pods_per_job=4),
    "zero3-offload-host-memory": {
        "workload.kind": "fine_tuning",
        "workload.model": "llama-3.1-405b",
        "hardware.gpu": "l4",
        "hardware.acquisition": "owned",
        "hardware.gpus_per_node": 1,
        "hardware.max_gpu_watts": 100,
        "training.method": "full",
        "training.offload": "cpu",
    },
    "zero2-keeps-weights": {
        "workload.kind": "fine_tuning",
        "training.method": "full",
        "training.sharding": "zero2",
    },
    "flr-reset-hang": _platform(hardware__gpu="rtx-pro-6000-server", platform__machine="vm"),
    "mig-slice-by-vfio": _platform(**_MIG, tenancy__isolation="vm"),
    "autoscaler-adds-too-many": _platform(
        platform__node_autoscaler="cluster_autoscaler", platform__provider="eks"
    ),
    "autoscaler-removes-half-used": {
        "workload.kind": "fine_tuning", "workload.model": "llama-3.1-8b", "hardware.gpu": "l4",
        "training.method": "lora", "platform.node_autoscaler": "cluster_autoscaler",
        "platform.provider": "eks",
    },
    "karpenter-efa-as-asked": _platform(**_KARPENTER, hardware__fabric="efa"),
    "volcano-hides-pods": _platform(**_KARPENTER, platform__queueing="volcano"),
    "gke-auto-provisioned-no-driver": _platform(
        platform__provider="gke",
        platform__node_autoscaler="node_auto_provisioning",
        platform__kubernetes_version="1.31.4",
    ),
    "aks-a10-guest-driver": _platform(platform__provider="aks", hardware__gpu="a10"),
    "openshift-driver-version-alone": _platform(platform__provider="openshift", **_OPERATOR),
    "openshift-stale-release-label": _platform(platform__provider="openshift", **_OPERATOR),
    "eks-g7-driver": _platform(platform__cloud="aws", platform__instance_type=["g7.12xlarge"]),
    "toolkit-too-old-for-containerd-2": _platform(
        platform__container_toolkit_version="1.16.2", platform__container_runtime="containerd",
        platform__container_runtime_version="2.1.4",
    ),
    "toolkit-dropin-too-new": _platform(
        platform__container_runtime="containerd", platform__container_runtime_version="2.3.2"
    ),
    "hami-beside-device-plugin": _platform(platform__sharing_now=["hami"]),
    "memory-share-too-high": _serving(
        layout__gpu_memory_utilization=0.97, workload__engine="vllm"
    ),
    "data-loader-shm": {
        "workload.kind": "fine_tuning", "workload.model": "llama-3.1-8b", "hardware.gpu": "l40s",
        "training.method": "lora", "platform.orchestrator": "kubernetes",
    },
    "docker-under-slurm": _platform(
        platform__orchestrator="slurm", tenancy__tenants="trusted_teams"
    ),
}  # fmt: skip
"""Gotcha to answers with dotted keys."""
