"""Cards of one name told apart: "4 A100, not the 80 GB ones", "H100s, the PCIe version"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.interview.reading.numbers import amount_at
from advisor.interview.reading.scan import Hit, Scan
from advisor.store.aliases import squash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.store.gpu import Gpu

__all__ = ["find_variants"]

_KEY = "hardware.gpu"
_FORMS = frozenset({"pcie", "sxm", "nvl"})
_ARTICLES = frozenset({"the", "a", "any", "with", "of"})


def find_variants(scan: Scan) -> None:
    """Narrow a name that several cards share by the memory or form that is said of them."""
    at = 0
    while at < len(scan.words):
        found = _kind_at(scan, at) if scan.free(at) else None
        if found is None:
            at += 1
            continue
        end, kind = found
        start, denied = _denied(scan, at)
        _narrow(scan, start, end, kind, denied=denied)
        at = end


def _kind_at(scan: Scan, at: int) -> tuple[int, str | float] | None:
    """Return the memory in GB, or the form, that stands before "ones", and where that ends."""
    amount = amount_at(scan.words, at, scan.lexicon.units, scan.free)
    kind: str | float
    if amount is not None and amount.unit in {"GB", "GiB"} and not amount.low:
        end, kind = amount.end, float(amount.numbers[0])
    elif scan.words[at].text in _FORMS:
        end, kind = at + 1, scan.words[at].text
    else:
        return None
    following = scan.words[end].text if end < len(scan.words) and not scan.words[end].breaks else ""
    return (end + 1, kind) if following in scan.lexicon.lists["variants"] else None


def _denied(scan: Scan, at: int) -> tuple[int, bool]:
    """Return where the words begin, and whether the kind is ruled out."""
    start = at
    while start > 0 and scan.words[start - 1].text in _ARTICLES and not scan.words[start].breaks:
        start -= 1
    ruled_out = start > 0 and scan.words[start - 1].text in scan.lexicon.lists["negations"]
    if ruled_out and not scan.words[start].breaks:
        return start - 1, True
    return at, False


def _narrow(scan: Scan, start: int, end: int, kind: str | float, *, denied: bool) -> None:
    place = next((p for p, hit in enumerate(scan.hits) if _is_family(scan, hit)), None)
    name = _name(scan.hits[place]) if place is not None else _known_name(scan)
    left = [gpu.id for gpu in _candidates(scan, name) if _is(gpu, kind) != denied]
    if not left:
        if denied:
            text = scan.lexicon.book.denial_of(_KEY, "")
            scan.notes.append(f"\u201c{scan.slice(start, end)}\u201d: {text.text if text else ''}")
            scan.claim(start, end)
        return
    read = tuple(r for one in left if (r := scan.answer(_KEY, one, start, end)) is not None)
    one = len(read) == 1
    hit = Hit(start, end, gives=read if one else (), either=() if one else read, names=True)
    if place is not None:
        scan.hits[place] = replace(scan.hits[place], gives=hit.gives, either=hit.either)
        scan.claim(start, end)
    else:
        scan.add(hit)


def _is_family(scan: Scan, hit: Hit) -> bool:
    name = _name(hit)
    return bool(name) and bool(list(_candidates(scan, name)))


def _name(hit: Hit) -> str:
    """Return the one name of a card that a hit gives."""
    values = [one.value for one in hit.gives if one.key == _KEY]
    return str(values[0][0]) if len(values) == 1 and isinstance(values[0], tuple) else ""


def _known_name(scan: Scan) -> str:
    """Return the card that was named before."""
    value = scan.known.values.get(_KEY) if scan.known is not None else None
    return str(value[0]) if isinstance(value, tuple) and len(value) == 1 else ""


def _candidates(scan: Scan, name: str) -> Iterator[Gpu]:
    """Yield the cards that share a name."""
    for entry in scan.knowledge.ambiguous_names("gpus"):
        if name and squash(name) in map(squash, entry.names):
            yield from (scan.knowledge.gpus[one] for one in entry.candidates)


def _is(gpu: Gpu, kind: str | float) -> bool:
    """Tell whether a card is of a kind."""
    if isinstance(kind, str):
        return kind in gpu.id.split("-")
    return round(gpu.memory_gb) == round(kind)
