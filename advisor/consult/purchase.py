"""What as many GPUs would cost to buy, from the purchases of the price catalogue.

Every figure is an estimate: street prices, second-hand reports, no quote that anybody holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.consult.economics import Band
from advisor.counted import counted

if TYPE_CHECKING:
    from advisor.store.prices import Purchase

__all__ = ["PurchaseRange", "purchase_range"]

_NEW = frozenset({"street_price", "quote", "estimate"})
_USED = frozenset({"street_price_used"})


@dataclass(frozen=True, slots=True)
class PurchaseRange:
    """What ``gpus`` GPUs cost, whole items bought."""

    usd: Band | None
    items: tuple[str, ...]
    """What was priced, each with its date."""
    oldest_as_of: str | None
    sentence: str
    missing: tuple[str, ...]
    """What the prices leave out, or that there is none; for ``break_even``."""
    gpus: int = 0
    """GPUs that come with what is bought: whole boards and systems."""


_OUTSIDE = "unknown"
"""Id of a card that is known by its figures only."""


def purchase_range(
    purchases: Iterable[Purchase], gpu: str, gpus: int, *, used: bool = False
) -> PurchaseRange:
    """Return the range of all known purchase prices of ``gpu``, for ``gpus`` of them.

    Systems of several GPUs are bought whole; they count only where the number divides evenly or
    nothing smaller is sold. Discounts for a few are left out.

    Args:
        purchases: The catalogue.
        gpu: Catalogue id.
        gpus: How many are needed; at least 1.
        used: Take second-hand prices instead of new ones.
    """
    kinds = _USED if used else _NEW
    rows = [row for row in purchases if row.gpu == gpu and row.kind in kinds and _known(row)]
    rows = [row for row in rows if gpus % row.gpu_count == 0] or rows
    if not rows:
        what = "second-hand price" if used else "purchase price"
        # a card outside the catalogue has no name of its own here
        card = "this card" if gpu == _OUTSIDE else gpu
        text = f"No {what} of {card} is known."
        return PurchaseRange(None, (), None, text, (f"a {what} of {card}",), gpus)
    band = Band(
        min(_low(row) * math.ceil(gpus / row.gpu_count) for row in rows),
        max(_high(row) * math.ceil(gpus / row.gpu_count) for row in rows),
    )
    missing = ("the machines around the cards",) if any(row.gpu_count == 1 for row in rows) else ()
    oldest = min(row.as_of for row in rows)
    held = max(row.gpu_count * math.ceil(gpus / row.gpu_count) for row in rows)
    whole = f" (prices are known for {held} together only)" if held > gpus else ""
    verb = "costs" if gpus == 1 else "cost"
    high = f" to {band.high:,.0f}" if band.high > band.low else ""
    text = (
        f"{gpus} x {gpu}{whole} {verb} about {band.low:,.0f}{high} USD to buy: an estimate from "
        f"{counted(len(rows), 'street price')} since {oldest}, not a quote."
    )
    items = tuple(f"{row.item} ({row.kind.replace('_', ' ')}, {row.as_of})" for row in rows)
    return PurchaseRange(band, items, oldest, text, missing, held)


def _known(row: Purchase) -> bool:
    return any(figure is not None for figure in (row.usd, row.usd_low, row.usd_high))


def _low(row: Purchase) -> float:
    return min(figure for figure in (row.usd, row.usd_low, row.usd_high) if figure is not None)


def _high(row: Purchase) -> float:
    return max(figure for figure in (row.usd, row.usd_low, row.usd_high) if figure is not None)
