"""Truth values, and what a rule's condition is worth on one binding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from advisor.rules.conditions import Atom
from advisor.rules.facts import Scalar

__all__ = ["Failure", "Truth", "Verdict"]


class Truth(Enum):
    """A truth value."""

    FALSE = "false"
    OPEN = "open"
    TRUE = "true"


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that is false, with the values it saw."""

    text: str
    """The test in the rule language."""
    values: tuple[tuple[str, Scalar | None], ...]
    """(reference, value) of each field in it; None: unknown."""
    atom: Atom | None = None
    """None for a negated pattern."""
    blocker: str | None = None
    """Id of the fact that a negated pattern found."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule's condition is worth on one binding."""

    value: Truth
    open_keys: frozenset[str] = frozenset()
    """When open: what it hangs on; answer keys, or ``kind.field`` of other facts."""
    failed: tuple[Failure, ...] = ()
    """When false: the tests that make it so."""
