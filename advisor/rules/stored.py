"""Compiled rules as plain data, for a cache: nothing is lost and nothing is judged again.

Conditions share most of their parts, so every part stands once in a table; a part is a list of
its class and its values, and parts inside it are positions in the table.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

from advisor.rules.conditions import (
    And,
    Compare,
    Const,
    ListAny,
    ListHas,
    Member,
    Or,
    Presence,
    Ref,
    Sum,
)
from advisor.rules.model import Conjunction, Derivation, Negation, Rule, RuleBase
from advisor.rules.vocabulary import Vocabulary

__all__ = ["from_plain", "made_from", "to_plain"]

_PLAIN = (
    "id", "order", "decision", "when", "effect", "strength", "because", "stratum", "title", "note",
)  # fmt: skip
_DATES = ("since", "until", "as_of")
_plain_values = attrgetter(*_PLAIN)


def made_from(records: Sequence[Any], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return, as text, all the data that the compiled rules depend on."""
    words = [
        f"{kind}.{name}:{spec.type}:{spec.allowed}"
        for kind, fields in vocabulary.kinds.items()
        for name, spec in fields.items()
    ]
    return "\n".join(words), repr(records)


def to_plain(base: RuleBase) -> dict[str, Any]:
    """Return ``base`` as lists, mappings, texts, numbers and truth values."""
    table = _Table()
    return {
        "rules": [_plain_rule(rule, table) for rule in base.rules],
        "parts": table.parts,
        "reads": {kind: dict(fields) for kind, fields in base.reads.items()},
        "phases": base.phases,
        "recursive": sorted(base.recursive),
        "list_keys": sorted(base.list_keys),
    }


def from_plain(data: Mapping[str, Any]) -> RuleBase:
    """Return the rule base that :func:`to_plain` was given, from its JSON form."""
    parts = _parts(data["parts"])
    rules = tuple(_rule(entry, parts) for entry in data["rules"])
    return RuleBase(
        rules=rules,
        reads=data["reads"],
        phases=tuple(tuple(phase) for phase in data["phases"]),
        recursive=frozenset(data["recursive"]),
        by_id={rule.id: rule for rule in rules},
        list_keys=frozenset(data["list_keys"]),
    )


_Form = Literal["value", "values", "part", "parts", "terms"]
_SHAPES: dict[str, tuple[type[Any], tuple[_Form, ...]]] = {
    "ref": (Ref, ("value", "value")),
    "const": (Const, ("value",)),
    "sum": (Sum, ("terms", "value")),
    "compare": (Compare, ("part", "value", "part")),
    "member": (Member, ("part", "values", "value")),
    "presence": (Presence, ("part", "value")),
    "has": (ListHas, ("value", "value", "value")),
    "any": (ListAny, ("value", "value")),
    "and": (And, ("parts",)),
    "or": (Or, ("parts",)),
}
"""Name to class and the forms of its fields, in the order of the class."""
_NAMES = {shape[0]: name for name, shape in _SHAPES.items()}


class _Table:
    """Every different part of a condition once; inner parts stand before outer ones."""

    def __init__(self) -> None:
        self.parts: list[list[Any]] = []
        self._known: dict[str, int] = {}

    def add(self, part: object) -> int:
        """Return the position of ``part``."""
        name = _NAMES[type(part)]
        cls, forms = _SHAPES[name]
        values = [getattr(part, field) for field in cls.__match_args__]
        entry = [name, *map(self._plain, forms, values)]
        key = repr(entry)  # 1, 1.0 and true are equal to Python, but not the same literal
        if key not in self._known:
            self._known[key] = len(self.parts)
            self.parts.append(entry)
        return self._known[key]

    def all(self, parts: Sequence[object]) -> list[int]:
        """Return the positions of ``parts``."""
        return [self.add(part) for part in parts]

    def _plain(self, form: _Form, value: Any) -> Any:  # noqa: ANN401 - any field of a part
        if form == "part":
            return self.add(value)
        if form == "parts":
            return self.all(value)
        if form == "terms":
            return [[factor, self.add(ref)] for factor, ref in value]
        return value


def _parts(entries: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the parts of a table; each refers only to earlier ones."""
    found: list[Any] = []
    read: dict[_Form, Callable[[Any], Any]] = {
        "value": lambda value: value,
        "values": tuple,
        "part": found.__getitem__,
        "parts": lambda numbers: tuple(found[number] for number in numbers),
        "terms": lambda terms: tuple((factor, found[number]) for factor, number in terms),
    }
    shapes = {name: (cls, [read[form] for form in forms]) for name, (cls, forms) in _SHAPES.items()}
    for name, *values in entries:
        cls, readers = shapes[name]
        found.append(cls(*[reader(value) for reader, value in zip(readers, values, strict=True)]))
    return found


def _plain_rule(rule: Rule, table: _Table) -> list[Any]:
    derivation = rule.derivation
    return [
        list(_plain_values(rule)),
        [day.isoformat() if (day := getattr(rule, name)) else None for name in _DATES],
        rule.aliases,
        table.add(rule.condition),
        [table.all(atoms) for atoms in rule.disjuncts],
        [
            [n.alias, n.kind, n.where, table.add(n.condition), [table.all(a) for a in n.disjuncts]]
            for n in rule.negations
        ],
        table.all(rule.required),
        dict(rule.payload),
        derivation
        and [derivation.kind, [[name, table.add(value)] for name, value in derivation.fields]],
        [rule.cite, rule.sources, rule.unverified],
    ]


def _rule(entry: Sequence[Any], parts: Sequence[Any]) -> Rule:
    plain, dates, aliases, condition, disjuncts, negations, required, payload, made, texts = entry
    since, until, as_of = [dt.date.fromisoformat(day) if day else None for day in dates]
    identity, order, decision, when, effect, strength, because, stratum, title, note = plain
    cite, sources, unverified = texts
    return Rule(
        id=identity,
        order=order,
        decision=decision,
        aliases=tuple((alias, kind) for alias, kind in aliases),
        when=when,
        condition=parts[condition],
        disjuncts=_conjunctions(disjuncts, parts),
        negations=tuple(
            Negation(alias, kind, where, parts[node], _conjunctions(inner, parts))
            for alias, kind, where, node, inner in negations
        ),
        required=tuple(parts[number] for number in required),
        effect=effect,
        strength=strength,
        payload=payload,
        derivation=made and Derivation(made[0], tuple((name, parts[n]) for name, n in made[1])),
        because=because,
        cite=tuple(cite),
        since=since,
        until=until,
        stratum=stratum,
        title=title,
        note=note,
        sources=tuple(sources),
        as_of=as_of,
        unverified=tuple(unverified),
    )


def _conjunctions(found: Sequence[Sequence[int]], parts: Sequence[Any]) -> tuple[Conjunction, ...]:
    return tuple(tuple(parts[number] for number in atoms) for atoms in found)
