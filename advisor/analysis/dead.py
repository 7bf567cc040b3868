"""Dead: rules that wait for what never comes, and conclusions that nobody draws on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from advisor.analysis.code_words import produced_words
from advisor.analysis.study import Finding, Study
from advisor.rules.conditions import Node, Ref, atoms_of, refs_of
from advisor.rules.facts import ANSWERS, ITEM
from advisor.rules.model import Rule
from advisor.rules.slots import resolved_slots, texts_of

__all__ = ["dead"]


def dead(study: Study) -> Iterator[Finding]:
    """Yield reads of kinds and fields that nobody makes, and derived kinds that nobody reads."""
    rules = study.base.rules
    derived = {rule.derivation.kind: rule for rule in rules if rule.derivation}
    made = {
        (rule.derivation.kind, name)
        for rule in rules
        if rule.derivation
        for name, _ in rule.derivation.fields
    }
    words = produced_words() | _parameters(rules)
    for rule in rules:
        for place, kind in _kinds(rule):
            if kind not in derived and not _in(words, kind):
                message = f"No rule derives facts of kind {kind} and the code makes none."
                yield Finding("dead_kind", message, rule.id, place)
        for place, kind, name in sorted(set(_fields(rule))):
            code = kind not in derived or _in(words, kind)
            if (kind, name) not in made and not (code and _in(words, name)):
                message = f"Nothing ever sets {kind}.{name}: it is always unknown."
                yield Finding("dead_field", message, rule.id, place)
    read = {kind for rule in rules for kind in rule.kinds}
    for kind, rule in derived.items():
        if kind not in read and not _in(words, kind):
            message = f"No rule and no code reads facts of kind {kind}."
            yield Finding("dead_derivation", message, rule.id, "set")


def _parameters(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the parameters of choices that rules set; later facts may hold them."""
    return frozenset(key for rule in rules if rule.effect == "recommend" for key in rule.payload)


def _kinds(rule: Rule) -> Iterator[tuple[str, str]]:
    for alias, kind in rule.aliases:
        if kind not in {ANSWERS, ITEM}:
            yield f"for.{alias}", kind
    for number, negation in enumerate(rule.negations):
        if negation.kind not in {ANSWERS, ITEM}:
            yield f"none[{number}]", negation.kind


def _fields(rule: Rule) -> Iterator[tuple[str, str, str]]:
    kinds = dict(rule.aliases)
    yield from _refs_in("when", rule.condition, kinds)
    for number, negation in enumerate(rule.negations):
        scope = {**kinds, negation.alias: negation.kind}
        yield from _refs_in(f"none[{number}]", negation.condition, scope)
    texts = {"because": [rule.because]}
    if rule.derivation is None:
        texts["set"] = list(texts_of(rule.payload))
    for place, written in texts.items():
        yield from _of_facts(place, resolved_slots(rule, written), kinds)


def _refs_in(
    place: str, condition: Node, kinds: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    for atom in atoms_of(condition):
        yield from _of_facts(place, refs_of(atom), kinds)


def _of_facts(
    place: str, refs: tuple[Ref, ...], kinds: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    for ref in refs:
        kind = kinds.get(ref.alias, ANSWERS)
        if kind not in {ANSWERS, ITEM}:
            yield place, kind, ref.field


def _in(words: AbstractSet[str], word: str) -> bool:
    """Tell whether code names a word, or can put it together of two that it names."""
    if word in words:
        return True
    parts = word.split("_")
    splits = (("_".join(parts[:n]), "_".join(parts[n:])) for n in range(1, len(parts)))
    return "*_*" in words and any(a in words and b in words for a, b in splits)
