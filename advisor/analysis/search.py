"""Looks for a case in which some conditions hold and others do not.

Depth first: the first condition that is still open names the variable to try next. Over the
values that :mod:`advisor.analysis.domains` gives, the search is complete unless it runs out of its
budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.analysis.cases import Case, Form, Value
from advisor.analysis.domains import Domains
from advisor.rules.conditions import Ref

__all__ = ["BUDGET", "OutOfBudgetError", "find_case"]

BUDGET = 20_000
"""Cases looked at in one search; the largest table of the shipped rules takes a third of it."""


class OutOfBudgetError(Exception):
    """A search was given up; nothing is known about what was not looked at."""


Wanted = list[tuple[Form, bool]]
"""Conditions and whether they shall hold."""


@dataclass
class _Search:
    domains: Domains
    left: int
    case: dict[Ref, Value] = field(default_factory=dict)

    def run(self, wanted: Wanted) -> bool:
        """Extend ``case`` until every condition is settled as wanted."""
        self.left -= 1
        if self.left < 0:
            raise OutOfBudgetError
        still: Wanted = []  # what is settled stays so, whatever is added to the case
        variable: Ref | None = None
        for form, holds in wanted:
            value, found = form.look(self.case)
            if value is None:
                still.append((form, holds))
                variable = variable or found
            elif value is not holds:
                return False
        if variable is None:
            return True
        for choice in self.domains.of(variable):
            self.case[variable] = choice
            if self.run(still):
                return True
            del self.case[variable]
        return False


def find_case(
    domains: Domains,
    *,
    true: Sequence[Form] = (),
    false: Sequence[Form] = (),
    given: Case | None = None,
    budget: int = BUDGET,
) -> dict[Ref, Value] | None:
    """Return a case in which all of ``true`` and none of ``false`` hold, or ``None``.

    Args:
        domains: Values to try.
        true: Conditions that shall hold.
        false: Conditions that shall not.
        given: Values that are settled before.
        budget: Most cases to look at.

    Raises:
        OutOfBudgetError: Too many cases to tell.
    """
    search = _Search(domains, budget, dict(given or {}))
    wanted = [*((form, True) for form in true), *((form, False) for form in false)]
    return dict(search.case) if search.run(wanted) else None
