"""Fires mutants beside the rules, and stops at the first fact that a mutant matches otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.analysis.mutation_mutants import Mutant
from advisor.consult.platform.stages import stages_of
from advisor.engine import reference
from advisor.engine.memory import Memory, checked_facts
from advisor.engine.outcome import DEFAULT_LIMIT, Outcome
from advisor.engine.plan import Filters, lists_hold
from advisor.engine.session import CompiledRule
from advisor.errors import FiringLimitError, Problem
from advisor.rules.facts import Fact
from advisor.rules.model import Rule, RuleBase

__all__ = ["Guard", "Screen"]

_STAGES = ("fit", "sharing", "provisioning", "outcome")
Ids = tuple[str, ...]


class Screen:
    """Notes, consultation by consultation, which mutants match other facts than their rules.

    Attributes:
        changed: Ids of these mutants, since :meth:`start`.
        fired: Ids of the rules that fired since then.
    """

    def __init__(self, base: RuleBase, mutants: Sequence[Mutant]) -> None:
        filters: Filters = {}
        self._beside: dict[int, list[tuple[Mutant, CompiledRule]]] = {}
        for name in _STAGES:
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
        self._settled: set[str] = set()

    def start(self, settled: set[str]) -> None:
        """Begin a consultation; mutants that are ``settled`` need no more looking at."""
        self.changed, self.fired, self._settled = set(), set(), settled

    def fire(self, base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
        """Fire the rules, and the mutants beside them."""
        outcome = reference.fire(base, facts, limit)
        found: dict[str, set[Ids]] = {}
        for firing in outcome.firings:
            found.setdefault(firing.rule, set()).add(tuple(fact for _, fact in firing.facts))
        self.fired |= set(found)
        memory = Memory(checked_facts(facts, base.reads))
        for mutant, compiled in self._beside[id(base)]:
            if mutant.id in self.changed or mutant.id in self._settled:
                continue
            if _differs(compiled, memory, found.get(mutant.original.id, set())):
                self.changed.add(mutant.id)
        return outcome


class Guard:
    """Fires rules of which one is a mutant, unless that one matches far too much."""

    def __init__(self, rule: Rule | None) -> None:
        self._compiled = None if rule is None else CompiledRule(rule, {})

    def fire(self, base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
        """Fire the rules.

        Raises:
            FiringLimitError: The mutant alone has more firings than a consultation may.
        """
        compiled = self._compiled
        if compiled is not None and compiled.rule.id in base.by_id:
            memory = Memory(checked_facts(facts, base.reads))
            if len(list(islice(_matched(compiled, memory), DEFAULT_LIMIT))) == DEFAULT_LIMIT:
                raise FiringLimitError(Problem("firing_limit", compiled.rule.id))
        return reference.fire(base, facts, limit)


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
