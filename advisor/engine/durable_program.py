"""Rule base -> a durable-rules ruleset inside the subset that the library runs correctly.

Only positive patterns with literal tests and simple joins go in. Each pattern is one flat
``$and``: kind, two bucket tests, tests on the fact itself, ``$ex`` of fields that others
refer to, joins and, after joins, a test that is always true (without it the library reads
past an array). Buckets keep the tests pending on one fact under the library's 64: the
patterns of a kind are spread over a grid, and every fact carries all bucket properties.

What is not plain stays in Python: tests on one fact become markers (``durable_encoding``),
joins become tests after the match, negation is decided when the agenda is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.engine.durable_encoding import Encoding, too_large
from advisor.engine.durable_names import Codes, Double, json_text, whole
from advisor.engine.durable_sieve import Live
from advisor.engine.plan import EnvTest, compile_test, places
from advisor.engine.reference import Program
from advisor.engine.session import CompiledRule
from advisor.rules.conditions import (
    Atom,
    Compare,
    Const,
    Operand,
    Operator,
    Presence,
    Ref,
    aliases_of,
    refs_of,
    renamed,
)
from advisor.rules.facts import ANSWERS, Scalar
from advisor.rules.model import Conjunction, RuleBase

__all__ = ["DurableProgram", "EngineRule"]

MAX_RULES = 4_000
MAX_PATTERNS = 16
MAX_PUSHED_JOINS = 12
"""Joins per pattern given to the library, which takes 29 tests; an equality is two."""

_ORDERS = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}
_MIRRORED: Mapping[Operator, Operator] = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
}

Test = dict[str, Any]
_Owned = Sequence[tuple[Atom, frozenset[str]]]
"""Atoms of a conjunction with the aliases that each looks at."""


@dataclass(frozen=True, slots=True)
class EngineRule:
    """One conjunction as the library runs it."""

    compiled: CompiledRule
    residual: tuple[EnvTest, ...]
    """Tests that Python makes after the match."""


class DurableProgram:
    """The ruleset text, and how to encode facts for it."""

    def __init__(self, base: RuleBase, program: Program, live: Live | None = None) -> None:
        """Write the ruleset.

        Args:
            base: The rules.
            program: Their compiled form.
            live: The alternatives that go in; all of them by default.

        Raises:
            EngineError: They are more than the library can hold.
        """
        chosen = _everything(program) if live is None else live
        bound = {kind for position, _ in chosen for _, kind in base.rules[position].aliases}
        self.codes = Codes()
        self.encoding = Encoding({kind: base.reads[kind] for kind in base.reads if kind in bound})
        self.rules: list[EngineRule] = []
        self.always = [rule for rule in program.rules if not rule.rule.aliases]
        """Rules without a pattern: the library has no place for them."""
        ruleset: dict[str, Any] = {
            # The sentinel of kind 0: it makes deleting the session safe, and shows whether
            # the process's locale still reads 1.5 as more than 1.2.
            "prime": {"all": [{"f0": {"k": 0}}]},
            "float": {"all": [{"f0": {"$and": [{"k": 0}, {"$gt": {"one": 1.2}}]}}]},
        }
        for position, number in chosen:
            compiled = program.rules[position]
            patterns = self._patterns(compiled, compiled.rule.disjuncts[number])
            ruleset[f"r{len(self.rules) - 1}"] = {"all": patterns}
        if len(self.rules) > MAX_RULES:
            raise too_large(f"{len(self.rules)} alternatives")
        self.encoding.check()
        self.text = json_text(ruleset)

    def _patterns(self, compiled: CompiledRule, conjunction: Conjunction) -> list[Test]:
        aliases = compiled.rule.aliases
        owned = [(atom, aliases_of(atom)) for atom in conjunction]
        pushed, residual = _split(owned, places(aliases))
        tests = tuple(compile_test(atom, places(aliases)) for atom in residual)
        self.rules.append(EngineRule(compiled, tests))
        writer = _Writer(self.encoding, self.codes, aliases)
        referenced = {ref for _, atom in pushed for ref in refs_of(atom.right)}
        patterns: list[Test] = []
        for position, (alias, _) in enumerate(aliases):
            own = writer.own_tests(owned, alias, referenced)
            joins = writer.joins([atom for at, atom in pushed if at == position])
            patterns += writer.patterns(position, own, joins)
        if len(patterns) > MAX_PATTERNS:
            raise too_large(f"{len(patterns)} patterns in rule {compiled.rule.id!r}")
        return patterns


class _Writer:
    """Writes the tests of one conjunction; facts are ``f0``, ``f1``, ... by position."""

    def __init__(
        self, encoding: Encoding, codes: Codes, aliases: tuple[tuple[str, str], ...]
    ) -> None:
        self._encoding = encoding
        self._codes = codes
        self._aliases = aliases
        self._kinds = dict(aliases)
        self._place = places(aliases)

    def patterns(
        self, position: int, own: list[tuple[int, Test]], joins: list[Test]
    ) -> Iterator[Test]:
        """Yield the pattern of one alias: one per facet that its tests need."""
        kind = self._aliases[position][1]
        for facet in sorted({0, *(number for number, _ in own)}):
            tests = [test for number, test in own if number == facet]
            tests += joins if facet == 0 else []
            head = self._encoding.head(kind, facet)
            yield {_name(position, facet): {"$and": [*head, *tests]}}

    def own_tests(self, owned: _Owned, alias: str, referenced: set[Ref]) -> list[tuple[int, Test]]:
        """Return (facet, test) of the tests on one fact, and of what others refer to."""
        kind = self._kinds[alias]
        tests: list[tuple[int, Test]] = []
        for atom, owners in owned:
            if owners == {alias} or (not owners and alias == ANSWERS):
                tests.append(self._own_test(atom, alias, kind))
        for ref in sorted(referenced, key=str):
            if ref.alias == alias:
                facet, short = self._encoding.field(kind, ref.field)
                tests.append((facet, {"$ex": {short: 1}}))
        return tests

    def joins(self, atoms: list[Compare]) -> list[Test]:
        """Return the tests that compare a fact with earlier ones, and the guard."""
        tests = [test for atom in atoms for test in self._join(atom)]
        if atoms:
            earlier = refs_of(atoms[0].right)[0]
            tests.append({"$gte": {"one": {self._bound(earlier)[0]: "one"}}})
        return tests

    def _own_test(self, atom: Atom, alias: str, kind: str) -> tuple[int, Test]:
        if isinstance(atom, Presence) and atom.known:
            facet, short = self._encoding.field(kind, atom.ref.field)
            return facet, {"$ex": {short: 1}}
        left = atom.left if isinstance(atom, Compare) else None
        if isinstance(atom, Compare) and isinstance(left, Ref) and isinstance(atom.right, Const):
            facet, short = self._encoding.field(kind, left.field)
            literal = self._literal(atom.right.value)
            if atom.op == "==":
                return facet, {short: literal}
            return facet, {"$neq" if atom.op == "!=" else _ORDERS[atom.op]: {short: literal}}
        facet, short = self._encoding.marker(kind, renamed(atom, alias, ""))
        return facet, {short: 1}

    def _join(self, atom: Compare) -> list[Test]:
        assert isinstance(atom.left, Ref)  # noqa: S101 - see _pushable
        kind = self._kinds[atom.left.alias]
        own = self._encoding.field(kind, atom.left.field)[1]
        other = self._expression(atom.right)
        if atom.op == "==" and self._encoding.is_number(kind, atom.left.field):
            # An equality join compares the texts of numbers: 5 and 5.0 would differ.
            return [{"$gte": {own: other}}, {"$lte": {own: other}}]
        if atom.op == "==":
            return [{own: other}]
        return [{"$neq" if atom.op == "!=" else _ORDERS[atom.op]: {own: other}}]

    def _expression(self, operand: Operand) -> Test:
        assert not isinstance(operand, Const)  # noqa: S101 - see _pushable
        if isinstance(operand, Ref):
            name, short = self._bound(operand)
            return {name: short}
        total: Test = {}
        for factor, ref in operand.terms:
            term = {"$mul": {"$l": self._expression(ref), "$r": Double(factor)}}
            total = {"$add": {"$l": total, "$r": term}} if total else term
        return {"$add": {"$l": total, "$r": Double(operand.constant)}}

    def _bound(self, ref: Ref) -> tuple[str, str]:
        """Return the library's (alias, property) of a field of an earlier fact."""
        facet, short = self._encoding.field(self._kinds[ref.alias], ref.field)
        return _name(self._place[ref.alias], facet), short

    def _literal(self, value: Scalar) -> float:
        if isinstance(value, bool):
            return 1 if value else 0
        return self._codes.of(value) if isinstance(value, str) else whole(value)


