"""Which instance type the nodes are: as said, as priced, or the cloud's for the chosen GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled

__all__ = ["instance_for"]

_PLAIN = re.compile(r"^([\w.\-]+) \((\d+)\)")
"""``p5.48xlarge (8)``: one name with its number of GPUs; families and prose are left alone."""


def instance_for(settled: Settled, place: Place) -> str | None:
    """Return the instance type of the nodes; ``None`` in own rooms and where none can be told.

    The GPU decision may have priced an offer of another cloud: its name would mean nothing here.
    """
    types = settled.answers.get("platform.instance_type")
    capacity = settled.answers.get("platform.capacity")
    if isinstance(capacity, tuple) and "spot" in capacity:
        return None  # several types, whichever spot has
    if isinstance(types, tuple) and types:
        return str(types[0])
    priced, seller = (settled.parameter("gpu", name) for name in ("instance_type", "provider"))
    clouds = place.platform.clouds
    cloud = place.cloud or (clouds[0] if len(clouds) == 1 else None)
    if cloud is None:
        return priced if isinstance(priced, str) and place.assumptions else None
    if seller == cloud and isinstance(priced, str):
        return priced
    return next(_listed(settled, cloud), None)


def _listed(settled: Settled, cloud: str) -> Iterator[str]:
    """Yield instances of a cloud that hold one replica, the smallest first."""
    wanted = settled.parameter("gpu", "count_per_replica")
    card = settled.card
    if card is None or not isinstance(wanted, int):
        return
    matches = [_PLAIN.match(name) for name in card.gpu.cloud.get(cloud, ())]
    sizes = sorted((int(found[2]), found[1]) for found in matches if found)
    yield from (name for gpus, name in sizes if gpus >= wanted)
    yield from (name for _, name in sizes[-1:])
