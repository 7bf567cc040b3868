"""Which values of a variable are worth trying: those that some test tells apart.

An enumeration gives the values that a test names and one that none does; a number gives a point
at, below and above each threshold. A variable may also be unknown.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from advisor.analysis.cases import OPAQUE, Form, Value, variables_of
from advisor.rules.conditions import Atom, Compare, Const, ListHas, Member, Ref, Sum, refs_of
from advisor.rules.facts import ANSWERS, ITEM, Scalar
from advisor.rules.vocabulary import FieldSpec, Vocabulary

__all__ = ["Domains", "Limits"]

Limits = Mapping[str, tuple[float | None, float | None]]
"""Answer key -> least and largest legal number."""

_OTHER = ("another value", "yet another value")
_ALL_CHOICES = 6
"""Most words of a list answer of which every choice is tried."""
_STEP = 1.0
"""How far beyond the outermost threshold of a fraction a point lies."""


@dataclass
class Domains:
    """The values worth trying of every variable of some conditions.

    Args:
        vocabulary: Types and enumerations.
        forms: All conditions of one question; their tests tell values apart.
        optional: Which variables may be unknown.
        limits: Legal ranges of answers.
    """

    vocabulary: Vocabulary
    forms: Iterable[Form]
    optional: Callable[[Ref], bool]
    limits: Limits = field(default_factory=dict)
    _named: dict[Ref, dict[Scalar, None]] = field(init=False, default_factory=dict)
    _linked: dict[Ref, set[Ref]] = field(init=False, default_factory=dict)
    _found: dict[Ref, tuple[Value, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for form in self.forms:
            for atoms in form.conjunctions:
                for atom in atoms:
                    self._note(atom)

    def of(self, variable: Ref) -> tuple[Value, ...]:
        """Return the values of a variable, the unknown one last."""
        if variable not in self._found:
            values = self._values(variable)
            self._found[variable] = (*values, None) if self.optional(variable) else values
        return self._found[variable]

    def _note(self, atom: Atom) -> None:
        for variable in variables_of(atom):
            named = self._named.setdefault(variable, {})
            if isinstance(atom, ListHas):
                named[atom.value] = None
            elif isinstance(atom, Member):
                named.update(dict.fromkeys(atom.values))
            elif isinstance(atom, Compare) and isinstance(atom.right, Const):
                named[atom.right.value] = None
        if isinstance(atom, Compare) and (
            isinstance(atom.left, Sum) or not isinstance(atom.right, Const)
        ):
            refs = set(refs_of(atom))
            for ref in refs:
                self._linked.setdefault(ref, set()).update(refs)

    def _values(self, variable: Ref) -> tuple[Value, ...]:
        if variable.alias == OPAQUE:
            return (True, False)
        named = self._named_together(variable)
        if variable.alias == ITEM:
            words = [str(word) for word in named]
            # every choice of them: [spot, capacity_block] may be what tells two rules apart
            sizes = range(1, len(words) + 1) if len(words) <= _ALL_CHOICES else (1, 2, len(words))
            chosen = (c for size in sizes for c in itertools.combinations(words, size))
            return ((), *chosen, (_OTHER[0],))
        spec = self._spec(variable)
        if spec.type == "bool":
            return (True, False)
        if spec.type == "str":
            return self._words(spec, named, linked=variable in self._linked)
        return self._numbers(variable, spec, [value for value in named if _is_number(value)])

    def _named_together(self, variable: Ref) -> list[Scalar]:
        """Return the literals named for a variable or for one that it is compared with."""
        reached, waiting = {variable}, [variable]
        while waiting:
            for other in self._linked.get(waiting.pop(), ()):
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return list(dict.fromkeys(v for ref in sorted(reached, key=str) for v in self._named[ref]))

    def _spec(self, variable: Ref) -> FieldSpec:
        kind = variable.alias.partition("#")[0]
        return self.vocabulary.field(kind, variable.field) or FieldSpec("str")

    @staticmethod
    def _words(spec: FieldSpec, named: list[Scalar], *, linked: bool) -> tuple[Value, ...]:
        if not spec.allowed:
            return (*named, *(_OTHER if linked else _OTHER[:1]))
        others = [value for value in spec.allowed if value not in named]
        kept = [value for value in spec.allowed if value in named]
        return (*kept, *(others if linked else others[:1]))

    def _numbers(self, variable: Ref, spec: FieldSpec, named: list[Scalar]) -> tuple[Value, ...]:
        marks = sorted({float(value) for value in named})
        whole = spec.type == "int" and all(mark.is_integer() for mark in marks)
        points: set[float] = set(marks)
        if whole:
            points |= {mark + by for mark in marks for by in (-1, 1)}
        else:
            points |= {(low + high) / 2 for low, high in itertools.pairwise(marks)}
            points |= {marks[0] / 2, marks[0] - _STEP, marks[-1] + _STEP} if marks else set()
        if variable in self._linked:
            top = max(points, default=0.0)
            points |= {top + 1, top + 2}
        least, largest = self._limits(variable, marks)
        fitting = [p for p in sorted(points or {1.0}) if least <= p <= largest]
        return tuple(int(p) if whole else p for p in fitting or [least])

    def _limits(self, variable: Ref, marks: list[float]) -> tuple[float, float]:
        low, high = self.limits.get(variable.field, (None, None))
        if variable.alias != ANSWERS:
            low, high = None, None
        if low is None:
            low = 0.0 if not marks or marks[0] >= 0 else float("-inf")
        return low, float("inf") if high is None else high


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
