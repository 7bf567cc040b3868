"""Unanswered questions that could still change how GPUs are shared or nodes provisioned."""

from __future__ import annotations

from advisor.consult.certainty import askable, other_values
from advisor.consult.consultation import DecisionName, Dependency
from advisor.consult.live import live_rules
from advisor.consult.platform.settled import Settled

__all__ = ["open_questions"]

_TELLING = {
    "tenancy.tenants": "untrusted tenants leave only slices, whole GPUs or virtual machines",
    "tenancy.workloads_per_gpu": "several loads on one GPU are shared out, one load holds it whole",
    "tenancy.isolation": "walls in hardware or a virtual machine for each tenant rule out shares",
    "tenancy.sla": "a contract about speed rules out turns on one GPU",
    "tenancy.duty": "loads that rest can take turns, busy ones slow each other down",
    "platform.orchestrator": "outside Kubernetes other parts do what plugin and operator do",
    "platform.provider": "each managed Kubernetes has images and owners of its own",
    "platform.cloud": "each cloud has images, capacity and owners of its own",
    "platform.node_image": "the image decides who owns driver, toolkit and device plugin",
    "platform.node_autoscaler": "autoscalers differ in what starts a node",
    "platform.capacity": "reserved capacity and spot come and go in different ways",
    "platform.dra": "claims need a version, a driver and an autoscaler that know them",
    "platform.kubernetes_version": "what DRA can do goes by the version",
    "platform.machine": "virtual nodes get GPUs by passthrough or vGPU",
    "platform.hypervisor": "the hypervisor decides what can be passed on",
    "tenancy.crash_isolation": "where a crash must spare the others, software shares are out",
    "tenancy.vgpu_license": "a fraction of a GPU in a virtual machine needs the licence",
    "tenancy.confidential": "confidential computing takes the whole GPU in a confidential VM",
    "tenancy.mig_layout_wanted": "a layout that is wanted binds",
    "platform.sharing_now": "what is in use stays unless something speaks against it",
    "workload.lora_adapters": "many adapters of one base share one engine",
    "workload.kind": "notebooks, services and training are shared in different ways",
    "hardware.gpu": "whether the GPU has MIG, vGPU or partitions decides what is left",
}
"""What the most telling keys change, most telling first; other keys follow."""
_OF_NODES = {
    "platform.provider": _TELLING["platform.provider"],
    "platform.cloud": _TELLING["platform.cloud"],
    "platform.orchestrator": _TELLING["platform.orchestrator"],
    "workload.traffic": "load in bursts wants nodes that come and go, steady load nodes that stay",
    "platform.node_autoscaler": "what adds nodes now stays unless something speaks against it",
    "platform.capacity": _TELLING["platform.capacity"],
    "platform.scale_to_zero": "nodes that may go away need something that brings them back",
    "hardware.acquisition": "machines that are bought stay; rented ones may come and go",
    "platform.node_image": _TELLING["platform.node_image"],
    "platform.dra": _TELLING["platform.dra"],
    "platform.compute_domain": "NVLink between nodes is claimed, which few autoscalers understand",
    "platform.kubernetes_version": _TELLING["platform.kubernetes_version"],
    "hardware.gpu": "racks, slices and makers of GPUs want nodes of their own kind",
    "platform.operating_system": "some systems belong to one distribution or take no driver build",
    "platform.driver_owner_now": "who owns the driver now decides which image fits",
    "platform.driver_install": "how the driver gets onto a node decides which image fits",
    "platform.driver_version": "claims need a driver of branch 580 or later",
    "platform.dra_driver_version": "GPUs are claimed from release 0.5.0 of the DRA driver on",
}
"""The same for nodes, which come first where they are decided."""
_FALLBACK = "its answer is read on the way to this choice"
_NOT_ASKED = frozenset({"ask", "symptoms"})
_OF_LOADS = ("workload.", "training.", "objectives.", "layout.", "observed.")
"""Groups that say nothing of a platform without a model."""
_OF_PLATFORMS = frozenset({"workload.lora_adapters", "workload.traffic"})
"""But for these."""


def open_questions(settled: Settled, decision: DecisionName) -> tuple[Dependency, ...]:
    """Return the unanswered questions behind a decision, most telling first.

    Conservative, and so safe for *firm*: a key counts when a rule that can choose, or code on the
    way, has read it, and so do the questions behind the GPU, which the later decisions follow.
    """
    answers, base = settled.answers, settled.desk.base
    several = settled.fleet is not None
    keys = set(live_rules(base, decision, several=several).open_keys(answers))
    if decision == "provisioning":
        keys |= live_rules(base, "sharing", several=several).open_keys(answers)
    keys |= answers.read
    if settled.kind == "platform":
        keys = {key for key in keys if key in _OF_PLATFORMS or not key.startswith(_OF_LOADS)}
    if not settled.cards:
        keys.add("hardware.gpu")
    keys = askable({key for key in keys if key not in answers.values} - _NOT_ASKED)
    telling = {**_OF_NODES, **_TELLING} if decision == "provisioning" else _TELLING
    order = [key for key in telling if key in keys]
    order += sorted(keys.difference(order))
    found = {
        key: Dependency(question=key, if_=other_values(key), then=telling.get(key, _FALLBACK))
        for key in order
    }
    earlier = settled.decisions.get("gpu")
    for needed in () if earlier is None else earlier.depends_on:
        found.setdefault(needed.question, needed)
    return tuple(found.values())
