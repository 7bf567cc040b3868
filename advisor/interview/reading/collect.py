"""What was found in a text, brought together: one answer a key, or the readings to choose from."""

from __future__ import annotations

from advisor.answers.questions import Question
from advisor.interview.reading.answer import echo
from advisor.interview.reading.model import Ambiguous, Reading, Understood
from advisor.interview.reading.scan import Hit, Scan

__all__ = ["collected", "leftovers"]

_KIND = "workload.kind"
_TRAINS = frozenset({"fine_tuning", "pretraining"})


def collected(scan: Scan, hits: list[Hit]) -> Reading:
    """Return the reading of a text from the hits that stand."""
    said: dict[str, list[Understood]] = {}
    for hit in hits:
        for one in hit.gives:
            said.setdefault(one.key, []).append(one)
    found: dict[str, Understood] = {}
    ambiguous: list[Ambiguous] = []
    for key, readings in said.items():
        _settle(scan, key, readings, found, ambiguous)
    _follow(scan, hits, said, found)
    for hit in hits:
        left = hit.either and _still_open(scan, hit, found)
        if len(left) == 1 and len(hit.either) > 1 and left[0].key not in found:
            found[left[0].key] = left[0]
        elif left:
            ambiguous.append(_offered(scan, left))
    return Reading(
        found=tuple(sorted(found.values(), key=lambda one: (one.span, one.key))),
        ambiguous=tuple(sorted(_merged(ambiguous), key=lambda one: one.span)),
        rest=leftovers(scan),
        problem=scan.problems[0] if scan.problems else None,
        notes=tuple(dict.fromkeys(scan.notes)),
    )


def _follow(
    scan: Scan, hits: list[Hit], said: dict[str, list[Understood]], found: dict[str, Understood]
) -> None:
    """Take what goes without saying, unless two phrases lead to different answers."""
    implied: dict[str, list[Understood]] = {}
    for hit in hits:
        for one in hit.implies:
            implied.setdefault(one.key, []).append(one)
    for key, readings in implied.items():
        given = scan.known is not None and scan.known.is_given(key)
        if key not in said and not given and len({repr(one.value) for one in readings}) == 1:
            found[key] = readings[0]


def _settle(
    scan: Scan,
    key: str,
    readings: list[Understood],
    found: dict[str, Understood],
    ambiguous: list[Ambiguous],
) -> None:
    """Take the one answer of a key; join a list; offer answers that exclude each other."""
    question = scan.lexicon.questions[key]
    distinct = list({_frozen(one.value): one for one in reversed(readings)}.values())[::-1]
    if len(distinct) == 1:
        found[key] = distinct[0]
    elif question.list and all(isinstance(one.value, tuple) for one in distinct):
        found[key] = _joined(scan, question, distinct)
    elif question.kind == "mapping":
        found[key] = _joined_mapping(scan, question, distinct)
    else:
        ambiguous.append(_offered(scan, tuple(distinct)))


def _frozen(value: object) -> str:
    return repr(value)


def _joined(scan: Scan, question: Question, readings: list[Understood]) -> Understood:
    parts: dict[object, None] = {}
    for one in readings:
        for part in one.value if isinstance(one.value, tuple) else ():
            parts[part] = None
    start = min(one.span[0] for one in readings)
    end = max(one.span[1] for one in readings)
    notes = "; ".join(dict.fromkeys(one.note for one in readings if one.note))
    shown = echo(question, tuple(parts), scan.knowledge)
    return Understood(question.key, tuple(parts), scan.text[start:end], shown, (start, end), notes)


def _joined_mapping(scan: Scan, question: Question, readings: list[Understood]) -> Understood:
    from advisor.interview.reading.answer import understood

    merged: dict[str, object] = {}
    for one in readings:
        merged |= dict(one.value) if hasattr(one.value, "items") else {}  # type: ignore[call-overload]
    start = min(one.span[0] for one in readings)
    end = max(one.span[1] for one in readings)
    read = understood(question, merged, scan.text[start:end], (start, end), scan.knowledge)
    return read or readings[0]


def _still_open(scan: Scan, hit: Hit, found: dict[str, Understood]) -> tuple[Understood, ...]:
    """Return the meanings that what is certain does not settle."""
    if any(one.key in found and found[one.key].value == one.value for one in hit.either):
        return ()
    one_key = len({one.key for one in hit.either}) == 1
    if one_key and hit.either[0].key in found and not hit.counts and not hit.names:
        return ()
    of_work = _of_this_work(scan, hit.either, found)
    return tuple(one for one in of_work if one.key not in found or one_key)


def _of_this_work(
    scan: Scan, readings: tuple[Understood, ...], found: dict[str, Understood]
) -> tuple[Understood, ...]:
    """Leave out what belongs to training where the work is none, and the other way round."""
    kind: object = found[_KIND].value if _KIND in found else None
    if kind is None and scan.known is not None:
        kind = scan.known.values.get(_KIND)
    of_training = [one.key.startswith("training.") for one in readings]
    if kind is None or not any(of_training):
        return readings
    trains = kind in _TRAINS
    return tuple(one for one in readings if one.key.startswith("training.") == trains)


def _offered(scan: Scan, readings: tuple[Understood, ...]) -> Ambiguous:
    start = min(one.span[0] for one in readings)
    end = max(one.span[1] for one in readings)
    return Ambiguous(scan.text[start:end], (start, end), readings)


def _merged(ambiguous: list[Ambiguous]) -> list[Ambiguous]:
    """Return the offers without repetition of the same words."""
    return list({(one.span, one.readings): one for one in ambiguous}.values())


def leftovers(scan: Scan) -> tuple[str, ...]:
    """Return the words that said nothing, as runs of the text; small words are passed over."""
    filler = scan.lexicon.lists["filler"]
    runs: list[str] = []
    start: int | None = None
    for index in range(len(scan.words) + 1):
        ends = index == len(scan.words) or not scan.free(index)
        if start is not None and (ends or scan.words[index].breaks):
            runs += _run(scan, start, index, filler)
            start = None
        if not ends and start is None:
            start = index
    return tuple(runs)


def _run(scan: Scan, start: int, end: int, filler: object) -> list[str]:
    """Return a run without the small words at its ends."""
    small = filler if isinstance(filler, dict) else {}
    while start < end and scan.words[start].text in small:
        start += 1
    while end > start and scan.words[end - 1].text in small:
        end -= 1
    return [scan.slice(start, end)] if start < end else []
