"""GPUs in a text, and how many of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.errors import UnknownNameError
from advisor.interview.reading.answer import assumed_gpu, problem_of
from advisor.interview.reading.model import Understood
from advisor.interview.reading.names import gpu_keys
from advisor.interview.reading.nearest import unknown_gpu
from advisor.interview.reading.numbers import Amount, amount_at
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import Word, longest
from advisor.store.aliases import squash

__all__ = ["find_gpus"]

KEY = "hardware.gpu"
_LONGEST_NAME = 8
_MEMORY = re.compile(r"\d+(?:\.\d+)?(?:gb|gib|g)|gb|gib|hbm\d?e?|gddr\d[a-z]?|vram")
_BRANDS = frozenset(
    {
        "nvidia",
        "amd",
        "intel",
        "of",
        "geforce",
        "tesla",
        "instinct",
        "x",
        "\u00d7",
        "new",
        "used",
        "owned",
        "own",
        "existing",
        "spare",
        "idle",
        "free",
        "more",
        "additional",
        "such",
    }
)
_ONE = frozenset({"one", "single", "two", "three", "four", "eight", "x"})
"""Words before a bare number such as 3090 that make a card of it."""
_PLAIN = frozenset({"gpu", "gpus", "card", "cards"})
_VARIANTS = frozenset({"ti", "super", "d", "laptop", "mobile", "nvl"})
"""Words that make another card of the name before them."""
_MACHINES = frozenset({"dgx", "hgx"})
_LIKE_A_CARD = re.compile(r"(?:rtx|gtx|quadro)|(?:[abhlv]\d{2,3}[a-z]?|mi\d{3}[a-z]?|gb?\d{3})")


def find_gpus(scan: Scan) -> None:
    """Find names of GPUs, with the number that stands at them."""
    at = 0
    while at < len(scan.words):
        end = _name_at(scan, at) if scan.free(at) else None
        at = end if end is not None else at + 1


def _name_at(scan: Scan, at: int) -> int | None:
    """Note the GPU whose name begins at a word, and return where the name ends."""
    if _is_something_else(scan, at):
        return None
    for end in range(min(at + _LONGEST_NAME, len(scan.words)), at, -1):
        if any(scan.words[i].breaks and not _bracketed(scan, i) for i in range(at + 1, end)):
            continue
        if not all(scan.free(i) for i in range(at, end)):
            continue
        name = _name(scan, at, end)
        if name is not None:
            return _note(scan, at, end, name)
    return _unknown_card(scan, at)


def _is_something_else(scan: Scan, at: int) -> bool:
    """Tell whether a bare number such as 4090, or an everyday word, is no card here."""
    word = scan.words[at].text
    if word == "a" and at + 1 < len(scan.words) and scan.words[at + 1].gap == " ":
        return True  # "a 100 Gb/s network" has no A100
    asked = scan.focus is not None and scan.focus.key == KEY
    if word.isdigit() and at > 0 and scan.words[at - 1].text in _ONE and len(word) >= 4:
        return False
    if word.isdigit():
        behind = at + 1 < len(scan.words) and not scan.words[at + 1].breaks
        counted = behind and longest(scan.words, at + 1, scan.lexicon.behind) is not None
        unit = amount_at(scan.words, at, scan.lexicon.units, scan.free)
        return counted or (unit is not None and bool(unit.unit)) or len(word) < 4
    return word in scan.lexicon.lists["ordinary"] and not asked


def _bracketed(scan: Scan, index: int) -> bool:
    return scan.words[index].gap.strip() in {"(", ")", ""}


def _name(scan: Scan, at: int, end: int) -> str | None:
    """Return the words as a GPU's name, if the catalogue has it; a plural counts too."""
    keys = gpu_keys(scan.knowledge)
    words = scan.words[at:end]
    if len(words) > 1 and words[-1].text in _PLAIN:
        return None
    text = " ".join(word.raw for word in words)
    if squash(text) in keys:
        return text
    memory = [word.raw for place, word in enumerate(words) if place and _is_memory(words, place)]
    bare = " ".join(word.raw for word in words if word.raw not in memory)
    for name in (bare, bare[:-1] if bare[-1:] in {"s", "S"} else ""):
        if name and squash(name) in keys:
            return " ".join([name, *memory])
    return None


def _is_memory(words: Sequence[Word], place: int) -> bool:
    """Tell whether a word of a name states memory: "80GB", "HBM3", or "80" before "GB"."""
    if _MEMORY.fullmatch(words[place].text):
        return True
    following = words[place + 1].text if place + 1 < len(words) else ""
    return following in {"gb", "gib"} and words[place].text.isdigit()


def _with_memory(scan: Scan, at: int, end: int, name: str) -> tuple[int, int, str]:
    """Return place and name of a GPU with the memory that is stated beside it."""
    if any(_MEMORY.fullmatch(word.text) for word in scan.words[at:end]):
        return at, end, name
    skip = end < len(scan.words) and scan.words[end].text == "with" and not scan.words[end].breaks
    for place, limit in ((end + skip, "("), (at - 1, ""), (at - 2, "")):
        amount = _memory_at(scan, place)
        if amount is None or (place < at and amount.end != at):
            continue
        gap = scan.words[place].gap.strip() if place >= end else ""
        if gap in {"", limit}:
            size = f"{name} {amount.numbers[0]}{amount.unit}"
            return min(at, amount.start), max(end, amount.end), size
    return at, end, name


