"""Reads the sums that records show: ``80 x 1,024 = 81,920 Mi``, also as chains of ``=``.

Words are passed over; what is left must be a sum of numbers, or the piece is no sum.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Sum", "sums_in"]

_BYTES = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "Mi": 2**20, "Gi": 2**30, "GiB": 2**30}
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>(?<!\w){_NUMBER}(?![\w.]*\w))|(?P<unit>\b(?:[KMGT]B|GiB|[MG]i)\b)(?P<rate>/s)?"
    r"|(?P<sign>[-+/()]|\bx\b)|\S+?(?=[\s;,()]|$)"
)
_ENDS = re.compile(r";|, (?=[^\d])|,? (?:and|against|more than) |: | > |=")
_SIGNS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_CLOSE = 0.006
"""Figures are printed with two to four digits, and so are those they come from."""


@dataclass(frozen=True)
class _Side:
    bare: float
    """As if there were no units."""
    whole: float
    """In bytes, where units say so."""
    alone: bool
    """One number, nothing computed."""
    unit: str | None
    last_place: float


@dataclass(frozen=True)
class Sum:
    """Two neighbours of a chain: what is computed, and what it is said to be."""

    text: str
    left: _Side
    right: _Side

    @property
    def holds(self) -> bool:
        """Tell whether both agree as closely as they are printed."""
        scale = self.right.whole / self.right.bare
        for said, place in (
            (self.right.bare, self.right.last_place),
            (self.right.whole, self.right.last_place * scale),
        ):
            for computed in (self.left.bare, self.left.whole):
                if abs(computed - said) <= max(place, _CLOSE * said) * 1.001:
                    return True
        return False


def sums_in(text: str) -> Iterator[Sum]:
    """Yield every sum of an arithmetic line."""
    for equals in re.finditer("=", text):
        before = _ENDS.split(text[: equals.start()])[-1]
        after = _ENDS.split(text[equals.end() :])[0]
        left = _side(before)
        said = re.match(rf"\s*(?:{_NUMBER})(?:\s*(?:[KMGT]B|GiB|[MG]i)\b)?", after)
        right = _side(said[0]) if said else None
        if left is None or right is None or not right.bare:
            continue
        if left.alone and None in {left.unit, right.unit}:
            continue  # something else is computed than is written: tokens, minutes
        yield Sum(f"{before.strip()} = {after.strip()}", left, right)


def _side(text: str) -> _Side | None:
    bare, whole, unit, place = "", "", None, 0.0
    for found in _TOKEN.finditer(text):
        if number := found["number"]:
            plain = number.replace(",", "")
            bare, whole = f"{bare} {plain}", f"{whole} {plain}"
            mantissa = plain.partition("e")[0]
            place = 0.5 * 10.0 ** -len(mantissa.partition(".")[2])
        elif found["unit"]:
            unit = found["unit"]
            whole += f" * {_BYTES[unit]!r}"
        elif sign := found["sign"]:
            sign = "*" if sign == "x" else sign
            bare, whole = f"{bare} {sign}", f"{whole} {sign}"
    values = _value(bare), _value(whole)
    if values[0] is None or values[1] is None:
        return None
    alone = not re.search(r"[-+*/]", bare)
    return _Side(values[0], values[1], alone, unit, place)


def _value(expression: str) -> float | None:
    try:
        return _computed(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, KeyError, TypeError, ValueError):
        return None


def _computed(node: ast.expr) -> float:
    if isinstance(node, ast.Constant):
        return float(str(node.value))
    if not isinstance(node, ast.BinOp):
        raise TypeError(node)
    return float(_SIGNS[type(node.op)](_computed(node.left), _computed(node.right)))
