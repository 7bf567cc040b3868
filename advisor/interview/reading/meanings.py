"""What a number means as the answer to one question: its value in the question's unit."""

from __future__ import annotations

from fractions import Fraction

from advisor.answers.questions import Question
from advisor.answers.units import UNITS
from advisor.interview.reading.answer import unit_of
from advisor.interview.reading.model import Understood
from advisor.interview.reading.numbers import Amount
from advisor.interview.reading.scan import Scan

__all__ = ["KEEPS_SCALE", "readings_of"]

_SCALES = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20}
KEEPS_SCALE = frozenset({"tokens", "decimal_tokens", "billions"})
"""Units in which k, M and B have a meaning of their own: 32k tokens are 32,768."""


def readings_of(
    scan: Scan,
    question: Question,
    amount: Amount,
    *,
    start: int | None = None,
    end: int | None = None,
    upper: bool = True,
) -> tuple[Understood, ...]:
    """Return what a number can mean as the answer to a question; nothing where it is not legal.

    Args:
        scan: the text.
        question: any question.
        amount: the number.
        start: first word of what is quoted; by default the number's own.
        end: likewise.
        upper: of a range the upper end is taken; else both ends are offered.
    """
    if unit_of(question) is None:
        return ()
    first = amount.start if start is None else start
    last = amount.end if end is None else end
    note = ""
    ends = [(number, amount.scale) for number in amount.numbers]
    if amount.low and upper:
        note = f"the upper end of {scan.slice(amount.start, amount.end)}"
    elif amount.low:
        ends.insert(0, (_split_scale(amount.low)))
    read = []
    for number, scale in ends:
        written = _written(question, amount, number, scale)
        one = None
        if written is not None:
            shown = _shown(question, number, scale, amount)
            one = scan.answer(question.key, written, first, last, note=note, shown=shown)
        if one is not None:
            read.append(one)
    return tuple(read)


def _split_scale(text: str) -> tuple[str, str]:
    number = text.rstrip("kmbti")
    return number, text[len(number) :]


def _written(question: Question, amount: Amount, number: str, scale: str) -> str | None:
    """Return the number as an answers file would have it, or None where the units differ."""
    unit = unit_of(question) or "count"
    own = "" if amount.unit == "tokens" and unit in {"tokens", "decimal_tokens"} else amount.unit
    if own == "USD" and unit == "usd_per_hour":
        own = ""
    if unit in KEEPS_SCALE and amount.times == 1:
        return f"{number}{scale}{own}"
    value = Fraction(number) * _SCALES.get(scale, 1) * amount.times
    if unit == "billions":
        value /= 10**9
    if own == "x" and question.key == "hardware.gpus_per_node":
        own = ""
    digits = str(value.numerator) if value.denominator == 1 else repr(float(value))
    return f"{digits} {own}".strip()


def _shown(question: Question, number: str, scale: str, amount: Amount) -> str:
    """Return memory as it was stated, with GiB beside it, so that GB and GiB stay apart."""
    if question.kind != "size_gib" or amount.unit in {"", "GiB"} or scale:
        return ""
    value = float(Fraction(number) * amount.times)
    factor = (
        float(UNITS["gib"].factors[amount.unit.casefold()])
        if amount.unit.casefold() in UNITS["gib"].factors
        else 0
    )
    return f"{value:,.10g} {amount.unit} ({value * factor:,.4g} GiB)" if factor else ""
