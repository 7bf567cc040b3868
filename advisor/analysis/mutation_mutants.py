"""Rules with one fault each: in the condition, or in what they do."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from advisor.analysis.mutation_conditions import Changed, changes
from advisor.rules.conditions import Compare, Member, Node, Presence, Ref, atoms_of, refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Conjunction, Negation, Rule, RuleBase
from advisor.rules.normalise import MAX_ALTERNATIVES, alternatives, count_alternatives
from advisor.rules.vocabulary import FieldSpec, Vocabulary

__all__ = ["Mutant", "mutants_of"]

_PER_KIND = 2
_SEVERITIES = ("info", "warning", "critical")
_OTHER_STRENGTH = {"must": "should", "should": "must", "may": "should"}
_EFFECTS = ("recommend", "reject")
_FIRST = ("sharing", "provisioning")
"""Decisions whose rules bind an option: ``option`` says that the rule chooses it, not which."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """A rule with one fault."""

    original: Rule
    kind: str
    words: str
    rule: Rule | None
    """The faulty rule; ``None`` where it is left out altogether."""
    same_matches: bool = False
    """The condition is untouched: it matches whenever the original does."""

    @property
    def id(self) -> str:
        """Return a name that stays the same as long as the rule does."""
        return f"{self.original.id}: {self.kind}: {self.words}"


def mutants_of(rule: Rule, base: RuleBase, vocabulary: Vocabulary) -> tuple[Mutant, ...]:
    """Return some faulty forms of a rule: one or two of each kind, always the same ones."""
    found = [
        Mutant(rule, change.kind, change.words, mutated)
        for change in _some(rule, changes(rule.condition, _specs(rule, vocabulary)))
        if (mutated := _with_condition(rule, change.node)) is not None
    ]
    found += [*_without_negations(rule), *_effects(rule, base)]
    return tuple({mutant.id: mutant for mutant in found}.values())


def _specs(rule: Rule, vocabulary: Vocabulary) -> Any:  # noqa: ANN401 - see Specs
    kinds = dict(rule.aliases)

    def spec(ref: Ref) -> FieldSpec | None:
        return vocabulary.field(kinds.get(ref.alias, ANSWERS), ref.field)

    return spec


def _some(rule: Rule, all_changes: Iterable[Changed]) -> list[Changed]:
    """Return at most two of each kind, spread over the condition; which ones hangs on the id."""
    by_kind: dict[str, list[Changed]] = {}
    for change in all_changes:
        by_kind.setdefault(change.kind, []).append(change)
    kept: list[Changed] = []
    for kind, found in by_kind.items():
        start = zlib.crc32(f"{rule.id} {kind}".encode()) % len(found)
        step = max(1, len(found) // _PER_KIND)
        places = dict.fromkeys((start + n * step) % len(found) for n in range(_PER_KIND))
        kept += [found[place] for place in sorted(places)]
    return kept


def _with_condition(rule: Rule, node: Node) -> Rule | None:
    """Return the rule under another condition; ``None`` where that is too large or the same."""
    if count_alternatives(node) > MAX_ALTERNATIVES:
        return None
    disjuncts = _required(alternatives(node), rule.required)
    if set(map(frozenset, disjuncts)) == set(map(frozenset, rule.disjuncts)):
        return None
    return replace(rule, condition=node, disjuncts=disjuncts)


def _required(disjuncts: Sequence[Conjunction], required: Sequence[Ref]) -> tuple[Conjunction, ...]:
    known = [Presence(ref, known=True) for ref in required]
    return tuple(tuple(dict.fromkeys((*atoms, *known))) for atoms in disjuncts)


def _without_negations(rule: Rule) -> Iterator[Mutant]:
    for number, negation in enumerate(rule.negations):
        others = (*rule.negations[:number], *rule.negations[number + 1 :])
        required = _needed(others)
        disjuncts = _required(alternatives(rule.condition), required)
        words = f"without none: {negation.kind} where {negation.where or 'true'}"
        mutated = replace(rule, negations=others, required=required, disjuncts=disjuncts)
        yield Mutant(rule, "drop", words, mutated)


def _needed(negations: Iterable[Negation]) -> tuple[Ref, ...]:
    """Return the rule's own fields that negated patterns compare with, as the compiler does."""
    found: list[Ref] = []
    for negation in negations:
        for atom in atoms_of(negation.condition):
            if isinstance(atom, Compare | Member):
                found += [ref for ref in refs_of(atom) if ref.alias != negation.alias]
    return tuple(dict.fromkeys(found))


def _effects(rule: Rule, base: RuleBase) -> Iterator[Mutant]:
    yield Mutant(rule, "effect", "left out", None, same_matches=True)
    if rule.effect == "reject" or (rule.effect == "recommend" and "option" in rule.payload):
        # a rule that gives a reason or a parameter only is as strong as the rule that chooses
        other = _OTHER_STRENGTH[rule.strength]
        words = f"strength {rule.strength} -> {other}"
        yield Mutant(rule, "effect", words, replace(rule, strength=other), same_matches=True)
    for key, value in _other_payload(rule, base).items():
        words = f"{key} {_word(rule.payload[key])} -> {_word(value)}"
        payload = {**rule.payload, key: value}
        if value is None:
            words, payload = f"without {key}", {k: v for k, v in payload.items() if k != key}
        yield Mutant(rule, "effect", words, replace(rule, payload=payload), same_matches=True)


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _other_payload(rule: Rule, base: RuleBase) -> Mapping[str, Any]:
    """Return another value for each parameter that is no text for people; ``None``: without it."""
    found: dict[str, Any] = {}
    for key, value in rule.payload.items():
        if key == "severity":
            found[key] = _SEVERITIES[_SEVERITIES.index(value) - 1]
        elif rule.effect not in _EFFECTS:
            continue
        elif isinstance(value, bool):
            found[key] = not value
        elif isinstance(value, int | float):
            found[key] = value * 2
        elif key == "option" and rule.effect == "recommend":
            found[key] = None if rule.decision in _FIRST else _other_option(rule, base)
    return found


def _other_option(rule: Rule, base: RuleBase) -> str | None:
    """Return the next option that rules of the same decision recommend."""
    named = [
        str(other.payload["option"])
        for other in base.rules
        if (other.decision, other.effect) == (rule.decision, rule.effect)
        and "option" in other.payload
    ]
    options = list(dict.fromkeys(named))
    place = options.index(str(rule.payload["option"])) + 1
    return options[place % len(options)] if len(options) > 1 else None
