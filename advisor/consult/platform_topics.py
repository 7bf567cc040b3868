"""What the answers about platform, tenants and offloading bring up, for corrections."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["platform_topics"]

_SHARED_BY = {
    "time_slicing": {"time_slicing"},
    "mps": {"mps"},
    "mig": {"mig"},
    "vgpu": {"vgpu", "vm", "sriov"},
}
"""Values of ``platform.sharing_now`` to topics."""
_GIVEN = {
    "platform.mig_strategy": {"mig"},
    "platform.mig_layout_now": {"mig"},
    "tenancy.mig_layout_wanted": {"mig"},
    "tenancy.vgpu_license": {"vgpu", "vm", "sriov"},
    "platform.passthrough_now": {"passthrough", "vm"},
    "platform.hypervisor": {"vm", "sriov"},
    "platform.gpus_per_vm": {"vm", "passthrough"},
    "platform.gpu_operator_version": {"gpu_operator", "kubernetes"},
    "platform.driver_upgrade": {"driver_upgrade"},
    "platform.driver_version": {"software"},
    "platform.cuda_version": {"software"},
    "platform.container_runtime": {"software", "container_runtime"},
    "platform.container_runtime_version": {"software", "container_runtime"},
    "platform.container_toolkit_version": {"software", "container_runtime"},
    "platform.device_injection": {"software", "container_runtime"},
    "platform.kubernetes_version": {"kubernetes"},
    "platform.dra_driver_version": {"dra", "kubernetes"},
    "platform.provider": {"kubernetes"},
    "platform.node_image": {"provisioning"},
    "platform.rdma_exposure": {"rdma", "fabric"},
    "hardware.cooling": {"cooling"},
    "tenancy.metering": {"observability"},
}
"""Keys that bring up topics by being answered at all."""
_NEVER = frozenset({"no", "none", False})
_IN_USE = {
    "platform.dra": {"dra", "kubernetes"},
    "platform.compute_domain": {"dra", "kubernetes"},
    "platform.queueing": {"queueing", "kubernetes"},
    "platform.topology_scheduling": {"topology", "kubernetes"},
    "platform.node_autoscaler": {"provisioning", "kubernetes"},
    "training.job_stack": {"job_stack"},
    "workload.disaggregated": {"disaggregated", "kv_cache"},
    "workload.cpu_offload": {"offload", "memory"},
    "training.offload": {"offload", "memory"},
    "tenancy.confidential": {"confidential", "vm"},
    "tenancy.isolation": {"isolation"},
}
"""Keys that bring up topics unless they are answered with no or none."""
_VALUES: Mapping[tuple[str, object], set[str]] = {
    ("platform.machine", "vm"): {"vm"},
    ("platform.machine", "bare_metal"): {"bare_metal"},
    ("platform.orchestrator", "kubernetes"): {"kubernetes"},
    ("platform.node_autoscaler", "karpenter"): {"karpenter"},
    ("platform.driver_owner_now", "operator"): {"gpu_operator", "provisioning"},
    ("tenancy.tenants", "untrusted"): {"isolation"},
    ("objectives.priority", "throughput"): {"throughput"},
}


def platform_topics(values: Mapping[str, object]) -> set[str]:
    """Return the topics of the answers in ``values``, by dotted key."""
    topics = _of_single_keys(values)
    variables = values.get("platform.env")
    if isinstance(variables, Mapping) and any(name.startswith("NCCL_") for name in variables):
        topics.add("nccl")
    shared = values.get("platform.sharing_now")
    for mode in shared if isinstance(shared, tuple) else ():
        topics |= _SHARED_BY.get(str(mode), set())
    if topics & {"vm", "bare_metal"}:
        topics.add("provisioning")
    if "kubernetes" in topics and not topics & {"dra"}:
        topics.add("device_plugin")
    return topics


def _of_single_keys(values: Mapping[str, object]) -> set[str]:
    topics: set[str] = set()
    for key, found in _GIVEN.items():
        if key in values:
            topics |= found
    for key, found in _IN_USE.items():
        value = values.get(key)
        if value is not None and value not in _NEVER:
            topics |= found
    for (key, wanted), found in _VALUES.items():
        if values.get(key) == wanted:
            topics |= found
    return topics
