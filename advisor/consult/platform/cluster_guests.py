"""Pods that are virtual machines, and nodes that are vGPU guests: who has the driver there."""

from __future__ import annotations

from typing import Literal

from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Scalar
from advisor.store.node_image import NodeImage

__all__ = ["Sandbox", "for_guests", "precompiled_here", "sandbox_of", "takes_guest_driver"]

Sandbox = Literal["kata", "kubevirt"]
_WHOLE = frozenset({"passthrough", "vgpu", "vgpu_mig"})
"""Ways to share in which a virtual machine holds the GPU or a part of it."""
_VGPU = frozenset({"vgpu", "vgpu_mig"})


def sandbox_of(settled: Settled, place: Place) -> Sandbox | None:
    """Return what starts the virtual machines inside the cluster; ``None`` for containers.

    Nodes that a cloud sells with its Kubernetes are guests themselves, and hand no GPU on to a
    second machine; the parts that hand GPUs on are NVIDIA's.

    Under any other hypervisor the nodes of the cluster are the guests, and their pods are
    containers as usual. A cluster on bare metal that gives a virtual machine to each pod is
    Kata's way, which confidential containers use too.
    """
    answers = settled.answers
    foreign = not settled.vendors <= {"nvidia"}
    if place.orchestrator != "kubernetes" or place.managed or foreign:
        return None
    option = settled.parameter("sharing", "option")
    if option not in _WHOLE:
        return None
    hypervisor = answers.get("platform.hypervisor")
    if hypervisor == "kubevirt":
        return "kubevirt"
    if option != "passthrough":
        return None
    bare = hypervisor is None and answers.get("platform.machine") == "bare_metal"
    return "kata" if hypervisor == "kata" or bare else None


def takes_guest_driver(settled: Settled, place: Place) -> bool:
    """Tell whether the nodes are vGPU guests, whose driver belongs to the vGPU release."""
    vgpu = settled.parameter("sharing", "option") in _VGPU
    return place.orchestrator == "kubernetes" and vgpu and sandbox_of(settled, place) is None


def precompiled_here(settled: Settled, place: Place, image: NodeImage) -> bool:
    """Tell whether precompiled drivers exist for the image and for the GPUs.

    They exist for x86_64 hosts only, and not for vGPU guests (component driver-container).
    """
    arm = any(card.gpu.host_architecture == "aarch64" for card in settled.cards)
    return (
        "container_precompiled" in image.driver_install
        and not arm
        and not takes_guest_driver(settled, place)
    )


def for_guests(fields: dict[str, Scalar]) -> dict[str, Scalar]:
    """Return fields of an image on a node whose GPUs go to virtual machines: nobody drives them."""
    kept = {key: value for key, value in fields.items() if key not in _OF_A_DRIVER}
    return {
        **kept,
        "driver_owner": "none",
        "toolkit_owner": "none",
        "plugin_owner": "operator",
        "gpu_operator": "no_driver_no_toolkit",
        "operator_driver": False,
        "precompiled": False,
        "host_packages": False,
    }


_OF_A_DRIVER = frozenset(
    {"driver_install", "open_modules", "proprietary_modules", "add", "driver_change"}
)
