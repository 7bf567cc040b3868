"""Type and value checks of single tests."""

from __future__ import annotations

from advisor.rules.conditions import (
    And,
    Compare,
    Const,
    ListHas,
    Member,
    Node,
    Operand,
    Operator,
    Ref,
    Sum,
)
from advisor.rules.facts import Scalar
from advisor.rules.scope import Scope, type_class_of
from advisor.rules.vocabulary import FieldSpec, nearest

__all__ = ["checked_compare", "checked_list_test", "checked_member"]


def checked_compare(left: Ref | Sum, op: Operator, right: Operand, scope: Scope) -> Node:
    """Return the comparison, or true with a fault noted."""
    classes = type_class_of(scope, left), type_class_of(scope, right)
    shown = f"{left} {op} {right}"
    if "list" in classes:
        listed = left if classes[0] == "list" else right
        scope.fault(
            "type_mismatch",
            f"{listed} is a list; ask for an element with 'value in {listed}'.",
        )
    elif classes[0] != classes[1]:
        scope.fault(
            "type_mismatch", f"{shown} compares {classes[0]} with {classes[1]}: never equal."
        )
    elif op not in ("==", "!=") and classes[0] != "number":
        scope.fault("ordered_text", f"{shown}: {classes[0]} has no order; use == or !=.")
    elif left == right:
        scope.fault("constant_condition", f"{shown} compares a field with itself.")
    elif _possible_pair(left, op, right, scope):
        return Compare(left, op, right)
    return And(())


def checked_member(ref: Ref, values: tuple[Scalar, ...], scope: Scope, *, negated: bool) -> Node:
    """Return the membership test, or true with a fault noted."""
    if not values:
        scope.fault("constant_condition", f"the list after '{ref} in' is empty.")
        return And(())
    wanted = scope.spec(ref).type_class
    if wanted == "list":
        scope.fault("type_mismatch", f"{ref} is a list; write 'value in {ref}', joined by 'or'.")
        return And(())
    fine = True
    for value in values:
        found = type_class_of(scope, Const(value))
        if found != wanted:
            scope.fault(
                "type_mismatch", f"{ref} is {wanted}, {Const(value)} is {found}: never equal."
            )
            fine = False
        else:
            fine &= _possible(ref, value, scope, equality=True)
    unique = tuple(dict.fromkeys(values))
    return Member(ref, unique, negated) if fine else And(())


def checked_list_test(member: Operand, key: Operand, scope: Scope, *, negated: bool) -> Node:
    """Return the test of a list answer, or true with a fault noted."""
    if not isinstance(key, Ref) or scope.spec(key).type_class != "list":
        scope.fault(
            "type_mismatch",
            f"right of 'in' stands a list of literals or a list answer, not {key}.",
        )
        return And(())
    if not isinstance(member, Const) or not isinstance(member.value, str):
        scope.fault(
            "type_mismatch",
            f"elements of {key} are text: write a quoted literal left of 'in', not {member}. "
            "To join with a field, bind an alias of kind 'item' (key, value).",
        )
        return And(())
    if not _possible(key, member.value, scope, equality=True):
        return And(())
    return ListHas(key.field, member.value, negated)


def _possible_pair(left: Ref | Sum, op: Operator, right: Operand, scope: Scope) -> bool:
    if not isinstance(left, Ref) or not isinstance(right, Const):
        return True
    return _possible(left, right.value, scope, equality=op in ("==", "!="))


def _possible(ref: Ref, value: Scalar, scope: Scope, *, equality: bool) -> bool:
    spec: FieldSpec = scope.spec(ref)
    if spec.allowed and value not in spec.allowed:
        scope.fault(
            "impossible_value",
            f"{ref} can never be {value!r}.",
            allowed=spec.allowed,
            near=nearest(str(value), spec.allowed),
        )
        return False
    if spec.type == "int" and equality and isinstance(value, float) and not value.is_integer():
        scope.fault("impossible_value", f"{ref} is a whole number and can never be {value!r}.")
        return False
    return True
