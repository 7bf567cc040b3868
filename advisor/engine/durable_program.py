"""Rule base -> a durable-rules ruleset inside the subset that the library runs correctly.

Only positive patterns with literal tests and simple joins go in. Each pattern is one flat
``$and``: kind, two bucket tests, literal tests, ``$ex`` of fields that others refer to, joins
and, after joins, a test that is always true (without it the library reads past an array).
Buckets keep the tests pending on one fact under the library's 64: patterns of a kind are
spread over a grid, and every fact carries all bucket properties. Tests on one fact that are
no plain comparison with a literal become marker properties, computed when a fact is encoded;
joins that are not plain are left to Python after the match. Negation never goes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.engine.durable_names import Codes, Double, Names, json_text
from advisor.engine.memory import Memory, Row
from advisor.engine.plan import EnvTest, compile_test, lists_hold, places
from advisor.engine.reference import Program
from advisor.engine.session import CompiledRule
from advisor.errors import EngineError, Problem
from advisor.rules.conditions import (
    Atom,
    Compare,
    Const,
    ListAny,
    ListHas,
    Presence,
    Ref,
    Sum,
    aliases_of,
    refs_of,
    renamed,
)
from advisor.rules.facts import ANSWERS, Scalar
from advisor.rules.model import Conjunction, RuleBase
from advisor.rules.vocabulary import TypeClass

__all__ = ["DurableProgram", "EngineRule"]

GRID = 16
"""Bucket properties per axis; 16 + 16 + BUCKET pending tests stay under 64."""
BUCKET = 20
"""Different patterns in one bucket."""
SHARED = 100
"""Most rules that may share one pattern; the library breaks at 256."""
MAX_PROPERTIES = 240
MAX_RULES = 4_000
MAX_PUSHED_JOINS = 12

_ORDERS = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

Test = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EngineRule:
    """One conjunction as the library runs it."""

    compiled: CompiledRule
    residual: tuple[EnvTest, ...]
    """Tests that Python makes after the match."""


@dataclass(slots=True)
class _Kind:
    """How facts of one kind are encoded, and where its patterns stand."""

    code: int
    fields: dict[str, tuple[str, TypeClass]] = field(default_factory=dict)
    markers: dict[Atom, tuple[str, Callable[[Row, Memory], bool]]] = field(default_factory=dict)
    patterns: dict[str, list[int]] = field(default_factory=dict)
    """Pattern text -> [bucket, rules sharing it] of the last place it got."""
    filled: int = 0
    buckets: set[str] = field(default_factory=set)


class DurableProgram:
    """The ruleset text, and how to encode facts for it."""

    def __init__(self, base: RuleBase, program: Program) -> None:
        self.codes = Codes()
        self.rules: list[EngineRule] = []
        self.always = [rule for rule in program.rules if not rule.rule.aliases]
        self._base = base
        self._names = Names()
        self._grid = [[self._names.fresh("a"), self._names.fresh("b")] for _ in range(GRID)]
        self._kinds = {kind: _Kind(code) for code, kind in enumerate(sorted(base.reads), start=1)}
        ruleset: dict[str, Any] = {
            # The sentinel of kind 0: it makes deleting the session safe, and shows whether
            # the process's locale still reads 1.5 as more than 1.2.
            "prime": {"all": [{"f0": {"k": 0}}]},
            "float": {"all": [{"f0": {"$and": [{"k": 0}, {"$gt": {"one": 1.2}}]}}]},
        }
        for compiled in program.rules:
            for conjunction in compiled.rule.disjuncts if compiled.rule.aliases else ():
                name = f"r{len(self.rules)}"
                ruleset[name] = {"all": self._patterns(compiled, conjunction)}
        self.text = json_text(ruleset)
        self._check()

    def reads(self, kind: str) -> bool:
        """Return whether any rule looks at facts of a kind."""
        return kind in self._kinds

    def encoded(self, number: int, row: Row, memory: Memory, codes: Codes) -> str:
        """Return the JSON of a fact; ``number`` is its id in this consultation."""
        kind = self._kinds[row.fact.kind]
        parts = [f'{{"id":"{number}","sid":"0","k":{kind.code},"one":1']
        parts += [f'"{name}":1' for name in sorted(kind.buckets)]
        for name, (short, _) in kind.fields.items():
            value = row.fields.get(name)
            if value is not None:
                parts.append(f'"{short}":{codes.of_scalar(value)}')
        for short, test in kind.markers.values():
            if test(row, memory):
                parts.append(f'"{short}":1')
        return ",".join(parts) + "}"

    def _patterns(self, compiled: CompiledRule, conjunction: Conjunction) -> list[Test]:
        rule = compiled.rule
        aliases = rule.aliases
        place = places(aliases)
        pushed: list[tuple[int, Compare]] = []
        residual: list[Atom] = []
        for atom in conjunction:
            if len(aliases_of(atom)) < 2:
                continue
            join = _pushable(atom, place)
            if join is None or sum(at == join[0] for at, _ in pushed) >= MAX_PUSHED_JOINS:
                residual.append(atom)
                continue
            pushed.append(join)
            if join[1].op == "!=":  # the library compares texts of numbers; Python confirms
                residual.append(atom)
        referenced = {
            ref for at, atom in pushed for ref in refs_of(atom.right) if place[ref.alias] < at
        }
        self.rules.append(
            EngineRule(compiled, tuple(compile_test(atom, place) for atom in residual))
        )
        return [
            {
                f"f{position}": self._pattern(
                    kind,
                    list(self._own_tests(conjunction, alias, kind, referenced)),
                    [
                        self._join(atom, rule.aliases, place)
                        for at, atom in pushed
                        if at == position
                    ],
                    [atom for at, atom in pushed if at == position],
                    place,
                )
            }
            for position, (alias, kind) in enumerate(aliases)
        ]

    def _pattern(
        self,
        kind: str,
        own: list[Test],
        joins: list[list[Test]],
        atoms: Sequence[Compare],
        place: Mapping[str, int],
    ) -> Test:
        tests = own + [test for join in joins for test in join]
        if atoms:
            earlier = place[refs_of(atoms[0].right)[0].alias]
            tests.append({"$gte": {"one": {f"f{earlier}": "one"}}})
        told = self._kinds[kind]
        bucket = _bucket(told, json_text(tests))
        across, down = self._grid[bucket // GRID][0], self._grid[bucket % GRID][1]
        told.buckets |= {across, down}
        return {"$and": [{"k": told.code}, {across: 1}, {down: 1}, *tests]}

    def _own_tests(
        self, conjunction: Conjunction, alias: str, kind: str, referenced: set[Ref]
    ) -> Iterator[Test]:
        for atom in conjunction:
            owners = aliases_of(atom)
            if owners == {alias} or (not owners and alias == ANSWERS):
                yield self._own_test(atom, alias, kind)
        for ref in sorted(referenced, key=str):
            if ref.alias == alias:
                yield {"$ex": {self._field(kind, ref.field): 1}}

    def _own_test(self, atom: Atom, alias: str, kind: str) -> Test:
        if isinstance(atom, Presence) and atom.known:
            return {"$ex": {self._field(kind, atom.ref.field): 1}}
        plain = isinstance(atom, Compare) and isinstance(atom.left, Ref)
        if isinstance(atom, Compare) and plain and isinstance(atom.right, Const):
            short = self._field(kind, refs_of(atom)[0].field)
            literal = self._literal(atom.right.value)
            if atom.op == "==":
                return {short: literal}
            return {"$neq" if atom.op == "!=" else _ORDERS[atom.op]: {short: literal}}
        return {self._marker(kind, renamed(atom, alias, "")): 1}

    def _join(
        self, atom: Compare, aliases: Sequence[tuple[str, str]], place: Mapping[str, int]
    ) -> list[Test]:
        assert isinstance(atom.left, Ref)  # noqa: S101 - see _pushable
        kinds = dict(aliases)
        own = self._field(kinds[atom.left.alias], atom.left.field)
        other = self._expression(atom.right, kinds, place)
        if atom.op == "==" and self._is_number(kinds[atom.left.alias], atom.left.field):
            # An equality join compares the texts of numbers: 5 and 5.0 would differ.
            return [{"$gte": {own: other}}, {"$lte": {own: other}}]
        if atom.op == "==":
            return [{own: other}]
        return [{"$neq" if atom.op == "!=" else _ORDERS[atom.op]: {own: other}}]

    def _expression(
        self, operand: object, kinds: Mapping[str, str], place: Mapping[str, int]
    ) -> Test:
        if isinstance(operand, Ref):
            return {f"f{place[operand.alias]}": self._field(kinds[operand.alias], operand.field)}
        assert isinstance(operand, Sum)  # noqa: S101 - see _pushable
        total: Test | None = None
        for factor, ref in operand.terms:
            term = {"$mul": {"$l": self._expression(ref, kinds, place), "$r": Double(factor)}}
            total = term if total is None else {"$add": {"$l": total, "$r": term}}
        assert total is not None  # noqa: S101 - a sum has a term
        return {"$add": {"$l": total, "$r": Double(operand.constant)}}

    def _field(self, kind: str, name: str) -> str:
        told = self._kinds[kind]
        if name not in told.fields:
            told.fields[name] = self._names.fresh("p"), self._base.reads[kind][name]
        return told.fields[name][0]

    def _is_number(self, kind: str, name: str) -> bool:
        return self._base.reads[kind][name] == "number"

    def _marker(self, kind: str, atom: Atom) -> str:
        told = self._kinds[kind]
        if atom not in told.markers:
            told.markers[atom] = self._names.fresh("m"), _marker_test(atom)
        return told.markers[atom][0]

    def _literal(self, value: Scalar) -> float:
        if isinstance(value, bool):
            return 1 if value else 0
        return self.codes.of(value) if isinstance(value, str) else value

    def _check(self) -> None:
        """Refuse what the library would crash or hang on; the validator's limits are tighter."""
        for name, kind in self._kinds.items():
            properties = 4 + len(kind.fields) + len(kind.markers) + len(kind.buckets)
            if properties > MAX_PROPERTIES or kind.filled > GRID * GRID * BUCKET:
                raise _too_large(f"{properties} tests on facts of kind {name!r}")
        if len(self.rules) > MAX_RULES:
            raise _too_large(f"{len(self.rules)} alternatives")


