"""Names and numbers as durable-rules can be trusted with.

The library takes 32-bit hashes of names for the names themselves, cuts strings at 65,535
bytes, coerces between types and drops a whole batch at a number like ``1e-05``. So it never
sees a name or a text of ours: fields, kinds, facts and texts become short generated names
and small whole numbers, whose hashes are known to differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from advisor.errors import EngineError, Problem
from advisor.rules.facts import Scalar

__all__ = ["MAX_CODES", "Codes", "Double", "Names", "fnv1a", "json_text", "number_text", "whole"]

MAX_CODES = 200_000
"""Decimal texts below this were checked to have different hashes (see the tests)."""

_BARE_EXPONENT = re.compile(r"[:\[,]-?\d+e")
_TAKEN = ("id", "sid", "$s", "k", "one")


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash, which the library takes for identity."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


class Names:
    """Generated property names whose hashes all differ."""

    def __init__(self) -> None:
        self._hashes = {fnv1a(name) for name in _TAKEN}
        self._count = 0

    def fresh(self, prefix: str) -> str:
        """Return a new name."""
        while True:
            name = f"{prefix}{self._count}"
            self._count += 1
            if fnv1a(name) not in self._hashes:
                self._hashes.add(fnv1a(name))
                return name


class Codes:
    """Whole numbers that stand for texts; equal texts, equal numbers."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known: dict[str, int] = dict(known or {})

    def of(self, text: str) -> int:
        """Return the number of a text.

        Raises:
            EngineError: More different texts than numbers known to be safe.
        """
        code = self.known.get(text)
        if code is None:
            code = self.known[text] = len(self.known)
            if code >= MAX_CODES:
                message = f"more than {MAX_CODES} different texts in the facts of one consultation."
                raise EngineError(Problem("too_many_texts", message))
        return code

    def of_scalar(self, value: Scalar) -> str:
        """Return a value as the library gets it: always a number."""
        if isinstance(value, bool):
            return "1" if value else "0"
        return str(self.of(value)) if isinstance(value, str) else number_text(value)


class Double(float):
    """A factor that the library must read as a double: never written without a dot."""


def number_text(value: float) -> str:
    """Return a JSON number that the library's parser reads: an exponent only after a dot."""
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, Double) and isinstance(value := whole(value), int):
        return str(value)
    text = float.__repr__(value)
    if "e" in text and "." not in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}.0e{exponent}"
    return text


def json_text(value: object) -> str:
    """Return JSON without spaces; texts in it are generated names, never ours.

    Whole numbers other than :class:`Double` come as ``int``, see :func:`whole`.
    """
    text = json.dumps(value, separators=(",", ":"))
    return text if _BARE_EXPONENT.search(text) is None else _spelled(value)


def _spelled(value: object) -> str:
    """Return the same with every number by :func:`number_text`; five times as slow."""
    if isinstance(value, dict):
        return "{" + ",".join([f'"{name}":{_spelled(item)}' for name, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_spelled(item) for item in value]) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int | float):
        return number_text(value)
    message = f"{type(value).__name__} has no place in a rule"
    raise TypeError(message)


def whole(value: float) -> float:
    """Return a whole number as ``int``: ``5.0`` and ``5`` are one number, hence one text."""
    if isinstance(value, int) or not value.is_integer() or abs(value) > 2**53:
        return value
    return int(value)
