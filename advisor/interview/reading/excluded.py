"""What a text rules out: "not vLLM", "no AMD", "won't buy". Never passed over in silence.

What is left is taken where an answer can hold it, asked where it is one of a few, and otherwise
the person is told that nothing keeps it, with the nearest way to say it. Which of these it is,
is data (``denials`` in ``knowledge/phrases``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.answers.questions import Question
from advisor.interview.reading.model import Understood
from advisor.interview.reading.phrases import Denial
from advisor.interview.reading.scan import Hit, Scan

__all__ = ["add_excluded"]


def add_excluded(scan: Scan, hits: list[Hit]) -> list[Hit]:
    """Return the hits with what follows from all that was ruled out."""
    gone = _ruled_out(scan)
    more: list[Hit] = []
    told: dict[str, tuple[int, int]] = {}
    for hit, words in scan.denied:
        for key in dict.fromkeys(one.key for one in _main(hit)):
            if _is_settled(scan, hits, key, gone[key]):
                _claim(scan, hit, words)
            elif (made := _made(scan, hit, words, key, gone[key])) is not None:
                more.append(made)
                _claim(scan, hit, words)
            elif text := _told(scan, hit, key):
                first, last = told.get(text, (hit.start, hit.end))
                told[text] = min(first, hit.start, words[0]), max(last, hit.end, words[1])
                _claim(scan, hit, words)
                break
    scan.notes += [f"\u201c{scan.slice(*words)}\u201d: {text}" for text, words in told.items()]
    return [*hits, *_without_repeats(more)]


def _main(hit: Hit) -> Sequence[Understood]:
    """Return the answers of a hit, but for what only follows from it."""
    return hit.gives or hit.either


def _ruled_out(scan: Scan) -> dict[str, frozenset[object]]:
    """Return what is ruled out, by key."""
    gone: dict[str, set[object]] = {}
    for hit, _ in scan.denied:
        for one in _main(hit):
            parts = one.value if isinstance(one.value, tuple) else (one.value,)
            gone.setdefault(one.key, set()).update(parts)
    return {key: frozenset(values) for key, values in gone.items()}


def _is_settled(scan: Scan, hits: Sequence[Hit], key: str, gone: frozenset[object]) -> bool:
    """Tell whether an answer says what is the case, so that nothing is left to be said."""
    values = [one.value for hit in hits for one in hit.gives if one.key == key]
    if not values and scan.known is not None and key in scan.known.values:
        values = [scan.known.values[key]]
    parts = [part for one in values for part in (one if isinstance(one, tuple) else (one,))]
    return bool(parts) and not gone & set(parts)


def _claim(scan: Scan, hit: Hit, words: tuple[int, int]) -> None:
    scan.claim(hit.start, hit.end)
    scan.claim(*words)


def _record(scan: Scan, hit: Hit, key: str) -> Denial | None:
    """Return what to make of a denied hit; several readings must lead to the same."""
    found = [
        scan.lexicon.book.denial_of(one.key, str(part))
        for one in _main(hit)
        if one.key == key
        for part in (one.value if isinstance(one.value, tuple) else (one.value,))
    ]
    return found[0] if found and all(one is found[0] for one in found) else None


def _told(scan: Scan, hit: Hit, key: str) -> str:
    record = _record(scan, hit, key)
    return "" if record is None else record.text


def _made(
    scan: Scan, hit: Hit, words: tuple[int, int], key: str, gone: frozenset[object]
) -> Hit | None:
    """Return what is left once something is ruled out: taken, or asked."""
    record = _record(scan, hit, key)
    if record is None or record.text:
        return None
    start, end = min(hit.start, words[0]), max(hit.end, words[1])
    hit = Hit(start, end)
    if record.either:
        read = tuple(_either(scan, hit, record))
    else:
        read = tuple(_others(scan, hit, scan.lexicon.questions[key], record, gone))
    if not read:
        return None
    one = len(read) == 1
    return Hit(start, end, gives=read if one else (), either=() if one else read)


def _either(scan: Scan, hit: Hit, record: Denial) -> Iterator[Understood]:
    for pairs in record.either:
        for key, value in pairs.items():
            read = scan.answer(key, value, hit.start, hit.end)
            if read is not None:
                yield read


def _others(
    scan: Scan, hit: Hit, question: Question, record: Denial, gone: frozenset[object]
) -> Iterator[Understood]:
    """Yield the answers that are left: each of them, or for a list all in one."""
    every = [choice.id for choice in question.values]
    left = [one for one in every if one not in gone]
    if record.take == "others" and question.list:
        usual = question.default if isinstance(question.default, list | tuple) else ()
        left = [one for one in usual if one not in gone] or left
        read = scan.answer(question.key, tuple(left), hit.start, hit.end)
        if read is not None:
            yield read
        return
    for one in left:
        read = scan.answer(question.key, one, hit.start, hit.end)
        if read is not None:
            yield read


def _without_repeats(hits: list[Hit]) -> Iterator[Hit]:
    """Yield each outcome once: "neither AWQ nor GPTQ" is asked about once."""
    seen: set[str] = set()
    for hit in hits:
        key = repr([(one.key, one.value) for one in (*hit.gives, *hit.either)])
        if key not in seen:
            seen.add(key)
            yield hit
