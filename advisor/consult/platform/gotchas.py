"""Which gotchas speak of the versions in use; the rest of a gotcha's condition is a rule."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Fact

__all__ = ["version_facts"]


def version_facts(settled: Settled) -> Iterator[Fact]:
    """Yield a fact for each gotcha whose versions are in use."""
    yield from ()
