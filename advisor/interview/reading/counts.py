"""How many GPUs stand in how many machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from advisor.errors import UnknownNameError
from advisor.interview.reading.model import Understood, spread
from advisor.interview.reading.numbers import Amount, amount_at
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest

__all__ = ["split_counts"]

_GPUS, _NODES = "hardware.gpus_per_node", "hardware.nodes"
_HAD, _QUOTA = "hardware.acquisition", "platform.gpu_quota"
_EACH = frozenset({"each", "every", "per"})
_NEAR = 5
"""Words between a number and who gets it."""
_LONGEST_LIMIT = 3
"""Words of "no more than"."""
_USUAL_SHAPES = (8, 4, 2)
"""GPUs in machines as they are sold, where no GPU is named."""


def split_counts(scan: Scan, hits: list[Hit]) -> list[Hit]:
    """Offer the meanings of a number of GPUs, where the text does not say which it is.

    "2 nodes with 8 H100" are eight in each; "16 H100 in 2 nodes" may be eight or sixteen; and
    "on two L40S" may be what is there, all that may be had, or the shape of one machine of many.
    """
    hits = [hit for hit in hits if not _gives(hit, _GPUS) or not _is_share(scan, hit)]
    nodes = next((hit for hit in hits if _gives(hit, _NODES)), None)
    counted = [hit for hit in hits if _gives(hit, _GPUS)]
    if not counted:
        return hits
    shape = None if nodes is None else _shape(scan, nodes)
    if nodes is not None and shape is not None:
        return _shaped(scan, hits, nodes, shape)
    gpus = _with_name(scan, hits, counted[0])
    total = _number(gpus, _GPUS)
    taken = [hit for hit in (counted[0], nodes) if hit is not None]
    part = _stated_part(scan, taken, total)
    if part is not None:
        read = _of_part(scan, gpus, total, part, with_machines=nodes is None)
    elif nodes is not None and _number(nodes, _NODES) > 1:
        count = _number(nodes, _NODES)
        parts = [] if total % count or _is_each(scan, nodes, gpus) else [total // count]
        read = _in_parts(scan, gpus, total, parts, there=False) if parts else ()
    elif len(counted) > 1 or _says_each(scan, gpus) or _is_focus(scan):
        return hits
    else:
        read = _alone(scan, hits, gpus, total)
    if not read:
        return hits
    one = len(read) == 1
    gives = tuple(spread(read)) if one else ()
    offer = replace(gpus, gives=gives, either=() if one else read)
    return [offer if hit is counted[0] else hit for hit in hits]


def _shape(scan: Scan, nodes: Hit) -> Amount | None:
    """Return the number of GPUs in each of several machines: the 8 of "two nodes of 8"."""
    at, links = nodes.end, scan.lexicon.lists["links"]
    while at < len(scan.words) and not scan.words[at].breaks and scan.words[at].text in links:
        at += 1
    if _number(nodes, _NODES) < 2 or at in {nodes.end, len(scan.words)} or scan.words[at].breaks:
        return None
    amount = amount_at(scan.words, at, scan.lexicon.units, lambda _: True)
    if amount is None or amount.unit or amount.is_scaled or amount.low:
        return None
    own = [hit for hit in scan.hits if hit.start <= at < hit.end]
    counts = any(_gives(hit, _GPUS) for hit in own) if own else _stops(scan, amount.end)
    return amount if counts and amount.numbers[0].isdigit() else None


def _stops(scan: Scan, end: int) -> bool:
    """Tell whether a number counts no other thing behind it: "2 nodes with 64 cores"."""
    if end >= len(scan.words) or scan.words[end].breaks:
        return True
    return longest(scan.words, end, scan.lexicon.lists["each"], spaced=True) is not None


def _shaped(scan: Scan, hits: list[Hit], nodes: Hit, shape: Amount) -> list[Hit]:
    """Return the hits with so many GPUs in each machine; another number must be that of all."""
    part = int(shape.numbers[0])
    total = part * _number(nodes, _NODES)
    counted = [hit for hit in hits if _gives(hit, _GPUS)]
    told = dict.fromkeys(_number(hit, _GPUS) for hit in counted)
    each = [part, *(number for number in told if number not in {part, total})]
    note = f"{total} in all" if total in told else ""
    read = [scan.answer(_GPUS, n, shape.start, shape.end, note=note) for n in each]
    offers = tuple(
        replace(one, offer=f"{one.value} in each machine") for one in read if one is not None
    )
    if not offers:
        return hits
    scan.claim(shape.start, shape.end)
    one = len(offers) == 1
    made = Hit(
        min(shape.start, *(hit.start for hit in counted)) if not one else shape.start,
        shape.end,
        gives=offers if one else (),
        either=() if one else offers,
        implies=tuple(given for hit in counted for given in hit.implies),
        counts=True,
    )
    return [*(hit for hit in hits if hit not in counted), made]


def _stated_part(scan: Scan, taken: list[Hit], total: int) -> int | None:
    """Return the number in each machine where a text says both: "16 H100 in 2 nodes, 8 in each"."""
    each = scan.lexicon.lists["each"]
    for at in range(len(scan.words)):
        if any(hit.start <= at < hit.end for hit in taken):
            continue
        amount = amount_at(scan.words, at, scan.lexicon.units, lambda _: True)
        if amount is None or amount.unit or amount.is_scaled or amount.low:
            continue
        digits, end = amount.numbers[0], amount.end
        if not digits.isdigit() or end >= len(scan.words) or scan.words[end].breaks:
            continue
        found = longest(scan.words, end, each, spaced=True)
        if found is not None and 0 < int(digits) < total and total % int(digits) == 0:
            scan.claim(at, found[0])
            return int(digits)
    return None


def _of_part(
    scan: Scan, gpus: Hit, total: int, part: int, *, with_machines: bool
) -> tuple[Understood, ...]:
    note = f"{total} in all, in {total // part} machines"
    read = scan.answer(_GPUS, part, gpus.start, gpus.end, note=note)
    machines = scan.answer(_NODES, total // part, gpus.start, gpus.end)
    if read is None:
        return ()
    return (replace(read, beside=(machines,) if with_machines and machines is not None else ()),)


def _is_focus(scan: Scan) -> bool:
    """Tell whether the number of GPUs in one machine is what was asked for."""
    return scan.focus is not None and scan.focus.key == _GPUS


def _with_name(scan: Scan, hits: list[Hit], gpus: Hit) -> Hit:
    """Return a number of GPUs with the name that stands at it, for what is quoted."""
    for hit in hits:
        before = hit.end == gpus.start and not scan.words[gpus.start].breaks
        behind = hit.start == gpus.end and not scan.words[hit.start].breaks
        if _names_card(hit) and (before or behind):
            return replace(gpus, start=min(hit.start, gpus.start), end=max(hit.end, gpus.end))
    return gpus


def _names_card(hit: Hit) -> bool:
    return any(one.key == "hardware.gpu" for one in (*hit.gives, *hit.either))


def _alone(scan: Scan, hits: list[Hit], gpus: Hit, total: int) -> tuple[Understood, ...]:
    """Return what a number of GPUs may mean that no machines are said of."""
    parts = _usual_parts(scan, hits, total)
    stated = _acquisition(scan, hits)
    if stated == "owned":
        return _in_parts(scan, gpus, total, parts, there=False) if parts else ()
    if _is_most(scan, gpus):
        return _at_most(scan, gpus, total)
    there = _in_parts(scan, gpus, total, parts, there=True) if stated is None else ()
    shape = None if parts else scan.answer(_GPUS, total, gpus.start, gpus.end)
    words = f"to be had yet: machines of {total}, as many as it takes"
    of_each = () if shape is None else (replace(shape, offer=words),)
    return (*there, *_at_most(scan, gpus, total), *of_each)


def _acquisition(scan: Scan, hits: list[Hit]) -> object:
    """Return whether the GPUs are there, to be rented or bought; ``None`` where nobody says."""
    said = [one.value for hit in hits for one in (*hit.gives, *hit.implies) if one.key == _HAD]
    known = scan.known.values.get(_HAD) if scan.known is not None else None
    return said[0] if said else known


def _is_most(scan: Scan, gpus: Hit) -> bool:
    """Tell whether the number is worded as a limit: "at most 2 GPUs"."""
    limits = dict(scan.lexicon.lists["at_most"])
    for entry in scan.lexicon.book.amounts:
        limits |= {say: True for say in entry.before if entry.key == _QUOTA}
    for start in range(max(0, gpus.start - _LONGEST_LIMIT), gpus.start + 1):
        found = longest(scan.words, start, limits, spaced=True)
        if found is not None and found[0] >= gpus.start:
            scan.claim(start, found[0])
            return True
    return False


def _at_most(scan: Scan, gpus: Hit, total: int) -> tuple[Understood, ...]:
    read = scan.answer(_QUOTA, total, gpus.start, gpus.end, note="of all machines together")
    return () if read is None else (replace(read, offer=f"to be had yet: at most {total} in all"),)


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


def _in_parts(
    scan: Scan, gpus: Hit, total: int, parts: list[int], *, there: bool
) -> tuple[Understood, ...]:
    """Return the readings of a number of GPUs: spread over machines, or all in each.

    Args:
        scan: The text.
        gpus: The number of GPUs.
        total: That number.
        parts: Sizes of machines that hold so many between them.
        there: Say of each reading that the GPUs are there.
    """
    read: list[Understood] = []
    for part in dict.fromkeys((*parts, total)):
        machines = total // part
        spread = f"{part} in each of {machines} machines"
        whole = f"{total} in one machine" if there else f"{total} in each machine"
        words = spread if machines > 1 else whole
        note = f"{total} in all, in {machines} machines" if machines > 1 else whole
        one = scan.answer(_GPUS, part, gpus.start, gpus.end, note=note)
        beside = tuple(_beside(scan, gpus, machines, there=there))
        if one is not None:
            offer = f"they are there: {words}" if there else words
            read.append(replace(one, offer=offer, beside=beside))
    return tuple(read)


def _beside(scan: Scan, gpus: Hit, machines: int, *, there: bool) -> Iterator[Understood]:
    """Yield what a reading says of the machines, where nothing else does."""
    if not there:
        return
    for key, value in ((_HAD, "owned"), (_NODES, machines)):
        read = scan.answer(key, value, gpus.start, gpus.end)
        if read is not None and not (key == _NODES and machines == 1):
            yield read


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
    if _says_each(scan, gpus):
        return True
    between = scan.words[nodes.end : gpus.start]
    links = scan.lexicon.lists["links"]
    if nodes.end > gpus.start or any(word.breaks for word in (*between, scan.words[gpus.start])):
        return False
    return all(word.text in links for word in between)


def _says_each(scan: Scan, gpus: Hit) -> bool:
    """Tell whether "each" or the like stands in the clause of a number of GPUs."""
    each = scan.lexicon.lists["each"]
    first, last = gpus.start, gpus.end
    while first > 0 and not scan.words[first].breaks:
        first -= 1
    while last < len(scan.words) and not scan.words[last].breaks:
        last += 1
    return any(longest(scan.words, at, each, spaced=True) for at in range(first, last))
