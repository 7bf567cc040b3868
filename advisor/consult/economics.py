"""What a choice costs beside its rent: per token, bought instead of rented, and how sure it is.

Pure functions of plain numbers. A figure that is not known is named in ``missing``; it is never
taken as zero. Every result is a range, and says what it assumes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from advisor.errors import InputError, Problem

__all__ = [
    "HOURS_PER_MONTH",
    "STALE_AFTER_DAYS",
    "Band",
    "BreakEven",
    "TokenCost",
    "break_even",
    "price_age_days",
    "stale_price_note",
    "token_cost",
]

HOURS_PER_MONTH = 730
"""8,760 hours of a year by twelve; the price catalogue uses the same for reserved prices."""
STALE_AFTER_DAYS = 60
"""Rental prices moved by a tenth and more within two months of 2026 (price catalogue, trends)."""
_SECONDS_PER_HOUR = 3600
_PROMPTS_LEFT_OUT = "time spent on prompts is not counted"


@dataclass(frozen=True, slots=True)
class Band:
    """A range; ``low`` is never above ``high``."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Geometric mean: estimates are wrong by factors, not by sums."""
        return math.sqrt(self.low * self.high)

    def times(self, factor: float) -> Band:
        """Return the range scaled by a positive factor."""
        return Band(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class TokenCost:
    """USD for a million output tokens, as far as it can be told."""

    at_full_load: Band | None
    """Every hour of the rent used at the rate."""
    at_utilisation: Band | None
    utilisation_percent: float
    """Share of that rate that traffic really asks for, averaged over the rented hours."""
    assumes: str
    missing: tuple[str, ...]
    """What would be needed for a figure; empty when there is one."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """After how much renting a purchase would have been paid."""

    hours: Band | None
    """Rented hours; ``None`` when unknown or when it is never paid back."""
    months: Band | None
    never: bool
    """Even the cheapest case costs as much in electricity as it saves in rent."""
    sentence: str
    missing: tuple[str, ...]
    """What the figure leaves out, or what would be needed for one."""


def token_cost(
    usd_per_hour: float | None,
    replica_tokens_per_second: Band | None,
    *,
    replicas: int = 1,
    utilisation_percent: float = 100.0,
    prompts_counted: bool = False,
) -> TokenCost:
    """Return what a million output tokens cost: rent / (tokens per second x 3600) x 1e6.

    Args:
        usd_per_hour: Rent of all replicas together.
        replica_tokens_per_second: Total output rate of one replica at its concurrency.
        replicas: How many run side by side.
        utilisation_percent: Above 0, up to 100.
        prompts_counted: Whether the time of prompts is taken off the rate already.

    Raises:
        InputError: A figure is negative, zero or not a number.
    """
    _check("usd_per_hour", usd_per_hour)
    _check("utilisation_percent", utilisation_percent, most=100.0)
    _check("replicas", replicas)
    rate = _checked_band("output tokens per second", replica_tokens_per_second)
    prompts = "the time of prompts is counted" if prompts_counted else _PROMPTS_LEFT_OUT
    assumes = f"output tokens only, at the stated concurrency; {prompts}"
    if usd_per_hour is None or rate is None:
        wanted = (("a price", usd_per_hour), ("an estimate of output tokens per second", rate))
        missing = tuple(name for name, value in wanted if value is None)
        return TokenCost(None, None, utilisation_percent, assumes, missing)
    million_per_hour = rate.times(replicas * _SECONDS_PER_HOUR / 1e6)
    full = Band(usd_per_hour / million_per_hour.high, usd_per_hour / million_per_hour.low)
    used = full.times(100 / utilisation_percent)
    return TokenCost(full, used, utilisation_percent, assumes, ())


def break_even(
    purchase_usd: Band | None,
    rent_usd_per_hour: float | None,
    *,
    rented_hours_per_month: float = HOURS_PER_MONTH,
    power_w: Band | None = None,
    usd_per_kwh: float | None = None,
    also_missing: tuple[str, ...] = (),
) -> BreakEven:
    """Return how many rented hours a purchase equals: price / (rent - electricity per hour).

    Args:
        purchase_usd: What the GPUs cost, low and high; an estimate, never a quote.
        rent_usd_per_hour: Rent of as many GPUs.
        rented_hours_per_month: Hours for which one would rent; 730 for always on.
        power_w: Draw of the owned machines while they work.
        usd_per_kwh: Price of electricity; without it electricity is named as missing.
        also_missing: What the purchase price leaves out (from ``purchase_range``).

    Raises:
        InputError: A figure is negative, zero or not a number.
    """
    _check("rent_usd_per_hour", rent_usd_per_hour)
    _check("rented_hours_per_month", rented_hours_per_month, most=24.0 * 31)
    _check("usd_per_kwh", usd_per_kwh)
    price = _checked_band("purchase price", purchase_usd)
    watts = _checked_band("power", power_w)
    if price is None or rent_usd_per_hour is None:
        wanted = (("a purchase price", price), ("a rental price", rent_usd_per_hour))
        needed = tuple(name for name, value in wanted if value is None)
        text = f"No break-even: {' and '.join(needed)} is not known."
        return BreakEven(None, None, False, text, needed)
    power = _power_usd_per_hour(watts, usd_per_kwh)
    missing = (*also_missing, *_left_out(watts, usd_per_kwh))
    saved = Band(rent_usd_per_hour - power.high, rent_usd_per_hour - power.low)
    if saved.high <= 0:
        text = "Never paid back: electricity alone costs as much as the rent. This is an estimate."
        return BreakEven(None, None, True, text, missing)
    # the cheapest purchase with the cheapest power, and the dearest with the dearest
    longest = price.high / saved.low if saved.low > 0 else math.inf
    hours = Band(price.low / saved.high, longest)
    months = hours.times(1 / rented_hours_per_month)
    text = _break_even_sentence(price, rent_usd_per_hour, hours, months, rented_hours_per_month)
    return BreakEven(hours, months, False, f"{text} Not counted: {'; '.join(missing)}.", missing)


def price_age_days(as_of: str, today_as_of: str) -> int:
    """Return how old a price is, against the date of the knowledge base: there is no clock.

    Args:
        as_of: ``2026-08-19``, ``2026-08`` or ``2026``; a part counts from its first day, so that
            a price is never taken for younger than it may be.
        today_as_of: Date of the knowledge base, read to its last day.

    Returns:
        Days; 0 for a price that is newer than the knowledge base.

    Raises:
        InputError: Not a date.
    """
    age = _day("today_as_of", today_as_of, last=True) - _day("as_of", as_of, last=False)
    return max(0, age.days)


def stale_price_note(as_of: str, today_as_of: str) -> str | None:
    """Return the sentence that an old price needs, or ``None`` up to 60 days.

    Raises:
        InputError: Not a date.
    """
    days = price_age_days(as_of, today_as_of)
    if days <= STALE_AFTER_DAYS:
        return None
    return f"The price of {as_of} is {days} days old: a hint, not a quote."


def _break_even_sentence(
    price: Band, rent: float, hours: Band, months: Band, hours_per_month: float
) -> str:
    text = (
        f"Buying for about {_span(price, ',.0f')} USD (an estimate, not a quote) "
        f"equals {_span(hours, ',.0f')} hours of renting at {rent:,.2f} USD an hour, "
    )
    return f"{text}or {_span(months, ',.1f')} months of {hours_per_month:g} hours."


def _span(band: Band, form: str) -> str:
    if math.isinf(band.high):
        return f"{band.low:{form}} or more (at the dearest power it never pays)"
    low, high = f"{band.low:{form}}", f"{band.high:{form}}"
    return low if low == high else f"{low} to {high}"


def _power_usd_per_hour(watts: Band | None, usd_per_kwh: float | None) -> Band:
    if watts is None or usd_per_kwh is None:
        return Band(0.0, 0.0)  # named in ``missing`` by _left_out
    return watts.times(usd_per_kwh / 1000)


def _left_out(watts: Band | None, usd_per_kwh: float | None) -> Iterator[str]:
    if usd_per_kwh is None:
        yield "electricity (no price per kWh was given)"
    elif watts is None:
        yield "electricity (the power of this GPU is not known)"
    yield "space, cooling, network, staff, repairs, financing and resale value"


def _checked_band(name: str, band: Band | None) -> Band | None:
    if band is not None:
        _check(name, band.low)
        _check(name, band.high)
        if band.low > band.high:
            raise _bad(name, f"low ({band.low:g}) is above high ({band.high:g})")
    return band


def _check(name: str, value: float | None, *, most: float = math.inf) -> None:
    if value is None:
        return
    if not math.isfinite(value) or value <= 0 or value > most:
        limit = "" if math.isinf(most) else f" and at most {most:g}"
        raise _bad(name, f"{value} must be a number above 0{limit}")


def _bad(name: str, reason: str) -> InputError:
    return InputError(Problem("bad_value", f"{reason}.", key=name.replace(" ", "_")))


def _day(key: str, text: str, *, last: bool) -> date:
    parts = text.split("-")
    digits = all(part.isascii() and part.isdigit() for part in parts)
    try:
        if not digits or [len(part) for part in parts] not in ([4], [4, 2], [4, 2, 2]):
            raise ValueError(text)  # noqa: TRY301 - one message for every kind of wrong date
        year, month, day = (*map(int, parts), 0, 0)[:3]
        if day:
            return date(year, month, day)
        if not last:
            return date(year, month or 1, 1)
        after = date(year + 1, 1, 1) if month in {0, 12} else date(year, month + 1, 1)
        return after - timedelta(days=1)
    except ValueError as error:
        message = f"{text!r} is not a date: write 2026-08-19, 2026-08 or 2026."
        raise InputError(Problem("bad_date", message, key=key)) from error