def _everything(program: Program) -> Live:
    return tuple(
        (position, number)
        for position, compiled in enumerate(program.rules)
        if compiled.rule.aliases
        for number in range(len(compiled.rule.disjuncts))
    )


def _name(position: int, facet: int) -> str:
    """Return the library's alias; only those with ``f`` are read back from a match."""
    return f"e{position}x{facet}" if facet else f"f{position}"


def _split(owned: _Owned, place: Mapping[str, int]) -> tuple[list[tuple[int, Compare]], list[Atom]]:
    """Return the joins for the library, by position, and those that Python tests."""
    pushed: list[tuple[int, Compare]] = []
    residual: list[Atom] = []
    for atom, owners in owned:
        if len(owners) < 2:
            continue
        assert isinstance(atom, Compare)  # noqa: S101 - nothing else looks at two facts
        join = _pushable(atom, place)
        if join is None or sum(at == join[0] for at, _ in pushed) >= MAX_PUSHED_JOINS:
            residual.append(atom)
            continue
        pushed.append(join)
        if atom.op == "!=":  # the library may compare the texts of numbers: Python confirms
            residual.append(atom)
    return pushed, residual


def _pushable(atom: Compare, place: Mapping[str, int]) -> tuple[int, Compare] | None:
    """Return (position, comparison) with the last alias's bare field on the left, or None."""
    if isinstance(atom.right, Const):
        return None
    last = max(place[name] for name in aliases_of(atom))
    if isinstance(atom.left, Ref) and _joins(atom.left, atom.right, place, last):
        return last, atom
    if isinstance(atom.right, Ref) and _joins(atom.right, atom.left, place, last):
        return last, Compare(atom.right, _MIRRORED[atom.op], atom.left)
    return None


def _joins(own: Ref, other: Operand, place: Mapping[str, int], last: int) -> bool:
    return place[own.alias] == last and all(place[ref.alias] < last for ref in refs_of(other))
