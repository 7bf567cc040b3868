"""What platform, tenants, offloading and faults bring up, for corrections."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["platform_topics", "topics_of_faults", "topics_of_sharing"]

_SHARED_BY = {
    "time_slicing": {"time_slicing"},
    "mps": {"mps"},
    "mig": {"mig"},
    "vgpu": {"vgpu", "vm", "sriov"},
}
"""Values of ``platform.sharing_now`` to topics."""
_CHOSEN = {
    **_SHARED_BY,
    "mig_in_guest": {"mig", "vm"},
    "vgpu_mig": {"mig", "vgpu", "vm"},
    "passthrough": {"passthrough", "vm"},
}
"""Options of the sharing decision to topics."""
_FAULTS = {
    "3.1": {"passthrough", "vm", "provisioning"},
    "3.2": {"vgpu", "provisioning"},
    "3.5": {"rdma", "fabric"},
    "4.1": {"software", "container_runtime"},
    "4.2": {"software", "container_runtime"},
    "5.1": {"device_plugin", "provisioning"},
    "5.3": {"dra", "kubernetes"},
    "5.5": {"driver_upgrade", "gpu_operator"},
    "5.6": {"observability"},
}
"""Handbook sections about what is at fault, to topics."""
_GIVEN = {
    "platform.mig_strategy": {"mig"},
    "platform.mig_layout_now": {"mig"},
    "tenancy.mig_layout_wanted": {"mig"},
    "tenancy.vgpu_license": {"vgpu", "vm", "sriov"},
    "platform.passthrough_now": {"passthrough", "vm"},
    "platform.hypervisor": {"vm", "sriov"},
    "platform.gpus_per_vm": {"vm", "passthrough"},
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
    ("platform.driver_owner_now", "operator"): {"gpu_operator", "operator_choice", "provisioning"},
    ("platform.driver_owner_now", "host"): {"provisioning"},
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
    operator = values.get("platform.gpu_operator_version")
    if operator is not None:
        topics |= {"operator_choice", "kubernetes"}
        # how it works inside is of no interest where there is none
        topics |= set() if operator in _NEVER else {"gpu_operator"}
    if topics & {"vm", "bare_metal"}:
        topics.add("provisioning")
    if "kubernetes" in topics and not topics & {"dra"}:
        topics.add("device_plugin")
    return topics


def topics_of_faults(sections: Collection[str]) -> set[str]:
    """Return what comes up where a fault is explained by these handbook sections."""
    return {topic for section in sections for topic in _FAULTS.get(section, ())}


def topics_of_sharing(option: str | None) -> set[str]:
    """Return what comes up where GPUs are shared in this way."""
    return set(_CHOSEN.get(option or "", ()))


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
