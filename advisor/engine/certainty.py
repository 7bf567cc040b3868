"""The world of a consultation in which some answers are open: what follows for sure.

An engine run treats what is open as unknown, so a fact that it derives (through ``missing``
or a negated pattern, say) may not survive the answer. :func:`settle` keeps only the derived
facts whose rules are true whatever the open answers turn out to be, and names the kinds that
may still gain facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.engine.memory import Memory
from advisor.engine.outcome import DEFAULT_LIMIT
from advisor.engine.reference import program_of
from advisor.engine.session import CompiledRule, Session
from advisor.rules.conditions import refs_of
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.model import Rule, RuleBase
from advisor.rules.three_valued import matches, may_gain
from advisor.rules.verdict import Truth
from advisor.rules.world import World

__all__ = ["settle"]


def settle(base: RuleBase, facts: Sequence[Fact], open_keys: Iterable[str] = ()) -> World:
    """Return the given facts, the derived facts that are certain, and what is open.

    Args:
        base: The rules.
        facts: The given facts, none of them derived.
        open_keys: Answer keys that are not settled.

    Raises:
        FiringLimitError: The rules derive facts without end.
    """
    program = program_of(base)
    world = World(facts, open_keys, list_keys=base.list_keys)
    session = Session(Memory(facts), DEFAULT_LIMIT, program.derivable)
    for phase in base.phases:
        makers = [program.rules[n] for n in phase if program.rules[n].rule.derivation]
        changed = True
        while changed and makers:
            changed = False
            for compiled in makers:
                changed |= _conclude(compiled, session, world)
    return world


def _conclude(compiled: CompiledRule, session: Session, world: World) -> bool:
    """Add what one rule derives for sure, and open its kind if more may come."""
    changed = False
    for binding, verdict in list(matches(compiled.rule, world)):
        if verdict.value is not Truth.TRUE:
            continue
        hanging = _open_values(compiled.rule, binding, world)
        if hanging:
            changed |= _open(compiled.rule, hanging, world)
            continue
        rows = [session.memory.ids[binding[alias].id] for alias in compiled.names]
        new = session.offer(compiled, rows)
        if new is not None:
            world.add(new.fact)
            changed = True
    later = may_gain(compiled.rule, world)
    if later.value is Truth.OPEN:
        changed |= _open(compiled.rule, later.open_keys, world)
    return changed


def _open_values(rule: Rule, binding: Mapping[str, Fact], world: World) -> frozenset[str]:
    """Return the open keys that the content of the derived fact depends on."""
    assert rule.derivation is not None  # noqa: S101 - only deriving rules come here
    refs = [ref for _, value in rule.derivation.fields for ref in refs_of(value)]
    return frozenset(
        ref.field if ref.alias == ANSWERS else f"{binding[ref.alias].kind}.{ref.field}"
        for ref in refs
        if world.is_open(binding[ref.alias], ref.field)
    )


def _open(rule: Rule, keys: frozenset[str], world: World) -> bool:
    """Note that the kind a rule derives may gain facts; return whether that is news."""
    assert rule.derivation is not None  # noqa: S101 - only deriving rules come here
    known = world.open_kinds.get(rule.derivation.kind)
    world.open_kinds[rule.derivation.kind] = keys | (known or frozenset())
    return world.open_kinds[rule.derivation.kind] != known
