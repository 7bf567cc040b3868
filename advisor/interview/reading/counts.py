"""How many GPUs stand in how many machines, and whether they are there already."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from advisor.errors import UnknownNameError
from advisor.interview.reading.model import Understood
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest

__all__ = ["add_possession", "split_counts"]

_GPUS, _NODES = "hardware.gpus_per_node", "hardware.nodes"
_EACH = frozenset({"each", "every", "per"})
_NEAR = 5
"""Words between a number and who gets it."""
_USUAL_SHAPES = (8, 4, 2)
"""GPUs in machines as they are sold, where no GPU is named."""


def split_counts(scan: Scan, hits: list[Hit]) -> list[Hit]:
    """Offer both meanings of a number of GPUs beside one of machines, where it is not said.

    "2 nodes with 8 H100" are eight in each; "16 H100 in 2 nodes" may be eight or sixteen.
    """
    hits = [hit for hit in hits if not _gives(hit, _GPUS) or not _is_share(scan, hit)]
    nodes = next((hit for hit in hits if _gives(hit, _NODES)), None)
    gpus = next((hit for hit in hits if _gives(hit, _GPUS)), None)
    if gpus is None:
        return hits
    total = _number(gpus, _GPUS)
    count = _number(nodes, _NODES) if nodes is not None else 1
    asked = scan.focus is not None and scan.focus.key == _GPUS
    if nodes is None or count < 2:
        if asked:
            return hits
        parts = _usual_parts(scan, hits, total) if not _says_each(scan) else []
    else:
        parts = [] if total % count or _is_each(scan, nodes, gpus) else [total // count]
    if not parts:
        return hits
    offer = replace(gpus, gives=(), either=_in_parts(scan, gpus, total, parts))
    return [offer if hit is gpus else hit for hit in hits]


def _is_share(scan: Scan, hit: Hit) -> bool:
    """Tell whether a number of GPUs is what somebody gets: "each user gets one GPU".

    Its words are left over then.
    """
    sharers = scan.lexicon.lists["sharers"]
    first = hit.start
    while first > 0 and hit.start - first < _NEAR and not scan.words[first].breaks:
        first -= 1
    last = hit.end
    while last < len(scan.words) and last - hit.end < _NEAR and not scan.words[last].breaks:
        last += 1
    for at in range(first, last - 1):
        if scan.words[at].text in _EACH and scan.words[at + 1].text in sharers:
            scan.claimed[hit.start : hit.end] = [False] * (hit.end - hit.start)
            return True
    return False


def _in_parts(scan: Scan, gpus: Hit, total: int, parts: list[int]) -> tuple[Understood, ...]:
    """Return the readings of a number of GPUs: spread over machines, or all in each."""
    notes = {part: f"{total} in all, in {total // part} machines" for part in parts}
    notes[total] = f"{total} in each machine"
    read = (
        scan.answer(_GPUS, number, gpus.start, gpus.end, note=note)
        for number, note in notes.items()
    )
    return tuple(one for one in read if one is not None)


def _usual_parts(scan: Scan, hits: list[Hit], total: int) -> list[int]:
    """Return the sizes of machines that hold so many GPUs, where one machine does not."""
    named = next((hit for hit in hits if _gives(hit, "hardware.gpu")), None)
    shapes: tuple[int, ...] = _USUAL_SHAPES
    if named is not None:
        value = next(one.value for one in named.gives if one.key == "hardware.gpu")
        name = str(value[0]) if isinstance(value, tuple) else ""
        with suppress(UnknownNameError):
            shapes = scan.knowledge.find_gpu(name).gpus_per_node
    if total <= max(8, *shapes):
        return []
    fits = [shape for shape in sorted(shapes, reverse=True) if shape > 1 and total % shape == 0]
    return fits[:3]


def _gives(hit: Hit, key: str) -> bool:
    return any(one.key == key for one in hit.gives)


def _number(hit: Hit, key: str) -> int:
    value = next(one.value for one in hit.gives if one.key == key)
    return value if isinstance(value, int) else 1


def _is_each(scan: Scan, nodes: Hit, gpus: Hit) -> bool:
    """Tell whether the number of GPUs is said to be that of one machine."""
    if _says_each(scan):
        return True
    between = scan.words[nodes.end : gpus.start]
    links = scan.lexicon.lists["links"]
    if nodes.end > gpus.start or any(word.breaks for word in (*between, scan.words[gpus.start])):
        return False
    return all(word.text in links for word in between)


def _says_each(scan: Scan) -> bool:
    each = scan.lexicon.lists["each"]
    return any(longest(scan.words, at, each, spaced=True) for at in range(len(scan.words)))


def add_possession(scan: Scan) -> None:
    """Note that hardware is there already: "we have two nodes with 8 H100 each"."""
    table = scan.lexicon.lists["possession"]
    hardware = [hit for hit in scan.hits if _is_hardware(hit)]
    for at in range(len(scan.words)):
        found = longest(scan.words, at, table, scan.free, spaced=True)
        if found is None or not any(_follows(scan, found[0], hit.start) for hit in hardware):
            continue
        read: Understood | None = scan.answer("hardware.acquisition", "owned", at, found[0])
        if read is not None:
            scan.add(Hit(at, found[0], implies=(read,)))
        return


def _is_hardware(hit: Hit) -> bool:
    keys = {one.key for one in (*hit.gives, *hit.either)}
    return bool(keys & {"hardware.gpu", _GPUS, _NODES})


def _follows(scan: Scan, end: int, start: int) -> bool:
    """Tell whether only small words stand between."""
    between = scan.words[end:start]
    return end <= start and all(
        word.text in {"a", "the", "some", "only", "just", "about", "one", "nvidia", "amd"}
        and not word.breaks
        for word in between
    )
