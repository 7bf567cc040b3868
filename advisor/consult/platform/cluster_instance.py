"""Which instance type the nodes are: as said, as priced, or the cloud's for the chosen GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled

__all__ = ["instance_for"]

_LISTED = re.compile(r"^([\w.\-]+(?:(?:/|, )[\w.\-]+)*) \((\d+(?:/\d+)*)\)")
"""``p5.48xlarge (8)``, ``a2-highgpu-1g/2g/4g/8g (1/2/4/8)``, ``g6e.12xlarge/24xlarge (4)``: names
with their number of GPUs. Prose is left alone."""
_SPAN = re.compile(r"\d*xlarge-\d+xlarge$")
"""``g6.xlarge-16xlarge``: the smallest size stands first."""


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
        named = isinstance(priced, str) and " " not in priced  # else an offer without nodes
        return str(priced) if named and place.assumptions else None
    here = seller == cloud and isinstance(priced, str)
    return _of_cloud(settled, cloud, str(priced) if here else None)


def _of_cloud(settled: Settled, cloud: str, priced: str | None) -> str | None:
    """Return the type with the stated number of GPUs, else the priced one, else the least."""
    sizes = sorted(_listed(settled, cloud), key=lambda size: size[0])
    stated = settled.answers.get("hardware.gpus_per_node")
    if isinstance(stated, int):
        fitting = [name for gpus, name in sizes if gpus == stated]
        fits = priced in fitting or settled.parameter("gpu", "instance_gpus") == stated
        return priced if fits and priced is not None else next(iter(fitting), None)
    wanted = settled.parameter("gpu", "count_per_replica")
    if priced is not None or not isinstance(wanted, int):
        return priced
    enough = [name for gpus, name in sizes if gpus >= wanted]
    return next(iter(enough), sizes[-1][1] if sizes else None)


def _listed(settled: Settled, cloud: str) -> Iterator[tuple[int, str]]:
    """Yield the number of GPUs and the name of every instance that the cloud sells."""
    card = settled.card
    for entry in () if card is None else card.gpu.cloud.get(cloud, ()):
        found = _LISTED.match(entry)
        if found is None:
            continue
        names, counts = list(_names(found[1])), [int(count) for count in found[2].split("/")]
        if len(counts) == 1:
            counts *= len(names)
        if len(counts) == len(names):
            yield from zip(counts, names, strict=True)


def _names(text: str) -> Iterator[str]:
    """Yield full names: parts after the first share its beginning."""
    first, *more = re.split(r"/|, ", text)
    if _SPAN.search(first):
        first = first.rsplit("-", 1)[0]
    yield first
    stem = first[: max(first.rfind("-"), first.rfind(".")) + 1]
    yield from (stem + part for part in more)
