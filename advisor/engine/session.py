"""What both back ends share about one run: recording firings and deriving facts."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence

from advisor.engine.memory import EXACT, Memory, Row
from advisor.engine.outcome import Blocked, Firing, Outcome
from advisor.engine.plan import Blocker, EnvValue, Filters, Plan, compile_value, places
from advisor.errors import EngineError, FiringLimitError, Problem
from advisor.rules.facts import Fact, Scalar
from advisor.rules.model import Rule
from advisor.rules.values import tidy

__all__ = ["CompiledRule", "Session"]

_LONGEST_ID = 120


class CompiledRule:
    """A rule with its closures, shared by all consultations."""

    __slots__ = ("_filters", "_plans", "blockers", "names", "rule", "values")

    def __init__(self, rule: Rule, filters: Filters) -> None:
        place = places(rule.aliases)
        self.rule = rule
        self._filters = filters
        self._plans: tuple[Plan, ...] | None = None
        self.names = tuple(alias for alias, _ in rule.aliases)
        self.blockers = tuple(
            Blocker.of(negation, rule.aliases, filters) for negation in rule.negations
        )
        fields = rule.derivation.fields if rule.derivation else ()
        self.values: tuple[tuple[str, EnvValue], ...] = tuple(
            (name, compile_value(value, place)) for name, value in fields
        )

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Return how to match each alternative; only the reference engine asks."""
        if self._plans is None:
            rule, filters = self.rule, self._filters
            self._plans = tuple(Plan.of(atoms, rule.aliases, filters) for atoms in rule.disjuncts)
        return self._plans


class Session:
    """The firings of one run and the memory they grow."""

    def __init__(self, memory: Memory, limit: int, derivable: frozenset[str]) -> None:
        self.memory = memory
        self.limit = limit
        self._fired: dict[tuple[int, tuple[str, ...]], Firing] = {}
        self._blocked: dict[tuple[int, tuple[str, ...]], Blocked] = {}
        self._contents: dict[tuple[str, tuple[tuple[str, Scalar], ...]], str] = {}
        for kind in derivable:
            for row in memory.of_kind(kind).rows:
                self._contents.setdefault((kind, _content(row.fields.items())), row.id)

    def offer(self, compiled: CompiledRule, rows: Sequence[Row]) -> Row | None:
        """Take a match: fire it unless it fired before or a negated pattern stops it.

        Returns:
            The row of a fact that is new, if the firing derived one.

        Raises:
            FiringLimitError: More firings than allowed.
        """
        rule = compiled.rule
        key = (rule.order, tuple(row.id for row in rows))
        if key in self._fired or key in self._blocked:
            return None
        facts = tuple(zip(compiled.names, key[1], strict=True))
        for blocker in compiled.blockers:
            found = blocker.find(self.memory, rows)
            if found is not None:
                self._blocked[key] = Blocked(rule.id, facts, blocker.alias, found)
                return None
        if len(self._fired) >= self.limit:
            raise self._too_many()
        row, derived = self._derive(compiled, rows) if rule.derivation else (None, None)
        self._fired[key] = Firing(rule.id, facts, rule.stratum, derived)
        return row

    def outcome(self, engine: str, orders: dict[str, tuple[int, int]]) -> Outcome:
        """Return the result, sorted.

        Args:
            engine: Name of the back end.
            orders: Rule id -> (stratum, position).
        """
        fired = sorted(self._fired.items(), key=lambda pair: (*orders[pair[1].rule], pair[0][1]))
        stopped = sorted(
            self._blocked.items(), key=lambda pair: (*orders[pair[1].rule], pair[0][1])
        )
        return Outcome(
            firings=tuple(firing for _, firing in fired),
            facts=self.memory.facts(),
            blocked=tuple(blocked for _, blocked in stopped),
            engine=engine,
        )

    def _derive(self, compiled: CompiledRule, rows: Sequence[Row]) -> tuple[Row | None, str]:
        derivation = compiled.rule.derivation
        assert derivation is not None  # noqa: S101 - the caller looked
        env = [row.fields for row in rows]
        fields: dict[str, Scalar] = {}
        for name, value_of in compiled.values:
            value = value_of(env)
            if value is not None:
                fields[name] = self._usable(value, compiled.rule, name)
        content = derivation.kind, _content(fields.items())
        known = self._contents.get(content)
        if known is not None:
            return None, known
        fact = Fact(derivation.kind, _derived_id(*content), fields)
        self._contents[content] = fact.id
        return self.memory.add(fact), fact.id

    def _usable(self, value: Scalar, rule: Rule, name: str) -> Scalar:
        if isinstance(value, float):
            if not math.isfinite(value):
                message = f"rule {rule.id!r} derives {name} = {value}, which is no number."
                raise EngineError(Problem("not_finite", message, key=f"rules[{rule.id}].set"))
            return tidy(value) if abs(value) <= EXACT else value
        return value

    def _too_many(self) -> FiringLimitError:
        counts = Counter(firing.rule for firing in self._fired.values()).most_common(3)
        busiest = ", ".join(f"{rule} ({count})" for rule, count in counts)
        message = (
            f"more than {self.limit} firings: the rules feed one another without end, or match "
            f"far too much. Busiest: {busiest}."
        )
        return FiringLimitError(Problem("firing_limit", message))


def _content(items: object) -> tuple[tuple[str, Scalar], ...]:
    pairs: list[tuple[str, Scalar]] = sorted(items)  # type: ignore[call-overload]
    return tuple((name, tidy(value)) for name, value in pairs)


def _derived_id(kind: str, content: tuple[tuple[str, Scalar], ...]) -> str:
    """Return a readable id that depends on kind and content only."""
    text = ", ".join(f"{name}={json.dumps(value)}" for name, value in content)
    if len(text) > _LONGEST_ID:
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        text = f"{text[:_LONGEST_ID]}... {digest}"
    return f"{kind}[{text}]"
