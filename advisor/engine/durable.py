"""The durable back end: durable-rules 2.0.28 driven on its C layer, without its Host.

The Host class starts timer threads that corrupt memory, swallows exceptions and loses
activations after ten seconds; the C layer does not. This driver keeps to what the library
does correctly: one lock, one session id, a sentinel fact before all others (it makes deleting
the session safe), never an empty batch, and deletion whatever happens.

This is the only module that may import the library.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from advisor.engine.durable_names import MAX_CODES, Codes
from advisor.engine.durable_program import DurableProgram
from advisor.engine.durable_sieve import Live, Sieve
from advisor.engine.memory import Memory, Row, checked_facts
from advisor.engine.outcome import DEFAULT_LIMIT, Outcome
from advisor.engine.reference import program_of
from advisor.engine.session import CompiledRule, Session
from advisor.errors import EngineError, FiringLimitError, Problem
from advisor.rules.facts import Fact
from advisor.rules.model import RuleBase

__all__ = ["NAME", "fire", "library", "ruleset_count"]

NAME = "durable"
MAX_RULESETS = 16
"""Rulesets kept registered; the library holds 2 MB for each hundred alternatives."""
MATCHES_PER_FIRING = 50
"""Matches the library may report for each firing allowed, before we stop it."""

_SESSION = "0"
_SENTINEL = f'{{"k":0,"id":"0","sid":"{_SESSION}","one":1.5}}'
_RULE = re.compile(r'\{"(\w+)":')
# The library echoes our facts as we wrote them, and they hold nothing but names and numbers.
_BOUND = re.compile(r'"f(\d+)":\{"id":"(\d+)"')

_lock = threading.Lock()
_rulesets: OrderedDict[tuple[RuleBase, Live], _Ruleset] = OrderedDict()
_sieves: WeakKeyDictionary[RuleBase, Sieve] = WeakKeyDictionary()
_registered = 0


def fire(base: RuleBase, facts: Sequence[Fact], limit: int = DEFAULT_LIMIT) -> Outcome:
    """Run all rules over ``facts`` until nothing new follows.

    Raises:
        FiringLimitError: More than ``limit`` firings.
        EngineError: A fact does not suit the rules' declarations, or the library failed.
    """
    program = program_of(base)
    memory = Memory(checked_facts(facts, base.reads))
    session = Session(memory, limit, program.derivable)
    with _lock:
        _Run(_ruleset_of(base, _sieve_of(base).live(memory)), session).to_the_end()
    return session.outcome(NAME, program.orders)


def library() -> Any:  # noqa: ANN401 - an untyped C extension
    """Return the C extension.

    Raises:
        ImportError: It is missing, or built for another Python.
    """
    import durable_rules_engine

    return durable_rules_engine


def ruleset_count() -> int:
    """Return how many rulesets are registered with the library at the moment."""
    return len(_rulesets)


class _Ruleset:
    """The part of a rule base that some facts can match, registered with the library."""

    def __init__(self, base: RuleBase, live: Live) -> None:
        global _registered  # noqa: PLW0603 - ruleset names are per process
        self.program = DurableProgram(base, program_of(base), live)
        name = f"rules{_registered}"
        self.handle = _asked(library().create_ruleset, name, self.program.text)
        _registered += 1

    def delete(self) -> None:
        """Free the ruleset; its session has been deleted by the run that used it."""
        library().delete_ruleset(self.handle)


def _sieve_of(base: RuleBase) -> Sieve:
    sieve = _sieves.get(base)
    if sieve is None:
        sieve = _sieves[base] = Sieve(program_of(base))
    return sieve


def _ruleset_of(base: RuleBase, live: Live) -> _Ruleset:
    """Return the registered form of a part of ``base``; the least recently used makes room."""
    key = base, live
    if key in _rulesets:
        _rulesets.move_to_end(key)
        return _rulesets[key]
    while len(_rulesets) >= MAX_RULESETS:
        _rulesets.popitem(last=False)[1].delete()
    ruleset = _rulesets[key] = _Ruleset(base, live)
    return ruleset


class _Run:
    """One consultation; the lock is held throughout."""

    def __init__(self, ruleset: _Ruleset, session: Session) -> None:
        self._library = library()
        self._handle = ruleset.handle
        self._program = ruleset.program
        self._session = session
        self._codes = Codes(ruleset.program.codes.known)
        self._rows: list[Row] = []
        self._waiting: dict[int, list[tuple[CompiledRule, tuple[Row, ...]]]] = {}
        self._matches = 0

    def to_the_end(self) -> None:
        """Fire everything; leaves no session behind, whatever happens.

        The sentinel comes first: without a match, deleting a session frees a wild pointer.
        """
        code, offset = _asked(self._library.assert_fact, self._handle, _SENTINEL)
        try:
            self._check_sentinel(code, offset)
            self._chain()
        finally:
            self._library.delete_state(self._handle, _SESSION)

    def _check_sentinel(self, code: int, offset: int) -> None:
        seen = {name for name, _ in self._drain(offset)} if code == 0 else set()
        if seen == {"prime"}:
            message = "the numeric locale of this process is not 'C': 1.5 > 1.2 is false."
            raise EngineError(Problem("numeric_locale", f"{message} Reset LC_NUMERIC."))
        if seen != {"prime", "float"}:
            message = "durable-rules did not fire on its sentinel fact."
            raise EngineError(Problem("durable_failed", message))

    def _chain(self) -> None:
        for compiled in self._program.always:
            self._waiting.setdefault(compiled.rule.stratum, []).append((compiled, ()))
        memory = self._session.memory
        new = [row for row in memory.ids.values() if self._reads(row)]
        while True:
            while new:
                new = self._assert(new)
            if not self._waiting:
                return
            # All lower strata are at rest, so what a negated pattern may see is complete.
            level = min(self._waiting)
            new = self._offer_all(self._waiting.pop(level))

    def _assert(self, rows: Sequence[Row]) -> list[Row]:
        """Assert a batch and take every match; return the facts that follow."""
        texts: list[str] = []
        encode = self._program.encoding.encoded
        for row in rows:
            first = len(self._rows) + 1
            if first + len(rows) >= MAX_CODES:
                raise EngineError(Problem("too_many_facts", f"more than {MAX_CODES} facts."))
            facets = [*encode(row, self._session.memory, self._codes, first)]
            texts += facets
            self._rows += [row] * len(facets)
        batch = f"[{','.join(texts)}]"
        code, offset = _asked(self._library.assert_facts, self._handle, batch)
        if code not in (0, 1):  # 1: some fact matched nothing, which is fine
            raise EngineError(Problem("durable_failed", f"durable-rules answered {code}."))
        ready: list[tuple[CompiledRule, tuple[Row, ...]]] = []
        for name, message in self._drain(offset):
            match = self._match(name, message)
            if match is None:
                continue
            if match[0].blockers:
                self._waiting.setdefault(match[0].rule.stratum, []).append(match)
            else:
                ready.append(match)
        return self._offer_all(ready)

    def _drain(self, offset: int) -> Iterator[tuple[str, str]]:
        """Yield (ruleset's rule name, message) until the agenda is empty."""
        started = self._library.start_action_for_state(self._handle, offset)
        message = started[1] if started else None
        while message:
            self._matches += 1
            if self._matches > MATCHES_PER_FIRING * self._session.limit + 1_000:
                text = f"more than {self._matches - 1} matches in one consultation."
                raise FiringLimitError(Problem("firing_limit", text))
            found = _RULE.match(message)
            if found is None:
                raise EngineError(Problem("durable_failed", "an unreadable match."))
            yield found[1], message
            message = self._library.complete_and_start_action(self._handle, offset)

    def _match(self, name: str, message: str) -> tuple[CompiledRule, tuple[Row, ...]] | None:
        rule = self._program.rules[int(name[1:])]
        bound = {int(alias): self._rows[int(i) - 1] for alias, i in _BOUND.findall(message)}
        rows = tuple(bound[position] for position in range(len(bound)))
        if rule.residual:
            env = [row.fields for row in rows]
            if not all(test(env) for test in rule.residual):
                return None
        return rule.compiled, rows

    def _offer_all(self, found: Sequence[tuple[CompiledRule, tuple[Row, ...]]]) -> list[Row]:
        derived = [self._session.offer(compiled, rows) for compiled, rows in found]
        return [row for row in derived if row is not None and self._reads(row)]

    def _reads(self, row: Row) -> bool:
        """Return whether any rule looks at such a fact; the others stay outside."""
        return self._program.encoding.knows(row.fact.kind)


def _asked(function: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 - untyped C
    """Return what the library answers; its own exceptions become ours."""
    try:
        return function(*arguments)
    except Exception as error:
        raise EngineError(Problem("durable_failed", f"durable-rules: {error}.")) from error
