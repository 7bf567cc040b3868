"""Numbers with units, read exactly.

Owns what ``128k``, ``80GB`` and ``1.5 TiB`` mean. GB is 10^9 bytes and GiB is 2^30 bytes;
nothing here ever takes one for the other. A number without a unit is in the unit of its key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

__all__ = ["UNITS", "Unit", "UnitError", "parse_quantity"]

_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:(?:0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)"
    r"\s*(?P<suffix>[^\s\d](?:.*\S)?)?\s*"
)
_NOT_FINITE = re.compile(r"[+-]?\.?(?:inf|infinity|nan)", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[0-9]+[,' ][0-9]")
_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off"})
_MAX_LENGTH = 64


class UnitError(ValueError):
    """Why a text is not a quantity; its text is the end of a sentence for the reader."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a bare number means, and which suffixes convert to it."""

    label: str
    """As printed after a number; empty for pure counts."""
    factors: Mapping[str, Fraction] = field(default_factory=dict)
    """Suffix, without spaces -> factor to the unit."""
    examples: tuple[str, ...] = ()
    """Legal ways to write it, for error messages and the schema."""
    ignore_case: bool = True
    """False where case tells bits from bytes (``Gb``, ``GB``)."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Suffix -> what to write instead, where it could mean two things."""


def _each(factor: Fraction | int, *suffixes: str) -> dict[str, Fraction]:
    return dict.fromkeys(suffixes, Fraction(factor))


_KIB, _MIB, _GIB, _TIB = (2**power for power in (10, 20, 30, 40))


def _bytes_in_gib() -> dict[str, Fraction]:
    """Return the factors from byte units to GiB."""
    decimal = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    binary = {"ki": _KIB, "mi": _MIB, "gi": _GIB, "ti": _TIB}
    sizes = decimal | binary | {f"{name}b": size for name, size in binary.items()}
    return {suffix: Fraction(size, _GIB) for suffix, size in sizes.items()}


def _rates(bits_in_unit: int) -> dict[str, Fraction]:
    """Return the factors from data rates to a unit of so many bits per second."""
    found: dict[str, Fraction] = {}
    for prefix, size in (("M", 10**6), ("G", 10**9), ("T", 10**12)):
        bits = Fraction(size, bits_in_unit)
        found |= _each(bits, f"{prefix}b/s", f"{prefix}bit/s", f"{prefix}bps")
        found |= _each(8 * bits, f"{prefix}B/s", f"{prefix}Bps", f"{prefix}Byte/s")
    for prefix, size in (("Mi", _MIB), ("Gi", _GIB), ("Ti", _TIB)):
        found |= _each(Fraction(8 * size, bits_in_unit), f"{prefix}B/s")
    return found


_TWO_SIZES = "write GB (1000^3 bytes) or GiB (1024^3 bytes)"

UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        "count": Unit(""),
        "tokens": Unit("tokens", {}, ("128k", "32768", "1M")),
        "decimal_tokens": Unit(
            "tokens",
            _each(1, "tokens", "token")
            | _each(10**3, "k")
            | _each(10**6, "m")
            | _each(10**9, "b")
            | _each(10**12, "t"),
            ("50M", "1.5B"),
        ),
        "gib": Unit(
            "GiB",
            _bytes_in_gib(),
            ("80GB", "79.6 GiB", "1.5 TiB", "81559 MiB"),
            hints=dict.fromkeys(("k", "m", "g", "t"), _TWO_SIZES),
        ),
        "gb_per_s": Unit("GB/s", _rates(8 * 10**9), ("3350", "3.35 TB/s"), ignore_case=False),
        "gbit_per_s": Unit(
            "Gbit/s",
            _rates(10**9) | _each(1, "GbE", "gbe", "gbps", "gbit/s"),
            ("400", "400 Gb/s", "3.2 Tb/s", "50 GB/s"),
            ignore_case=False,
        ),
        "billions": Unit(
            "billion",
            _each(1, "b", "bn", "billion")
            | _each(Fraction(1, 1000), "m", "million")
            | _each(1000, "t", "trillion"),
            ("70", "70B", "600M"),
        ),
        "ms": Unit("ms", _each(1, "ms") | _each(1000, "s", "sec"), ("500", "500ms", "2 s")),
        "s": Unit(
            "s",
            _each(Fraction(1, 1000), "ms") | _each(1, "s", "sec") | _each(60, "min"),
            ("1.5", "300ms", "2 min"),
        ),
        "percent": Unit("%", _each(1, "%"), ("60", "60%")),
        "fraction": Unit("", _each(Fraction(1, 100), "%"), ("0.9", "90%")),
        "w": Unit("W", _each(1, "w") | _each(1000, "kw"), ("700", "1.2 kW")),
        "kw": Unit("kW", _each(1, "kw") | _each(Fraction(1, 1000), "w"), ("10.2", "10200 W")),
        "usd": Unit("USD", _each(1, "usd", "$"), ("250000", "250000 USD")),
        "usd_per_hour": Unit(
            "USD/h", _each(1, "usd/h", "usd/hour", "$/h", "$/hour"), ("12.5", "12.5 USD/h")
        ),
        "tokens_per_s": Unit(
            "tokens/s", _each(1, "tokens/s", "token/s", "tok/s", "t/s"), ("30", "30 tok/s")
        ),
        "requests_per_s": Unit(
            "requests/s", _each(1, "requests/s", "req/s", "rps", "qps"), ("5", "5 req/s")
        ),
    }
)
"""Units by the name that question records use."""


