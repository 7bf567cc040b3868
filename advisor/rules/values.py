"""What tests and expressions mean on values: the one definition that evaluators share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from advisor.rules.conditions import Const, Operand, Operator, Ref
from advisor.rules.facts import Scalar

__all__ = ["OPERATORS", "tidy", "value_of"]

OPERATORS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value_of(operand: Operand, fields: Mapping[str, Mapping[str, Scalar]]) -> Scalar | None:
    """Return the value of an operand, or None when a field of it is unknown.

    Args:
        operand: A field, literal or sum.
        fields: Alias -> fields of the fact it binds.
    """
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, Ref):
        return fields[operand.alias].get(operand.field)
    total = 0.0
    for factor, ref in operand.terms:
        value = fields[ref.alias].get(ref.field)
        if value is None or isinstance(value, str):
            return None
        total += factor * value
    return total + operand.constant


def tidy(value: Scalar) -> Scalar:
    """Return a number without a needless fraction: 4.0 and 4 are one value."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
