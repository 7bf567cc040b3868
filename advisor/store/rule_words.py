"""Rules in words: the condition as an engineer reads it, what follows, and the reason's pattern.

The condition language is small (:mod:`advisor.rules.conditions`), so every tree has a sentence;
what fields are called is in :mod:`advisor.store.rule_names`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    Or,
    Presence,
    Ref,
    Sum,
)
from advisor.rules.facts import ANSWERS
from advisor.rules.slots import slots_of
from advisor.store.rule_names import PRESENCE, YES_NO, field_name, unit_of

if TYPE_CHECKING:
    from advisor.rules.model import Negation, Rule
    from advisor.rules.vocabulary import Vocabulary

__all__ = ["advice_words", "reason_pattern", "situation_words"]

_IDENTITIES = frozenset({"id", "gpu"})
"""Fields that only say which fact belongs to which: no condition of the situation."""
_COMPARED = {
    "==": "is",
    "!=": "is not",
    "<": "below",
    "<=": "at most",
    ">": "above",
    ">=": "at least",
}
_SURCHARGE = 1.5
"""What a `reject` with strength should multiplies the cost by when its rule does not say."""
_BARE = frozenset({"option", "surcharge", "surcharge_paid"})
_WARNING = frozenset(
    {"kind", "severity", "text", "cause", "check", "fix", "symptom", "without_kubernetes"}
)


def situation_words(rule: Rule) -> str:
    """Return the condition of a rule as a phrase, parts joined by semicolons."""
    speaker = _Speaker(dict(rule.aliases))
    parts = [text for text in speaker.parts(rule.condition) if text]
    parts += [speaker.absence(negation) for negation in rule.negations]
    period = _period(rule)
    return "; ".join([*dict.fromkeys(parts), *([period] if period else [])]) or "always"


def advice_words(rule: Rule) -> str:
    """Return what a rule does: its effect, the option or parameters, and how binding it is."""
    if rule.effect == "warn":
        return f"warn: {rule.payload.get('severity', 'warning')}"
    if rule.effect == "derive":
        return f"note: {_plain(rule.derivation.kind if rule.derivation else '')}"
    if rule.effect == "reject":
        return _objection(rule)
    needs = "needs " if rule.effect == "require" else ""
    parts = [part for part in (_option(rule), _settings(rule.payload)) if part]
    if parts:
        return f"{needs}{', '.join(parts)} ({rule.strength})"
    return "may be chosen" if rule.strength == "must" else "a further reason"


def _objection(rule: Rule) -> str:
    """Return what is out, or by how much it counts as dearer."""
    option = _option(rule)
    if rule.strength == "must":
        return f"out: {option}" if option else "out"
    factor = f"dearer, x {rule.payload.get('surcharge', _SURCHARGE):g}"
    paid = rule.payload.get("surcharge_paid")
    factor += f" (x {paid:g} where GPUs are paid for)" if paid is not None else ""
    return f"{factor}: {option}" if option else factor


def _option(rule: Rule) -> str:
    option = str(rule.payload.get("option", ""))
    return "what is stated" if option.startswith("{") else _plain(option)


def reason_pattern(rule: Rule, vocabulary: Vocabulary) -> str:
    """Return the reason with its slots as placeholders: ``[weights] GiB on [gpu]``."""
    return _pattern(rule.because, dict(rule.aliases), vocabulary)


def _pattern(text: str, kinds: Mapping[str, str], vocabulary: Vocabulary) -> str:
    from string import Formatter

    filled = []
    names = iter(slots_of(text))
    for literal, name, _, _ in Formatter().parse(text):
        filled.append(literal)
        if name is not None:
            filled.append(_placeholder(next(names).name, kinds, vocabulary))
    return "".join(filled)


def _placeholder(slot: str, kinds: Mapping[str, str], vocabulary: Vocabulary) -> str:
    root, _, field = slot.partition(".")
    kind, field = (kinds[root], field) if root in kinds else (ANSWERS, slot)
    spec = vocabulary.field(kind, field)
    if spec is not None and spec.type_class == "number":
        return f"[{_number(field.rpartition('.')[2])}]"
    name = "gpu" if (kind, field) == ("gpu", "name") else field.rpartition(".")[2]
    return f"[{_plain(name).removesuffix(' name')}]"


def _number(field: str) -> str:
    """Return what a number is called; the ends of an estimate stay apart."""
    name = field_name(field)
    ends = (end for end in ("low", "high") if field.endswith(f"_{end}") and end not in name.split())
    return " ".join((name, *ends))


def _settings(payload: Mapping[str, Any]) -> str:
    shown = {key: value for key, value in payload.items() if key not in _BARE | _WARNING}
    return ", ".join(f"{_plain(key)} {_setting(value)}" for key, value in shown.items())


def _setting(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_setting(one) for one in value)
    text = str(value)
    if text.startswith("{") and text.endswith("}"):
        return "as stated"
    return _plain(_SLOT.sub(lambda slot: f"[{slot[1]}]", text))


def _period(rule: Rule) -> str:
    since = f"from {rule.since}" if rule.since else ""
    until = f"before {rule.until}" if rule.until else ""
    return " and ".join(part for part in (since, until) if part)


def _plain(name: str) -> str:
    return name.replace("_", " ")


_SLOT = re.compile(r"\{(?:\w+\.)*(\w+)[^{}]*\}")
"""A slot inside a text: its field is what a reader needs."""


class _Speaker:
    """Says conditions; knows what kind of fact each alias is bound to."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        seen: set[str] = set()
        self._others = {
            alias
            for alias, kind in kinds.items()
            if kind in seen or seen.add(kind)  # type: ignore[func-returns-value]
        }

    def parts(self, node: Node) -> Iterator[str]:
        """Yield the conditions that must all hold."""
        if not isinstance(node, And):
            yield self.said(node)
            return
        for part in node.parts:
            yield from self.parts(part)

    def said(self, node: Node) -> str:
        """Return one condition; nothing for a join of facts."""
        if isinstance(node, And):
            return " and ".join(text for part in node.parts if (text := self._inner(part)))
        if isinstance(node, Or):
            return self._either(node)
        return self._atom(node)

    def absence(self, negation: Negation) -> str:
        """Return that no fact of a kind is so."""
        inner = _Speaker({**self._kinds, negation.alias: negation.kind})
        inner._others.discard(negation.alias)
        which = " and ".join(text for text in inner.parts(negation.condition) if text)
        return f"no {_plain(negation.kind)}" + (f" with {which}" if which else "")

    def _inner(self, node: Node) -> str:
        text = self.said(node)
        return f"({text})" if isinstance(node, Or) and " or " in text else text

    def _either(self, node: Or) -> str:
        """Return alternatives; "not given, or something" is one phrase."""
        missing = [p for p in node.parts if isinstance(p, Presence | ListAny) and not p.known]
        rest = [part for part in node.parts if part not in missing]
        texts: list[str] = []
        for part in rest:
            text = self.said(part)
            text = f"({text})" if isinstance(part, And) else text
            ref = part.left if isinstance(part, Compare) else getattr(part, "ref", None)
            same = [p for p in missing if isinstance(p, Presence) and p.ref == ref]
            for absent in same:
                missing.remove(absent)
                text += " or not given"
            texts.append(text)
        return " or ".join([*texts, *(self.said(part) for part in missing)])

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Compare):
            return self._compared(atom)
        if isinstance(atom, Member):
            values = [_value(value) for value in atom.values]
            several = "is none of" if len(values) > 1 else "is not"
            word = several if atom.negated else "is"
            return f"{self._name(atom.ref)} {word} {_listed(values)}"
        if isinstance(atom, Presence):
            return self._present(atom)
        name = field_name(atom.key)
        if isinstance(atom, ListHas):
            word = "does not include" if atom.negated else "includes"
            return f"{name} {word} {_plain(atom.value)}"
        return f"{name} {'is' if atom.known else 'is not'} given"

    def _present(self, atom: Presence) -> str:
        key = self._key(atom.ref)
        if key in PRESENCE:
            return PRESENCE[key][0 if atom.known else 1]
        word = "given" if self._kinds.get(atom.ref.alias, ANSWERS) == ANSWERS else "known"
        return f"{self._name(atom.ref)} {'is' if atom.known else 'is not'} {word}"

    def _compared(self, atom: Compare) -> str:
        left, right = atom.left, atom.right
        if isinstance(left, Ref) and isinstance(right, Ref):
            both = {left.field, right.field}
            if atom.op == "==" and both <= _IDENTITIES and left.alias != right.alias:
                return ""
        if isinstance(left, Ref) and isinstance(right, Const) and isinstance(right.value, bool):
            return self._yes_no(left, yes=right.value == (atom.op == "=="))
        unit = unit_of(left.field) if isinstance(left, Ref) and isinstance(right, Const) else ""
        return f"{self._operand(left)} {_COMPARED[atom.op]} {self._operand(right)} {unit}".strip()

    def _yes_no(self, ref: Ref, *, yes: bool) -> str:
        key = self._key(ref)
        if key in YES_NO:
            return self._of(ref) + YES_NO[key][0 if yes else 1]
        return f"{self._name(ref)}: {'yes' if yes else 'no'}"

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Const):
            return _value(operand.value)
        if isinstance(operand, Ref):
            return self._name(operand)
        assert isinstance(operand, Sum)  # noqa: S101 - the last of three classes
        parts = [
            self._name(ref) if factor == 1 else f"{factor:g} x {self._name(ref)}"
            for factor, ref in operand.terms
        ]
        return " + ".join([*parts, *([f"{operand.constant:g}"] if operand.constant else [])])

    def _name(self, ref: Ref) -> str:
        return self._of(ref) + field_name(self._key(ref))

    def _of(self, ref: Ref) -> str:
        return "for another candidate " if ref.alias in self._others else ""

    def _key(self, ref: Ref) -> str:
        kind = self._kinds.get(ref.alias, ANSWERS)
        return ref.field if kind == ANSWERS else f"{kind}.{ref.field}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.10g}"
    return _plain(str(value))


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
