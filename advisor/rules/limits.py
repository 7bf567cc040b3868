"""Limits that keep every rule inside what both engines can run.

The figures are those of durable-rules 2.0.28 with a margin: 16 patterns per rule, 29 join
tests per pattern, 250 properties per fact, 4,096 rules. They hold whichever engine runs, so
that a rule base that loads on one machine loads on all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.rules.conditions import aliases_of
from advisor.rules.model import Rule
from advisor.rules.scope import Fault

__all__ = [
    "MAX_CONJUNCTIONS",
    "MAX_FIELDS",
    "MAX_JOINS",
    "MAX_PATTERNS",
    "MAX_TESTS",
    "limit_faults",
]

MAX_PATTERNS = 12
"""Aliases per rule, the answers and one negated pattern included."""
MAX_JOINS = 16
"""Tests per conjunction that compare two facts."""
MAX_TESTS = 40
"""Tests per conjunction."""
MAX_FIELDS = 150
"""Different fields of one kind that all rules together test."""
MAX_CONJUNCTIONS = 3_000
"""Conjunctions of all rules together."""


def limit_faults(rules: Sequence[Rule]) -> Iterator[tuple[int, Fault]]:
    """Yield (rule position, fault) for every limit that a rule breaks."""
    total = 0
    fields: dict[str, set[str]] = {}
    for position, rule in enumerate(rules):
        yield from ((position, fault) for fault in _own_faults(rule))
        before = total
        total += len(rule.disjuncts)
        if before <= MAX_CONJUNCTIONS < total:
            yield position, _too_many("alternatives of all rules", total, MAX_CONJUNCTIONS)
        yield from ((position, fault) for fault in _field_faults(rule, fields))


def _own_faults(rule: Rule) -> Iterator[Fault]:
    patterns = len(rule.aliases) + (1 if rule.negations else 0)
    if patterns > MAX_PATTERNS:
        yield _too_many("patterns", patterns, MAX_PATTERNS)
    conjunctions = [*rule.disjuncts]
    for negation in rule.negations:
        conjunctions += negation.disjuncts
    tests = max((len(atoms) for atoms in conjunctions), default=0)
    if tests > MAX_TESTS:
        yield _too_many("tests in one alternative", tests, MAX_TESTS)
    joins = max(
        (sum(len(aliases_of(atom)) > 1 for atom in atoms) for atoms in conjunctions), default=0
    )
    if joins > MAX_JOINS:
        yield _too_many("tests between two facts", joins, MAX_JOINS)


def _field_faults(rule: Rule, fields: dict[str, set[str]]) -> Iterator[Fault]:
    from advisor.rules.conditions import refs_of

    kinds = dict(rule.aliases)
    for atoms in rule.disjuncts:
        for ref in (ref for atom in atoms for ref in refs_of(atom)):
            told = fields.setdefault(kinds[ref.alias], set())
            if ref.field not in told and len(told) == MAX_FIELDS:
                yield _too_many(
                    f"fields of {kinds[ref.alias]!r} in all rules", len(told) + 1, MAX_FIELDS
                )
            told.add(ref.field)


def _too_many(what: str, count: int, limit: int) -> Fault:
    return Fault("limit_exceeded", f"{count} {what}, the limit is {limit}; split the rule.")
