"""The columns of the tables about nodes, sharing, monitoring, capacity and gotchas.

As in ``tables_columns``: one entry per column, which is also a filter. What a column shows
that is no field of the record is worked out in ``tables_rows_platform``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.store.tables_column import Column, number

__all__ = ["PLATFORM_COLUMNS"]

_NODE_IMAGES = {
    "id": Column("id"),
    "name": Column("image"),
    "providers": Column("at"),
    "operating_systems": Column("system"),
    "os_version": Column("version"),
    "carries": Column("carries"),
    "owners": Column("owners: driver, toolkit, plugin"),
    "driver_owner": Column("driver"),
    "toolkit_owner": Column("toolkit"),
    "device_plugin_owner": Column("device plugin"),
    "driver_install": Column("driver by"),
    "kernel_modules": Column("kernel modules"),
    "gpu_operator": Column("GPU Operator"),
    "operator_support": Column("NVIDIA's word"),
    "operator_values": Column("chart values"),
    "add": Column("add"),
    "driver_change": Column("another driver"),
    "secure_boot": Column("Secure Boot"),
    "architectures": Column("processors"),
    "autoscalers": Column("autoscalers"),
    "until": Column("ended"),
    "successor": Column("move to"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_SHARING_MODES = {
    "id": Column("option"),
    "name": Column("way"),
    "memory": Column("memory"),
    "faults": Column("faults"),
    "compute": Column("compute"),
    "bandwidth": Column("bandwidth"),
    "trust": Column("tenants"),
    "how": Column("how"),
    "good_for": Column("good for"),
    "bad_for": Column("bad for"),
    "vendors": Column("vendors"),
    "needs": Column("needs"),
    "limits": Column("limits"),
    "most_tenants": Column("at most"),
    "resources": Column("a pod asks for"),
    "components": Column("set up by"),
    "not_with": Column("not with"),
    "machine": Column("machine"),
    "maturity": Column("maturity"),
    "licence": Column("licence"),
    "reconfigure": Column("a change costs"),
    "metrics": Column("monitoring sees"),
    "sections": Column("sections"),
}

_METRICS = {
    "id": Column("id"),
    "series": Column("series"),
    "exporter": Column("exporter"),
    "kind": Column("kind"),
    "unit": Column("unit"),
    "means": Column("means"),
    "default_list": Column("shipped"),
    "works_on_partitions": Column("on slices"),
    "alert_on": Column("alert on"),
    "misread": Column("misread as"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_ALERTS = {
    "id": Column("id"),
    "name": Column("alert"),
    "severity": Column("severity"),
    "series": Column("series"),
    "expr": Column("expression"),
    "for_minutes": number("for (min)"),
    "because": Column("because"),
    "do": Column("do"),
    "basis": Column("threshold by"),
    "sections": Column("sections"),
}

_XIDS = {
    "id": number("Xid"),
    "mnemonic": Column("name"),
    "means": Column("means"),
    "origin": Column("origin"),
    "action": Column("first"),
    "do": Column("do"),
    "device_plugin_drops_gpu": Column("plugin drops GPU"),
    "severity": Column("severity"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_PROVISIONERS = {
    "id": Column("option"),
    "name": Column("way"),
    "components": Column("software"),
    "when": Column("take when"),
    "not_when": Column("not when"),
    "start_up": Column("a new node waits for"),
    "scale_to_zero": Column("to zero"),
    "dra": Column("claims"),
    "dra_note": Column("on claims"),
    "knows_partitions": Column("slices start nodes"),
    "limits": Column("limits"),
    "sections": Column("sections"),
}

_CAPACITY_KINDS = {
    "id": Column("id"),
    "name": Column("capacity"),
    "sold_as": Column("sold as"),
    "interruption": Column("how it ends"),
    "good_for": Column("good for"),
    "never_for": Column("never for"),
    "set_up": Column("set up"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_CAPACITY_OFFERS = {
    "id": Column("id"),
    "kind": Column("capacity"),
    "cloud": Column("cloud"),
    "name": Column("sold as"),
    "terms": Column("terms"),
    "sections": Column("sections"),
}

_PLATFORMS = {
    "id": Column("id"),
    "name": Column("place"),
    "orchestrator": Column("run by"),
    "clouds": Column("clouds"),
    "providers": Column("providers"),
    "node_images": Column("images"),
    "provisioners": Column("nodes by"),
    "capacity_kinds": Column("capacity"),
    "rdma_exposures": Column("RDMA by"),
    "rdma": Column("RDMA"),
    "driver": Column("driver"),
    "dra": Column("claims"),
    "scale_to_zero": Column("to zero"),
    "kubernetes_versions": Column("Kubernetes"),
    "avoid": Column("avoid"),
    "replaces": Column("in place of Kubernetes"),
    "notes": Column("mind"),
    "sections": Column("sections"),
}

_RDMA_EXPOSURES = {
    "id": Column("option"),
    "name": Column("way"),
    "resources": Column("a pod asks for"),
    "needs": Column("needs"),
    "good_for": Column("good for"),
    "limits": Column("limits"),
    "sections": Column("sections"),
}

_GOTCHAS = {
    "id": Column("id"),
    "title": Column("trap"),
    "severity": Column("severity"),
    "decision": Column("comes with"),
    "topic": Column("topic"),
    "applies": Column("when"),
    "symptom": Column("looks like"),
    "cause": Column("because"),
    "check": Column("check"),
    "fix": Column("way out"),
    "sections": Column("sections"),
}

PLATFORM_COLUMNS: Mapping[str, Mapping[str, Column]] = MappingProxyType(
    {
        "alerts": _ALERTS,
        "capacity_kinds": _CAPACITY_KINDS,
        "capacity_offers": _CAPACITY_OFFERS,
        "gotchas": _GOTCHAS,
        "metrics": _METRICS,
        "node_images": _NODE_IMAGES,
        "platforms": _PLATFORMS,
        "provisioners": _PROVISIONERS,
        "rdma_exposures": _RDMA_EXPOSURES,
        "sharing_modes": _SHARING_MODES,
        "xids": _XIDS,
    }
)
"""Table name to its columns."""
