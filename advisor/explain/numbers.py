"""How much more or less of a choice there is: GPUs, replicas, machines, price, settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from advisor.reports.advice_words import purchase_words, said

if TYPE_CHECKING:
    from advisor.consult.consultation import Decision

__all__ = ["TUNED", "numbers", "settings"]

_COUNTED = frozenset(
    {
        "option", "total_gpus", "fleet_gpus", "gpu_counts", "replicas", "instance_type",
        "instances", "usd_per_hour", "purchase_usd",
    }
)  # fmt: skip
"""Parameters that :func:`numbers` tells."""
TUNED = frozenset({"memory_fraction", "max_model_len", "max_num_seqs", "requests_at_once"})
"""Of one of several loads: what an engine is set to, not what is built for it."""
_NONE = "none"


def numbers(before: Decision | None, after: Decision | None) -> tuple[str, ...]:
    """Return the numbers that differ between two choices: ``GPUs 8 -> 12``; none where one lacks.

    Args:
        before: A decision.
        after: The same decision on other answers.
    """
    first, then = _values(before), _values(after)
    return tuple(_numbers(first, then)) if first and then else ()


def settings(
    before: Decision | None, after: Decision | None, only: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the parameters besides that differ: ``max num seqs 32 -> 64``; none where one lacks.

    Args:
        before: A decision.
        after: The same decision on other answers.
        only: Parameters to tell; empty: all.
    """
    first, then = _values(before), _values(after)
    return tuple(_settings(first, then, only)) if first and then else ()


def _values(decision: Decision | None) -> dict[str, Any]:
    return {} if decision is None or decision.choice is None else decision.choice.model_dump()


def _numbers(first: Mapping[str, Any], then: Mapping[str, Any]) -> Iterator[str]:
    gpus = [_gpus(values) for values in (first, then)]
    if gpus[0] != gpus[1]:
        yield f"GPUs {gpus[0]} -> {gpus[1]}"
    elif first.get("replicas") != then.get("replicas"):
        yield f"replicas {first.get('replicas', _NONE)} -> {then.get('replicas', _NONE)}"
    machines = [_machines(values) for values in (first, then)]
    if gpus[0] == gpus[1] and machines[0] != machines[1]:
        yield f"instances {machines[0]} -> {machines[1]}"
    rents = [_rent(values) for values in (first, then)]
    if rents[0] != rents[1]:
        yield _between("rent", rents[0], rents[1], " USD an hour")
    prices = [_purchase(values) for values in (first, then)]
    if prices[0] != prices[1]:
        yield _between("purchase", prices[0], prices[1], "")


def _between(label: str, old: str, new: str, unit: str) -> str:
    """Return two prices; one that is not known has no unit."""
    if old and new and unit:
        return f"{old} -> {new}{unit}"
    words = [f"{one}{unit}" if one else "not known" for one in (old, new)]
    return f"{label} {words[0]} -> {words[1]}"


def _gpus(values: Mapping[str, Any]) -> object:
    counts = values.get("gpu_counts")
    if isinstance(counts, Mapping) and len(counts) > 1:
        return " and ".join(f"{count} x {label}" for label, count in counts.items())
    return values.get("fleet_gpus") or values.get("total_gpus")


def _machines(values: Mapping[str, Any]) -> str:
    kind = values.get("instance_type")
    if kind is None:
        return "not known"
    return f"{values['instances']} x {kind}" if values.get("instances") else str(kind)


def _rent(values: Mapping[str, Any]) -> str:
    usd = values.get("usd_per_hour")
    return f"{usd:,.2f}" if isinstance(usd, int | float) else ""


def _purchase(values: Mapping[str, Any]) -> str:
    price = values.get("purchase_usd")
    bought = values.get("acquisition") == "buy" or "usd_per_hour" not in values
    return purchase_words(price) if bought and isinstance(price, Mapping) else ""


def _settings(
    first: Mapping[str, Any], then: Mapping[str, Any], only: Collection[str]
) -> Iterator[str]:
    both = bool(first.get("loads") and then.get("loads"))
    # beside the loads stands what the largest of them has; that is told under its name
    named = {key for load in then["loads"] for key in load} if both else set()
    for key in dict.fromkeys((*first, *then)):
        old, new = first.get(key), then.get(key)
        if old == new or key in named or key in _COUNTED or (only and key not in only):
            continue
        label = key.replace("_", " ")
        if key == "loads" and (of_loads := list(_of_loads(old, new))):
            yield from of_loads
            continue
        words = [_setting(value) for value in (old, new)]
        plain = all(words) and words[0] != words[1]
        yield f"{label} {words[0]} -> {words[1]}" if plain else label


def _of_loads(old: object, new: object) -> Iterator[str]:
    """Yield what differs in what is built for each of several loads, under its name."""
    if not (isinstance(old, list | tuple) and isinstance(new, list | tuple)):
        return
    for first, then in zip(old, new, strict=False):
        for key in dict.fromkeys((*first, *then)):
            words = [_setting(load.get(key)) for load in (first, then)]
            if key not in TUNED and all(words) and words[0] != words[1]:
                name, label = then.get("workload"), key.replace("_", " ")
                yield f"{name}: {label} {words[0]} -> {words[1]}"


def _setting(value: object) -> str:
    """Return a setting in few words; empty where it takes many."""
    if value is None:
        return _NONE
    if isinstance(value, Mapping):
        if set(value) != {"low", "high"}:
            return ""
        return f"{value['low']:,.10g} to {value['high']:,.10g}"
    if isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value):
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,.10g}"
    return said(value)
