"""Numbers in a text with what they count: 50 users, context 32k, under 500 ms to first token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.answers.questions import Question
from advisor.answers.units import UNITS
from advisor.interview.reading.answer import unit_of
from advisor.interview.reading.meanings import KEEPS_SCALE, readings_of
from advisor.interview.reading.model import Understood
from advisor.interview.reading.numbers import Amount, amount_at
from advisor.interview.reading.phrases import AmountWords
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import LONGEST_PHRASE, joined, longest

__all__ = ["amounts_in", "find_amounts", "hit_of", "is_ignored", "limits_before", "of_focus"]

_LINKS = frozenset({"of", "is", "=", "are", "be", "was", "to", "a", "the", "should", "must", "set"})
_NEAR_BUDGET = 4
"""Words between "budget" and a number that is money without saying so."""
_LINKS_BEHIND = frozenset({"of", "the", "in", "for"})


@dataclass(frozen=True, slots=True)
class _Place:
    """A number, and the phrases beside it."""

    amount: Amount
    start: int
    """Where the phrase before it begins, or what limits it."""
    end: int
    entries: tuple[AmountWords, ...]


def find_amounts(scan: Scan) -> None:
    """Find numbers that stand beside words which say what they count."""
    for amount in amounts_in(scan):
        if is_ignored(scan, amount):
            continue
        for place in _places(scan, amount):
            if _take(scan, place):
                break
        else:
            _take_by_unit(scan, amount)


def amounts_in(scan: Scan) -> Iterator[Amount]:
    """Yield the numbers of a text whose words are free."""
    at = 0
    while at < len(scan.words):
        amount = amount_at(scan.words, at, scan.lexicon.units, scan.free)
        if amount is not None:
            yield amount
        at = amount.end if amount is not None else at + 1


def is_ignored(scan: Scan, amount: Amount) -> bool:
    """Tell whether the number belongs to wording that must not be read: "20 dollars a month"."""
    table = scan.lexicon.lists["ignored"]
    for index in range(amount.start, min(amount.end + 1, len(scan.words))):
        if index == amount.end and scan.words[index].breaks:
            break
        found = longest(scan.words, index, table, spaced=True)
        if found is not None and found[0] > amount.end:
            return True
    return False


def limits_before(scan: Scan, start: int) -> tuple[int, frozenset[str]]:
    """Return where "at most", "about" and the like before a number begin, and which they are."""
    seen: set[str] = set()
    while True:
        step = _limit_before(scan, start)
        if step is None:
            return start, frozenset(seen)
        start, name = step
        seen.add(name)


def _limit_before(scan: Scan, start: int) -> tuple[int, str] | None:
    best: tuple[int, str] | None = None
    for name, table in scan.lexicon.before_numbers.items():
        found = _longest_before(scan, start, table)
        if found is not None and (best is None or found[0] < best[0]):
            best = found[0], name
    return best


def _longest_before(scan: Scan, end: int, table: object) -> tuple[int, object] | None:
    """Return where the longest phrase that ends at ``end`` begins, and its entry."""
    found, key = None, ""
    for index in range(end - 1, max(end - 1 - LONGEST_PHRASE, -1), -1):
        if scan.words[index + 1].breaks if index + 1 < len(scan.words) else False:
            break
        if not scan.free(index):
            break
        key += scan.words[index].text
        if isinstance(table, dict) and key in table:
            found = (index, table[key])
    return found


def _places(scan: Scan, amount: Amount) -> Iterator[_Place]:
    """Yield the number with the phrase behind it and the one before it, the likelier first."""
    start, limits = limits_before(scan, amount.start)
    behind = _behind(scan, amount)
    before = _before(scan, amount, start)
    places = []
    if behind is not None:
        places.append(_Place(amount, start, behind[0], _fitting(behind[1], limits)))
    if before is not None:
        places.append(_Place(amount, before[0], amount.end, _fitting(before[1], limits)))
    if len(places) == 2 and _before_counts(scan, places[0], places[1]):
        places.reverse()
    yield from places


def _before_counts(scan: Scan, behind: _Place, before: _Place) -> bool:
    """Tell whether the phrase before a number says more: "each pod gets 2 GPUs"."""
    longer = before.amount.start - before.start > behind.end - behind.amount.end + 1
    return longer or _counts_more(scan, behind.end)


def _counts_more(scan: Scan, at: int) -> bool:
    """Tell whether the phrase behind a number leads to the next: "concurrency 50 context 8k"."""
    if at >= len(scan.words) or scan.words[at].breaks:
        return False
    return amount_at(scan.words, at, scan.lexicon.units, scan.free) is not None


def _fitting(entries: Iterable[AmountWords], limits: frozenset[str]) -> tuple[AmountWords, ...]:
    """Leave out what a number worded as the opposite limit cannot be."""
    opposite = {"at_most": "at_least", "at_least": "at_most"}
    return tuple(entry for entry in entries if opposite.get(entry.limit or "") not in limits)


def _behind(scan: Scan, amount: Amount) -> tuple[int, tuple[AmountWords, ...]] | None:
    at = amount.end
    if amount.unit == "tokens" and scan.words[at - 1].text in {"token", "tokens"}:
        found = longest(scan.words, at - 1, scan.lexicon.behind, scan.free)
        if found is not None and found[0] > at:
            return found  # "2B tokens dataset": the unit is part of the phrase
    for skip in (0, 1):
        if at + skip >= len(scan.words) or scan.words[at].breaks:
            return None
        if skip and (scan.words[at].text not in _LINKS_BEHIND or scan.words[at + 1].breaks):
            return None
        found = longest(scan.words, at + skip, scan.lexicon.behind, scan.free)
        if found is not None:
            return found
    return None


def _before(scan: Scan, amount: Amount, start: int) -> tuple[int, tuple[AmountWords, ...]] | None:
    """Return the phrase before a number, over small words and limits between them."""
    best: tuple[int, tuple[AmountWords, ...]] | None = None
    at = amount.start
    while at > 0 and not scan.words[at].breaks:
        found = _longest_before(scan, at, scan.lexicon.before)
        if found is not None and (best is None or found[0] < best[0]):
            best = found[0], found[1]  # type: ignore[assignment]  # entries of that table
        if at > start:
            at = start
        elif scan.words[at - 1].text in _LINKS and scan.free(at - 1):
            at -= 1
            start = at = limits_before(scan, at)[0]
        else:
            break
    return best


def _take(scan: Scan, place: _Place) -> bool:
    read: list[Understood] = []
    for entry in place.entries:
        question = _asked_for(scan, entry.key)
        if _lacks_unit(scan, question, place, entry) or not _is_asked(scan, place, entry):
            continue
        upper = entry.range == "upper"
        found = readings_of(
            scan, question, place.amount, start=place.start, end=place.end, upper=upper
        )
        read += [replace(one, note=one.note or entry.note) for one in found]
    if not read:
        return False
    scan.add(hit_of(place.start, place.end, tuple(dict.fromkeys(read))))
    _free_telling_words(scan, place)
    return True


def _is_asked(scan: Scan, place: _Place, entry: AmountWords) -> bool:
    """Tell whether words that count only in reply to their question are such a reply."""
    if not entry.asked:
        return True
    small = scan.lexicon.lists["filler"]
    outside = (*scan.words[: place.start], *scan.words[place.end :])
    mine = scan.focus is not None and scan.focus.key == entry.key
    return mine and all(word.text in small for word in outside)


def _asked_for(scan: Scan, key: str) -> Question:
    """Return the question of a key, or the open one where it asks the same of something else."""
    question = scan.lexicon.questions[key]
    same = scan.focus is not None and scan.focus.name == question.name
    return scan.focus if same and scan.focus is not None else question


def _free_telling_words(scan: Scan, place: _Place) -> None:
    """Leave a word beside the number to be read for itself: "400 Gb/s InfiniBand"."""
    for start, end in ((place.start, place.amount.start), (place.amount.end, place.end)):
        key = joined(scan.words[start:end])
        if key in scan.lexicon.phrases:
            scan.claimed[start:end] = [False] * (end - start)


def _take_by_unit(scan: Scan, amount: Amount) -> None:
    """Take a number whose unit alone says, or nearly says, what it is."""
    keys = scan.lexicon.alone.get(amount.unit, ())
    start, limits = limits_before(scan, amount.start)
    entries = scan.lexicon.book.amounts
    fitting = {entry.key for entry in _fitting(entries, limits)}
    keys = tuple(key for key in keys if key in fitting)
    read: list[Understood] = []
    if scan.focus is not None and amount.unit and amount.unit != "tokens":
        read += of_focus(scan, scan.focus, amount, start)
    if not read:
        questions = [scan.lexicon.questions[key] for key in keys]
        read = [one for q in questions for one in readings_of(scan, q, amount, start=start)]
    if read:
        scan.add(hit_of(start, amount.end, tuple(read)))


def of_focus(scan: Scan, question: Question, amount: Amount, start: int) -> tuple[Understood, ...]:
    """Return what a number means as the answer to the open question."""
    if amount.end < len(scan.words) and not scan.words[amount.end].breaks:
        behind = scan.words[amount.end].text
        if scan.free(amount.end) and behind not in scan.lexicon.lists["filler"]:
            return ()  # "20 euros" are not 20 dollars
    if start > 0 and scan.words[start - 1].text in {"€", "£"}:
        return ()
    entries = [entry for entry in scan.lexicon.book.amounts if entry.key == question.key]
    upper = any(entry.range == "upper" for entry in entries)
    return readings_of(scan, question, amount, start=start, upper=upper)


def hit_of(start: int, end: int, read: tuple[Understood, ...]) -> Hit:
    """Return what a number says, or may say."""
    if len({(one.key, one.value) for one in read}) == 1:
        return Hit(start, end, gives=read[:1], counts=True)
    return Hit(start, end, either=read, counts=True)


def _lacks_unit(scan: Scan, question: Question, place: _Place, entry: AmountWords) -> bool:
    """Tell whether the number must say its unit, or k or M, and does not."""
    amount = place.amount
    if entry.needs == "scale":
        return not (amount.is_scaled or amount.unit == "tokens")
    unit = unit_of(question) or "count"
    natural = unit in KEEPS_SCALE or not UNITS[unit].label
    if unit == "usd" and not amount.unit:
        before = scan.words[max(0, place.start - _NEAR_BUDGET) : place.end]
        return all(word.text != "budget" for word in before)
    return not natural and not amount.unit
