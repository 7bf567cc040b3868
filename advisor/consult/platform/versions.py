"""Versions of the parts that this set-up really uses: what to install, or the least to have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.consult.platform.cluster_guests import sandbox_of, takes_guest_driver
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.versions_kubernetes import (
    carried_by,
    kubernetes_target,
    release_for,
)
from advisor.consult.platform.versions_stated import lists_kubernetes
from advisor.store.cited import version_key
from advisor.store.component import Component

__all__ = ["versions_of"]

_LAST_BEFORE_TURING = "580"
"""Last driver branch for Volta and older (component nvidia-driver, avoid from 581)."""
_EFA_SAFE = "580"
"""Branch to stay on for EFA on GB200 and GB300 (component nvidia-driver, avoid from 595)."""
_LONG_TERM = "580"
"""Oldest supported branch: the floor where somebody else brings the driver."""
_OPERANDS = (
    "gpu-feature-discovery",
    "dcgm-exporter",
    "node-feature-discovery",
)
_OF_EVERY_NODE = ("node-feature-discovery",)
"""What runs beside GPUs that go to virtual machines too."""
_QUEUES = {"kueue": "kueue", "kai": "kai-scheduler"}
_STACKS = {
    "kubeflow_trainer": "kubeflow-trainer",
    "jobset": "jobset",
    "mpi_operator": "mpi-operator",
}
_RDMA = {"shared_plugin": "network-operator", "sriov_plugin": "network-operator"}


def versions_of(settled: Settled, place: Place, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return component id to version; a floor where somebody else chooses the version.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        chosen: Parameters of the decision so far, its option among them.
    """
    finder = _Versions(settled, place, chosen)
    return {name: version for name, version in finder.all() if version is not None}


