"""Small faults in a condition, such as a hand makes: a sign, a border, a value, a test left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from advisor.rules.conditions import (
    NEGATED,
    And,
    Atom,
    Compare,
    Const,
    ListHas,
    Member,
    Node,
    Operator,
    Or,
    Ref,
)
from advisor.rules.facts import Scalar
from advisor.rules.vocabulary import FieldSpec

__all__ = ["Changed", "Specs", "changes", "negated"]

Specs = Callable[[Ref], FieldSpec | None]
"""Finds the type and the values of a field; of a list answer under the alias of the answers."""

_BORDER: dict[Operator, Operator] = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


@dataclass(frozen=True, slots=True)
class Changed:
    """A condition with one fault."""

    kind: str
    """``negate``, ``drop``, ``flip``, ``border``, ``number`` or ``value``."""
    words: str
    """What was changed into what."""
    node: Node


def changes(node: Node, specs: Specs) -> Iterator[Changed]:
    """Yield every condition that one fault makes of ``node``, kind by kind, in reading order."""
    if node != And(()):
        yield Changed("negate", "negated", negated(node))
    yield from _dropped(node, lambda new: new)
    for kind, change in _KINDS.items():
        yield from _in_atoms(node, kind, partial(change, specs=specs))


def negated(node: Node) -> Node:
    """Return the condition with ``not`` before it."""
    if isinstance(node, And):
        return Or(tuple(negated(part) for part in node.parts))
    if isinstance(node, Or):
        return And(tuple(negated(part) for part in node.parts))
    return _opposite(node)


def _opposite(atom: Atom) -> Atom:
    if isinstance(atom, Compare):
        return replace(atom, op=NEGATED[atom.op])
    if isinstance(atom, Member | ListHas):
        return replace(atom, negated=not atom.negated)
    return replace(atom, known=not atom.known)


def _dropped(node: Node, whole: Callable[[Node], Node]) -> Iterator[Changed]:
    """Yield the condition without one part of an ``and`` or an ``or``, however deep."""
    if not isinstance(node, And | Or):
        return
    for number, part in enumerate(node.parts):
        others = (*node.parts[:number], *node.parts[number + 1 :])

        def with_part(new: Node, at: int = number, node: And | Or = node) -> Node:
            return whole(replace(node, parts=(*node.parts[:at], new, *node.parts[at + 1 :])))

        if others or isinstance(node, And):
            left = others[0] if len(others) == 1 else replace(node, parts=others)
            yield Changed("drop", f"without {_shown(part)}", whole(left))
        yield from _dropped(part, with_part)


def _shown(node: Node) -> str:
    from advisor.rules.conditions import text_of

    text = text_of(node)
    return f"({text})" if isinstance(node, And | Or) else text


def _in_atoms(node: Node, kind: str, change: Callable[[Atom], Iterator[Atom]]) -> Iterator[Changed]:
    if isinstance(node, And | Or):
        for number, part in enumerate(node.parts):
            for found in _in_atoms(part, kind, change):
                parts = (*node.parts[:number], found.node, *node.parts[number + 1 :])
                yield replace(found, node=replace(node, parts=parts))
        return
    for atom in change(node):
        yield Changed(kind, f"{node} -> {atom}", atom)


def _flips(atom: Atom, specs: Specs) -> Iterator[Atom]:  # noqa: ARG001 - as the others
    yield _opposite(atom)


def _borders(atom: Atom, specs: Specs) -> Iterator[Atom]:  # noqa: ARG001
    if isinstance(atom, Compare) and atom.op in _BORDER:
        yield replace(atom, op=_BORDER[atom.op])


def _numbers(atom: Atom, specs: Specs) -> Iterator[Atom]:
    if not isinstance(atom, Compare) or not isinstance(atom.right, Const):
        return
    value = atom.right.value
    if isinstance(value, bool | str):
        return
    spec = specs(atom.left) if isinstance(atom.left, Ref) else None
    for number in _near(value, whole=spec is not None and spec.type == "int"):
        yield replace(atom, right=Const(number))


def _near(value: float, *, whole: bool) -> tuple[float, ...]:
    if value == 0:
        return (1,)
    half = value // 2 if whole else value / 2
    return (half, value * 2)


def _values(atom: Atom, specs: Specs) -> Iterator[Atom]:
    if isinstance(atom, Compare) and isinstance(atom.left, Ref) and isinstance(atom.right, Const):
        other = _other(specs(atom.left), (atom.right.value,))
        if other is not None:
            yield replace(atom, right=Const(other))
    elif isinstance(atom, Member):
        if len(atom.values) > 1:
            yield replace(atom, values=atom.values[:-1])
        other = _other(specs(atom.ref), atom.values)
        if other is not None:
            yield replace(atom, values=(*atom.values, other))
    elif isinstance(atom, ListHas):
        other = _other(specs(Ref("answers", atom.key)), (atom.value,))
        if other is not None:
            yield replace(atom, value=other)


def _other(spec: FieldSpec | None, taken: tuple[Scalar, ...]) -> str | None:
    """Return the legal value after the last one taken."""
    if spec is None or not spec.allowed or taken[-1] not in spec.allowed:
        return None
    start = spec.allowed.index(str(taken[-1])) + 1
    turned = (*spec.allowed[start:], *spec.allowed[:start])
    return next((value for value in turned if value not in taken), None)


_KINDS: dict[str, Callable[..., Iterator[Atom]]] = {
    "flip": _flips,
    "border": _borders,
    "number": _numbers,
    "value": _values,
}