def _marker_test(atom: Atom) -> Callable[[Row, Memory], bool]:
    if isinstance(atom, ListHas | ListAny):
        return lambda _row, memory: lists_hold((atom,), memory)
    test = compile_test(atom, {"": 0})
    return lambda row, _memory: test((row.fields,))


def _bucket(kind: _Kind, text: str) -> int:
    """Return the bucket of a pattern; equal patterns share one, up to a limit."""
    place = kind.patterns.get(text)
    if place is None or place[1] >= SHARED:
        place = kind.patterns[text] = [kind.filled // BUCKET, 0]
        kind.filled += 1
    place[1] += 1
    return place[0]


def _pushable(atom: Atom, place: Mapping[str, int]) -> tuple[int, Compare] | None:
    """Return (position, comparison) with the last alias's bare field on the left, or None."""
    if not isinstance(atom, Compare) or isinstance(atom.right, Const):
        return None
    last = max(place[name] for name in aliases_of(atom))
    for left, op, right in (
        (atom.left, atom.op, atom.right),
        (atom.right, _MIRRORED[atom.op], atom.left),
    ):
        earlier = all(place[ref.alias] < last for ref in refs_of(right))
        if isinstance(left, Ref) and place[left.alias] == last and earlier:
            return last, Compare(left, op, right)  # type: ignore[arg-type] # op is mirrored
    return None


def _too_large(what: str) -> EngineError:
    message = f"the rules are too many for the durable engine: {what}. Use 'reference'."
    return EngineError(Problem("limit_exceeded", message))
