"""Rules fire in four stages, since each reads what the stage before has settled.

GPU and pattern first, with the layouts that sizing found; then ways to share the chosen GPU; then
how nodes are provisioned; at last what all of it brings along.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from advisor.rules.model import Rule, RuleBase

__all__ = ["Stages", "stages_of"]

_LATE = frozenset({"chosen", "cluster", "in_versions", "measured"})
"""Kinds of facts that are known only when decisions are made."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The rules of each stage."""

    fit: RuleBase
    """GPU and pattern, with the warnings that their layouts bring."""
    sharing: RuleBase
    provisioning: RuleBase
    outcome: RuleBase
    """Warnings about the whole: they choose nothing."""


@lru_cache(maxsize=8)
def stages_of(base: RuleBase) -> Stages:
    """Return the rules by stage."""
    positions: dict[str, list[int]] = {}
    for number, rule in enumerate(base.rules):
        positions.setdefault(_stage(rule), []).append(number)
    return Stages(
        *(
            base.part(tuple(positions.get(name, ())))
            for name in ("fit", "sharing", "provisioning", "outcome")
        )
    )


def _stage(rule: Rule) -> str:
    chooses = rule.effect != "warn"
    if rule.decision in {"sharing", "provisioning"} and chooses:
        return rule.decision
    if rule.decision in {"sharing", "provisioning"} or not _LATE.isdisjoint(rule.kinds):
        return "outcome"
    return "fit"
