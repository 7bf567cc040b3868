"""Texts with slots: ``"{g.name} has {c.count} cards for {workload.model}"``.

A slot is ``{alias.field}`` or an answer key, ``{workload.model}``, with an optional format
after a colon, ``{c.kv_gib:.1f}``. A literal brace is doubled. An unknown field reads
"unknown".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import Any

from advisor.rules.conditions import Ref
from advisor.rules.facts import ANSWERS, Fact, Scalar
from advisor.rules.model import Rule
from advisor.rules.scope import Scope

__all__ = ["Slot", "check_text", "fill_payload", "fill_text", "slots_of", "texts_of"]

_SAMPLES: Mapping[str, Scalar] = {
    "str": "text",
    "int": 1,
    "float": 1.5,
    "number": 1.5,
    "bool": "yes",
    "list": "one, two",
}


_PLURAL = re.compile(
    r"^( (?:GPU|machine|node|replica|request|sequence|(?:pipeline )?stage|(?:\w+ )?rank))s\b"
)
"""What is counted in rules: after a slot that reads 1 it loses its s."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One replacement field of a text."""

    name: str
    spec: str


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str | Slot, ...]:
    """Split a text; raises ValueError on unbalanced braces."""
    parts: list[str | Slot] = []
    for literal, name, spec, conversion in Formatter().parse(text):
        if literal:
            parts.append(literal)
        if name is None:
            continue
        if conversion:
            message = f"conversion !{conversion} in slot {name!r}"
            raise ValueError(message)
        parts.append(Slot(name.strip().removeprefix("answer."), spec or ""))
    return tuple(parts)


def slots_of(text: str) -> tuple[Slot, ...]:
    """Return the slots of a text in reading order.

    Raises:
        ValueError: Unbalanced braces.
    """
    return tuple(part for part in _parts(text) if isinstance(part, Slot))


def texts_of(payload: object) -> Iterator[str]:
    """Yield all texts inside a payload, however nested."""
    if isinstance(payload, str):
        yield payload
    elif isinstance(payload, Mapping):
        for value in payload.values():
            yield from texts_of(value)
    elif isinstance(payload, Sequence):
        for value in payload:
            yield from texts_of(value)


def check_text(text: str, scope: Scope) -> None:
    """Note a fault in ``scope`` for every slot that can never be filled."""
    try:
        slots = slots_of(text)
    except ValueError as error:
        scope.fault("bad_slot", f"{error} in {text!r}; double a literal brace: {{{{ or }}}}.")
        return
    for slot in slots:
        trial = Scope(scope.vocabulary, scope.aliases)
        ref = trial.resolve(slot.name)
        if ref is None:
            _unknown_slot(slot, trial, scope)
            continue
        kind = scope.spec(ref).type
        try:
            format(_SAMPLES[kind], slot.spec)
        except ValueError:
            scope.fault(
                "bad_slot", f"format {slot.spec!r} does not suit {slot.name}, which is {kind}."
            )


def _unknown_slot(slot: Slot, trial: Scope, scope: Scope) -> None:
    root = slot.name.partition(".")[0]
    prefix = f"{root}." if root in scope.aliases else ""
    near = tuple(f"{prefix}{name}" for fault in trial.faults for name in fault.nearest)
    scope.fault(
        "unknown_slot",
        f"slot {{{slot.name}}} names neither a field of an alias of this rule nor an answer; "
        "double the braces if they are meant literally.",
        allowed=tuple(sorted(scope.aliases)),
        near=near,
    )


def fill_text(
    text: str,
    binding: Mapping[str, Fact],
    answers: Fact | None = None,
    lists: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return ``text`` with its slots filled.

    Args:
        text: A checked text of a rule.
        binding: Alias -> bound fact, as a firing names them.
        answers: The answers fact, for answer slots of rules that do not bind it.
        lists: List answers by key; printed with commas.
    """
    filled: list[str] = []
    for part in _parts(text):
        if isinstance(part, str):
            one = bool(filled) and filled[-1] == "1"
            filled.append(_PLURAL.sub(r"\1", part, count=1) if one else part)
            continue
        value = _value(part.name, binding, answers, lists or {})
        filled.append("unknown" if value is None else _formatted(value, part.spec))
    return "".join(filled)


def fill_payload(
    rule: Rule,
    binding: Mapping[str, Fact],
    answers: Fact | None = None,
    lists: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the rule's payload with every text in it filled."""

    def fill(value: object) -> object:
        if isinstance(value, str):
            return fill_text(value, binding, answers, lists)
        if isinstance(value, Mapping):
            return {name: fill(inner) for name, inner in value.items()}
        if isinstance(value, Sequence):
            return [fill(inner) for inner in value]
        return value

    return {name: fill(value) for name, value in rule.payload.items()}


def _value(
    name: str,
    binding: Mapping[str, Fact],
    answers: Fact | None,
    lists: Mapping[str, Sequence[str]],
) -> Scalar | None:
    root, _, rest = name.partition(".")
    if root in binding and root != ANSWERS:
        return binding[root].fields.get(rest)
    if name in lists:
        return ", ".join(lists[name])
    source = binding.get(ANSWERS, answers)
    return None if source is None else source.fields.get(name)


def _formatted(value: Scalar, spec: str) -> str:
    shown = ("yes" if value else "no") if isinstance(value, bool) else value
    try:
        return format(shown, spec) if spec else _plain(shown)
    except ValueError:  # "d" on 2.5, say: the checked type was only nearly right
        return _plain(shown)


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.10g}" if value % 1 else f"{value:.0f}"


def resolved_slots(rule: Rule, texts: Sequence[str]) -> tuple[Ref, ...]:
    """Return the references that the slots of ``texts`` name."""
    aliases = {alias for alias, _ in rule.aliases}
    found: list[Ref] = []
    for text in texts:
        for slot in slots_of(text):
            root, _, rest = slot.name.partition(".")
            found.append(Ref(root, rest) if root in aliases else Ref(ANSWERS, slot.name))
    return tuple(dict.fromkeys(found))
