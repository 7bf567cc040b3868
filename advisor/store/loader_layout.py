"""Which file of ``knowledge/`` holds which collection, and which schema checks it.

Every catalogue file is a mapping of ``sources`` (id to source) and one or more collections.
A catalogue is the unit of lazy loading: its files are read together, on first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from advisor.store.records import Strict

__all__ = ["CATALOGUES", "Catalogue"]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One lazily loaded part of the knowledge base."""

    name: str
    files: str
    """Glob under ``knowledge/``; at least one file must match."""
    collections: dict[str, tuple[str, str]]
    """Top-level key to (module, class) of its records; imported on first use."""

    def schema(self, collection: str) -> type[Strict]:
        """Return the pydantic class of the records under ``collection``."""
        module, name = self.collections[collection]
        schema: type[Strict] = getattr(import_module(module), name)
        return schema


_NAMES = ("advisor.store.aliases_data", "AmbiguousName")

CATALOGUES: dict[str, Catalogue] = {
    catalogue.name: catalogue
    for catalogue in (
        Catalogue(
            "gpus",
            "gpus/*.yaml",
            {"gpus": ("advisor.store.gpu", "Gpu"), "ambiguous_names": _NAMES},
        ),
        Catalogue(
            "models",
            "models/*.yaml",
            {"models": ("advisor.store.model", "Model"), "ambiguous_names": _NAMES},
        ),
        Catalogue(
            "engines",
            "engines/*.yaml",
            {"engines": ("advisor.store.engine_behaviour", "EngineBehaviours")},
        ),
        Catalogue(
            "mig",
            "catalogues/mig.yaml",
            {
                "mig_tables": ("advisor.store.mig", "MigTable"),
                "mig_facts": ("advisor.store.catalogues", "Statement"),
            },
        ),
        Catalogue(
            "interconnects",
            "catalogues/interconnects.yaml",
            {
                "interconnects": ("advisor.store.interconnect", "Link"),
                "ratios": ("advisor.store.interconnect", "Ratio"),
                "memory_generations": ("advisor.store.interconnect", "MemoryGeneration"),
            },
        ),
        Catalogue(
            "allreduce",
            "catalogues/allreduce.yaml",
            {"allreduce": ("advisor.store.interconnect", "AllReduce")},
        ),
        Catalogue(
            "prices",
            "catalogues/prices.yaml",
            {
                "prices": ("advisor.store.prices", "Price"),
                "purchases": ("advisor.store.prices", "Purchase"),
                "trends": ("advisor.store.prices", "Trend"),
            },
        ),
        Catalogue(
            "formats",
            "catalogues/formats.yaml",
            {
                "formats": ("advisor.store.formats", "WeightFormatRecord"),
                "kv_formats": ("advisor.store.formats", "KvFormatRecord"),
            },
        ),
        Catalogue(
            "kubernetes_releases",
            "kubernetes/releases.yaml",
            {
                "kubernetes_releases": ("advisor.store.kubernetes_release", "KubernetesRelease"),
                "kubernetes_bugs": ("advisor.store.kubernetes_release", "KubernetesBug"),
            },
        ),
        Catalogue(
            "dra_gates",
            "kubernetes/dra-gates.yaml",
            {"dra_gates": ("advisor.store.kubernetes_release", "DraGate")},
        ),
        Catalogue(
            "components",
            "kubernetes/components-*.yaml",
            {"components": ("advisor.store.component", "Component")},
        ),
        Catalogue(
            "node_images",
            "kubernetes/node-images.yaml",
            {"node_images": ("advisor.store.node_image", "NodeImage")},
        ),
        Catalogue(
            "metrics",
            "kubernetes/metrics.yaml",
            {
                "metrics": ("advisor.store.metric", "Metric"),
                "alerts": ("advisor.store.metric", "Alert"),
            },
        ),
        Catalogue(
            "xids",
            "kubernetes/xids.yaml",
            {"xids": ("advisor.store.metric", "Xid")},
        ),
        Catalogue(
            "sharing_modes",
            "kubernetes/sharing-modes.yaml",
            {"sharing_modes": ("advisor.store.sharing_mode", "SharingMode")},
        ),
        Catalogue(
            "platforms",
            "kubernetes/platforms.yaml",
            {"platforms": ("advisor.store.platform_facts", "Platform")},
        ),
        Catalogue(
            "provisioning",
            "kubernetes/provisioning.yaml",
            {
                "provisioners": ("advisor.store.platform_facts", "Provisioner"),
                "capacity_kinds": ("advisor.store.platform_facts", "CapacityKind"),
                "rdma_exposures": ("advisor.store.platform_facts", "RdmaExposure"),
            },
        ),
        Catalogue(
            "cold_start",
            "kubernetes/cold-start.yaml",
            {"cold_start_parts": ("advisor.store.cold_start", "ColdStartPart")},
        ),
        Catalogue(
            "gotchas",
            "gotchas/*.yaml",
            {"gotchas": ("advisor.store.gotcha", "Gotcha")},
        ),
        Catalogue(
            "symptoms",
            "symptoms/*.yaml",
            {"symptoms": ("advisor.store.gotcha", "Symptom")},
        ),
    )
}
