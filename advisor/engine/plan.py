"""Conjunctions compiled to closures: filters on single facts, joins, and existence tests.

Both back ends use these: ``reference`` for everything, ``durable`` for negated patterns and
for the tests that its library cannot be trusted with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.engine.memory import FieldTest, Filter, Memory, Row
from advisor.rules.conditions import (
    Atom,
    Compare,
    Const,
    ListAny,
    ListHas,
    Member,
    Operand,
    Presence,
    Ref,
    aliases_of,
    renamed,
)
from advisor.rules.facts import Scalar
from advisor.rules.model import Conjunction, Negation
from advisor.rules.values import OPERATORS

__all__ = [
    "Blocker",
    "Env",
    "EnvTest",
    "EnvValue",
    "Filters",
    "Level",
    "Plan",
    "compile_test",
    "compile_value",
    "lists_hold",
    "places",
]

Env = Sequence[Mapping[str, Scalar]]
"""Fields of the facts bound so far, by position of the alias."""
EnvTest = Callable[[Env], bool]
EnvValue = Callable[[Env], Any]
Aliases = Sequence[tuple[str, str]]
Filters = dict[Filter, Filter]
"""Equal filters as one object, which makes looking up their views quick."""
ListTests = tuple[ListHas | ListAny, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One pattern: which facts, and how they join the earlier ones."""

    key: Filter
    tests: tuple[FieldTest, ...]
    equal: tuple[str, Scalar] | None
    probe: tuple[str, int, str] | None
    """(own field, earlier position, its field) of an equality join, served by an index."""
    joins: tuple[EnvTest, ...]
    rivals: tuple[int, ...]
    """Earlier positions of the same kind: they must hold other facts."""

    def rows(self, memory: Memory, env: Env) -> Sequence[Row]:
        """Return the facts to try, given the earlier ones."""
        view = memory.view(self.key, self.tests, self.equal)
        if self.probe is None:
            return view.rows
        own, position, other = self.probe
        value = env[position].get(other)
        return () if value is None else view.where(own, value)

    def fits(self, row: Row, env: Env) -> bool:
        """Return whether a row satisfies the equality join that ``rows`` looks up."""
        if self.probe is None:
            return True
        own, position, other = self.probe
        value = row.fields.get(own)
        return value is not None and value == env[position].get(other)


@dataclass(frozen=True, slots=True)
class Plan:
    """One conjunction of a rule."""

    lists: ListTests
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, conjunction: Conjunction, aliases: Aliases, filters: Filters) -> Plan:
        """Compile a conjunction whose facts are bound in the order of ``aliases``."""
        levels = tuple(
            _level(conjunction, aliases, position, filters) for position in range(len(aliases))
        )
        return cls(_list_tests(conjunction), levels)


@dataclass(frozen=True, slots=True)
class Blocker:
    """One negated pattern, ready to look for a fact that stops a match."""

    alias: str
    options: tuple[tuple[ListTests, Level, tuple[EnvTest, ...]], ...]
    """Per alternative: tests on lists, the negated pattern, tests on the match alone."""

    @classmethod
    def of(cls, negation: Negation, aliases: Aliases, filters: Filters) -> Blocker:
        """Compile a negated pattern of a rule that binds ``aliases``."""
        extended = [*aliases, (negation.alias, negation.kind)]
        place = places(extended)
        options = []
        for conjunction in negation.disjuncts:
            level = _level(conjunction, extended, len(aliases), filters)
            outer = [
                compile_test(atom, place)
                for atom in conjunction
                if aliases_of(atom) and negation.alias not in aliases_of(atom)
            ]
            options.append((_list_tests(conjunction), level, tuple(outer)))
        return cls(negation.alias, tuple(options))

    def find(self, memory: Memory, rows: Sequence[Row]) -> str | None:
        """Return the smallest id of a fact that stops the match ``rows``, or None."""
        found: list[str] = []
        env = [row.fields for row in rows]
        for lists, level, outer in self.options:
            if lists_hold(lists, memory) and all(test(env) for test in outer):
                blocker = _first(level, memory, rows, env)
                if blocker is not None:
                    found.append(blocker)
        return min(found, default=None)


def _first(
    level: Level, memory: Memory, rows: Sequence[Row], env: list[dict[str, Scalar]]
) -> str | None:
    for row in level.rows(memory, env):
        if any(rows[rival] is row for rival in level.rivals):
            continue
        extended = [*env, row.fields]
        if all(test(extended) for test in level.joins):
            return row.id
    return None


def places(aliases: Aliases) -> dict[str, int]:
    """Return the position of every alias."""
    return {alias: position for position, (alias, _) in enumerate(aliases)}


