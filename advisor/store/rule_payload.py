"""What a rule may ``set``: by effect, which keys and which values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.errors import Problem
from advisor.store.loader_errors import nearest_names

__all__ = ["payload_problems"]

_KEYS: Mapping[str, frozenset[str]] = {
    "warn": frozenset(
        {"id", "kind", "severity", "text", "cause", "check", "fix", "symptom", "without_kubernetes"}
    ),
    "reject": frozenset({"option", "surcharge", "surcharge_paid", "quiet"}),
}
_PARTS = frozenset({"symptom", "cause", "check", "fix"})
_VALUES: Mapping[str, tuple[str, ...]] = {
    "kind": ("gotcha", "risk", "limit", "conflict"),
    "severity": ("critical", "warning", "info"),
}


def payload_problems(record: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in the ``set`` of one rule; files and lines are for the caller.

    A misspelt key would silently be no part of the warning.
    """
    payload, known = record.get("set"), _KEYS.get(str(record.get("effect")))
    if not isinstance(payload, dict) or known is None:
        return
    where = f"rules[{record.get('id')}].set"
    for key, value in payload.items():
        if key not in known:
            message = f"A rule that says {record.get('effect')} sets no {key!r}."
            nearest = nearest_names(str(key), sorted(known))
            allowed = tuple(sorted(known))
            yield Problem("unknown_key", message, None, None, f"{where}.{key}", allowed, nearest)
        elif key in _VALUES and value not in _VALUES[key]:
            message = f"{value!r} is no {key}."
            nearest = nearest_names(str(value), list(_VALUES[key]))
            yield Problem("bad_value", message, None, None, f"{where}.{key}", _VALUES[key], nearest)
        elif key == "without_kubernetes" and (unknown := _unknown_parts(value)):
            message = f"Texts for hosts without Kubernetes have no {', '.join(map(str, unknown))}."
            allowed = tuple(sorted(_PARTS))
            yield Problem("unknown_key", message, None, None, f"{where}.{key}", allowed)
        elif key.startswith("surcharge") and not _is_surcharge(value):
            message = f"{value!r} is no surcharge: a number of at least 1 multiplies the cost."
            yield Problem("bad_value", message, None, None, f"{where}.{key}")


def _unknown_parts(value: object) -> tuple[str, ...]:
    """Return what the texts for hosts have no place for; the name itself where they are none."""
    return (
        tuple(sorted(map(str, value.keys() - _PARTS)))
        if isinstance(value, dict)
        else ("without_kubernetes",)
    )


def _is_surcharge(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