def _memory_at(scan: Scan, at: int) -> Amount | None:
    if not 0 <= at < len(scan.words):
        return None
    amount = amount_at(scan.words, at, scan.lexicon.units, scan.free)
    return (
        amount if amount is not None and amount.unit in {"GB", "GiB"} and not amount.low else None
    )


def _note(scan: Scan, at: int, end: int, name: str) -> int:
    """Note a GPU and the number at it; return where its words end."""
    at, end, name = _with_memory(scan, at, end, name)
    following = scan.words[end].text if end < len(scan.words) and not scan.words[end].breaks else ""
    if following in _VARIANTS:
        return _refuse(scan, at, end + 1)
    try:
        value, note = assumed_gpu(scan.knowledge, name)
    except UnknownNameError as error:
        near = error.problems[0].nearest
        read = tuple(r for one in near if (r := scan.answer(KEY, one, at, end)) is not None)
        if error.problems[0].code == "ambiguous_name" and read:
            _add(scan, at, end, read, several=True)
        else:
            scan.problems.append(problem_of(error, KEY))
        return end
    answer = scan.answer(KEY, value, at, end, note=note)
    if answer is not None:
        _add(scan, at, end, (answer,), several=False)
    return end


def _add(scan: Scan, at: int, end: int, read: tuple[Understood, ...], *, several: bool) -> None:
    if several:
        scan.add(Hit(at, end, either=read, names=True))
    else:
        scan.add(Hit(at, end, gives=read, names=True))
    _count(scan, at, end)


def _refuse(scan: Scan, at: int, end: int) -> int:
    scan.problems.append(unknown_gpu(scan.knowledge, scan.slice(at, end)))
    return end


def _unknown_card(scan: Scan, at: int) -> int | None:
    """Report what looks like the name of a card and is in no catalogue."""
    word = scan.words[at].text
    if not _LIKE_A_CARD.fullmatch(word):
        return None
    end = at + 1
    while end < len(scan.words) and end < at + 3 and not scan.words[end].breaks:
        if not (
            word in {"rtx", "gtx", "quadro"} and re.search(r"\d|ti|super|pro", scan.words[end].text)
        ):
            break
        end += 1
    return _refuse(scan, at, end)


def _count(scan: Scan, at: int, end: int) -> None:
    """Note the number before or behind a GPU's name: 8 H100, 4x L40S, H100 x8."""
    found = _count_before(scan, at) or _count_behind(scan, end)
    if found is None:
        return
    amount, start, stop = found
    number = amount.numbers[0]
    if amount.unit not in {"", "x"} or amount.is_scaled or not number.isdigit() or amount.low:
        return
    if scan.words[at].text in _MACHINES:
        _count_machines(scan, number, start, stop)
        return
    machines = _machines_before(scan, amount, start)
    if machines is not None:
        scan.add(machines)
    read = scan.answer("hardware.gpus_per_node", int(number), start, stop)
    if read is not None:
        scan.add(Hit(start, stop, gives=(read,), counts=True))


def _count_machines(scan: Scan, number: str, start: int, stop: int) -> None:
    """Note whole machines: "two DGX H100"."""
    read = scan.answer("hardware.nodes", int(number), start, stop)
    if read is not None:
        scan.add(Hit(start, stop, gives=(read,), counts=True))


def _count_before(scan: Scan, at: int) -> tuple[Amount, int, int] | None:
    end = at
    while end > 0 and scan.words[end - 1].text in _BRANDS and not scan.words[end].breaks:
        end -= 1
    if end > 0 and scan.words[end - 1].text == "single" and scan.free(end - 1):
        return Amount(end - 1, end, ("1",)), end - 1, end
    for start in range(max(end - 4, 0), end):
        amount = amount_at(scan.words, start, scan.lexicon.units, scan.free)
        if amount is None:
            continue
        if end <= amount.end <= at and not any(w.breaks for w in scan.words[amount.end : at + 1]):
            return amount, start, amount.end
    return None


def _count_behind(scan: Scan, end: int) -> tuple[Amount, int, int] | None:
    if end >= len(scan.words):
        return None
    sign = scan.words[end]
    single = re.fullmatch(r"x(\d{1,4})", sign.text)
    if single and scan.free(end) and not re.search("[,;.]", sign.gap):
        return Amount(end, end + 1, (single[1],), unit="x"), end, end + 1
    if sign.text in {"x", "\u00d7"} and not sign.breaks:
        amount = amount_at(scan.words, end + 1, scan.lexicon.units, scan.free)
        return (amount, end, amount.end) if amount is not None and not amount.unit else None
    if sign.gap.strip() == "(":
        amount = amount_at(scan.words, end, scan.lexicon.units, scan.free)
        return (amount, end, amount.end) if amount is not None and amount.unit == "x" else None
    return None


def _machines_before(scan: Scan, amount: Amount, start: int) -> Hit | None:
    """Return the machines of "2x8 H100", "2 x 8 H100"."""
    if start < 1 or amount.unit == "x" or not scan.free(start - 1):
        return None
    sign = scan.words[start - 1]
    if sign.text not in {"x", "\u00d7"} or start < 2:
        return None
    before = amount_at(scan.words, start - 2, scan.lexicon.units, scan.free)
    if before is None or before.end != start or before.unit != "x":
        return None
    read = scan.answer("hardware.nodes", before.numbers[0], start - 2, start)
    return Hit(start - 2, start, gives=(read,), counts=True) if read else None