def lists_hold(tests: ListTests, memory: Memory) -> bool:
    """Return whether all tests on list answers hold."""
    for test in tests:
        elements = memory.lists.get(test.key, ())
        if isinstance(test, ListHas):
            holds = (test.value in elements) != test.negated
        else:
            holds = bool(elements) == test.known
        if not holds:
            return False
    return True


def _list_tests(conjunction: Conjunction) -> ListTests:
    return tuple(atom for atom in conjunction if isinstance(atom, ListHas | ListAny))


def _level(conjunction: Conjunction, aliases: Aliases, position: int, filters: Filters) -> Level:
    """Compile the tests that can be decided once the alias at ``position`` is bound."""
    place = places(aliases)
    alias, kind = aliases[position]
    owned = [(atom, aliases_of(atom)) for atom in conjunction]
    mine = [atom for atom, owners in owned if owners == {alias}]
    joins = [
        atom
        for atom, owners in owned
        if len(owners) > 1 and max(place[name] for name in owners) == position
    ]
    probes = [(atom, probe) for atom in joins if (probe := _probe(atom, alias, place)) is not None]
    served = probes[0][0] if probes else None
    here = {"": 0}
    shared = [renamed(atom, alias, "") for atom in mine]
    key = kind, frozenset(shared)
    return Level(
        key=filters.setdefault(key, key),
        tests=tuple(_on_fields(compile_test(atom, here)) for atom in shared),
        equal=next((pair for atom in shared if (pair := _equality(atom)) is not None), None),
        probe=probes[0][1] if probes else None,
        joins=tuple(compile_test(atom, place) for atom in joins if atom is not served),
        rivals=tuple(earlier for earlier in range(position) if aliases[earlier][1] == kind),
    )


def _on_fields(test: EnvTest) -> FieldTest:
    return lambda fields: test((fields,))


def _equality(atom: Atom) -> tuple[str, Scalar] | None:
    if isinstance(atom, Compare) and atom.op == "==" and isinstance(atom.right, Const):
        return (atom.left.field, atom.right.value) if isinstance(atom.left, Ref) else None
    return None


def _probe(atom: Atom, alias: str, place: Mapping[str, int]) -> tuple[str, int, str] | None:
    if not isinstance(atom, Compare) or atom.op != "==":
        return None
    left, right = atom.left, atom.right
    if not isinstance(left, Ref) or not isinstance(right, Ref):
        return None
    own, other = (left, right) if left.alias == alias else (right, left)
    return own.field, place[other.alias], other.field


def compile_value(operand: Operand, place: Mapping[str, int]) -> EnvValue:
    """Return a function from bound fields to the operand's value (None: unknown)."""
    if isinstance(operand, Const):
        value = operand.value
        return lambda _env: value
    if isinstance(operand, Ref):
        position, field = place[operand.alias], operand.field
        return lambda env: env[position].get(field)
    terms = tuple((factor, place[ref.alias], ref.field) for factor, ref in operand.terms)
    constant = operand.constant

    def total(env: Env) -> float | None:
        result = 0.0
        for factor, position, field in terms:
            value = env[position].get(field)
            if value is None:
                return None
            result += factor * value  # type: ignore[operator] # facts are checked numbers
        return result + constant

    return total


def compile_test(atom: Atom, place: Mapping[str, int]) -> EnvTest:
    """Return a function from bound fields to the truth of ``atom``; unknown is false."""
    if isinstance(atom, Presence):
        position, field, wanted = place[atom.ref.alias], atom.ref.field, atom.known
        return lambda env: (field in env[position]) is wanted
    if isinstance(atom, Member):
        return _member_test(atom, place)
    assert isinstance(atom, Compare)  # noqa: S101 - list tests are compiled elsewhere
    compare = OPERATORS[atom.op]
    if isinstance(atom.left, Ref) and isinstance(atom.right, Const):
        position, field, literal = place[atom.left.alias], atom.left.field, atom.right.value

        def against_literal(env: Env) -> bool:
            value = env[position].get(field)
            return value is not None and compare(value, literal)

        return against_literal
    left, right = compile_value(atom.left, place), compile_value(atom.right, place)

    def between(env: Env) -> bool:
        first, second = left(env), right(env)
        return first is not None and second is not None and compare(first, second)

    return between


def _member_test(atom: Member, place: Mapping[str, int]) -> EnvTest:
    position, field = place[atom.ref.alias], atom.ref.field
    values, negated = frozenset(atom.values), atom.negated

    def member(env: Env) -> bool:
        value = env[position].get(field)
        return value is not None and (value in values) is not negated

    return member