def parse_quantity(text: str, unit_name: str) -> Fraction:
    """Return the number that ``text`` states, in the named unit, exactly.

    Raises:
        UnitError: when it is not a finite number with a known unit.
    """
    unit = UNITS[unit_name]
    trimmed = text.strip()
    if unit.label.startswith("USD"):
        trimmed = trimmed.removeprefix("$")
    match = _NUMBER.fullmatch(trimmed) if len(trimmed) <= _MAX_LENGTH else None
    if match is None or _GROUPED.match(trimmed):
        raise UnitError(_why_not(trimmed))
    number: Fraction = Fraction(match["number"].replace("_", ""))
    suffix = match["suffix"]
    if suffix is None:
        return number
    if unit_name == "tokens":
        return _tokens(number, suffix)
    key = suffix.replace(" ", "")
    if unit.ignore_case:
        key = key.casefold()
    if key in unit.factors:
        return number * unit.factors[key]
    if key in unit.hints:
        raise UnitError(f"the unit {suffix!r} could mean two things: {unit.hints[key]}")
    raise UnitError(_unit_refused(match["number"], suffix, unit))


def _tokens(number: Fraction, suffix: str) -> Fraction:
    """Return a number of tokens.

    Model windows are powers of two and are spoken of as such: ``128k`` is 131,072. So ``k``
    is 1024 (and ``M`` 1024^2) when the number before it is a power of two, else 1000 (and
    1000^2): ``100k`` is 100,000. ``Ki`` and ``Mi`` are always binary.
    """
    word = re.sub(r"\s*tok(?:en)?s?$", "", suffix.strip().casefold())
    if word == "":
        return number
    power = {"k": 1, "ki": 1, "m": 2, "mi": 2}.get(word)
    if power is None:
        raise UnitError(_unit_refused(str(number), suffix, UNITS["tokens"]))
    whole = number.denominator == 1 and number > 0
    binary = word.endswith("i") or (whole and number.numerator.bit_count() == 1)
    base = 1024 if binary else 1000
    return number * Fraction(base**power)


def _why_not(text: str) -> str:
    """Return why a text is no number at all."""
    if text.casefold() in _BOOLEANS:
        return "a number is needed, not yes or no"
    if _NOT_FINITE.fullmatch(text):
        return "the number must be finite"
    if _GROUPED.match(text):
        return "write the number without separators between digits, and the decimal point as '.'"
    if re.fullmatch(r"[+-]?0[0-9]+", text):
        return "write the number without leading zeros"
    return "a number is needed"


def _unit_refused(number: str, suffix: str, unit: Unit) -> str:
    """Return what to write instead of a number with a foreign suffix."""
    if not unit.factors and not unit.examples:
        return f"write just the number {number}"
    examples = ", ".join(unit.examples)
    return f"the unit {suffix[:20]!r} is not understood here; write for example {examples}"
