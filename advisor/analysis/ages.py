"""Stale: rules that are over, or not yet in force, on the day of the knowledge."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from advisor.analysis.study import Finding, Study

__all__ = ["RULE_DAYS", "old_rules", "stale"]

RULE_DAYS = 400
"""A claim that was not looked at for longer is told; version facts change once or twice a year."""


def stale(study: Study, day: dt.date) -> Iterator[Finding]:
    """Yield rules that the knowledge of ``day`` must not use any more, or not yet."""
    for rule in study.base.rules:
        if rule.until is not None and rule.until <= day:
            message = (
                f"It ended on {rule.until}, before the knowledge of {day}: delete or renew it."
            )
            yield Finding("stale_rule", message, rule.id, "until")
        elif rule.since is not None and rule.since > day:
            message = f"It begins on {rule.since}, after the knowledge of {day}."
            yield Finding("stale_rule", message, rule.id, "since")


def old_rules(study: Study, day: dt.date) -> Iterator[Finding]:
    """Yield rules whose claim was last checked long before ``day``."""
    for rule in study.base.rules:
        if rule.as_of is not None and (day - rule.as_of).days > RULE_DAYS:
            message = f"Last checked on {rule.as_of}, more than {RULE_DAYS} days before {day}."
            yield Finding("stale_records", message, rule.id, "as_of")
