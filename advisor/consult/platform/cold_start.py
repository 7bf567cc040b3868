"""How long a first request waits when no replica is there: the sum of its parts.

The figures of the parts are ranges in ``knowledge/kubernetes/cold-start.yaml``; the weights are
those of the chosen model and format, read at the stated rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.consult.platform.chosen import chosen_fact
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.store.cold_start import ColdStartPart
from advisor.store.node_image import NodeImage

__all__ = ["ColdStart", "Part", "cold_start"]

_RATE = "hardware.weights_read_gb_per_s"
_DRIVERS = {
    "container_build": "driver-build",
    "container_precompiled": "driver-precompiled",
    "provider": "driver-provider",
}
"""Way of the driver onto a node to the part that it costs; in the image it costs nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the wait, in seconds."""

    part: str
    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True)
class ColdStart:
    """The wait with its parts, in the order in which they come."""

    parts: tuple[Part, ...]
    whole: bool
    """Whether it ends at the first token; else when the node offers its GPUs."""
    queued: bool = False
    """Whether a wait without a bound comes before it, in the cloud's queue for capacity."""

    @property
    def low_minutes(self) -> float:
        """Fast end, in minutes."""
        return round(sum(part.low_s for part in self.parts) / 60, 1)

    @property
    def high_minutes(self) -> float:
        """Slow end, in minutes."""
        return round(sum(part.high_s for part in self.parts) / 60, 1)

    def as_parameter(self) -> dict[str, Any]:
        """Return it as the decision prints it."""
        return {
            "low_minutes": self.low_minutes,
            "high_minutes": self.high_minutes,
            **({"after": "wait for capacity, without a bound"} if self.queued else {}),
            "until": "first token" if self.whole else "node offers GPUs",
            "parts": [
                {"part": p.part, "low_s": round(p.low_s), "high_s": round(p.high_s)}
                for p in self.parts
            ],
        }


def cold_start(
    settled: Settled,
    place: Place,
    image: NodeImage | None,
    *,
    new_node: bool,
    install: str | None = None,
) -> ColdStart | None:
    """Return the wait for a first request; ``None`` where no part of it is known.

    Args:
        settled: The first half of the consultation.
        place: Where it is.
        image: What a new node boots.
        new_node: Whether a node has to come first.
        install: How the driver gets onto it, where that is settled; else the image's usual way.
    """
    if install is None and image is not None and image.driver_install:
        install = image.driver_install[0]
    parts = (*(_of_node(settled, place, image, install) if new_node else ()), *_of_model(settled))
    if not parts:
        return None
    kinds = settled.answers.get("platform.capacity")
    queued = new_node and isinstance(kinds, tuple) and "flex_start" in kinds
    return ColdStart(tuple(parts), whole=_weights_gb(settled) is not None, queued=queued)


def _of_node(
    settled: Settled, place: Place, image: NodeImage | None, install: str | None
) -> Iterator[Part]:
    catalogue = settled.desk.knowledge.cold_start_parts
    machine = settled.answers.get("platform.machine") or place.platform.machine
    yield _fixed(catalogue["node-metal" if machine == "bare_metal" else "node-vm"])
    if image is not None and not image.driver_in_image and install in _DRIVERS:
        yield _fixed(catalogue[_DRIVERS[install]])
    if image is None or not image.device_plugin_in_image:
        yield _fixed(catalogue["plugin-ready"])


def _of_model(settled: Settled) -> Iterator[Part]:
    catalogue = settled.desk.knowledge.cold_start_parts
    size = _weights_gb(settled)
    if size is None:
        return
    yield _fixed(catalogue["image-pull"])
    yield _reading(catalogue["weights-read"], size, settled.answers.get(_RATE))
    yield _fixed(catalogue["engine-start"])


def _weights_gb(settled: Settled) -> float | None:
    """Return what an engine reads before its first token; training starts otherwise."""
    if any(load.trains for load in settled.loads):
        return None
    value = chosen_fact(settled).fields.get("weights_gb")
    return float(value) if isinstance(value, int | float) else None


def _fixed(record: ColdStartPart) -> Part:
    return Part(record.id, record.low_s or 0, record.high_s or 0)


def _reading(record: ColdStartPart, size_gb: float, stated: object) -> Part:
    """Return the time to read the weights: size over rate."""
    if isinstance(stated, int | float) and stated > 0:
        return Part(record.id, size_gb / stated, size_gb / stated)
    return Part(
        record.id, size_gb / (record.high_gb_per_s or 1), size_gb / (record.low_gb_per_s or 1)
    )
