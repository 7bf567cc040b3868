"""Ten situations, each with all the gotchas that it brings."""

from __future__ import annotations

from typing import Any

__all__ = ["H100", "METRICS", "OWNED", "PLUGIN", "SITUATIONS"]

H100 = {"hardware.gpu": "h100-sxm"}
OWNED = {**H100, "hardware.acquisition": "owned", "hardware.gpus_per_node": 8}
OPERATED = {
    "ecc-alert-never-fires", "xid-alert-never-clears", "utilisation-misread",
    "driver-cannot-build", "driver-upgrade-evicts", "nouveau-holds-gpu",
}  # fmt: skip
SERVED = {"probe-kills-loading", "free-memory-alert", "ready-but-cannot-answer"}
PLUGIN = {"gpu-dropped-after-xid"}
METRICS = {"ecc-alert-never-fires", "xid-alert-never-clears", "utilisation-misread"}

SITUATIONS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a model on EKS under Karpenter": (
        {
            "workload.kind": "serving", "workload.model": "llama-3.3-70b",
            "workload.weight_format": "fp8", **H100, "platform.cloud": "aws",
            "platform.provider": "eks", "platform.node_image": "eks-al2023-nvidia",
            "platform.node_autoscaler": "karpenter",
        },
        {
            "no-device-plugin", "karpenter-consolidation", "karpenter-expiry",
            "karpenter-alias-latest", "karpenter-waits-for-gpu", "small-root-volume",
            "quota-is-not-capacity",
            *PLUGIN, *METRICS, *SERVED,
        },
    ),
    "GKE with its own driver": (
        {
            "workload.kind": "platform", **H100, "platform.cloud": "gcp",
            "platform.provider": "gke", "platform.node_image": "gke-cos",
        },
        {"exporter-not-on-tainted-nodes"},
    ),
    "training under Slurm over InfiniBand": (
        {
            "workload.kind": "fine_tuning", "workload.model": "llama-3.3-70b",
            "training.method": "full", **OWNED, "hardware.nodes": 4,
            "hardware.fabric": "infiniband", "platform.orchestrator": "slurm",
        },
        {
            "fabric-manager-missing", "driver-library-mismatch", "nouveau-holds-gpu",
            "gpudirect-rdma-off", "nccl-prefix-match", "nccl-env-not-in-every-pod",
        },
    ),
    "two GeForce cards under Docker": (
        {
            "workload.kind": "serving", "workload.model": "qwen3-32b",
            "workload.weight_format": "awq_int4", "hardware.gpu": "rtx-4090",
            "hardware.acquisition": "owned", "hardware.gpus_per_node": 2,
            "platform.orchestrator": "docker",
        },
        {
            "shm-too-small", "driver-library-mismatch", "nouveau-holds-gpu", "geforce-p2p-hang",
            "free-memory-alert",
        },
    ),
    "MIG for tenants who do not trust each other": (
        {
            "workload.kind": "platform", "hardware.gpu": "a100-80-sxm",
            "hardware.gpus_per_node": 8, "platform.cloud": "on_prem",
            "platform.provider": "vanilla", "platform.node_image": "ubuntu-22.04",
            "tenancy.tenants": "untrusted", "tenancy.workloads_per_gpu": 4,
            "platform.driver_owner_now": "operator", "platform.gpu_operator_version": "26.3.1",
            "platform.kubernetes_version": "1.36.3",
        },
        {
            "mig-strategy-alone", "mig-resource-name", "mig-profile-of-other-card",
            "mig-needs-idle-gpu", "mig-shares-kernel", "dead-gpu-blocks-node",
            "rebooted-node-waits",
            "management-pod-loses-gpus", "second-clusterpolicy", *PLUGIN, *OPERATED,
        },
    ),
    "time-slicing among tenants who do not trust each other": (
        {
            "workload.kind": "platform", "hardware.gpu": "l4",
            "platform.sharing_now": ["time_slicing"], "tenancy.tenants": "untrusted",
        },
        {
            "time-slicing-untrusted", "time-slicing-no-memory-limit", "engines-started-together",
            "two-containers-two-gpus", "shared-request-two", "time-slicing-config-ignored",
            "shared-metrics-without-pod", *PLUGIN, *OPERATED,
        },
    ),
    "a model on an AMD card": (
        {
            "workload.kind": "serving", "workload.model": "llama-3.3-70b",
            "hardware.gpu": "mi300x",
        },
        SERVED,
    ),
    "a rack with claims": (
        {
            "workload.kind": "serving", "workload.model": "deepseek-r1",
            "hardware.gpu": "gb200", "platform.compute_domain": "wanted",
            "platform.dra": "wanted", "platform.kubernetes_version": "1.36.1",
        },
        {
            "two-allocators", "kubernetes-1-36-early", "dra-rights-1-36", "dra-no-preemption",
            "compute-domain-places-nothing", "imex-on-host", "shm-too-small", *SERVED, *OPERATED,
        },
    ),
    "one engine over two nodes with InfiniBand": (
        {
            "workload.kind": "serving", "workload.model": "deepseek-r1",
            "workload.weight_format": "fp8_block", **OWNED, "hardware.nodes": 2,
            "hardware.fabric": "infiniband", "platform.queueing": "kueue",
        },
        {
            "nccl-falls-back-to-tcp", "rdma-memlock", "gpudirect-rdma-off", "nccl-prefix-match",
            "nccl-env-not-in-every-pod", "shm-too-small", "dead-gpu-blocks-node", *PLUGIN,
            *SERVED, *OPERATED,
        },
    ),
    "AKS with a driver of its own and one of the operator": (
        {
            "workload.kind": "platform", "platform.cloud": "azure", "platform.provider": "aks",
            "platform.node_image": "aks-ubuntu", "platform.driver_owner_now": "operator",
        },
        {
            "aks-driver-version-ignored", "second-clusterpolicy", "toolkit-dropin-too-new",
            *PLUGIN, *METRICS,
        },
    ),
}  # fmt: skip
