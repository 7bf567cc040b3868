"""The figures of two consultations side by side; what is not known is said, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from advisor.explain.wanted import verdict
from advisor.explain.words import decided
from advisor.reports.advice_words import purchase_words

if TYPE_CHECKING:
    from advisor.consult.consultation import Consultation
    from advisor.sizing.result import SizeResult

__all__ = ["Row", "rows_of"]

_NONE = "no estimate"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of both."""

    label: str
    first: str
    second: str
    sections: tuple[str, ...]
    detail: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"label": self.label, "first": self.first, "second": self.second}


@dataclass(frozen=True, slots=True)
class _Side:
    """One consultation, as the figures read it."""

    told: Consultation

    @property
    def values(self) -> Mapping[str, Any]:
        decision = self.told.decisions.get("gpu")
        return {} if decision is None or decision.choice is None else decision.choice.model_dump()

    @property
    def sizing(self) -> SizeResult | None:
        return self.told.sizing if self.values else None


def rows_of(first: Consultation, second: Consultation) -> Iterator[Row]:
    """Yield the figures of both, those that decide first."""
    sides = (_Side(first), _Side(second))
    for label, read, section, detail in _ROWS:
        one, other = (read(side) for side in sides)
        if one is not None or other is not None:
            yield Row(label, one or _NONE, other or _NONE, (section,), detail)


def _advice(side: _Side) -> str:
    return decided(side.told.decisions.get("gpu"), brief=True)


def _layout(side: _Side) -> str | None:
    made = side.told.decisions.get("parallelism")
    return None if made is None or made.choice is None else decided(made, brief=True)


def _cost(side: _Side) -> str | None:
    values = side.values
    usd = values.get("usd_per_hour")
    if isinstance(usd, int | float):
        return f"{usd:,.2f} USD an hour (as of {values.get('price_as_of') or 'an unknown date'})"
    price = values.get("purchase_usd")
    # what is rented has one too, to compare with
    if isinstance(price, Mapping) and values.get("acquisition") != "rent":
        return f"{purchase_words(price)} to buy"
    rented = values.get("option") == "buy_or_rent"
    return "no price known" if rented else None


def _room(side: _Side) -> str | None:
    values = side.values
    room, replicas = values.get("room_requests_per_replica"), values.get("replicas") or 1
    return f"{room * replicas:,} requests at once" if isinstance(room, int) else None


def _speed(side: _Side) -> str | None:
    return _estimate(side, "decode_tokens_per_second", "tokens/s")


def _total(side: _Side) -> str | None:
    return _estimate(side, "total_output_tokens_per_second", "tokens/s")


def _first_token(side: _Side) -> str | None:
    return _estimate(side, "ttft_ms", "ms")


def _estimate(side: _Side, parameter: str, unit: str) -> str | None:
    """Return the estimate of the choice, beside what is asked of it; ``None`` without either."""
    found = side.values.get(parameter)
    asked = verdict(side.told, parameter) if side.values else ""
    if not isinstance(found, Mapping):
        return f"{_NONE}: {asked}" if asked else None
    return f"{found['low']:,.0f} to {found['high']:,.0f} {unit}{f' ({asked})' if asked else ''}"


def _free(side: _Side) -> str | None:
    sizing = side.sizing
    if sizing is None:
        return None
    if sizing.kv_cache_gib_per_gpu is not None:
        free = sizing.kv_cache_gib_per_gpu.expected
        return f"{free:,.1f} of {sizing.gpu_memory_gib:,.1f} GiB per GPU for the cache"
    if sizing.total_gib_per_gpu is not None:
        taken = sizing.total_gib_per_gpu.expected
        return f"{taken:,.1f} of {sizing.gpu_memory_gib:,.1f} GiB per GPU taken"
    return None


def _weights(side: _Side) -> str | None:
    sizing = side.sizing
    if sizing is None or sizing.weights_gib_per_gpu is None:
        return None
    return f"{sizing.weights_gib_per_gpu:,.1f} GiB per GPU in {sizing.weight_format}"


def _power(side: _Side) -> str | None:
    kw = side.values.get("all_gpus_kw")
    return f"{kw:,.2f} kW for all GPUs at their limit" if isinstance(kw, int | float) else None


_ROWS: tuple[tuple[str, Callable[[_Side], str | None], str, bool], ...] = (
    ("advice", _advice, "8.1", False),
    ("cost", _cost, "8.1", False),
    ("room", _room, "7.3", False),
    ("one user", _speed, "7.3", False),
    ("first token", _first_token, "7.3", False),
    ("memory", _free, "7.3", False),
    ("power", _power, "2.1", False),
    ("layout", _layout, "8.3", True),
    ("all users", _total, "7.3", True),
    ("weights", _weights, "7.3", True),
)
