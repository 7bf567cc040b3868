"""Conditions compiled to closures that give a bare truth value, for searching bindings.

The values are ordered, 0 false, 1 open, 2 true, so that ``and`` is the least and ``or`` the
greatest of its parts (Kleene's logic). A test on an alias that is not bound yet is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from advisor.rules.conditions import (
    And,
    Atom,
    Compare,
    Const,
    ListAny,
    ListHas,
    Member,
    Node,
    Or,
    Presence,
    Ref,
    refs_of,
)
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.values import OPERATORS, value_of
from advisor.rules.world import World

__all__ = ["FALSE", "OPEN", "TRUE", "Bound", "Condition", "compile_condition"]

FALSE, OPEN, TRUE = 0, 1, 2

Bound = Mapping[str, Fact]
Condition = Callable[[Bound, World], int]


def compile_condition(node: Node) -> Condition:
    """Return a function from a (partial) binding and a world to a truth value."""
    if isinstance(node, And):
        return _least([compile_condition(part) for part in node.parts])
    if isinstance(node, Or):
        return _greatest([compile_condition(part) for part in node.parts])
    if isinstance(node, ListHas | ListAny):
        return _list_test(node)
    literal = _literal_test(node)
    if literal is not None:
        return _single(refs_of(node)[0], literal)
    if isinstance(node, Presence):
        return _presence(node)
    assert isinstance(node, Compare)  # noqa: S101 - all other atoms are literal tests
    return _comparison(node)


def _least(parts: list[Condition]) -> Condition:
    def least(bound: Bound, world: World) -> int:
        result = TRUE
        for part in parts:
            value = part(bound, world)
            if value < result:
                if value == FALSE:
                    return FALSE
                result = value
        return result

    return least


def _greatest(parts: list[Condition]) -> Condition:
    def greatest(bound: Bound, world: World) -> int:
        result = FALSE
        for part in parts:
            value = part(bound, world)
            if value > result:
                if value == TRUE:
                    return TRUE
                result = value
        return result

    return greatest


def _literal_test(atom: Atom) -> Callable[[Any], bool] | None:
    """Return the test of one known value, for atoms that compare one field with literals."""
    if isinstance(atom, Member):
        values, negated = frozenset(atom.values), atom.negated
        return lambda value: (value in values) is not negated
    if isinstance(atom, Compare) and isinstance(atom.left, Ref) and isinstance(atom.right, Const):
        compare, literal = OPERATORS[atom.op], atom.right.value
        return lambda value: compare(value, literal)
    return None


def _single(ref: Ref, test: Callable[[Any], bool]) -> Condition:
    alias, field, answer = ref.alias, ref.field, ref.alias == ANSWERS

    def single(bound: Bound, world: World) -> int:
        fact = bound.get(alias)
        if fact is None or field in fact.open_fields or (answer and field in world.open_keys):
            return OPEN
        value = fact.fields.get(field)
        return TRUE if value is not None and test(value) else FALSE

    return single


def _presence(atom: Presence) -> Condition:
    alias, field, known = atom.ref.alias, atom.ref.field, atom.known

    def presence(bound: Bound, world: World) -> int:
        fact = bound.get(alias)
        if fact is None or world.is_open(fact, field):
            return OPEN
        return TRUE if (field in fact.fields) is known else FALSE

    return presence


def _comparison(atom: Compare) -> Condition:
    refs, compare = refs_of(atom), OPERATORS[atom.op]
    aliases = tuple(dict.fromkeys(ref.alias for ref in refs))

    def comparison(bound: Bound, world: World) -> int:
        result = TRUE
        for ref in refs:
            fact = bound.get(ref.alias)
            if fact is None or world.is_open(fact, ref.field):
                result = OPEN
            elif ref.field not in fact.fields:
                return FALSE  # unknown for good: false whatever the open ones turn out to be
        if result == OPEN:
            return OPEN
        fields = {alias: bound[alias].fields for alias in aliases}
        holds = compare(value_of(atom.left, fields), value_of(atom.right, fields))
        return TRUE if holds else FALSE

    return comparison


def _list_test(atom: ListHas | ListAny) -> Condition:
    key = atom.key
    if isinstance(atom, ListHas):
        wanted, present = atom.value, not atom.negated
    else:
        wanted, present = None, atom.known

    def list_test(_bound: Bound, world: World) -> int:
        if key in world.open_keys:
            return OPEN
        elements = world.lists.get(key, ())
        found = bool(elements) if wanted is None else wanted in elements
        return TRUE if found is present else FALSE

    return list_test
