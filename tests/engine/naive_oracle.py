"""A third opinion: the contract of ``advisor.rules`` as the most naive interpreter.

It reads the rule texts itself with Python's ``ast`` and tries every combination of facts,
over and over, until nothing changes. It shares no code with the compiler or the engines.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from advisor.rules import Fact

ANSWER_LISTS = {"hardware.vendors"}
COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


@dataclass
class Result:
    """Everything that followed, in terms of given ids and derived contents."""

    firings: set[tuple[str, tuple[Any, ...]]] = field(default_factory=set)
    derived: set[Any] = field(default_factory=set)
    blocked: dict[tuple[str, tuple[Any, ...]], tuple[str, set[Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """A fact as the oracle sees it; ``name`` is its id, or its content when derived."""

    kind: str
    name: Any
    fields: Mapping[str, Any]


class Oracle:
    """The rules, read once."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.rules = [_Rule(record) for record in records]
        self.levels = self._levels()

    def run(self, facts: list[Fact]) -> Result:
        result = Result()
        known = [Known(fact.kind, fact.id, fact.fields) for fact in facts]
        lists: dict[str, set[str]] = {}
        for fact in facts:
            if fact.kind == "item":
                lists.setdefault(fact.fields.get("key"), set()).add(fact.fields.get("value"))
        for level in range(max(self.levels.values(), default=0) + 1):
            rules = [rule for rule in self.rules if self.levels[rule.id] == level]
            while sum(self._apply(rule, known, lists, result) for rule in rules):
                pass
        return result

    def _apply(self, rule: _Rule, known: list[Known], lists: Any, result: Result) -> bool:
        changed = False
        for binding in rule.bindings(known, lists):
            key = rule.id, tuple(fact.name for fact in binding.values())
            if key in result.firings or key in result.blocked:
                continue
            stopped = rule.blocker(binding, known, lists)
            if stopped is not None:
                result.blocked[key] = stopped
                continue
            result.firings.add(key)
            changed = True
            new = rule.conclusion(binding)
            if new is not None and not any(_same(new, fact) for fact in known):
                known.append(new)
                result.derived.add(new.name)
        return changed

    def _levels(self) -> dict[str, int]:
        derived = {rule.derives for rule in self.rules if rule.derives}
        levels = {rule.id: 0 for rule in self.rules}
        for _ in range(len(self.rules) + 1):
            for rule in self.rules:
                for other in self.rules:
                    if other.derives in rule.kinds.values():
                        levels[rule.id] = max(levels[rule.id], levels[other.id])
                    if other.derives and other.derives in [kind for _, kind, _ in rule.negated]:
                        assert other.derives in derived
                        levels[rule.id] = max(levels[rule.id], levels[other.id] + 1)
        return levels


def _same(one: Known, other: Known) -> bool:
    return one.kind == other.kind and dict(one.fields) == dict(other.fields)


class _Rule:
    def __init__(self, record: dict[str, Any]) -> None:
        self.id = record["id"]
        self.kinds: dict[str, str] = dict(record["for"])
        self.when = _read(record["when"])
        self.negated = [
            (alias, pattern[alias], _read(pattern["where"]))
            for pattern in record.get("none", [])
            for alias in pattern
            if alias != "where"
        ]
        payload = record["set"] if record["effect"] == "derive" else {}
        self.derives: str | None = payload.get("kind")
        self.fields = {name: _read(str(text)) for name, text in payload.get("fields", {}).items()}
        texts = [self.when, *(where for _, _, where in self.negated), *self.fields.values()]
        mine = {*self.kinds, *(alias for alias, _, _ in self.negated)}
        if any(name.split(".")[0] not in mine for text in texts for name in _names(text)):
            self.kinds = {"answers": "answers", **self.kinds}

    def bindings(self, known: list[Known], lists: Any) -> Iterator[dict[str, Known]]:
        pools = [[fact for fact in known if fact.kind == kind] for kind in self.kinds.values()]
        for chosen in product(*pools):
            if len({id(fact) for fact in chosen}) < len(chosen):
                continue
            binding = dict(zip(self.kinds, chosen, strict=True))
            if _true(self.when, binding, lists) and self._comparable(binding):
                yield binding

    def _comparable(self, binding: dict[str, Known]) -> bool:
        """Return whether what negated patterns compare with is known."""
        for alias, _, where in self.negated:
            for name in _names(where, in_calls=False):
                mine = name.split(".")[0] == alias or name in ANSWER_LISTS
                if not mine and _value_of_name(name, binding) is None:
                    return False
        return True

    def blocker(
        self, binding: dict[str, Known], known: list[Known], lists: Any
    ) -> tuple[str, set[Any]] | None:
        for alias, kind, where in self.negated:
            found = {
                fact.name
                for fact in known
                if fact.kind == kind
                and all(fact is not bound for bound in binding.values())
                and _true(where, {**binding, alias: fact}, lists)
            }
            if found:
                return alias, found
        return None

    def conclusion(self, binding: dict[str, Known]) -> Known | None:
        if self.derives is None:
            return None
        values = {name: _value(text, binding) for name, text in self.fields.items()}
        fields = {name: value for name, value in values.items() if value is not None}
        name = self.derives, tuple(sorted(fields.items()))
        return Known(self.derives, name, fields)


