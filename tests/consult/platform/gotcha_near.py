"""For each gotcha a situation that is near it and in which it has nothing to say."""

from __future__ import annotations

from gotcha_answers import Answers
from gotcha_answers import platform as _platform
from gotcha_answers import serving as _serving

__all__ = ["NEAR"]


_KARPENTER: Answers = {
    "platform__node_autoscaler": "karpenter",
    "platform__provider": "eks",
    "platform__cloud": "aws",
}
_GROUPS: Answers = {**_KARPENTER, "platform__node_autoscaler": "cluster_autoscaler"}
_OWNED: Answers = {
    "hardware__acquisition": "owned",
    "hardware__gpus_per_node": 8,
    "hardware__nodes": 2,
}
_MIG: Answers = {"platform__sharing_now": ["mig"]}
_SLICED: Answers = {"platform__sharing_now": ["time_slicing"]}
_OPERATOR: Answers = {"platform__driver_owner_now": "operator"}
_PLAIN: Answers = {"platform__gpu_operator_version": "none"}

NEAR: dict[str, Answers] = {
    # nodes that come and go
    "karpenter-consolidation": _platform(**_GROUPS),
    "karpenter-expiry": _platform(**{**_KARPENTER, "platform__node_autoscaler": "auto_mode"}),
    "karpenter-alias-latest": _platform(
        platform__node_autoscaler="karpenter", platform__provider="aks", platform__cloud="azure"
    ),
    "karpenter-ignores-claims": _platform(**_GROUPS, platform__dra="in_use"),
    "karpenter-unknown-partitions": _platform(**_GROUPS, **_SLICED),
    "karpenter-waits-for-gpu": _platform(**_KARPENTER, hardware__gpu="mi300x"),
    "small-root-volume": _platform(
        platform__node_autoscaler="karpenter", platform__provider="aks", platform__cloud="azure"
    ),
    "autoscaler-empty-group": _platform(**_GROUPS, platform__scale_to_zero="no"),
    "spot-notice-too-short": _platform(platform__capacity=["on_demand"]),
    "spot-without-fallback": _platform(**_KARPENTER, platform__capacity=["spot", "on_demand"]),
    "capacity-block-ends": _platform(platform__cloud="gcp", platform__capacity=["flex_start"]),
    "flex-start-ends": _platform(platform__cloud="gcp", platform__capacity=["reserved"]),
    "scale-to-zero-cold-start": _serving(platform__scale_to_zero="no"),
    "quota-is-not-capacity": _platform(
        platform__cloud="aws", hardware__gpu="h100-sxm", platform__capacity=["capacity_block"]
    ),
    # who advertises the GPU
    "no-device-plugin": _platform(
        platform__node_image="eks-al2023-nvidia", platform__gpu_operator_version="26.7.0"
    ),
    "second-device-plugin": _platform(platform__node_image="eks-bottlerocket-nvidia", **_PLAIN),
    "bottlerocket-sharing-settings": _platform(
        platform__node_image="eks-bottlerocket-nvidia", platform__sharing_now=["exclusive"]
    ),
    "gpu-dropped-after-xid": _platform(platform__dra="in_use"),
    "dead-gpu-blocks-node": _platform(hardware__gpus_per_node=1),
    "two-containers-two-gpus": _platform(platform__sharing_now=["exclusive"]),
    # claims
    "kubernetes-1-36-early": _platform(platform__kubernetes_version="1.36.3"),
    "kubernetes-1-35-claims": _platform(platform__kubernetes_version="1.35.2"),
    "two-allocators": _platform(platform__dra="no"),
    "dra-rights-1-36": _platform(platform__dra="in_use", platform__kubernetes_version="1.35.6"),
    "dra-no-preemption": _platform(platform__dra="no"),
    "compute-domain-places-nothing": _platform(
        hardware__gpu="gb200", hardware__gpus_per_node=4, hardware__nodes=1,
        hardware__acquisition="owned",
    ),
    "imex-on-host": _platform(hardware__gpu="gb200", platform__compute_domain="no"),
    "amd-dra-no-devices": _platform(hardware__gpu="mi300x", platform__dra="no"),
    # drivers
    "driver-library-mismatch": _platform(
        platform__driver_owner_now="image", platform__node_image="eks-al2023-nvidia"
    ),
    "two-driver-owners": _platform(platform__node_image="ubuntu-24.04", **_OPERATOR),
    "nouveau-holds-gpu": _platform(platform__node_image="talos", platform__provider="talos"),
    "secure-boot-unsigned": _platform(
        platform__secure_boot="yes", platform__driver_install="container_precompiled"
    ),
    "driver-cannot-build": _platform(platform__driver_install="container_precompiled"),
    "air-gapped-mirror-without-packages": _platform(
        platform__air_gapped="yes", platform__package_mirror="images_and_packages",
        platform__driver_install="container_build",
    ),
    "driver-upgrade-evicts": _platform(**_OPERATOR, platform__driver_upgrade="node_replacement"),
    "driver-upgrade-stuck": _platform(**_OPERATOR, platform__driver_upgrade="manual"),
    "old-gpus-lose-driver": _platform(
        **_OPERATOR, hardware__gpu="v100", platform__driver_version="580.95.05",
        platform__gpu_operator_version="26.7.0",
    ),
    "rebooted-node-waits": _platform(**_OPERATOR, platform__gpu_operator_version="26.7.0"),
    "r595-on-aws-p6e": _platform(
        **_OPERATOR, platform__cloud="aws", hardware__gpu="gb200", hardware__fabric="efa",
        platform__driver_version="580.173.02", platform__gpu_operator_version="26.7.0",
    ),
    "blackwell-driver-floor": _platform(
        hardware__gpu="rtx-5090", platform__driver_version="570.86.16"
    ),
    "blackwell-cuda-floor": _platform(hardware__gpu="h100-sxm", platform__cuda_version="12.4"),
    "driver-older-than-cuda": _platform(
        platform__driver_version="580.95.05", platform__cuda_version="13.0"
    ),
    "fabric-manager-missing": _platform(
        hardware__gpu="h100-sxm", hardware__gpus_per_node=1, platform__machine="vm",
        platform__driver_owner_now="host",
    ),
    "cgroup-v1-refused": _platform(
        platform__node_image="custom-prebaked", platform__operating_system="ubuntu",
        platform__os_version="24.04", platform__kubernetes_version="1.36.3",
    ),
    # images of clouds
    "eks-al2-ended": _platform(platform__node_image="eks-al2023-nvidia"),
    "eks-standard-image": _platform(platform__node_image="eks-al2023-nvidia"),
    "gke-cos-operator-driver": _platform(platform__node_image="gke-ubuntu", **_OPERATOR),
    "gke-toolkit-breaks-containerd": _platform(
        platform__provider="gke", platform__node_image="gke-cos", **_PLAIN
    ),
    "gke-priority-quota": _platform(platform__provider="eks", **_OPERATOR),
    "aks-driver-version-ignored": _platform(platform__node_image="aks-driver-none", **_OPERATOR),
    "aks-skip-tag-ended": _platform(platform__provider="aks", platform__node_image="aks-ubuntu"),
    "talos-driver-container": _platform(
        platform__provider="talos", platform__driver_owner_now="image"
    ),
    "second-clusterpolicy": _platform(platform__driver_owner_now="image", **_PLAIN),
    # slices
    "mig-strategy-alone": _platform(**_MIG, **_PLAIN, platform__node_image="gke-cos",
                                    platform__provider="gke"),
    "mig-resource-name": _platform(**_MIG, platform__orchestrator="docker"),
    "mig-profile-of-other-card": _platform(**_MIG, platform__orchestrator="docker"),
    "mig-needs-idle-gpu": _platform(**_SLICED, hardware__gpu="a100-80-sxm"),
    "full-gpu-beside-mig": _platform(**_MIG, platform__driver_version="570.172.08"),
    "mig-glibc-rhel8": _platform(
        **_MIG, platform__node_image="rhel-8", platform__gpu_operator_version="26.3.2"
    ),
    "mig-no-spanning": _platform(**_MIG, layout__tensor_parallel=1),
    "dynamic-mig-cloud-a100": _platform(
        **_MIG, hardware__gpu="h100-sxm", platform__machine="vm", platform__dra="in_use"
    ),
    "mig-manager-unknown-card": _platform(
        **_MIG, hardware__gpu="h100-sxm", platform__gpu_operator_version="24.9.2"
    ),
    "mig-shares-kernel": _platform(**_MIG, tenancy__tenants="trusted_teams"),
    # metrics
    "ecc-alert-never-fires": _platform(hardware__gpu="mi300x"),
    "xid-alert-never-clears": _platform(platform__orchestrator="slurm"),
    "free-memory-alert": _serving(workload__engine="llama_cpp"),
    "utilisation-misread": _platform(hardware__gpu="mi300x"),
    "exporter-not-on-tainted-nodes": _platform(**_OPERATOR),
    # networks
    "nccl-falls-back-to-tcp": _platform(hardware__fabric="ethernet"),
    "rdma-memlock": _platform(platform__rdma_exposure="none"),
    "rdma-devices-leak": _platform(
        hardware__fabric="efa", platform__cloud="aws", platform__gpu_operator_version="26.3.1"
    ),
    "gpudirect-rdma-off": _platform(hardware__fabric="none"),
    "nccl-prefix-match": _platform(hardware__fabric="efa", platform__cloud="aws"),
    "gke-h100-without-rdma": _platform(
        hardware__gpu="h200-sxm", platform__cloud="gcp", platform__provider="gke",
        hardware__fabric="cloud_rdma", **_OWNED,
    ),
    "gke-multi-networking": _platform(
        hardware__gpu="h100-sxm", platform__cloud="gcp", platform__provider="gke",
        hardware__fabric="cloud_rdma", **_OWNED,
    ),
    "infiniband-advice-on-aws": _platform(platform__cloud="azure", hardware__fabric="infiniband"),
    "efa-no-provider": _platform(platform__provider="eks", hardware__fabric="none"),
    "nccl-env-not-in-every-pod": _serving(hardware__gpus_per_node=8, hardware__nodes=2),
    "acs-slows-p2p": _platform(
        hardware__gpu="h100-sxm", hardware__gpus_per_node=8, hardware__iommu_acs="yes"
    ),
    "geforce-p2p-hang": _platform(hardware__gpu="l40s", hardware__gpus_per_node=4),
    "deepep-needs-mlx5": _platform(hardware__fabric="infiniband", layout__expert_parallel=16),
    "kv-transfer-corrupts": _platform(
        workload__disaggregated="no", hardware__fabric="infiniband"
    ),
    # runtimes
    "toolkit-container-escape": _platform(platform__container_toolkit_version="1.17.8"),
    "gpu-lost-after-reload": _platform(platform__container_toolkit_version="1.19.0"),
    "cdi-too-new-for-runtime": _platform(
        platform__device_injection="cdi", platform__container_runtime="cri_o",
        platform__container_runtime_version="1.33.1",
    ),
    "nri-too-new-for-runtime": _platform(
        platform__device_injection="nri", platform__container_runtime="containerd",
        platform__container_runtime_version="1.7.30",
    ),
    "nri-before-operator-26-3": _platform(
        platform__device_injection="nri", platform__gpu_operator_version="26.7.0"
    ),
    "mig-gone-after-reboot": _platform(**_MIG, **_OPERATOR),
    "cdi-stale-after-mig": _platform(**_MIG, **_OPERATOR),
    "management-pod-loses-gpus": _platform(
        platform__device_injection="nri", platform__gpu_operator_version="26.7.0"
    ),
    "pods-see-all-gpus": _platform(
        platform__device_injection="cdi", tenancy__tenants="trusted_teams"
    ),
    "k3s-rke2-containerd-paths": _platform(platform__provider="vanilla", **_OPERATOR),
    # sharing
    "idle-notebook-holds-memory": _serving(**_SLICED),
    "time-slicing-untrusted": _platform(**_SLICED, tenancy__tenants="trusted_teams"),
    "time-slicing-no-memory-limit": _platform(platform__sharing_now=["mps"]),
    "shared-request-two": _platform(**_MIG),
    "time-slicing-config-ignored": _platform(**_SLICED, **_PLAIN),
    "mps-excludes-mig": _platform(platform__sharing_now=["mps"]),
    "mps-fault-ends-all": _platform(**_SLICED),
    "shared-metrics-without-pod": _platform(**_MIG),
    "engines-started-together": _serving(layout__gpu_memory_utilization=0.9),
    "vgpu-unlicensed": _platform(platform__passthrough_now="yes", platform__machine="vm"),
    "vgpu-licence-in-guest": _platform(platform__sharing_now=["vgpu"]),
    "one-gpu-use-per-node": _platform(
        platform__hypervisor="vmware", platform__passthrough_now="yes"
    ),
    "fractions-not-enforced": _platform(**_SLICED),
    # starting
    "shm-too-small": _platform(layout__tensor_parallel=1),
    "probe-kills-loading": _serving(platform__orchestrator="docker"),
    "ready-but-cannot-answer": _serving(workload__engine="sglang"),
    "every-replica-downloads": _serving(platform__scale_to_zero="no"),
    "fp8-on-ampere": _serving(hardware__gpu="l40s", workload__weight_format="fp8"),
    "memory-share-too-high": _serving(
        layout__gpu_memory_utilization=0.95, workload__engine="vllm"
    ),
    # jobs
    "data-loader-shm": {
        "workload.kind": "fine_tuning", "workload.model": "llama-3.1-8b", "hardware.gpu": "l40s",
        "training.method": "lora", "platform.orchestrator": "slurm",
    },
    "no-gang": _platform(training__pods_per_job=4, platform__queueing="kueue"),
    "zero3-offload-host-memory": {
        "workload.kind": "fine_tuning", "workload.model": "llama-3.1-8b", "hardware.gpu": "l4",
        "training.method": "lora", "training.offload": "cpu",
    },
    "zero2-keeps-weights": {
        "workload.kind": "fine_tuning", "training.method": "full", "training.sharding": "zero3",
    },
    # machines
    "flr-reset-hang": _platform(hardware__gpu="rtx-4090", platform__machine="vm"),
    "mig-slice-by-vfio": _platform(**_MIG, tenancy__isolation="hardware"),
    # places, once more
    "autoscaler-adds-too-many": _platform(
        platform__node_autoscaler="cluster_autoscaler", platform__provider="aks",
        platform__cloud="azure",
    ),
    "autoscaler-removes-half-used": _platform(**_GROUPS),
    "karpenter-efa-as-asked": _platform(**_GROUPS, hardware__fabric="efa"),
    "volcano-hides-pods": _platform(
        platform__provider="vanilla", platform__node_autoscaler="none",
        platform__queueing="volcano",
    ),
    "gke-auto-provisioned-no-driver": _platform(
        platform__provider="gke", platform__node_autoscaler="node_auto_provisioning",
        platform__kubernetes_version="1.34.1",
    ),
    "aks-a10-guest-driver": _platform(platform__provider="aks", hardware__gpu="a100-80-sxm"),
    "openshift-driver-version-alone": _platform(platform__provider="vanilla", **_OPERATOR),
    "openshift-stale-release-label": _platform(platform__provider="eks", **_OPERATOR),
    "eks-g7-driver": _platform(platform__cloud="aws", platform__instance_type=["g7e.12xlarge"]),
    "toolkit-too-old-for-containerd-2": _platform(
        platform__container_toolkit_version="1.16.2", platform__container_runtime="containerd",
        platform__container_runtime_version="1.7.24",
    ),
    "toolkit-dropin-too-new": _platform(
        platform__container_runtime="containerd", platform__container_runtime_version="2.2.6"
    ),
    "hami-beside-device-plugin": _platform(platform__sharing_now=["kai"]),
    "docker-under-slurm": _platform(
        platform__orchestrator="slurm", tenancy__tenants="single"
    ),
}  # fmt: skip
"""Gotcha to answers with dotted keys."""
