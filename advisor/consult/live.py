"""Which answers the rules of a decision may still turn on.

A rule is dead once a test of it on given answers is false: no answer to come revives it, so what
else it reads does not matter. What is left is read by rules that are alive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from advisor.answers.model import Answers
from advisor.consult.facts import answer_facts
from advisor.rules.conditions import Atom, ListAny, ListHas, atoms_of, refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Conjunction, Rule, RuleBase
from advisor.rules.truth import FALSE, Condition, compile_condition
from advisor.rules.world import World

__all__ = ["LiveRules", "live_rules"]

_JUDGED = frozenset({"candidate", "fleet", "way", "pool"})
"""Kinds of facts that a decision chooses among."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One way in which a rule can hold."""

    rule: Rule
    tests: tuple[Condition, ...]
    """On answers alone: one of them false, and the case is dead."""
    keys: frozenset[str]
    """Answer keys that it reads, negated patterns included."""


@dataclass(frozen=True, slots=True)
class LiveRules:
    """The rules that can change a decision, as cases."""

    cases: tuple[_Case, ...]
    list_keys: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        """All answer keys that some rule reads."""
        return frozenset().union(*(case.keys for case in self.cases))

    def open_keys(self, answers: Answers) -> frozenset[str]:
        """Return the keys not given that a rule may still turn on.

        Args:
            answers: What is given; what is answered with "unknown" is not.
        """
        missing = self.keys.difference(answers.values)
        world = World(answer_facts(answers), missing, list_keys=self.list_keys)
        bound = {} if world.answers is None else {ANSWERS: world.answers}
        found: set[str] = set()
        for case in self.cases:
            keys = case.keys & missing
            if not keys <= found and all(test(bound, world) != FALSE for test in case.tests):
                found |= keys
        return frozenset(found)

    def reading(self, key: str, answers: Answers) -> tuple[Rule, ...]:
        """Return the rules that read ``key`` and that the other answers leave alive.

        Args:
            key: An answer key; what it is answered with is not looked at.
            answers: What is given.
        """
        missing = self.keys.difference(answers.values) | {key}
        world = World(answer_facts(answers), missing, list_keys=self.list_keys)
        bound = {} if world.answers is None else {ANSWERS: world.answers}
        alive = (
            case.rule
            for case in self.cases
            if key in case.keys and all(test(bound, world) != FALSE for test in case.tests)
        )
        return tuple(dict.fromkeys(alive))


@lru_cache(maxsize=64)
def live_rules(base: RuleBase, decision: str, *, several: bool = False) -> LiveRules:
    """Return the rules that can change the choice of a decision.

    Args:
        base: All rules.
        decision: Whose rules.
        several: Whether several loads share the GPUs, so that rules about fleets count.
    """
    cases = (
        case
        for rule in base.rules
        if rule.decision == decision
        and _chooses(rule)
        and (several or "fleet" not in dict(rule.aliases).values())
        for case in _cases(rule)
    )
    return LiveRules(tuple(case for case in cases if case.keys), base.list_keys)


def _chooses(rule: Rule) -> bool:
    """Tell whether a rule can change an option or its sizes.

    Warnings cannot, nor a rejection of a pattern that binds no candidate, nor a recommendation
    that adds parameters and no option.
    """
    if rule.effect == "warn":
        return False
    if rule.effect == "reject":
        return not _JUDGED.isdisjoint(dict(rule.aliases).values())
    return rule.effect != "recommend" or rule.decision == "gpu" or "option" in dict(rule.payload)


def _cases(rule: Rule) -> Iterator[_Case]:
    kinds = dict(rule.aliases)
    negated = {
        key
        for negation in rule.negations
        for atom in atoms_of(negation.condition)
        for key in _answer_keys(atom, kinds)
    }
    for conjunction in rule.disjuncts:
        keys = {key for atom in conjunction for key in _answer_keys(atom, kinds)}
        yield _Case(rule, tuple(_tests(conjunction, kinds)), frozenset(keys | negated))


def _tests(conjunction: Conjunction, kinds: dict[str, str]) -> Iterator[Condition]:
    for atom in conjunction:
        if all(kinds.get(ref.alias, ANSWERS) == ANSWERS for ref in refs_of(atom)):
            yield compile_condition(atom)


def _answer_keys(atom: Atom, kinds: dict[str, str]) -> Iterator[str]:
    if isinstance(atom, ListHas | ListAny):
        yield atom.key
        return
    for ref in refs_of(atom):
        if kinds.get(ref.alias, ANSWERS) == ANSWERS and "." in ref.field:
            yield ref.field
