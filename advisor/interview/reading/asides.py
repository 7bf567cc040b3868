"""What is stated for a day or a month, and numbers of people: told, or turned into what counts."""

from __future__ import annotations

from fractions import Fraction

from advisor.interview.reading.numbers import Amount, amount_at
from advisor.interview.reading.phrases import Period
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest, phrase_key

__all__ = ["find_hints", "find_periods"]

_BUDGET = "objectives.budget_usd_per_hour"
_RATE = "objectives.requests_per_second"
_OUTPUT = "objectives.total_output_tokens_per_second"
_MONEY = frozenset({"USD"})
_REQUESTS = frozenset(
    {"requests", "request", "reqs", "queries", "calls", "prompts", "chats", "messages"}
)
_SHARES = frozenset({"per", "a", "for", "each"})
_SHARERS = frozenset(
    {"user", "gpu", "card", "node", "team", "seat", "person", "million", "tenant", "1m"}
)
_SECONDS = 3600
_NEAR = 4
"""Words between "monthly budget" and the amount."""


def find_periods(scan: Scan) -> None:
    """Turn a budget of a month into one of an hour, and tell the mean of a rate of a day."""
    at = 0
    while at < len(scan.words):
        amount = amount_at(scan.words, at, scan.lexicon.units, scan.free)
        if amount is None or len(amount.numbers) != 1:
            at += 1
            continue
        _take(scan, amount)
        at = amount.end


def _take(scan: Scan, amount: Amount) -> None:
    what, end = _counted(scan, amount)
    period = _period_at(scan, end)
    start = amount.start
    if period is None and amount.unit in _MONEY:
        period = _period_before(scan, amount)
    if period is None or _is_share(scan, period[0]):
        return
    stop, record = period
    if amount.unit in _MONEY:
        _budget(scan, amount, start, max(stop, amount.end), record)
    elif what in {"requests", "tokens"} and not amount.low:
        _tell_rate(scan, amount, start, stop, record, what)


def _counted(scan: Scan, amount: Amount) -> tuple[str, int]:
    """Return what is counted, and where its words end."""
    if amount.unit == "tokens":
        return "tokens", amount.end
    end = amount.end
    if end < len(scan.words) and not scan.words[end].breaks and scan.words[end].text in _REQUESTS:
        return "requests", end + 1
    asked = scan.focus is not None and scan.focus.key in {"workload.concurrency", _RATE}
    return ("requests" if asked and not amount.unit else ""), end


def _period_at(scan: Scan, at: int) -> tuple[int, Period] | None:
    """Return the period that stands at a word, and where it ends."""
    if at >= len(scan.words) or scan.words[at].breaks:
        return None
    table = {phrase_key(say): one for one in scan.lexicon.book.periods for say in one.say}
    return longest(scan.words, at, table, scan.free)


def _period_before(scan: Scan, amount: Amount) -> tuple[int, Period] | None:
    """Return the period of "monthly budget of $20k"."""
    table = {phrase_key(say): one for one in scan.lexicon.book.periods for say in one.before}
    for start in range(max(0, amount.start - _NEAR), amount.start):
        found = longest(scan.words, start, table, scan.free)
        if found is not None and found[0] <= amount.start:
            scan.claim(start, found[0])
            return amount.end, found[1]
    return None


def _is_share(scan: Scan, at: int) -> bool:
    """Tell whether the amount is that of one user or card: "20 dollars a month per user"."""
    following = [word.text for word in scan.words[at : at + 2] if not word.breaks]
    return len(following) == 2 and following[0] in _SHARES and following[1] in _SHARERS


def _value(amount: Amount) -> Fraction:
    scale = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}.get(amount.scale, 1)
    return Fraction(amount.numbers[0]) * scale * amount.times


def _budget(scan: Scan, amount: Amount, start: int, end: int, period: Period) -> None:
    whole = _value(amount)
    hourly = float(f"{float(whole / Fraction(period.hours)):.6g}")
    note = f"{float(whole):,.10g} USD {period.named}, over its {period.hours:,.0f} hours"
    read = scan.answer(_BUDGET, f"{hourly!r}", start, end, note=note)
    if read is not None and period.hours >= 1:
        scan.add(Hit(start, end, gives=(read,), counts=True))


def _tell_rate(scan: Scan, amount: Amount, start: int, end: int, period: Period, what: str) -> None:
    """Tell the mean a second of a rate: what counts is the peak, which only they know."""
    if _is_denied(scan, start):
        return
    mean = float(_value(amount) / Fraction(period.hours)) / _SECONDS
    key = _RATE if what == "requests" else _OUTPUT
    beside = "" if what == "requests" else ", of those that are written"
    scan.notes.append(
        f"\u201c{scan.slice(start, end)}\u201d: that is {_short(mean)} {what} a second on average,"
        f" and the peak is what counts; say that{beside}: /set {key}=..."
    )
    scan.claim(start, end)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}"


def _is_denied(scan: Scan, start: int) -> bool:
    return start > 0 and scan.words[start - 1].text in scan.lexicon.lists["negations"]


def find_hints(scan: Scan) -> None:
    """Tell what a number of people, or of accounts, does not say."""
    table = {phrase_key(say): one for one in scan.lexicon.book.hints for say in one.behind}
    at = 0
    while at < len(scan.words):
        amount = amount_at(scan.words, at, scan.lexicon.units, scan.free)
        if amount is None:
            at += 1
            continue
        at = amount.end
        if at >= len(scan.words) or scan.words[at].breaks or amount.unit:
            continue
        found = longest(scan.words, at, table, scan.free)
        if found is not None and not _is_denied(scan, amount.start):
            text = scan.slice(amount.start, found[0])
            scan.notes.append(f"\u201c{text}\u201d: {found[1].text}")
            scan.claim(amount.start, found[0])
