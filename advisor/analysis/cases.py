"""Rules as tests of variables: aliases become kinds, negations and links become tests of their own.

A *case* assigns values to some variables; ``None`` is the unknown value. A test on a variable
without a value yet is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    refs_of,
    renamed,
)
from advisor.rules.facts import ITEM, Scalar
from advisor.rules.model import Rule
from advisor.rules.values import OPERATORS

__all__ = ["Case", "Form", "Value", "form_of", "holds", "opaque", "variables_of"]

Value: TypeAlias = Scalar | tuple[str, ...] | None
Case: TypeAlias = Mapping[Ref, Value]

Conjunction: TypeAlias = tuple[Atom, ...]
OPAQUE = "?"
"""Alias of variables that stand for a whole test."""


@dataclass(frozen=True, slots=True)
class Form:
    """A condition: true when all atoms of one conjunction are."""

    conjunctions: tuple[Conjunction, ...]

    @property
    def variables(self) -> frozenset[Ref]:
        """Everything that the condition looks at."""
        atoms = (atom for conjunction in self.conjunctions for atom in conjunction)
        return frozenset(variable for atom in atoms for variable in variables_of(atom))

    def look(self, case: Case) -> tuple[bool | None, Ref | None]:
        """Return whether the condition holds in ``case``, and what to try while that is open."""
        variable: Ref | None = None
        for atoms in self.conjunctions:
            test = _first_open(atoms, case)
            if test is True:
                return True, None
            if variable is None and test is not None:
                variable = next(v for v in variables_of(test) if v not in case)
        return (False if variable is None else None), variable

    def value(self, case: Case) -> bool | None:
        """Return whether the condition holds in ``case``; ``None`` while that is open."""
        return self.look(case)[0]


def form_of(rule: Rule, present: frozenset[str], kind: str = "") -> Form:
    """Return the condition of a rule over kinds instead of aliases.

    Args:
        rule: A rule of a rule base.
        present: Kinds whose facts are there anyway; that another one is there is a test of its
            own, as is each negated pattern.
        kind: The kind of fact that the table is about; it is there too.
    """
    names = _names(rule)
    extra: list[Atom] = [
        _flag(f"there is a fact of kind {name}")
        for name in dict.fromkeys(names.values())
        if name not in present and name != kind
    ]
    shown = ", ".join(f"{alias}: {name}" for alias, name in names.items())
    for negation in rule.negations:
        where = f" where {negation.where}" if negation.where else ""
        extra.append(_flag(f"no {negation.kind} {negation.alias}{where} ({shown})"))
    return Form(
        tuple(
            tuple(dict.fromkeys([*(_over_kinds(atom, names) for atom in atoms), *extra]))
            for atoms in rule.disjuncts
        )
    )


def opaque(form: Form) -> Form:
    """Return the form with every test of two facts or sums as a variable of its own.

    Such a form is satisfied by more cases than the real one, which makes the proof that nothing
    satisfies it a sound one: values chosen for single tests may miss a sum's threshold.
    """
    return Form(
        tuple(
            tuple(dict.fromkeys(part for atom in atoms for part in _opaque_parts(atom)))
            for atoms in form.conjunctions
        )
    )


def variables_of(atom: Atom) -> tuple[Ref, ...]:
    """Return what a test looks at; a list answer is one variable."""
    return (Ref(ITEM, atom.key),) if isinstance(atom, ListHas | ListAny) else refs_of(atom)


def holds(atom: Atom, case: Case) -> bool | None:
    """Return whether a test holds in ``case``; ``None`` while that is open."""
    variables = variables_of(atom)
    if isinstance(atom, Presence):
        return None if atom.ref not in case else (case[atom.ref] is not None) is atom.known
    if not isinstance(atom, ListHas | ListAny) and any(
        variable in case and case[variable] is None for variable in variables
    ):
        return False
    if any(variable not in case for variable in variables):
        return None
    if isinstance(atom, ListHas | ListAny):
        elements = case[variables[0]]
        assert isinstance(elements, tuple)  # noqa: S101 - so are the domains of lists
        found = atom.value in elements if isinstance(atom, ListHas) else bool(elements)
        return found is not (atom.negated if isinstance(atom, ListHas) else not atom.known)
    if isinstance(atom, Member):
        return (case[atom.ref] in atom.values) is not atom.negated
    return OPERATORS[atom.op](_number(atom.left, case), _number(atom.right, case))


def _first_open(atoms: Iterable[Atom], case: Case) -> Atom | Literal[True] | None:
    """Return the first test that is open; ``True`` when all hold, ``None`` when one fails."""
    first: Atom | None = None
    for atom in atoms:
        value = holds(atom, case)
        if value is False:
            return None
        if value is None and first is None:
            first = atom
    return True if first is None else first


def _number(operand: Operand, case: Case) -> Value:
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, Ref):
        return case[operand]
    parts = (factor * float(case[ref]) for factor, ref in operand.terms)  # type: ignore[arg-type]
    return sum(parts) + operand.constant


def _names(rule: Rule) -> dict[str, str]:
    """Return alias -> kind, a further alias of the same kind numbered."""
    seen: dict[str, int] = {}
    names: dict[str, str] = {}
    for alias, kind in rule.aliases:
        seen[kind] = seen.get(kind, 0) + 1
        names[alias] = kind if seen[kind] == 1 else f"{kind}#{seen[kind]}"
    return names


def _over_kinds(atom: Atom, names: Mapping[str, str]) -> Atom:
    # by way of names that no alias has, so that swapped aliases do not meet
    for alias in names:
        atom = renamed(atom, alias, f" {alias}")
    for alias, name in names.items():
        atom = renamed(atom, f" {alias}", name)
    return atom


def _flag(text: str) -> Compare:
    return Compare(Ref(OPAQUE, text), "==", Const(value=True))


def _opaque_parts(atom: Atom) -> Iterator[Atom]:
    if not isinstance(atom, Compare) or isinstance(atom.right, Const):
        plain = not isinstance(atom, Compare) or isinstance(atom.left, Ref)
        if plain:
            yield atom
            return
    for ref in refs_of(atom):
        yield Presence(ref, known=True)
    yield _flag(str(atom))
