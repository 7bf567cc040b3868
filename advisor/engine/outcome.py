"""What an engine returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.rules.facts import Fact

__all__ = ["DEFAULT_LIMIT", "Blocked", "Firing", "Outcome"]

DEFAULT_LIMIT = 20_000
"""Most firings of one consultation; a normal one has a few hundred."""


@dataclass(frozen=True, slots=True)
class Firing:
    """One rule that matched, with the facts it matched on."""

    rule: str
    facts: tuple[tuple[str, str], ...]
    """(alias, fact id) in binding order; the answers appear as ``answers``."""
    stratum: int
    derived: str | None = None
    """Id of the fact that a ``derive`` rule concluded."""

    @property
    def binding(self) -> dict[str, str]:
        """Return alias -> fact id."""
        return dict(self.facts)


@dataclass(frozen=True, slots=True)
class Blocked:
    """A rule that would have matched but for one fact."""

    rule: str
    facts: tuple[tuple[str, str], ...]
    """(alias, fact id) of the match that was stopped."""
    negated: str
    """Alias of the negated pattern that found a fact; the first such pattern of the rule."""
    blocker: str
    """Id of the fact it found; the smallest, when several would do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of forward chaining, in an order that depends on the contents only."""

    firings: tuple[Firing, ...]
    """Sorted by stratum, rule order and fact ids."""
    facts: tuple[Fact, ...]
    """Given and derived, by kind and id."""
    blocked: tuple[Blocked, ...]
    """Sorted like the firings."""
    engine: str
    """Name of the back end."""

    def of_rule(self, rule_id: str) -> Sequence[Firing]:
        """Return the firings of one rule."""
        return [firing for firing in self.firings if firing.rule == rule_id]
