"""Names that one condition may use, and the faults found while reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.rules.conditions import Const, Operand, Ref
from advisor.rules.facts import ANSWERS
from advisor.rules.vocabulary import FieldSpec, TypeClass, Vocabulary, nearest

__all__ = ["Fault", "Scope", "type_class_of"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with one text of a rule; the place is added by the caller."""

    code: str
    message: str
    allowed: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(slots=True)
class Scope:
    """Aliases and answer keys in reach of a text; collects faults."""

    vocabulary: Vocabulary
    aliases: Mapping[str, str]
    """Alias -> fact kind, the answers not included."""
    faults: list[Fault] = field(default_factory=list)

    def fault(
        self, code: str, message: str, *, allowed: tuple[str, ...] = (), near: tuple[str, ...] = ()
    ) -> None:
        """Note one fault."""
        found = Fault(code, message, allowed, near)
        if found not in self.faults:
            self.faults.append(found)

    def resolve(self, dotted: str) -> Ref | None:
        """Return the reference that a dotted name means, or note why there is none."""
        root, _, rest = dotted.partition(".")
        if root in self.aliases:
            return self._alias_field(root, rest)
        answers = self.vocabulary.kinds[ANSWERS]
        if dotted in answers:
            return Ref(ANSWERS, dotted)
        if root in self.vocabulary.answer_roots:
            self.fault(
                "unknown_key",
                f"no answer is called {dotted!r}.",
                near=nearest(dotted, answers),
            )
            return None
        names = {*self.aliases, *self.vocabulary.answer_roots}
        self.fault(
            "unknown_alias",
            f"{root!r} in {dotted!r} is neither an alias of this rule nor a group of answers; "
            "quote it if it is meant as text.",
            allowed=tuple(sorted(self.aliases)),
            near=nearest(root, names),
        )
        return None

    def _alias_field(self, alias: str, name: str) -> Ref | None:
        kind = self.aliases[alias]
        fields = self.vocabulary.kinds.get(kind)
        if fields is None:  # an unknown kind is reported once, at the alias
            return None
        if name in fields:
            return Ref(alias, name)
        self.fault(
            "unknown_key",
            f"facts of kind {kind!r} have no field {name!r}."
            if name
            else f"{alias!r} is a fact, not a value: name one of its fields, as in {alias}.id.",
            near=nearest(name, fields),
        )
        return None

    def spec(self, ref: Ref) -> FieldSpec:
        """Return the declaration of a resolved reference."""
        kind = ANSWERS if ref.alias == ANSWERS else self.aliases[ref.alias]
        return self.vocabulary.kinds[kind][ref.field]


def type_class_of(scope: Scope, operand: Operand) -> TypeClass:
    """Return what an operand can be compared with."""
    if isinstance(operand, Ref):
        return scope.spec(operand).type_class
    if isinstance(operand, Const):
        if isinstance(operand.value, bool):
            return "yes/no"
        return "text" if isinstance(operand.value, str) else "number"
    return "number"
