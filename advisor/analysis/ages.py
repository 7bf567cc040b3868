"""Windows of rules against the day of the knowledge: over for good, or not yet begun."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from advisor.analysis.study import Finding, Study

__all__ = ["RULE_DAYS", "days_of_change", "old_rules", "stale"]

RULE_DAYS = 400
"""A claim that was not looked at for longer is told; version facts change once or twice a year."""


def stale(study: Study, day: dt.date) -> Iterator[Finding]:
    """Yield rules that never fire again with the knowledge of ``day``, and those that wait.

    Consultations take the day of the knowledge as today, and it only moves on: a window that has
    ended can never apply. One that begins later is in order, and told so that it is not forgotten.
    """
    for rule in study.base.rules:
        if rule.until is not None and rule.until <= day:
            message = (
                f"Its window can never apply: it ended on {rule.until}, and the knowledge is of "
                f"{day}. Delete the rule or renew it."
            )
            yield Finding("stale_rule", message, rule.id, "until")
        elif rule.since is not None and rule.since > day:
            message = f"It begins on {rule.since} and waits: the knowledge is of {day}."
            yield Finding("rule_waits", message, rule.id, "since")


def days_of_change(study: Study, day: dt.date) -> tuple[dt.date, ...]:
    """Return ``day`` and the later days on which a rule begins or ends."""
    edges = {edge for rule in study.base.rules for edge in (rule.since, rule.until) if edge}
    return (day, *sorted(edge for edge in edges if edge > day))


def old_rules(study: Study, day: dt.date) -> Iterator[Finding]:
    """Yield rules whose claim was last checked long before ``day``."""
    for rule in study.base.rules:
        if rule.as_of is not None and (day - rule.as_of).days > RULE_DAYS:
            message = f"Last checked on {rule.as_of}, more than {RULE_DAYS} days before {day}."
            yield Finding("stale_records", message, rule.id, "as_of")
