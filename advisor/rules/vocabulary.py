"""The words that rules may use: fact kinds, their fields, types and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast, get_args

from advisor.rules.facts import ANSWERS, ITEM

__all__ = ["FieldSpec", "FieldType", "TypeClass", "Vocabulary", "nearest"]

FieldType = Literal["str", "int", "float", "number", "bool", "list"]
TypeClass = Literal["text", "number", "yes/no", "list"]
"""Types that can be compared with one another."""

_CLASSES: Mapping[str, TypeClass] = {
    "str": "text",
    "int": "number",
    "float": "number",
    "number": "number",
    "bool": "yes/no",
    "list": "list",
}


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return up to three known names that look like ``name``, best first."""
    return tuple(difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6))


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """Type of one field and, for an enumeration, its values."""

    type: FieldType
    allowed: tuple[str, ...] = ()
    """Values of an enumeration (of the elements, for a list); empty: anything."""

    def __post_init__(self) -> None:
        if self.type not in _CLASSES:
            message = f"unknown field type {self.type!r}; one of {', '.join(_CLASSES)}"
            raise ValueError(message)

    @property
    def type_class(self) -> TypeClass:
        """Return what the field can be compared with."""
        return _CLASSES[self.type]


class Vocabulary:
    """Fact kinds and their fields.

    The fields of kind ``answers`` are the dotted answer keys. Kind ``item`` is always
    there: one fact per element of a list-valued answer.
    """

    __slots__ = ("answer_roots", "kinds")

    kinds: Mapping[str, Mapping[str, FieldSpec]]
    answer_roots: frozenset[str]
    """First words of the answer keys: ``workload``, ``hardware``, ..."""

    def __init__(self, kinds: Mapping[str, Mapping[str, FieldSpec]]) -> None:
        merged = {kind: MappingProxyType(dict(fields)) for kind, fields in kinds.items()}
        merged.setdefault(ANSWERS, MappingProxyType({}))
        merged[ITEM] = MappingProxyType({"key": FieldSpec("str"), "value": FieldSpec("str")})
        for kind, fields in merged.items():
            lists = [name for name, spec in fields.items() if spec.type == "list"]
            if kind != ANSWERS and lists:
                message = f"kind {kind!r} has list fields {lists}; only answers may be lists"
                raise ValueError(message)
        self.kinds = MappingProxyType(merged)
        self.answer_roots = frozenset(key.split(".")[0] for key in merged[ANSWERS])

    @classmethod
    def of(cls, kinds: Mapping[str, Mapping[str, str | Sequence[str] | FieldSpec]]) -> Vocabulary:
        """Build from short forms: a type name, or the values of an enumeration.

        ``Vocabulary.of({"gpu": {"id": "str", "vendor": ["nvidia", "amd"]}})``
        """
        return cls(
            {
                kind: {name: _spec(short) for name, short in fields.items()}
                for kind, fields in kinds.items()
            }
        )

    def field(self, kind: str, name: str) -> FieldSpec | None:
        """Return the declaration of a field, or None."""
        return self.kinds.get(kind, {}).get(name)


def _spec(short: str | Sequence[str] | FieldSpec) -> FieldSpec:
    if isinstance(short, FieldSpec):
        return short
    if isinstance(short, str):
        if short not in get_args(FieldType):
            message = f"unknown field type {short!r}; one of {', '.join(get_args(FieldType))}"
            raise ValueError(message)
        return FieldSpec(cast("FieldType", short))
    return FieldSpec("str", tuple(short))
