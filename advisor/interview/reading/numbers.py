"""Numbers as people write them: 32k, 1,000, "two dozen", 100 to 200, $20 an hour.

Owns the shape of a number in a text. What it counts is decided in ``amounts``; whether it is
legal, and what 80GB are in GiB, in :mod:`advisor.answers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from advisor.interview.reading.words import Word

__all__ = ["Amount", "UnitTable", "amount_at"]

_DIGITS = re.compile(r"(\d[\d.,'\u2019_\u00a0\u202f]*)([a-zµ]*)", re.IGNORECASE)
_SCIENTIFIC = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)e(\d{1,2})([a-zµ]*)", re.IGNORECASE)
_LARGEST_POWER = 15
"""Of ten, in "1e3": more is no load of any machine."""
_UNDER_TWENTY = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {name: value for value, name in enumerate(_UNDER_TWENTY)} | {
    name: 20 + 10 * place for place, name in enumerate(_TENS)
}
_LARGE = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SCALES = frozenset({"k", "m", "b", "t", "ki", "mi", "bn"})
_TO = frozenset({"to", "until", "till"})
_PARTS = frozenset({"half", "quarter", "third", "thirds", "quarters", "point"})
"""Words that make a part of the number behind them: of "third of a million" nothing is read."""
_SHARES = {"half": 2, "quarter": 4}
_LONGEST_UNIT = 5
_LONGEST_SHARE = 6
_SHARE = re.compile(
    rf"(?:(?P<whole>{'|'.join(_SMALL)}) and a (?P<half>half)"
    r"|(?:a )?(?P<share>half|quarter)(?: of)?(?: an?)?)"
    rf" (?P<large>{'|'.join(_LARGE)})\b"
)
"""Parts of a large number in words."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with what is written at it."""

    start: int
    end: int
    """Indexes of words, the end not included."""
    numbers: tuple[str, ...]
    """What the digits may mean, in plain decimal; two for "1.500"."""
    scale: str = ""
    """k, m, b, t, ki or mi, in lower case."""
    unit: str = ""
    """As ``advisor.answers.units`` spells it, or ``x`` for a count."""
    low: str = ""
    """The lower end of a range; ``numbers`` are then its upper end."""
    times: int = 1
    """A factor in words behind the digits: 1,000,000 in "1.5 million"."""

    @property
    def is_scaled(self) -> bool:
        """Return whether it is written with k, M or B, or a word for it."""
        return bool(self.scale) or self.times > 1


@dataclass(frozen=True)
class UnitTable:
    """Spellings of units."""

    exact: Mapping[str, str]
    """As written, where capitals count."""
    loose: Mapping[str, str]
    """In lower case."""

    def find(self, raw: str) -> str | None:
        """Return the unit that is written so."""
        return self.exact.get(raw) or self.loose.get(raw.casefold())


def amount_at(
    words: Sequence[Word], start: int, units: UnitTable, free: Callable[[int], bool]
) -> Amount | None:
    """Return the number that begins at ``start``, with its range, scale and unit."""
    first = _single(words, start, units, free)
    if first is None:
        return None
    between = start > 0 and words[start - 1].text == "between"
    upper = _upper_end(words, first, units, free, between=between)
    if upper is None:
        return first
    if len(first.numbers) > 1 or len(upper.numbers) > 1 or first.unit not in {"", upper.unit}:
        return first
    low = first.numbers[0] + (first.scale or _shared_scale(first, upper))
    return replace(upper, start=start, low=low)


def _shared_scale(first: Amount, upper: Amount) -> str:
    """Return the scale that "8-16k" states once for both ends."""
    same = Fraction(first.numbers[0]) < Fraction(upper.numbers[0])
    return upper.scale if same else ""


def _upper_end(
    words: Sequence[Word],
    first: Amount,
    units: UnitTable,
    free: Callable[[int], bool],
    *,
    between: bool,
) -> Amount | None:
    at = first.end
    if at >= len(words) or not free(at) or first.unit == "x":
        return None
    if re.fullmatch(r"\s?[-\u2013]\s?", words[at].gap):
        return _single(words, at, units, free)
    if words[at].breaks or at + 1 >= len(words) or words[at + 1].breaks:
        return None
    if words[at].text in _TO or (between and words[at].text == "and"):
        return _single(words, at + 1, units, free)
    return None


def _single(
    words: Sequence[Word], start: int, units: UnitTable, free: Callable[[int], bool]
) -> Amount | None:
    if start >= len(words) or not free(start):
        return None
    dollar = words[start].text == "$"
    at = start + dollar
    if at >= len(words) or not free(at) or (dollar and words[at].gap.strip()):
        return None
    found = _in_digits(words, at) or _in_shares(words, at) or _in_words(words, at)
    if found is None or _is_negative(words[at], first=at == 0):
        return None
    amount = _with_unit(words, found, units, free, dollar=dollar)
    return replace(amount, start=start) if amount.numbers else None


def _is_negative(word: Word, *, first: bool) -> bool:
    """Tell whether a minus stands directly at a number and belongs to no word before it."""
    return word.gap.endswith("-") and (first or word.gap[:-1].endswith((" ", "\n", "=", ":")))


def _in_digits(words: Sequence[Word], at: int) -> Amount | None:
    match = _DIGITS.fullmatch(words[at].raw)
    if match is None:
        return _in_powers(words[at].raw, at)
    digits, suffix = match[1], match[2]
    end = at + 1
    if not suffix and digits.isdigit() and len(digits) <= 3 and digits[0] != "0":
        while end < len(words) and re.fullmatch(r"[_\u00a0\u202f]", words[end].gap):
            if not re.fullmatch(r"\d{3}", words[end].text):
                break
            digits += words[end].text
            end += 1
    numbers = _meanings(digits)
    if not numbers:
        return None
    return Amount(at, end, numbers, unit=suffix)


