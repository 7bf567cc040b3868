"""Lines of the tables about nodes, sharing, monitoring, capacity, and what goes wrong there.

Records point at each other by id; a table shows names. Lists of sentences become one
paragraph, so that a cell reads on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from advisor.store.tables_row import Row

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge
    from advisor.store.node_image import NodeImage
    from advisor.store.sharing_mode import SharingMode

__all__ = ["PLATFORM_ROWS"]

_SEVERITIES = ("critical", "warning", "info")
_WALLS = ("memory", "faults", "compute", "bandwidth")
_WORDS = {
    "container_build": "container, built on the node",
    "container_precompiled": "container, built before",
    "full": "complete",
    "no_driver": "without driver",
    "no_driver_no_toolkit": "without driver and toolkit",
    "own_claims_only": "its own only",
    "bare_metal_or_whole_gpu_vm": "bare metal, or a VM with the whole GPU",
    "vm": "VM",
}
"""Names that read badly with a space for each underscore."""


def _said(name: str | None) -> str | None:
    return None if name is None else _WORDS.get(name, name.replace("_", " "))


def _names(ids: Iterable[str], records: Mapping[str, Any]) -> str:
    """Return names in a row; with semicolons, as some hold a comma."""
    return "; ".join(records[key].name if key in records else key for key in ids)


def _in_short(sentences: Iterable[str]) -> str:
    """Return sentences as one paragraph; each keeps or gets its full stop."""
    return " ".join(text if text.endswith((".", "?")) else f"{text}." for text in sentences)


def _named(record: Any) -> str:  # noqa: ANN401 - any record with a name and dates
    """Return the name; a record that is not true any more says until when it was."""
    return f"{record.name} (until {record.until})" if record.until else str(record.name)


def _node_images(knowledge: Knowledge) -> Iterator[Row]:
    for image in knowledge.node_images.values():
        owners = (image.driver_owner, image.toolkit_owner, image.device_plugin_owner)
        successor = knowledge.node_images.get(image.successor or "")
        values = {
            "name": _named(image),
            "carries": _carries(image),
            "owners": ", ".join(owner or "depends" for owner in owners),
            "driver_install": tuple(_said(way) for way in image.driver_install),
            "gpu_operator": _said(image.gpu_operator),
            "operator_support": _said(image.operator_support),
            "operator_values": tuple(f"{k}={v}" for k, v in image.operator_values.items()),
            "autoscalers": tuple(_said(name) for name in image.autoscalers),
            "successor": successor.name if successor else image.successor,
            "notes": _in_short(image.notes),
        }
        words = {
            "name": (image.id,),
            "driver_install": tuple(image.driver_install),
            "gpu_operator": (image.gpu_operator,) if image.gpu_operator else (),
            "operator_support": (image.operator_support,),
            "autoscalers": image.autoscalers,
        }
        yield Row(values, image, words)


def _carries(image: NodeImage) -> str:
    """Return which of driver, toolkit and device plugin are there at the first boot."""
    parts = {
        "driver": image.driver_in_image,
        "toolkit": image.toolkit_in_image,
        "device plugin": image.device_plugin_in_image,
    }
    there = [f"{name} (depends)" if has is None else name for name, has in parts.items()
             if has is not False]  # fmt: skip
    return ", ".join(there) or "none of them"


def _sharing_modes(knowledge: Knowledge) -> Iterator[Row]:
    for mode in knowledge.sharing_modes.values():
        values = {
            "name": _named(mode),
            **{wall: _said(getattr(mode.isolation, wall)) for wall in _WALLS},
            "trust": _said(mode.trust),
            "needs": _in_short(mode.needs),
            "limits": _in_short(mode.limits),
            "resources": _resources(mode),
            "components": _names(mode.components, knowledge.components),
            "not_with": _names(mode.not_with, knowledge.sharing_modes),
            "machine": _said(mode.machine),
        }
        words = {
            "name": (mode.id,),
            "trust": (mode.trust,),
            "components": mode.components,
            "not_with": mode.not_with,
            "machine": (mode.machine,),
            **{wall: (getattr(mode.isolation, wall),) for wall in _WALLS},
        }
        yield Row(values, mode, words, dict.fromkeys(_WALLS, "isolation"))


def _resources(mode: SharingMode) -> str:
    return "; ".join(f"{name.name} ({name.when})" for name in mode.resources)


def _metrics(knowledge: Knowledge) -> Iterator[Row]:
    for metric in knowledge.metrics.values():
        exporter = knowledge.components.get(metric.exporter)
        values = {
            "exporter": exporter.name if exporter else metric.exporter,
            "notes": _in_short(metric.notes),
        }
        yield Row(values, metric, {"exporter": (metric.exporter,)})


def _alerts(knowledge: Knowledge) -> Iterator[Row]:
    metrics = knowledge.metrics
    for alert in knowledge.alerts.values():
        series = [n for key in alert.metrics if key in metrics for n in metrics[key].series]
        yield Row({"series": tuple(series)}, alert, {"series": alert.metrics})


def _xids(knowledge: Knowledge) -> Iterator[Row]:
    for xid in knowledge.xids.values():
        values = {
            "action": _said(xid.action),
            "origin": _said(xid.origin),
            "notes": _in_short(xid.notes),
        }
        yield Row(values, xid, {"action": (xid.action,), "origin": (xid.origin,)})


def _provisioners(knowledge: Knowledge) -> Iterator[Row]:
    for way in knowledge.provisioners.values():
        values = {
            "name": _named(way),
            "components": _names(way.components, knowledge.components),
            "dra": _said(way.dra),
            "limits": _in_short(way.limits),
        }
        words = {"name": (way.id,), "components": way.components, "dra": (way.dra,)}
        yield Row(values, way, words)


def _capacity_kinds(knowledge: Knowledge) -> Iterator[Row]:
    for kind in knowledge.capacity_kinds.values():
        values = {
            "name": _named(kind),
            "sold_as": "; ".join(f"{offer.cloud}: {offer.name}" for offer in kind.sold_as),
            "notes": _in_short(kind.notes),
        }
        yield Row(values, kind, {"name": (kind.id,)})


def _capacity_offers(knowledge: Knowledge) -> Iterator[Row]:
    """Yield what each cloud calls a kind of capacity, and its terms."""
    for kind in knowledge.capacity_kinds.values():
        for offer in kind.sold_as:
            values = {name: getattr(offer, name) for name in type(offer).model_fields}
            values |= {"id": kind.id, "kind": kind.name}
            yield Row(values, kind, {"kind": (kind.id,)}, {"terms": "sold_as"})


def _platforms(knowledge: Knowledge) -> Iterator[Row]:
    for place in knowledge.platforms.values():
        values = {
            "name": _named(place),
            "orchestrator": _said(place.orchestrator),
            "node_images": _names(place.node_images, knowledge.node_images),
            "provisioners": _names(place.provisioners, knowledge.provisioners),
            "capacity_kinds": _names(place.capacity_kinds, knowledge.capacity_kinds),
            "rdma_exposures": _names(place.rdma_exposures, knowledge.rdma_exposures),
            "avoid": _in_short(place.avoid),
            "notes": _in_short(place.notes),
        }
        words = {
            "name": (place.id,),
            "orchestrator": (place.orchestrator,),
            "node_images": place.node_images,
            "provisioners": place.provisioners,
            "capacity_kinds": place.capacity_kinds,
            "rdma_exposures": place.rdma_exposures,
        }
        yield Row(values, place, words)


def _rdma_exposures(knowledge: Knowledge) -> Iterator[Row]:
    for way in knowledge.rdma_exposures.values():
        values = {"name": _named(way), "needs": _in_short(way.needs)}
        yield Row(values, way, {"name": (way.id,)})


def _gotchas(knowledge: Knowledge) -> Iterator[Row]:
    """Yield gotchas, the worst first; their topic is the name of the file that they stand in."""
    entries = knowledge.catalogue("gotchas").entries["gotchas"]
    for entry in sorted(entries, key=lambda entry: _SEVERITIES.index(entry.record.severity)):
        topic = PurePosixPath(entry.file).stem
        yield Row({"topic": topic, "applies": entry.record.applies.words}, entry.record, {})


PLATFORM_ROWS: Mapping[str, Callable[[Knowledge], Iterator[Row]]] = MappingProxyType(
    {
        "alerts": _alerts,
        "capacity_kinds": _capacity_kinds,
        "capacity_offers": _capacity_offers,
        "gotchas": _gotchas,
        "metrics": _metrics,
        "node_images": _node_images,
        "platforms": _platforms,
        "provisioners": _provisioners,
        "rdma_exposures": _rdma_exposures,
        "sharing_modes": _sharing_modes,
        "xids": _xids,
    }
)
"""Table name to its lines, in the order of the catalogue; gotchas the worst first."""
