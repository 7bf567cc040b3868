"""The typed condition tree: references, operands, atoms, and/or.

Negation does not occur: the parser pushes ``not`` down into the atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from advisor.rules.facts import ANSWERS, Scalar

__all__ = [
    "NEGATED",
    "And",
    "Atom",
    "Compare",
    "Const",
    "ListAny",
    "ListHas",
    "Member",
    "Node",
    "Operand",
    "Operator",
    "Or",
    "Presence",
    "Ref",
    "Sum",
    "aliases_of",
    "atoms_of",
    "refs_of",
    "text_of",
]

Operator = Literal["==", "!=", "<", "<=", ">", ">="]

NEGATED: dict[Operator, Operator] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}


@dataclass(frozen=True, slots=True)
class Ref:
    """A field of the fact that an alias binds; the alias of the answers is ``answers``."""

    alias: str
    field: str

    def __str__(self) -> str:
        return self.field if self.alias == ANSWERS else f"{self.alias}.{self.field}"


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    value: Scalar

    def __str__(self) -> str:
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return repr(self.value)


@dataclass(frozen=True, slots=True)
class Sum:
    """``factor * ref + ... + constant``, evaluated in double precision, left to right."""

    terms: tuple[tuple[float, Ref], ...]
    constant: float = 0.0

    def __str__(self) -> str:
        parts = [str(ref) if factor == 1 else f"{ref} * {factor:g}" for factor, ref in self.terms]
        if self.constant:
            parts.append(f"{self.constant:g}")
        return " + ".join(parts)


Operand = Ref | Const | Sum


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right``; ``left`` is never a constant."""

    left: Ref | Sum
    op: Operator
    right: Operand

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


@dataclass(frozen=True, slots=True)
class Member:
    """``ref in [...]``, or ``not in`` when ``negated``."""

    ref: Ref
    values: tuple[Scalar, ...]
    negated: bool = False

    def __str__(self) -> str:
        values = ", ".join(str(Const(value)) for value in self.values)
        return f"{self.ref} {'not in' if self.negated else 'in'} [{values}]"


@dataclass(frozen=True, slots=True)
class Presence:
    """``known(ref)``, or ``missing(ref)`` when not ``known``."""

    ref: Ref
    known: bool

    def __str__(self) -> str:
        return f"{'known' if self.known else 'missing'}({self.ref})"


@dataclass(frozen=True, slots=True)
class ListHas:
    """``value in key``: an item with that key and value exists (or, ``negated``, none)."""

    key: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{self.value!r} {'not in' if self.negated else 'in'} {self.key}"


@dataclass(frozen=True, slots=True)
class ListAny:
    """``known(key)`` of a list answer, or ``missing(key)`` when not ``known``."""

    key: str
    known: bool

    def __str__(self) -> str:
        return f"{'known' if self.known else 'missing'}({self.key})"


Atom = Compare | Member | Presence | ListHas | ListAny


@dataclass(frozen=True, slots=True)
class And:
    """All of ``parts``; no parts: always true."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of ``parts``."""

    parts: tuple[Node, ...]


Node = Atom | And | Or


def atoms_of(node: Node) -> Iterator[Atom]:
    """Yield the atoms of a tree in reading order."""
    if isinstance(node, And | Or):
        for part in node.parts:
            yield from atoms_of(part)
        return
    yield node


def refs_of(part: Atom | Operand) -> tuple[Ref, ...]:
    """Return the field references of an atom or operand, in reading order."""
    if isinstance(part, Ref):
        return (part,)
    if isinstance(part, Sum):
        return tuple(ref for _, ref in part.terms)
    if isinstance(part, Compare):
        return (*refs_of(part.left), *refs_of(part.right))
    if isinstance(part, Member | Presence):
        return (part.ref,)
    return ()


def aliases_of(atom: Atom) -> frozenset[str]:
    """Return the aliases whose facts an atom looks at (none for a test on a list)."""
    return frozenset(ref.alias for ref in refs_of(atom))


def text_of(node: Node) -> str:
    """Return a condition in the rule language."""
    if isinstance(node, And | Or):
        word = " and " if isinstance(node, And) else " or "
        parts = (f"({text_of(p)})" if isinstance(p, And | Or) else str(p) for p in node.parts)
        return word.join(parts) or "true"
    return str(node)


def renamed(atom: Atom, alias: str, new: str) -> Atom:
    """Return ``atom`` with one alias called otherwise (for sharing between rules)."""

    def swap(ref: Ref) -> Ref:
        return Ref(new, ref.field) if ref.alias == alias else ref

    def swap_operand(operand: Operand) -> Operand:
        if isinstance(operand, Ref):
            return swap(operand)
        if isinstance(operand, Sum):
            return replace(operand, terms=tuple((k, swap(r)) for k, r in operand.terms))
        return operand

    if isinstance(atom, Compare):
        left, right = swap_operand(atom.left), swap_operand(atom.right)
        assert not isinstance(left, Const)  # noqa: S101 - swapping keeps the class
        return Compare(left, atom.op, right)
    if isinstance(atom, Member | Presence):
        return replace(atom, ref=swap(atom.ref))
    return atom
