"""Numbers that no word beside them explains."""

from __future__ import annotations

from advisor.interview.reading.amounts import (
    amounts_in,
    hit_of,
    is_ignored,
    limits_before,
    of_focus,
)
from advisor.interview.reading.meanings import readings_of
from advisor.interview.reading.numbers import Amount
from advisor.interview.reading.scan import Scan

__all__ = ["find_lone_amounts"]

_MILLION, _BILLION = 10**6, 10**9


def find_lone_amounts(scan: Scan) -> None:
    """Offer what a number that nothing explains may mean."""
    for amount in amounts_in(scan):
        lone = _lone_keys(scan, amount)
        if is_ignored(scan, amount):
            continue
        start = limits_before(scan, amount.start)[0]
        if scan.focus is not None and (read := of_focus(scan, scan.focus, amount, start)):
            if _answers(scan, amount, start):
                scan.add(hit_of(start, amount.end, read))
        elif amount.is_scaled or amount.unit == "tokens":
            questions = [scan.lexicon.questions[key] for key in lone]
            read = tuple(
                one for q in questions for one in readings_of(scan, q, amount, start=start)
            )
            if read:
                scan.add(hit_of(start, amount.end, read))


def _lone_keys(scan: Scan, amount: Amount) -> list[str]:
    """Return what a number may count that nothing explains: a text is not of billions of tokens."""
    billions = amount.scale in {"b", "t", "bn"} or amount.times >= _BILLION
    millions = amount.scale == "m" or amount.times >= _MILLION
    of_data = (billions or millions) and amount.unit == "tokens" and _trains(scan)
    if billions and not of_data:
        return []
    needed = "billions" if of_data else None
    return [key for one in scan.lexicon.book.lone if one.needs == needed for key in one.keys]


def _trains(scan: Scan) -> bool:
    """Tell whether the work is said to be training."""
    said = [
        one.value
        for hit in scan.hits
        for one in (*hit.gives, *hit.implies, *hit.either)
        if one.key == "workload.kind"
    ]
    known = scan.known.values.get("workload.kind") if scan.known is not None else None
    return bool({*said, known} & {"fine_tuning", "pretraining"})


def _answers(scan: Scan, amount: Amount, start: int) -> bool:
    """Tell whether a number may be the reply: a bare one is not, amid words of something else."""
    if amount.is_scaled or amount.unit:
        return True
    small, count = scan.lexicon.lists["filler"], len(scan.words)
    if start > 0 and not scan.free(start - 1) and not scan.words[start].breaks:
        return False  # it belongs to the name before it
    if amount.end < count and not scan.free(amount.end) and not scan.words[amount.end].breaks:
        return False
    said = [not scan.free(at) for at in range(count)]
    silent = [said[at] or scan.words[at].text in small for at in range(count)]
    leads = not any(said[:start])
    return all(silent[:start]) and (leads or all(silent[amount.end :]))