def _read(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _names(node: ast.AST, *, in_calls: bool = True) -> Iterator[str]:
    """Yield the dotted names in an expression."""
    if isinstance(node, ast.Attribute):
        yield ast.unparse(node)
    elif isinstance(node, ast.Call):
        if in_calls:
            yield from _names(node.args[0])
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names(child, in_calls=in_calls)


def _value_of_name(name: str, binding: Mapping[str, Known]) -> Any:
    root, _, rest = name.partition(".")
    if root in binding and root != "answers":
        return binding[root].fields.get(rest)
    return binding["answers"].fields.get(name)


def _value(node: ast.expr, binding: Mapping[str, Known]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return node.id == "true"
    if isinstance(node, ast.Attribute):
        return _value_of_name(ast.unparse(node), binding)
    parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
    values = [_value(part, binding) for part in parts]
    return None if None in values else _number(node, *map(float, values))


def _number(node: ast.expr, left: float, right: float = 0.0) -> float:
    """Return the result of arithmetic, which is in double precision."""
    if isinstance(node, ast.UnaryOp):
        return -left
    assert isinstance(node, ast.BinOp)
    return left * right if isinstance(node.op, ast.Mult) else left + right


def _true(node: ast.expr, binding: Mapping[str, Known], lists: Any, *, no: bool = False) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = (_true(part, binding, lists, no=no) for part in node.values)
        return all(parts) if isinstance(node.op, ast.And) != no else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _true(node.operand, binding, lists, no=not no)
    if isinstance(node, ast.Call):
        return _presence(node, binding, lists) != no
    if isinstance(node, ast.Compare):
        lefts = [node.left, *node.comparators]
        pairs = [
            _compare(left, op, right, binding, lists, no=no)
            for left, op, right in zip(lefts, node.ops, node.comparators, strict=False)
        ]
        return any(pairs) if no else all(pairs)
    value = _value(node, binding)
    return value is (not no)


def _presence(node: ast.Call, binding: Mapping[str, Known], lists: Any) -> bool:
    name = ast.unparse(node.args[0])
    known = (
        bool(lists.get(name)) if name in ANSWER_LISTS else _value_of_name(name, binding) is not None
    )
    return known == (ast.unparse(node.func) == "known")


def _compare(
    left: ast.expr,
    op: ast.cmpop,
    right: ast.expr,
    binding: Mapping[str, Known],
    lists: Any,
    *,
    no: bool,
) -> bool:
    if isinstance(op, ast.In | ast.NotIn):
        wanted = isinstance(op, ast.In) != no
        if not isinstance(right, ast.List):
            return (_value(left, binding) in lists.get(ast.unparse(right), ())) == wanted
        value = _value(left, binding)
        return value is not None and (value in [_value(e, binding) for e in right.elts]) == wanted
    one, other = _value(left, binding), _value(right, binding)
    if one is None or other is None or _class(one) != _class(other):
        return False
    return bool(COMPARE[OPPOSITE[type(op)] if no else type(op)](one, other))


def _class(value: Any) -> str:
    return (
        "number"
        if isinstance(value, int | float) and not isinstance(value, bool)
        else type(value).__name__
    )
