"""One rule record -> one compiled :class:`Rule`, noting everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

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
    Presence,
    Ref,
    atoms_of,
    refs_of,
)
from advisor.rules.contradictions import contradiction, dead_parts
from advisor.rules.facts import ANSWERS, ITEM
from advisor.rules.model import Conjunction, Derivation, Negation, Rule
from advisor.rules.normalise import MAX_ALTERNATIVES, alternatives, count_alternatives
from advisor.rules.parse import parse_condition, parse_value
from advisor.rules.scope import Fault, Scope, type_class_of
from advisor.rules.slots import check_text, texts_of
from advisor.rules.vocabulary import Vocabulary, nearest

if TYPE_CHECKING:
    from advisor.rules.record import RuleRecord

__all__ = ["Report", "compile_rule"]

Report = Callable[[str, Fault], None]
"""Takes the key of a text and a fault found in it."""

_ALIAS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_RESERVED = frozenset(["answer", ANSWERS, "where", "true", "false", "missing", "known"])


class _Compiler:
    """State while one rule is compiled: what has gone wrong so far."""

    def __init__(self, record: RuleRecord, vocabulary: Vocabulary, report: Report) -> None:
        self.record = record
        self.vocabulary = vocabulary
        self.report = report
        self.broken = False

    def scope(self, extra: Mapping[str, str] | None = None) -> Scope:
        return Scope(self.vocabulary, {**self.record.bind, **(extra or {})})

    def note(self, place: str, scope: Scope) -> None:
        for fault in scope.faults:
            self.fault(place, fault)

    def fault(self, place: str, fault: Fault) -> None:
        self.broken = True
        self.report(f"rules[{self.record.id}].{place}", fault)

    def alias(self, place: str, alias: str, kind: str) -> None:
        if not _ALIAS.match(alias) or alias in _RESERVED or iskeyword(alias):
            self.fault(place, Fault("reserved_name", f"{alias!r} cannot be an alias."))
        elif alias in self.vocabulary.answer_roots:
            self.fault(
                place, Fault("reserved_name", f"{alias!r} is a group of answers, not an alias.")
            )
        known = [name for name in self.vocabulary.kinds if name != ANSWERS]
        if kind == ANSWERS:
            self.fault(place, Fault("reserved_name", "answers need no alias: write workload.kind."))
        elif kind not in self.vocabulary.kinds:
            self.fault(
                place,
                Fault(
                    "unknown_kind",
                    f"no facts of kind {kind!r}.",
                    tuple(sorted(known)),
                    nearest(kind, known),
                ),
            )

    def condition(self, place: str, text: str, scope: Scope) -> Node:
        """Parse a condition; notes dead and over-large ones; true when faulty."""
        node = parse_condition(text, scope)
        if node is None:
            self.note(place, scope)
            return And(())
        if count_alternatives(node) > MAX_ALTERNATIVES:
            self.fault(
                place,
                Fault(
                    "too_many_alternatives",
                    f"expands to {count_alternatives(node)} alternatives, more than "
                    f"{MAX_ALTERNATIVES}; split the rule or use 'in [...]'.",
                ),
            )
            return And(())
        for reason in dict.fromkeys(dead_parts(node, scope)):
            self.fault(place, Fault("dead_condition", f"can never be true: {reason}."))
        return node

    def disjuncts(self, place: str, node: Node, scope: Scope) -> tuple[Conjunction, ...]:
        """Return the alternatives that can be true; notes when none can."""
        alive = [a for a in alternatives(node) if contradiction(a, scope) is None]
        if not alive and not self.broken:
            self.fault(place, Fault("dead_condition", "can never be true: every case contradicts."))
        return tuple(alive)


def compile_rule(
    record: RuleRecord, order: int, vocabulary: Vocabulary, report: Report
) -> Rule | None:
    """Return the compiled rule, or None after reporting what is wrong."""
    compiler = _Compiler(record, vocabulary, report)
    for alias, kind in record.bind.items():
        compiler.alias(f"for.{alias}", alias, kind)
    text = ("true" if record.when else "false") if isinstance(record.when, bool) else record.when
    scope = compiler.scope()
    node = compiler.condition("when", text, scope)
    disjuncts = compiler.disjuncts("when", node, scope)
    negations = tuple(
        negation
        for number, pattern in enumerate(record.none)
        if (negation := _negation(compiler, f"none[{number}]", pattern)) is not None
    )
    derivation = _derivation(compiler) if record.effect == "derive" else None
    _check_texts(compiler)
    if record.since and record.until and record.since >= record.until:
        compiler.fault(
            "until", Fault("dead_condition", "until is not after since: never in force.")
        )
    if compiler.broken:
        return None
    required = _required(negations)
    aliases = tuple(record.bind.items())
    if _mentions_answers(node, required, negations, derivation):
        aliases = ((ANSWERS, ANSWERS), *aliases)
    implied = tuple(Presence(ref, known=True) for ref in required)
    return Rule(
        **_as_written(record),
        order=order,
        aliases=aliases,
        when=text,
        condition=node,
        disjuncts=tuple(tuple(dict.fromkeys((*atoms, *implied))) for atoms in disjuncts),
        negations=negations,
        required=required,
        payload={} if derivation else dict(record.payload),
        derivation=derivation,
    )


def _as_written(record: RuleRecord) -> dict[str, Any]:
    """Return what a rule takes over from its record unchanged."""
    names = (
        "id decision effect strength because cite since until title note sources as_of unverified"
    )
    return {name: getattr(record, name) for name in names.split()}


def _negation(compiler: _Compiler, place: str, pattern: Mapping[str, str]) -> Negation | None:
    heads = [(alias, kind) for alias, kind in pattern.items() if alias != "where"]
    if len(heads) != 1:
        compiler.fault(
            place, Fault("invalid_type", "a negated pattern is {alias: kind, where: condition}.")
        )
        return None
    alias, kind = heads[0]
    compiler.alias(place, alias, kind)
    if alias in compiler.record.bind:
        compiler.fault(place, Fault("reserved_name", f"{alias!r} is an alias of 'for' already."))
    where = pattern.get("where", "true")
    scope = compiler.scope({alias: kind})
    node = compiler.condition(f"{place}.where", where, scope)
    disjuncts = compiler.disjuncts(f"{place}.where", node, scope)
    return Negation(alias, kind, where, node, disjuncts)


def _required(negations: tuple[Negation, ...]) -> tuple[Ref, ...]:
    """Return the rule's own fields that negated patterns compare with (engine contract)."""
    found: list[Ref] = []
    for negation in negations:
        for atom in atoms_of(negation.condition):
            if isinstance(atom, Compare | Member):
                found += [ref for ref in refs_of(atom) if ref.alias != negation.alias]
    return tuple(dict.fromkeys(found))


