"""Condition and value texts -> typed trees, by Python's own parser and a strict whitelist.

Python's ``ast`` only delivers syntax; nothing is ever evaluated. What is not listed here is
refused by name, so that a typo cannot silently mean something else.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import cast

from advisor.rules.arithmetic import sum_of
from advisor.rules.checks import checked_compare, checked_list_test, checked_member
from advisor.rules.conditions import (
    NEGATED,
    And,
    Compare,
    Const,
    ListAny,
    Node,
    Operand,
    Operator,
    Or,
    Presence,
    Ref,
)
from advisor.rules.facts import Scalar
from advisor.rules.scope import Scope

__all__ = ["parse_condition", "parse_value"]

MAX_LENGTH = 2_000
"""Longest text, in characters; real conditions are under 300."""
MAX_DEPTH = 60
"""Deepest nesting of one text, far below Python's own recursion limit."""

_ASSIGNMENT = re.compile(r"(?<![=!<>:])=(?!=)")
_CHECK = "check brackets, quotes and operators"
_OPERATORS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_MIRRORED: dict[Operator, Operator] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
_WORDS: dict[str, bool] = {"true": True, "false": False}


def parse_condition(text: str, scope: Scope) -> Node | None:
    """Parse ``text`` into a tree of typed atoms, negation pushed into the atoms.

    Returns:
        The tree, or None when something was wrong; ``scope.faults`` says what.
    """
    body = _syntax(text, scope)
    if body is None:
        return None
    before = len(scope.faults)
    node = _condition(body, scope, negated=False)
    return node if len(scope.faults) == before else None


def parse_value(text: str, scope: Scope) -> Operand | None:
    """Parse the expression of a derived field: a literal, a field or arithmetic."""
    body = _syntax(text, scope)
    return None if body is None else _operand(body, scope)


def _syntax(text: str, scope: Scope) -> ast.expr | None:
    if len(text) > MAX_LENGTH:
        scope.fault("syntax_error", f"longer than {MAX_LENGTH} characters; split the rule.")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a doubtful escape such as '\\d' is an error here
            # Brackets, so that a folded YAML text may go over several lines.
            body = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, Warning, RecursionError, MemoryError):
        # Python's own words differ between versions, so ours do not quote them.
        hint = "to compare, write ==" if _ASSIGNMENT.search(text) else _CHECK
        shown = text.strip() if len(text) <= 120 else f"{text.strip()[:120]}..."
        scope.fault("syntax_error", f"cannot be read: {shown!r}; {hint}.")
        return None
    if _depth(body) > MAX_DEPTH:
        scope.fault("syntax_error", f"nested more than {MAX_DEPTH} deep.")
        return None
    return body