class _Versions:
    def __init__(self, settled: Settled, place: Place, chosen: Mapping[str, Any]) -> None:
        self.settled, self.place, self.chosen = settled, place, chosen
        self.components = settled.desk.knowledge.components
        self.gpus = [card.gpu for card in settled.cards]
        self.amd = "amd" in settled.vendors
        self.nvidia = settled.vendors <= {"nvidia"}
        self.kubernetes = place.orchestrator == "kubernetes"
        self.carried = carried_by(place, settled.desk.knowledge)
        self.sandbox = sandbox_of(settled, place) is not None
        self.guests = self.sandbox or takes_guest_driver(settled, place)

    def all(self) -> Iterator[tuple[str, str | None]]:
        if self.carried is not None:
            yield self.carried.id, self._release(self.carried)
        elif self.kubernetes:
            yield "kubernetes", self._kubernetes()
        if self.nvidia and not self.guests:
            yield "nvidia-driver", self._driver()
            yield from self._of_toolkit()
        if self.kubernetes:
            yield from self._of_cluster()

    def _kubernetes(self) -> str:
        knowledge = self.settled.desk.knowledge
        return kubernetes_target(self._stated(), knowledge, claims=self._claims())

    def _release(self, distribution: Component) -> str:
        return release_for(self._stated(), distribution, claims=self._claims()).version

    def _stated(self) -> str | None:
        stated = self.settled.answers.get("platform.kubernetes_version")
        return stated if isinstance(stated, str) else None

    def _claims(self) -> bool:
        return self.chosen.get("device_owner") == "dra" or "compute_domain" in self.chosen

    def _driver(self) -> str:
        """Return the branch to install, or the least that somebody else's driver must have."""
        record = self.components["nvidia-driver"]
        owned = self.chosen.get("driver_owner") in {"operator", "host"}
        best = record.recommended.version if owned and record.recommended else _LONG_TERM
        if self.chosen.get("driver_install") == "container_precompiled":
            best = self._floor_for("driver-container", "nvidia-driver", "precompiled") or best
        if any(gpu.architecture == "volta" for gpu in self.gpus):
            best = _LAST_BEFORE_TURING
        if self.chosen.get("rdma_exposure") == "efa_plugin" and self._racks():
            best = _EFA_SAFE
        least = [gpu.min_driver for gpu in self.gpus if gpu.min_driver is not None]
        return max((best, *least), key=_key)

    def _racks(self) -> bool:
        return any(gpu.host_architecture == "aarch64" for gpu in self.gpus)

    def _of_toolkit(self) -> Iterator[tuple[str, str | None]]:
        if self.chosen.get("toolkit_owner") in {"operator", "host"}:
            yield "nvidia-container-toolkit", self._recommended("nvidia-container-toolkit")
        elif self.chosen.get("toolkit_owner") == "image":
            yield "nvidia-container-toolkit", self._floor_of("nvidia-container-toolkit")

    def _of_cluster(self) -> Iterator[tuple[str, str | None]]:
        chosen = self.chosen
        operator = chosen.get("gpu_operator")
        if operator not in {None, "none"}:
            yield from self._one("amd-gpu-operator" if self.amd else "gpu-operator")
        yield from self._of_devices()
        if self.nvidia and (
            operator not in {None, "none"} or chosen.get("device_owner") != "platform"
        ):
            for name in _OPERANDS if not self.sandbox else _OF_EVERY_NODE:
                yield from self._one(name)
        if chosen.get("device_injection") in {"cdi", "nri"}:
            yield from self._of_runtime()
        option = chosen.get("option")
        if option == "karpenter":
            azure = "azure" in self.place.platform.clouds
            yield from self._one("karpenter-azure" if azure else "karpenter")
        yield from self._one(_QUEUES.get(str(chosen.get("queueing")), ""))
        yield from self._one(_RDMA.get(str(chosen.get("rdma_exposure")), ""))
        stack = self.settled.parameter("parallelism", "job_stack")
        yield from self._one(_STACKS.get(str(stack), ""))
        candidate = self.settled.candidate
        trains = any(load.trains for load in self.settled.loads)
        if candidate is not None and candidate.nodes_per_replica > 1 and not trains:
            yield from self._one("leader-worker-set")

    def _of_devices(self) -> Iterator[tuple[str, str | None]]:
        owner = self.chosen.get("device_owner")
        if owner == "device_plugin" and self.nvidia and not self.sandbox:
            yield from self._one("nvidia-device-plugin")
        if owner == "dra" or "compute_domain" in self.chosen:
            yield from self._one("amd-dra-driver" if self.amd else "nvidia-dra-driver")
        sharing = self.settled.parameter("sharing", "option")
        if sharing == "mig" and self.chosen.get("gpu_operator") not in {None, "none"}:
            yield from self._one("mig-manager")
        if self.amd:
            yield from self._one("amd-metrics-exporter")

    def _of_runtime(self) -> Iterator[tuple[str, str | None]]:
        runtime = self.settled.full_answers.values.get("platform.container_runtime")
        name = {"containerd": "containerd", "cri_o": "cri-o"}.get(str(runtime))
        if self.carried is not None:
            name = "cri-o"
        if name is None:
            return
        purpose = "NRI" if self.chosen.get("device_injection") == "nri" else "CDI specifications"
        least = self._least_runtime(name)
        floors = [
            floor.version
            for floor in self.components[name].floors
            if floor.component == name and purpose in (floor.when or "")
        ]
        enough = [version for version in floors if _key(version) >= _key(least)]
        yield name, min(enough, key=_key) if enough else least

    def _least_runtime(self, name: str) -> str:
        """Return the oldest listed runtime that the advised Kubernetes runs with."""
        if self.carried is not None:
            return "0"
        listed = self.components[name].versions
        fit = [entry.version for entry in listed if lists_kubernetes(entry, self._kubernetes())]
        return min(fit, key=_key, default="0")

    def _one(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Yield the recommended release, or a listed one whose table has what is advised."""
        if name not in self.components:
            return
        record = self.components[name].recommended
        kubernetes = "" if self.carried is not None else self._kubernetes()
        if record is None or not kubernetes or lists_kubernetes(record, kubernetes):
            yield name, self._recommended(name)
            return
        newer = [
            entry.version
            for entry in self.components[name].versions
            if entry.kubernetes_to is not None and lists_kubernetes(entry, kubernetes)
        ]
        yield name, newer[0] if newer else record.version

    def _recommended(self, name: str) -> str | None:
        record = self.components[name].recommended
        return None if record is None else record.version

    def _floor_for(self, name: str, component: str, purpose: str) -> str | None:
        floors = self.components[name].floors
        return next(
            (f.version for f in floors if f.component == component and purpose in (f.when or "")),
            None,
        )

    def _floor_of(self, name: str) -> str | None:
        """Return the oldest listed version that nothing warns of."""
        component = self.components[name]
        clean = [v.version for v in component.versions if not _warned(component, v.version)]
        return clean[-1] if clean else None


def _key(version: str) -> tuple[int, ...]:
    return version_key(version) or ()


def _warned(component: Component, version: str) -> bool:
    return bool(component.avoided(version))
