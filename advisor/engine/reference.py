"""The reference back end: stratified, semi-naive forward chaining in plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from advisor.engine.memory import Memory, Row, checked_facts
from advisor.engine.outcome import DEFAULT_LIMIT, Outcome
from advisor.engine.plan import Filters, Level, Plan, lists_hold
from advisor.engine.session import CompiledRule, Session
from advisor.rules.facts import Fact, Scalar
from advisor.rules.model import RuleBase

__all__ = ["NAME", "Program", "fire", "program_of"]

NAME = "reference"


class Program:
    """A rule base compiled to closures."""

    __slots__ = ("derivable", "orders", "rules")

    def __init__(self, base: RuleBase) -> None:
        filters: Filters = {}
        self.rules = tuple(CompiledRule(rule, filters) for rule in base.rules)
        self.orders = {
            rule.id: (rule.stratum, position) for position, rule in enumerate(base.rules)
        }
        self.derivable = frozenset(r.derivation.kind for r in base.rules if r.derivation)


_programs: WeakKeyDictionary[RuleBase, Program] = WeakKeyDictionary()


def program_of(base: RuleBase) -> Program:
    """Return the compiled form of ``base``, made once."""
    program = _programs.get(base)
    if program is None:
        program = _programs[base] = Program(base)
    return program


def fire(base: RuleBase, facts: Sequence[Fact], limit: int = DEFAULT_LIMIT) -> Outcome:
    """Run all rules over ``facts`` until nothing new follows.

    Raises:
        FiringLimitError: More than ``limit`` firings.
        EngineError: A fact does not suit the rules' declarations.
    """
    program = program_of(base)
    memory = Memory(checked_facts(facts, base.reads))
    session = Session(memory, limit, program.derivable)
    for number, phase in enumerate(base.phases):
        compiled = [program.rules[position] for position in phase]
        new = [row for rule in compiled for row in _run(rule, session)]
        while new and number in base.recursive:
            new = [row for rule in compiled for row in _run_again(rule, session, new)]
    return session.outcome(NAME, program.orders)


def _run(compiled: CompiledRule, session: Session) -> list[Row]:
    """Match a rule against everything; return the rows it derived."""
    derived: list[Row] = []
    for plan in compiled.plans:
        for rows in _matches(plan, session.memory):
            row = session.offer(compiled, rows)
            if row is not None:
                derived.append(row)
    return derived


def _run_again(compiled: CompiledRule, session: Session, new: Sequence[Row]) -> list[Row]:
    """Match a rule of a recursive group where at least one fact is new."""
    derived: list[Row] = []
    for plan in compiled.plans:
        for position, level in enumerate(plan.levels):
            fresh = [
                row
                for row in new
                if row.fact.kind == level.key[0] and all(test(row.fields) for test in level.tests)
            ]
            for rows in _matches(plan, session.memory, (position, fresh)) if fresh else ():
                row = session.offer(compiled, rows)
                if row is not None:
                    derived.append(row)
    return derived


def _matches(
    plan: Plan, memory: Memory, fresh: tuple[int, Sequence[Row]] | None = None
) -> list[tuple[Row, ...]]:
    """Return all bindings of a conjunction; a list, since firing changes the memory.

    Args:
        plan: The conjunction.
        memory: All facts.
        fresh: (position, rows): let the pattern there range over these rows only.
    """
    if not lists_hold(plan.lists, memory):
        return []
    return list(_extend(plan.levels, memory, [], [], fresh))


def _extend(
    levels: Sequence[Level],
    memory: Memory,
    rows: list[Row],
    env: list[dict[str, Scalar]],
    fresh: tuple[int, Sequence[Row]] | None,
) -> Iterator[tuple[Row, ...]]:
    position = len(rows)
    if position == len(levels):
        yield tuple(rows)
        return
    level = levels[position]
    if fresh is not None and fresh[0] == position:
        candidates: Sequence[Row] = [row for row in fresh[1] if level.fits(row, env)]
    else:
        candidates = level.rows(memory, env)
    for row in candidates:
        if any(rows[rival] is row for rival in level.rivals):
            continue
        rows.append(row)
        env.append(row.fields)
        for test in level.joins:
            if not test(env):
                break
        else:
            if position + 1 == len(levels):
                yield tuple(rows)
            else:
                yield from _extend(levels, memory, rows, env, fresh)
        rows.pop()
        env.pop()
