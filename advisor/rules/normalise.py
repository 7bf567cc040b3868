"""Disjunctive normal form: one rule becomes alternatives of plain conjunctions."""

from __future__ import annotations

from itertools import product
from math import prod

from advisor.rules.conditions import And, Atom, Node, Or

__all__ = ["MAX_ALTERNATIVES", "alternatives", "count_alternatives"]

MAX_ALTERNATIVES = 64
"""Most conjunctions that one condition may expand to; a list after ``in`` counts as one."""


def count_alternatives(node: Node) -> int:
    """Return an upper bound of the number of conjunctions, without building them."""
    if isinstance(node, Or):
        return sum(count_alternatives(part) for part in node.parts)
    if isinstance(node, And):
        return prod(count_alternatives(part) for part in node.parts)
    return 1


def alternatives(node: Node) -> tuple[tuple[Atom, ...], ...]:
    """Return the conjunctions of ``node`` in reading order, repetitions removed.

    The caller has checked :func:`count_alternatives` first: the expansion is exponential.
    """
    return tuple(dict.fromkeys(_expand(node)))


def _expand(node: Node) -> list[tuple[Atom, ...]]:
    if isinstance(node, Or):
        return [conjunction for part in node.parts for conjunction in _expand(part)]
    if isinstance(node, And):
        choices = product(*(_expand(part) for part in node.parts))
        return [
            tuple(dict.fromkeys(atom for part in chosen for atom in part)) for chosen in choices
        ]
    return [(node,)]