def _mentions_answers(
    node: Node,
    required: tuple[Ref, ...],
    negations: tuple[Negation, ...],
    derivation: Derivation | None,
) -> bool:
    atoms: list[Atom] = [*atoms_of(node)]
    for negation in negations:
        atoms += atoms_of(negation.condition)
    values: list[Operand] = [value for _, value in derivation.fields] if derivation else []
    refs = [*required, *(ref for part in (*atoms, *values) for ref in refs_of(part))]
    lists = any(isinstance(atom, ListHas | ListAny) for atom in atoms)
    return lists or any(ref.alias == ANSWERS for ref in refs)


def _derivation(compiler: _Compiler) -> Derivation | None:
    payload = compiler.record.payload
    kind, fields = payload.get("kind"), payload.get("fields", {})
    if (
        not isinstance(kind, str)
        or not isinstance(fields, Mapping)
        or set(payload) - {"kind", "fields"}
    ):
        compiler.fault(
            "set",
            Fault("bad_derive", "a derive rule sets {kind: ..., fields: {name: expression}}."),
        )
        return None
    if kind in (ANSWERS, ITEM):
        compiler.fault("set.kind", Fault("bad_derive", f"facts of kind {kind!r} are only given."))
        return None
    if kind not in compiler.vocabulary.kinds:
        known = compiler.vocabulary.kinds
        compiler.fault(
            "set.kind",
            Fault("unknown_kind", f"no facts of kind {kind!r}.", (), nearest(kind, known)),
        )
        return None
    values = [(name, _derived_field(compiler, kind, name, value)) for name, value in fields.items()]
    return Derivation(kind, tuple((name, value) for name, value in values if value is not None))


def _derived_field(compiler: _Compiler, kind: str, name: str, written: object) -> Operand | None:
    place = f"set.fields.{name}"
    spec = compiler.vocabulary.field(kind, name)
    if spec is None:
        fields = compiler.vocabulary.kinds[kind]
        compiler.fault(
            place,
            Fault(
                "unknown_key",
                f"facts of kind {kind!r} have no field {name!r}.",
                tuple(sorted(fields)),
                nearest(name, fields),
            ),
        )
        return None
    scope = compiler.scope()
    if isinstance(written, str):
        value = parse_value(written, scope)
    elif isinstance(written, int | float):
        value = Const(written)
    else:
        scope.fault("bad_derive", f"{name} is no expression: {written!r}.")
        value = None
    if value is not None:
        found = type_class_of(scope, value)
        if found != spec.type_class:
            scope.fault("type_mismatch", f"{name} is {spec.type_class}, {value} is {found}.")
        elif isinstance(value, Const) and spec.allowed and value.value not in spec.allowed:
            scope.fault(
                "impossible_value",
                f"{name} can never be {value}.",
                allowed=spec.allowed,
                near=nearest(str(value.value), spec.allowed),
            )
    compiler.note(place, scope)
    return None if scope.faults else value


def _check_texts(compiler: _Compiler) -> None:
    scope = compiler.scope()
    check_text(compiler.record.because, scope)
    compiler.note("because", scope)
    if compiler.record.effect == "derive":
        return
    for name, value in compiler.record.payload.items():
        scope = compiler.scope()
        for text in texts_of(value):
            check_text(text, scope)
        compiler.note(f"set.{name}", scope)
