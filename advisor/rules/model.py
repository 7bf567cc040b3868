"""The frozen, compiled rule model that all evaluators share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.rules.conditions import Atom, Node, Operand, Ref
from advisor.rules.vocabulary import TypeClass

__all__ = ["Conjunction", "Derivation", "Negation", "Rule", "RuleBase"]

Conjunction = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """A pattern that must match no fact."""

    alias: str
    kind: str
    where: str
    """The condition as written; empty: any fact of the kind."""
    condition: Node
    disjuncts: tuple[Conjunction, ...]
    """A fact that satisfies one of them stops the rule."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """The fact that a ``derive`` rule adds."""

    kind: str
    fields: tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, eq=False)
class Rule:
    """One compiled rule; compared by identity, since evaluators keep what they make of it."""

    id: str
    order: int
    """Position among all rules as loaded; breaks ties in the trace."""
    decision: str
    aliases: tuple[tuple[str, str], ...]
    """(alias, kind) in binding order; ``answers`` first when the rule mentions an answer."""
    when: str
    condition: Node
    disjuncts: tuple[Conjunction, ...]
    """Disjunctive normal form of ``condition``, each with ``required`` added."""
    negations: tuple[Negation, ...]
    required: tuple[Ref, ...]
    """Fields that must be known because a negated pattern compares with them."""
    effect: str
    strength: str
    payload: Mapping[str, Any]
    """``set`` as written, for effects other than ``derive``."""
    derivation: Derivation | None
    because: str
    """Text with slots; see ``advisor.rules.slots``."""
    cite: tuple[str, ...]
    since: dt.date | None = None
    until: dt.date | None = None
    stratum: int = 0
    """Level by negation; a rule negates only kinds derived on lower levels."""
    title: str | None = None
    note: str | None = None
    sources: tuple[Any, ...] = ()
    as_of: dt.date | None = None
    unverified: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that the rule reads, bound or negated."""
        bound = [kind for _, kind in self.aliases]
        return tuple(dict.fromkeys([*bound, *(negation.kind for negation in self.negations)]))

    def in_force(self, day: dt.date) -> bool:
        """Return whether the rule holds on ``day`` (``since`` included, ``until`` not)."""
        started = self.since is None or self.since <= day
        return started and (self.until is None or day < self.until)


@dataclass(frozen=True, eq=False)
class RuleBase:
    """All rules of a knowledge base, compiled, checked and in order.

    Compared by identity: the engines keep their compiled forms per rule base, so build one
    and use it for every consultation.
    """

    rules: tuple[Rule, ...]
    reads: Mapping[str, Mapping[str, TypeClass]]
    """Kind -> the fields that some rule reads, with their type class."""
    phases: tuple[tuple[int, ...], ...]
    """Rule positions grouped so that a group reads only what earlier groups have derived,
    or, within a recursive group, what it derives itself."""
    recursive: frozenset[int] = frozenset()
    """Indices into ``phases`` of the groups that feed themselves."""
    by_id: Mapping[str, Rule] = field(default_factory=dict)
    list_keys: frozenset[str] = frozenset()
    """Answer keys that hold lists."""
    _views: dict[tuple[int, ...], RuleBase] = field(default_factory=dict, repr=False)
    """What :meth:`at` has handed out, so that engines keep their compiled forms."""

    def rule(self, rule_id: str) -> Rule:
        """Return the rule with that id.

        Raises:
            KeyError: No such rule.
        """
        return self.by_id[rule_id]

    def at(self, day: dt.date) -> RuleBase:
        """Return the rules in force on ``day``; the same object for the same set of rules."""
        return self.part(tuple(n for n, rule in enumerate(self.rules) if rule.in_force(day)))

    def part(self, kept: tuple[int, ...]) -> RuleBase:
        """Return only the rules at these positions; the same object for the same positions."""
        if len(kept) == len(self.rules):
            return self
        if kept not in self._views:
            self._views[kept] = self._only(kept)
        return self._views[kept]

    def _only(self, kept: tuple[int, ...]) -> RuleBase:
        place = {number: new for new, number in enumerate(kept)}
        phases = tuple(tuple(place[n] for n in phase if n in place) for phase in self.phases)
        rules = tuple(self.rules[number] for number in kept)
        by_id = {rule.id: rule for rule in rules}
        return replace(self, rules=rules, phases=phases, by_id=by_id, _views={})