def _in_powers(raw: str, at: int) -> Amount | None:
    """Return a number such as 1e3 or 2.5e6."""
    match = _SCIENTIFIC.fullmatch(raw)
    if match is None or int(match[2]) > _LARGEST_POWER:
        return None
    return Amount(at, at + 1, (_decimal(Fraction(match[1]) * 10 ** int(match[2])),), unit=match[3])


def _decimal(value: Fraction) -> str:
    """Return a number in plain decimal."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):f}".rstrip("0")


def _in_shares(words: Sequence[Word], at: int) -> Amount | None:
    """Return "half a million", "a quarter of a million", "two and a half thousand"."""
    texts = [words[at].text]
    for word in words[at + 1 : at + _LONGEST_SHARE]:
        if word.breaks:
            break
        texts.append(word.text)
    match = _SHARE.match(" ".join(texts))
    if match is None:
        return None
    whole = _SMALL[match["whole"]] if match["whole"] else 0
    share = Fraction(1, _SHARES[match["share"] or match["half"]])
    value = (whole + share) * _LARGE[match["large"]]
    return Amount(at, at + len(match.group().split()), (_decimal(value),))


def _meanings(digits: str) -> tuple[str, ...]:
    """Return what digits with separators may mean: none for nonsense, two for "1.500"."""
    digits = re.sub(r"['\u2019_\u00a0\u202f]", "", digits)
    grouped = digits.replace(".", "")
    for form, meanings in (
        (r"\d+", (digits,)),
        (r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", (digits.replace(",", ""),)),
        (r"[1-9]\d{0,2}(\.\d{3})+,\d+", (grouped.replace(",", "."),)),
        (r"[1-9]\d{0,2}(\.\d{3}){2,}", (grouped,)),
        (r"[1-9]\d{0,2}\.\d{3}", (digits, grouped)),
        (r"\d+[.,]\d+", (digits.replace(",", "."),)),
    ):
        if re.fullmatch(form, digits):
            return meanings
    return ()


def _in_words(words: Sequence[Word], at: int) -> Amount | None:
    """Return a number in words: "fifty", "two dozen", "one hundred and twenty", "a couple"."""
    total = current = 0
    if at > 0 and words[at - 1].text in _PARTS and not words[at].breaks:
        return None
    index, seen = at, False
    while index < len(words) and (index == at or not words[index].breaks):
        word = words[index].text
        article = word == "a" and index == at and _next_is(words, index, {*_LARGE, "couple"})
        if word in _SMALL:
            if seen and words[index - 1].text in _SMALL and _SMALL[words[index - 1].text] < 20:
                break
            current += _SMALL[word]
        elif word == "couple" and index == at + 1 and words[at].text == "a":
            current, index = 2, index + _next_is(words, index, {"of"})
        elif word in _LARGE and seen:
            current, total = _scaled(current, total, word)
        elif not (article or (word == "and" and _continues(words, index))):
            break
        current = 1 if article else current
        seen, index = True, index + 1
    if not seen or (words[at].text == "a" and index == at + 1):
        return None
    return Amount(at, index, (str(total + current),))


def _scaled(current: int, total: int, word: str) -> tuple[int, int]:
    factor = _LARGE[word]
    if factor >= 1000:
        return 0, total + max(current, 1) * factor
    return max(current, 1) * factor, total


def _next_is(words: Sequence[Word], index: int, wanted: set[str]) -> bool:
    after = index + 1
    return after < len(words) and not words[after].breaks and words[after].text in wanted


def _continues(words: Sequence[Word], index: int) -> bool:
    """Tell whether an "and" stands inside a number: "hundred and twenty"."""
    return words[index - 1].text in {"hundred", "thousand"} and _next_is(words, index, {*_SMALL})


def _with_unit(
    words: Sequence[Word],
    amount: Amount,
    units: UnitTable,
    free: Callable[[int], bool],
    *,
    dollar: bool,
) -> Amount:
    """Return the amount with the scale and the unit that stand behind it."""
    suffix, scale, end = amount.unit, "", amount.end
    plain = replace(amount, unit="")
    if not suffix and end < len(words) and free(end) and words[end].text in _LARGE:
        plain = replace(plain, times=_LARGE[words[end].text])
        end += 1
    elif not suffix and end < len(words) and free(end) and _is_scale(words[end]):
        scale, end = words[end].text, end + 1
    head = "$" if dollar else suffix
    unit, after = _unit_after(words, head, end, units, free)
    if unit is None and suffix.casefold() in _SCALES and not scale:
        scale = suffix.casefold()
        unit, after = _unit_after(words, "$" if dollar else "", end, units, free)
    elif unit is None and suffix:
        return replace(plain, numbers=())
    elif dollar and suffix.casefold() in _SCALES:
        scale = suffix.casefold()
    scale = "b" if scale == "bn" else scale
    return replace(plain, end=after if unit else end, scale=scale, unit=unit or "")


def _is_scale(word: Word) -> bool:
    """Tell whether a lone letter scales the number before it: "32 k" but not "8 b"."""
    return (not word.breaks and word.text == "k") or word.raw in {"M", "B", "T"}


def _unit_after(
    words: Sequence[Word], head: str, start: int, units: UnitTable, free: Callable[[int], bool]
) -> tuple[str | None, int]:
    """Return the unit made of ``head`` and the words behind it, the longest, and its end."""
    found, end = (units.find(head) if head else None), start
    raw = head
    for index in range(start, min(start + _LONGEST_UNIT, len(words))):
        if words[index].breaks or not free(index):
            break
        raw += words[index].raw
        unit = units.find(raw)
        if unit is not None:
            found, end = unit, index + 1
    return found, end
