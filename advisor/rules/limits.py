"""Limits that keep every rule inside what both engines can run.

The figures are those of durable-rules 2.0.28 with a margin: 16 patterns per rule, 29 join
tests per pattern, 250 properties per fact, 4,096 rules. They hold whichever engine runs, so
that a rule base that loads on one machine loads on all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from advisor.rules.conditions import Atom, Compare, Const, Ref, aliases_of, refs_of, renamed
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Rule
from advisor.rules.scope import Fault

__all__ = [
    "MAX_CONJUNCTIONS",
    "MAX_FIELDS",
    "MAX_JOINS",
    "MAX_PATTERNS",
    "MAX_PATTERNS_OF_KIND",
    "MAX_TESTS",
    "limit_faults",
]

MAX_PATTERNS = 12
"""Aliases per rule, the answers and one negated pattern included."""
MAX_JOINS = 16
"""Tests per conjunction that compare two facts."""
MAX_TESTS = 40
"""Tests per conjunction."""
MAX_FIELDS = 180
"""Different fields, lists after ``in`` and other tests that are no plain comparison, on one
kind in all rules together; the answers are exempt."""
MAX_CONJUNCTIONS = 3_000
"""Conjunctions of all rules together."""
MAX_PATTERNS_OF_KIND = 5_000
"""Patterns of one kind in the conjunctions of all rules together."""


def limit_faults(rules: Sequence[Rule]) -> Iterator[tuple[int, Fault]]:
    """Yield (rule position, fault) for every limit that a rule breaks."""
    total = 0
    fields: dict[str, set[str | Atom]] = {}
    patterns: Counter[str] = Counter()
    for position, rule in enumerate(rules):
        yield from ((position, fault) for fault in _own_faults(rule))
        before = total
        total += len(rule.disjuncts)
        if before <= MAX_CONJUNCTIONS < total:
            yield position, _too_many("alternatives of all rules", total, MAX_CONJUNCTIONS)
        yield from ((position, fault) for fault in _field_faults(rule, fields))
        for _, kind in rule.aliases:
            before = patterns[kind]
            patterns[kind] += len(rule.disjuncts)
            if before <= MAX_PATTERNS_OF_KIND < patterns[kind]:
                what = f"patterns of kind {kind!r} in all rules"
                yield position, _too_many(what, patterns[kind], MAX_PATTERNS_OF_KIND)


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


def _field_faults(rule: Rule, told: dict[str, set[str | Atom]]) -> Iterator[Fault]:
    kinds = dict(rule.aliases)
    tests = [test for tests in rule.disjuncts for test in tests]
    for alias, atom in [(name, test) for test in tests for name in sorted(aliases_of(test))]:
        kind = kinds[alias]
        if kind == ANSWERS:
            continue
        known = told.setdefault(kind, set())
        before = len(known)
        known |= {ref.field for ref in refs_of(atom) if ref.alias == alias}
        plain = isinstance(atom, Compare) and isinstance(atom.right, Const | Ref)
        if not plain and aliases_of(atom) == {alias}:
            known.add(renamed(atom, alias, ""))
        if before <= MAX_FIELDS < len(known):
            yield _too_many(f"different tests on {kind!r} in all rules", len(known), MAX_FIELDS)


def _too_many(what: str, count: int, limit: int) -> Fault:
    return Fault("limit_exceeded", f"{count} {what}, the limit is {limit}; split the rule.")
