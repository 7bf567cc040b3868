"""Conditions that can never be true, whatever the facts are.

Only single conjunctions are judged, by intervals, value sets and pairs of operands: what is
reported is certain, what is not reported may still be dead for deeper reasons.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from advisor.rules.conditions import (
    And,
    Atom,
    Compare,
    Const,
    ListAny,
    ListHas,
    Member,
    Node,
    Operand,
    Or,
    Presence,
    Ref,
    refs_of,
)
from advisor.rules.facts import Scalar
from advisor.rules.scope import Scope
from advisor.rules.vocabulary import FieldSpec

__all__ = ["contradiction", "dead_parts"]

_ORDERS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": "=>"}
_SWAPPED = {"<": ">", ">": "<", "=": "="}


@dataclass(slots=True)
class _Field:
    """What a conjunction says about one field."""

    spec: FieldSpec
    values: set[Scalar] | None = None
    excluded: set[Scalar] = field(default_factory=set)
    low: float = -math.inf
    low_open: bool = False
    high: float = math.inf
    high_open: bool = False
    known: bool = False
    missing: bool = False

    def impossible(self) -> bool:
        if self.missing:
            return self.known
        if self.values is None:
            self.values = self._all_values()
        if self.values is not None:
            return not any(self._admits(value) for value in self.values - self.excluded)
        return self._empty_interval()

    def _all_values(self) -> set[Scalar] | None:
        if not self.known:
            return None
        if self.spec.allowed:
            return set(self.spec.allowed)
        return {True, False} if self.spec.type == "bool" else None

    def _admits(self, value: Scalar) -> bool:
        if isinstance(value, str | bool):
            return True
        above = value > self.low or (value == self.low and not self.low_open)
        below = value < self.high or (value == self.high and not self.high_open)
        return above and below

    def _empty_interval(self) -> bool:
        low, high, low_open, high_open = self.low, self.high, self.low_open, self.high_open
        if self.spec.type == "int" and not math.isinf(low):
            low = math.floor(low) + 1 if low_open else math.ceil(low)
            low_open = False
        if self.spec.type == "int" and not math.isinf(high):
            high = math.ceil(high) - 1 if high_open else math.floor(high)
            high_open = False
        if low == high:
            return low_open or high_open or low in self.excluded
        return low > high

    def narrow(self, op: str, value: Scalar) -> None:
        self.known = True
        if op == "==":
            self.values = {value} if self.values is None else self.values & {value}
        elif op == "!=":
            self.excluded.add(value)
        elif isinstance(value, int | float):
            if op in (">", ">=") and (value, op == ">") > (self.low, self.low_open):
                self.low, self.low_open = value, op == ">"
            if op in ("<", "<=") and (-value, op == "<") > (-self.high, self.high_open):
                self.high, self.high_open = value, op == "<"


def contradiction(atoms: Iterable[Atom], scope: Scope) -> str | None:
    """Return why the conjunction of ``atoms`` can never be true, or None."""
    fields: dict[Ref, _Field] = {}
    pairs: dict[tuple[Operand, Operand], set[str]] = {}
    lists: dict[str, set[tuple[str | None, bool]]] = {}
    for atom in atoms:
        if isinstance(atom, ListHas | ListAny):
            reason = _note_list(atom, lists)
        else:
            reason = _note_pair(atom, pairs) if isinstance(atom, Compare) else None
            _note_fields(atom, fields, scope)
        if reason:
            return reason
    for ref, told in fields.items():
        if told.impossible():
            return f"no value of {ref} can satisfy all its tests at once"
    return None


def dead_parts(node: Node, scope: Scope) -> list[str]:
    """Return the contradictions inside a tree: of each ``and``, and of the whole."""
    found: list[str] = []
    if isinstance(node, And):
        flat = _flat(node)
        reason = contradiction([p for p in flat if not isinstance(p, And | Or)], scope)
        if reason:
            return [reason]
        for part in flat:
            found += dead_parts(part, scope) if isinstance(part, Or) else []
    elif isinstance(node, Or):
        for part in node.parts:
            found += dead_parts(part, scope)
    else:
        reason = contradiction([node], scope)
        found += [reason] if reason else []
    return found


def _flat(node: And) -> list[Node]:
    parts: list[Node] = []
    for part in node.parts:
        parts += _flat(part) if isinstance(part, And) else [part]
    return parts


def _note_fields(
    atom: Compare | Member | Presence, fields: dict[Ref, _Field], scope: Scope
) -> None:
    for ref in refs_of(atom):
        told = fields.setdefault(ref, _Field(scope.spec(ref)))
        if isinstance(atom, Presence):
            told.known |= atom.known
            told.missing |= not atom.known
            continue
        told.known = True
    if isinstance(atom, Member):
        told = fields[atom.ref]
        values = set(atom.values)
        if atom.negated:
            told.excluded |= values
        else:
            told.values = values if told.values is None else told.values & values
    if isinstance(atom, Compare) and isinstance(atom.left, Ref) and isinstance(atom.right, Const):
        fields[atom.left].narrow(atom.op, atom.right.value)


def _note_pair(atom: Compare, pairs: dict[tuple[Operand, Operand], set[str]]) -> str | None:
    if isinstance(atom.right, Const):
        return None
    allowed = set(_ORDERS[atom.op])
    left, right = atom.left, atom.right
    if (right, left) in pairs:
        left, right, allowed = right, atom.left, {_SWAPPED[order] for order in allowed}
    known = pairs.setdefault((left, right), set("<=>"))
    known &= allowed
    return None if known else f"{left} and {right} cannot satisfy all their tests at once"


def _note_list(
    atom: ListHas | ListAny, lists: dict[str, set[tuple[str | None, bool]]]
) -> str | None:
    told = lists.setdefault(atom.key, set())
    if isinstance(atom, ListHas):
        told.add((atom.value, not atom.negated))
        if not atom.negated:
            told.add((None, True))
    else:
        told.add((None, atom.known))
    if any((value, not present) in told for value, present in told):
        return f"{atom.key} cannot satisfy all its tests at once"
    return None