def _depth(body: ast.expr) -> int:
    """Return how deep an expression is nested, without recursion."""
    level: list[ast.AST] = [body]
    depth = 0
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _condition(node: ast.expr, scope: Scope, *, negated: bool) -> Node:
    """Return the tree of ``node`` (of its negation); a faulty part becomes true."""
    if isinstance(node, ast.BoolOp):
        parts = tuple(_condition(value, scope, negated=negated) for value in node.values)
        return And(parts) if isinstance(node.op, ast.And) != negated else Or(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _condition(node.operand, scope, negated=not negated)
    if isinstance(node, ast.Compare):
        return _comparison(node, scope, negated=negated)
    if isinstance(node, ast.Call):
        return _presence(node, scope, negated=negated)
    return _truth(node, scope, negated=negated)


def _truth(node: ast.expr, scope: Scope, *, negated: bool) -> Node:
    """Return the test of a bare yes/no field, or of ``true`` (a rule without condition)."""
    operand = _operand(node, scope)
    if operand is None:
        return And(())
    if isinstance(operand, Ref) and scope.spec(operand).type_class == "yes/no":
        return Compare(operand, "==", Const(not negated))
    if operand == Const(True) and not negated:
        return And(())
    if isinstance(operand, Const) and isinstance(operand.value, bool):
        scope.fault("constant_condition", "always false: the rule can never match.")
    elif isinstance(operand, Const):
        scope.fault("constant_condition", f"{operand} is not a test; compare a field with it.")
    else:
        scope.fault("type_mismatch", f"{operand} is not a yes/no field; compare it with a value.")
    return And(())


def _comparison(node: ast.Compare, scope: Scope, *, negated: bool) -> Node:
    lefts = [node.left, *node.comparators]
    parts = tuple(
        _pair(left, op, right, scope, negated=negated)
        for left, op, right in zip(lefts, node.ops, node.comparators, strict=False)
    )
    if len(parts) == 1:
        return parts[0]
    return Or(parts) if negated else And(parts)


def _pair(left: ast.expr, op: ast.cmpop, right: ast.expr, scope: Scope, *, negated: bool) -> Node:
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(left, right, scope, negated=isinstance(op, ast.NotIn) != negated)
    symbol = _OPERATORS.get(type(op))
    if symbol is None:
        scope.fault("forbidden_expression", "'is' is not known; use == or !=.")
        return And(())
    first, second = _operand(left, scope), _operand(right, scope)
    if first is None or second is None:
        return And(())
    if isinstance(first, Const):
        if isinstance(second, Const):
            shown = f"{first} {symbol} {second}"
            scope.fault("constant_condition", f"{shown} compares two constants.")
            return And(())
        first, second, symbol = second, first, _MIRRORED[symbol]
    return checked_compare(first, NEGATED[symbol] if negated else symbol, second, scope)


def _membership(left: ast.expr, right: ast.expr, scope: Scope, *, negated: bool) -> Node:
    member = _operand(left, scope)
    if isinstance(right, ast.List | ast.Tuple | ast.Set):
        values = _literals(right.elts, scope)
        if member is None or values is None:
            return And(())
        if not isinstance(member, Ref):
            scope.fault("forbidden_expression", f"left of 'in [...]' stands a field, not {member}.")
            return And(())
        return checked_member(member, values, scope, negated=negated)
    key = _operand(right, scope)
    if member is None or key is None:
        return And(())
    return checked_list_test(member, key, scope, negated=negated)


def _literals(elements: Sequence[ast.expr], scope: Scope) -> tuple[Scalar, ...] | None:
    values: list[Scalar] = []
    for element in elements:
        operand = _operand(element, scope)
        if operand is None:
            return None
        if not isinstance(operand, Const):
            scope.fault("forbidden_expression", f"a list after 'in' holds literals, not {operand}.")
            return None
        values.append(operand.value)
    return tuple(values)


def _presence(node: ast.Call, scope: Scope, *, negated: bool) -> Node:
    name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
    if name not in ("missing", "known") or node.keywords or len(node.args) != 1:
        scope.fault(
            "forbidden_expression",
            f"{ast.unparse(node)} is not known; the only functions are missing(x) and known(x).",
            allowed=("missing(x)", "known(x)"),
        )
        return And(())
    operand = _operand(node.args[0], scope)
    if operand is None:
        return And(())
    if not isinstance(operand, Ref):
        scope.fault("forbidden_expression", f"{name}() asks about a field, not about {operand}.")
        return And(())
    known = (name == "known") != negated
    if scope.spec(operand).type_class == "list":
        return ListAny(operand.field, known)
    return Presence(operand, known)


def _operand(node: ast.expr, scope: Scope) -> Operand | None:
    if isinstance(node, ast.Constant):
        return _constant(node, scope)
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return Const(_WORDS[node.id])
    if isinstance(node, ast.Name | ast.Attribute):
        dotted = _dotted(node)
        if dotted is not None:
            return scope.resolve(dotted)
    if isinstance(node, ast.UnaryOp | ast.BinOp):
        return _arithmetic(node, scope)
    scope.fault(
        "forbidden_expression",
        f"{ast.unparse(node)} is not allowed here; a value is a literal, a field, or fields "
        "added together and multiplied by constants.",
    )
    return None


def _constant(node: ast.Constant, scope: Scope) -> Const | None:
    value = node.value
    if isinstance(value, bool | str):
        return Const(value)
    if isinstance(value, int | float) and abs(value) <= 2**53:
        return Const(value)
    scope.fault("forbidden_expression", f"{value!r} cannot be used as a literal.")
    return None


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        root = _dotted(node.value)
        return None if root is None else f"{root}.{node.attr}"
    return None


def _arithmetic(node: ast.UnaryOp | ast.BinOp, scope: Scope) -> Operand | None:
    if isinstance(node, ast.UnaryOp):
        operands = [_operand(node.operand, scope)]
        symbol = {ast.USub: "-", ast.UAdd: "+"}.get(cast("type[ast.USub]", type(node.op)))
    else:
        operands = [_operand(node.left, scope), _operand(node.right, scope)]
        symbol = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}.get(
            cast("type[ast.Add]", type(node.op))
        )
    known = [operand for operand in operands if operand is not None]
    if len(known) != len(operands):
        return None
    if symbol is None:
        scope.fault(
            "forbidden_expression",
            f"{ast.unparse(node)}: only + and - and multiplying by a constant are known; "
            "instead of dividing, multiply the other side.",
        )
        return None
    return sum_of(symbol, known, scope)
