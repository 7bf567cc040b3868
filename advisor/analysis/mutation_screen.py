"""Fires mutants beside the rules, and stops at the first fact that a mutant matches otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from advisor.analysis.mutation_mutants import Mutant
from advisor.consult.platform.stages import stages_of
from advisor.engine import reference
from advisor.engine.memory import Memory, checked_facts
from advisor.engine.outcome import DEFAULT_LIMIT, Firing, Outcome
from advisor.engine.plan import Filters, lists_hold
from advisor.engine.session import CompiledRule
from advisor.errors import FiringLimitError, Problem
from advisor.rules.facts import Fact
from advisor.rules.model import RuleBase

__all__ = ["Instead", "Screen"]

STAGES = ("fit", "sharing", "provisioning", "outcome")
Ids = tuple[str, ...]


class Screen:
    """Notes, consultation by consultation, which mutants match other facts than their rules.

    Attributes:
        changed: Ids of these mutants, since :meth:`start`.
        fired: Ids of the rules that fired since then.
        weight: How many facts the rules looked at since then.
    """

    def __init__(self, base: RuleBase, mutants: Sequence[Mutant]) -> None:
        filters: Filters = {}
        self._beside: dict[int, list[tuple[Mutant, CompiledRule]]] = {}
        for name in STAGES:
            part: RuleBase = getattr(stages_of(base), name)
            self._beside[id(part)] = [
                (mutant, CompiledRule(mutant.rule, filters))
                for mutant in mutants
                if mutant.rule is not None
                and not mutant.same_matches
                and mutant.original.id in part.by_id
            ]
        self.changed: set[str] = set()
        self.fired: set[str] = set()
        self.weight = 0
        self._settled: set[str] = set()

    def start(self, settled: set[str]) -> None:
        """Begin a consultation; mutants that are ``settled`` need no more looking at."""
        self.changed, self.fired, self._settled, self.weight = set(), set(), settled, 0

    def fire(self, base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
        """Fire the rules, and the mutants beside them."""
        outcome = reference.fire(base, facts, limit)
        found: dict[str, set[Ids]] = {}
        for firing in outcome.firings:
            found.setdefault(firing.rule, set()).add(tuple(fact for _, fact in firing.facts))
        self.fired |= set(found)
        self.weight += len(facts)
        memory = Memory(checked_facts(facts, base.reads))
        for mutant, compiled in self._beside[id(base)]:
            if mutant.id in self.changed or mutant.id in self._settled:
                continue
            if _differs(compiled, memory, found.get(mutant.original.id, set())):
                self.changed.add(mutant.id)
        return outcome


class Instead:
    """Fires the rules with a mutant in the place of the one it was made of.

    The rules are compiled once for all mutants: what they match is taken from them, and what the
    mutant matches is put in. That is the same as firing the faulty rules as long as no rule
    derives facts.
    """

    def __init__(self, base: RuleBase, mutant: Mutant, faulty: RuleBase) -> None:
        if any(rule.derivation for rule in base.rules):
            message = "rules that derive facts must fire together"
            raise NotImplementedError(message)
        self._compiled = None if mutant.rule is None else CompiledRule(mutant.rule, {})
        self._id = mutant.original.id
        theirs, ours = stages_of(faulty), stages_of(base)
        self._parts = {id(getattr(theirs, name)): getattr(ours, name) for name in STAGES}

    def fire(self, base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
        """Fire the rules of a stage.

        Raises:
            FiringLimitError: The mutant alone has more firings than a consultation may.
        """
        part: RuleBase = self._parts[id(base)]
        outcome = reference.fire(part, facts, limit)
        if self._id not in part.by_id:
            return outcome
        places = {rule.id: place for place, rule in enumerate(part.rules)}
        firings = [firing for firing in outcome.firings if firing.rule != self._id]
        firings += self._own(Memory(checked_facts(facts, part.reads)))
        firings.sort(key=lambda f: (f.stratum, places[f.rule], [fact for _, fact in f.facts]))
        return replace(outcome, firings=tuple(firings))

    def _own(self, memory: Memory) -> list[Firing]:
        compiled = self._compiled
        if compiled is None:
            return []
        found = list(islice(_matched(compiled, memory), DEFAULT_LIMIT))
        if len(found) == DEFAULT_LIMIT:
            raise FiringLimitError(Problem("firing_limit", f"{self._id} matches far too much."))
        return [
            Firing(self._id, tuple(zip(compiled.names, ids, strict=True)), compiled.rule.stratum)
            for ids in dict.fromkeys(found)
        ]


def _differs(compiled: CompiledRule, memory: Memory, own: set[Ids]) -> bool:
    """Tell whether a mutant matches something else than ``own``, or less."""
    seen: set[Ids] = set()
    for ids in _matched(compiled, memory):
        if ids not in own:
            return True
        seen.add(ids)
    return len(seen) != len(own)


def _matched(compiled: CompiledRule, memory: Memory) -> Iterator[Ids]:
    """Yield the facts of each match, as the reference engine finds them; some twice."""
    for plan in compiled.plans:
        if not lists_hold(plan.lists, memory):
            continue
        for rows in reference._extend(plan.levels, memory, [], [], None):  # noqa: SLF001
            if all(blocker.find(memory, rows) is None for blocker in compiled.blockers):
                yield tuple(row.id for row in rows)
