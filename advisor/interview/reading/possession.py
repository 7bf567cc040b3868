"""Whether GPUs and machines are there already: "our own H100s", "a 24GB card I have at home"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.interview.reading.model import Understood
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest

__all__ = ["add_possession"]

_GPUS, _NODES = "hardware.gpus_per_node", "hardware.nodes"
_HAD = "hardware.acquisition"
_COUNTED = (_GPUS, _NODES)
_ONE = frozenset({"a", "an", "one", "single"})
_WISHES = frozenset({"need", "needs", "want", "wants", "buy", "get", "order", "like"})
"""Before "our own": it is not there yet."""
_GOES_ON = frozenset({"for", "and", "here", "already", "now", "today", "so", "but"})
"""Behind "that we have": the clause has said all about it."""


def add_possession(scan: Scan) -> None:
    """Note that hardware is there already: "we have two nodes with 8 H100 each".

    It goes without saying with the hardware, so that both are denied and doubted together.
    """
    table = scan.lexicon.lists["possession"]
    hardware = [hit for hit in scan.hits if _is_hardware(hit)]
    for at in range(len(scan.words)):
        found = longest(scan.words, at, table, scan.free, spaced=True)
        if found is None:
            continue
        hit = next((hit for hit in hardware if _follows(scan, found[0], hit.start)), None)
        if hit is None:
            continue
        if at > 0 and scan.words[at - 1].text in _WISHES and not scan.words[at].breaks:
            return  # "we need our own H100s"
        _own(scan, hit, at, found[0])
        return
    _add_possession_behind(scan, hardware)


def _own(scan: Scan, hit: Hit, start: int, end: int, beside: Iterable[Understood] = ()) -> None:
    owned = scan.answer(_HAD, "owned", start, end)
    if owned is not None:
        scan.hits[scan.hits.index(hit)] = replace(hit, implies=(*hit.implies, owned, *beside))
        scan.claim(start, end)


def _add_possession_behind(scan: Scan, hardware: list[Hit]) -> None:
    """Note that hardware is there already, where that stands behind it: "a 24GB card I have"."""
    table = scan.lexicon.lists["possession_behind"]
    for hit in hardware:
        at = hit.end
        if at >= len(scan.words) or scan.words[at].breaks:
            continue
        found = longest(scan.words, at, table, scan.free, spaced=True)
        if found is None or not _goes_on(scan, found[0]):
            continue
        _own(scan, hit, at, found[0], _single(scan, hit))
        return


def _goes_on(scan: Scan, end: int) -> bool:
    """Tell whether a clause ends before a word; "H100 we have to rent" goes on otherwise."""
    return end >= len(scan.words) or scan.words[end].breaks or scan.words[end].text in _GOES_ON


def _single(scan: Scan, hit: Hit) -> Iterator[Understood]:
    """Yield that it is one card, where a text says "a card"."""
    if hit.start == 0 or scan.words[hit.start].breaks:
        return
    if scan.words[hit.start - 1].text in _ONE and not _counts(hit):
        read = scan.answer(_GPUS, 1, hit.start - 1, hit.end)
        if read is not None:
            scan.claim(hit.start - 1, hit.start)
            yield read


def _is_hardware(hit: Hit) -> bool:
    keys = {one.key for one in (*hit.gives, *hit.either)}
    return bool(keys & {"hardware.gpu", "hardware.gpu_memory_gib", *_COUNTED})


def _follows(scan: Scan, end: int, start: int) -> bool:
    """Tell whether only small words stand between."""
    between = scan.words[end:start]
    if start < end or scan.words[end].gap.strip() in {",", ";", "."}:
        return False
    return all(
        word.text in {"a", "the", "some", "only", "just", "about", "one", "nvidia", "amd"}
        and not word.breaks
        for word in between
    )


def _counts(hit: Hit) -> bool:
    return any(one.key in _COUNTED for one in hit.gives)
