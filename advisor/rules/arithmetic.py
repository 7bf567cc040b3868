"""Adding and scaling operands: constants are folded, fields become a :class:`Sum`."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.rules.conditions import Const, Operand, Ref, Sum
from advisor.rules.scope import Scope, type_class_of

__all__ = ["sum_of"]


def sum_of(symbol: str, operands: Sequence[Operand], scope: Scope) -> Operand | None:
    """Return ``operands`` joined by ``+``, ``-`` or ``*`` (one operand: its sign)."""
    for operand in operands:
        if type_class_of(scope, operand) != "number":
            scope.fault("type_mismatch", f"{operand} is not a number: no arithmetic with it.")
            return None
    if symbol == "*":
        return _product(operands[0], operands[1], scope)
    if len(operands) == 1:
        return operands[0] if symbol == "+" else _scaled(operands[0], -1)
    second = operands[1] if symbol == "+" else _scaled(operands[1], -1)
    return _added(operands[0], second)


def _product(first: Operand, second: Operand, scope: Scope) -> Operand | None:
    if isinstance(second, Const):
        return _scaled(first, _number(second))
    if isinstance(first, Const):
        return _scaled(second, _number(first))
    scope.fault(
        "forbidden_expression",
        f"{first} * {second} multiplies two fields; only constants may be factors. "
        "Let the caller put the product into the fact.",
    )
    return None


def _scaled(operand: Operand, factor: float) -> Operand:
    if isinstance(operand, Const):
        return Const(_number(operand) * factor)
    terms, constant = _parts(operand)
    return Sum(tuple((k * factor, ref) for k, ref in terms), constant * factor)


def _added(first: Operand, second: Operand) -> Operand:
    if isinstance(first, Const) and isinstance(second, Const):
        return Const(_number(first) + _number(second))
    terms, constant = _parts(first)
    more, extra = _parts(second)
    return Sum((*terms, *more), constant + extra)


def _parts(operand: Operand) -> tuple[tuple[tuple[float, Ref], ...], float]:
    if isinstance(operand, Sum):
        return operand.terms, operand.constant
    if isinstance(operand, Ref):
        return ((1.0, operand),), 0.0
    return (), float(_number(operand))


def _number(const: Const) -> float:
    value = const.value
    assert not isinstance(value, str | bool)  # noqa: S101 - the caller checked the class
    return value
