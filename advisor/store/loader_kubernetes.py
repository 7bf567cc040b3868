"""The catalogues of the Kubernetes layer as attributes, each read on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.store.cold_start import ColdStartPart
    from advisor.store.component import Component
    from advisor.store.gotcha import Gotcha, Symptom
    from advisor.store.kubernetes_release import DraGate, KubernetesBug, KubernetesRelease
    from advisor.store.loader_files import Loaded
    from advisor.store.metric import Alert, Metric, Xid
    from advisor.store.node_image import NodeImage
    from advisor.store.platform_facts import CapacityKind, Platform, Provisioner, RdmaExposure
    from advisor.store.sharing_mode import SharingMode

__all__ = ["KubernetesCatalogues"]


class KubernetesCatalogues:
    """Part of :class:`~advisor.store.loader.Knowledge`; every mapping is by id, in file order.

    Any attribute may raise ``KnowledgeError`` with every problem of its catalogue.
    """

    def catalogue(self, name: str) -> Loaded:
        """Return catalogue ``name``; see :meth:`advisor.store.loader.Knowledge.catalogue`."""
        raise NotImplementedError

    @cached_property
    def kubernetes_releases(self) -> Mapping[str, KubernetesRelease]:
        """Minor versions of Kubernetes; the id is the version."""
        return self.catalogue("kubernetes_releases").by_id("kubernetes_releases")

    @cached_property
    def kubernetes_bugs(self) -> Mapping[str, KubernetesBug]:
        """Bugs of Kubernetes by version."""
        return self.catalogue("kubernetes_releases").by_id("kubernetes_bugs")

    @cached_property
    def dra_gates(self) -> Mapping[str, DraGate]:
        """Feature gates of DRA with their stages."""
        return self.catalogue("dra_gates").by_id("dra_gates")

    @cached_property
    def components(self) -> Mapping[str, Component]:
        """Software that makes GPUs usable: what it owns, versions, what to avoid."""
        return self.catalogue("components").by_id("components")

    @cached_property
    def node_images(self) -> Mapping[str, NodeImage]:
        """Node images; the ids are the values of ``platform.node_image``."""
        return self.catalogue("node_images").by_id("node_images")

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """Series of exporters and engines."""
        return self.catalogue("metrics").by_id("metrics")

    @cached_property
    def alerts(self) -> Mapping[str, Alert]:
        """Alert rules that work."""
        return self.catalogue("metrics").by_id("alerts")

    @cached_property
    def xids(self) -> Mapping[str, Xid]:
        """Error codes of NVIDIA's driver; the id is the number as text."""
        return self.catalogue("xids").by_id("xids")

    @cached_property
    def sharing_modes(self) -> Mapping[str, SharingMode]:
        """Ways to share a GPU; the ids are the options of the sharing decision."""
        return self.catalogue("sharing_modes").by_id("sharing_modes")

    @cached_property
    def platforms(self) -> Mapping[str, Platform]:
        """Places to run GPU nodes."""
        return self.catalogue("platforms").by_id("platforms")

    @cached_property
    def provisioners(self) -> Mapping[str, Provisioner]:
        """How nodes come and go; the ids are the options of the provisioning decision."""
        return self.catalogue("provisioning").by_id("provisioners")

    @cached_property
    def capacity_kinds(self) -> Mapping[str, CapacityKind]:
        """How capacity is bought; the ids are the values of ``platform.capacity``."""
        return self.catalogue("provisioning").by_id("capacity_kinds")

    @cached_property
    def rdma_exposures(self) -> Mapping[str, RdmaExposure]:
        """How pods reach RDMA adapters; the ids are those of ``platform.rdma_exposure``."""
        return self.catalogue("provisioning").by_id("rdma_exposures")

    @cached_property
    def cold_start_parts(self) -> Mapping[str, ColdStartPart]:
        """What the first request waits for when no node is there."""
        return self.catalogue("cold_start").by_id("cold_start_parts")

    @cached_property
    def gotchas(self) -> Mapping[str, Gotcha]:
        """What bites, with the choices that bring it."""
        return self.catalogue("gotchas").by_id("gotchas")

    @cached_property
    def symptoms(self) -> Mapping[str, Symptom]:
        """Error texts with ranked causes."""
        return self.catalogue("symptoms").by_id("symptoms")
