"""Conflict, masked, dead: what two rules of one table, or a rule by itself, do to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from advisor.analysis.cases import opaque
from advisor.analysis.gaps import by_instance, told
from advisor.analysis.search import OutOfBudgetError, find_case
from advisor.analysis.study import Finding, Study
from advisor.analysis.tables import Table
from advisor.rules.model import Rule

__all__ = ["conflicts", "masked", "unsatisfiable"]


def conflicts(study: Study) -> Iterator[Finding]:
    """Yield rules that recommend what others contradict."""
    for table, rules in study.tables.items():
        recommending = [rule for rule in rules if rule.effect == "recommend"]
        if table.policy == "unique":
            for first, second in combinations(recommending, 2):
                yield from _two_options(study, table, first, second)
        forbidding = [r for r in rules if r.effect == "reject" and r.strength == "must"]
        for rule in recommending:
            yield from _always_rejected(study, table, rule, forbidding)


def _two_options(study: Study, table: Table, first: Rule, second: Rule) -> Iterator[Finding]:
    differs = _disagreement(first.payload, second.payload)
    if differs is None or first.strength != second.strength:
        return
    case = None
    if study.both(first, second):  # cheap and sure; a witness must hold for real values too
        forms = [study.form(first), study.form(second)]
        never = study.never(table.kind)
        domains = study.domains(*forms, *never, table=table)
        try:
            case = find_case(domains, true=forms, false=never)
        except OutOfBudgetError:
            return
    if case is not None:
        message = (
            f"It sets {differs} to {second.payload[differs]!r} where {first.id}, as strong, sets "
            f"{first.payload[differs]!r}: both match a {table.kind} with {told(case)}. Narrow one."
        )
        yield Finding("conflict", message, second.id)


def _disagreement(first: Mapping[str, Any], second: Mapping[str, Any]) -> str | None:
    """Return the first parameter that both set, to different values."""
    return next((key for key in first if key in second and first[key] != second[key]), None)


def _always_rejected(
    study: Study, table: Table, rule: Rule, forbidding: Sequence[Rule]
) -> Iterator[Finding]:
    """Yield a finding when what forbids always goes with what recommends.

    The other way round, a rule that forbids in some of the cases, is an ordinary exception.
    """
    for other in forbidding:
        # where options are alternatives for one fact, a rule forbids the option that it names
        same = table.policy != "unique" or rule.payload.get("option") == other.payload.get("option")
        if same and _option_or_fact(rule, table) and study.implies(rule, other):
            message = f"{other.id} rejects whatever it recommends: it can never win. Narrow one."
            yield Finding("conflict", message, rule.id)
            return


def _option_or_fact(rule: Rule, table: Table) -> bool:
    return "option" in rule.payload if table.policy != "all" else rule.strength == "must"


def masked(study: Study) -> Iterator[Finding]:
    """Yield rules that an earlier rule makes needless."""
    never = [
        finding
        for table, rules in study.tables.items()
        if table.policy == "first"
        for finding in _never_first(study, table, rules)
    ]
    yield from never
    told_already = {finding.rule for finding in never}
    yield from (found for found in _repetitions(study) if found.rule not in told_already)


def _never_first(study: Study, table: Table, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield rules before which another one always wins.

    A rejected fact loses whatever recommends it. So an earlier rule wins for sure when it matches
    the same fact, or any fact that nothing can reject.
    """
    choosing = [r for r in rules if r.effect == "recommend" and "option" in r.payload]
    choosing = [r for r in choosing if r.strength != "may"]
    rejecting = [r for r in rules if r.effect == "reject" and r.strength == "must"]
    told_already: set[str] = set()
    for earlier, later in combinations(choosing, 2):
        if later.id in told_already:
            continue
        if study.implies(later, earlier) or (
            _implies_apart(study, table, later, earlier)
            and not any(study.both(rule, earlier) for rule in rejecting)
        ):
            told_already.add(later.id)
            message = (
                f"{earlier.id} comes first and wins wherever it matches. Put it before that rule, "
                "narrow that rule, or delete it."
            )
            yield Finding("masked", message, later.id)


def _implies_apart(study: Study, table: Table, narrow: Rule, wide: Rule) -> bool:
    """Tell whether ``wide`` matches wherever ``narrow`` does, be it on another fact."""
    true = opaque(by_instance(study.form(narrow), table))
    false = opaque(by_instance(study.form(wide), table))
    try:
        domains = study.domains(true, false)
        return find_case(domains, true=[true], false=[false]) is None
    except OutOfBudgetError:
        return False


def _repetitions(study: Study) -> Iterator[Finding]:
    """Yield rules that say exactly what an earlier one says, in no case that it does not."""
    groups: dict[tuple[object, ...], list[Rule]] = {}
    for rule in study.base.rules:
        groups.setdefault(_said(rule), []).append(rule)
    for rules in groups.values():
        for earlier, later in combinations(rules, 2):
            if study.implies(later, earlier):
                message = f"{earlier.id} says the same wherever it does. Delete it."
                yield Finding("masked", message, later.id)


def _said(rule: Rule) -> tuple[object, ...]:
    derived = rule.derivation and (rule.derivation.kind, rule.derivation.fields)
    reason = "" if _only_decides(rule) else rule.because
    payload = repr(sorted(rule.payload.items(), key=lambda item: item[0]))
    return rule.decision, rule.effect, rule.strength, payload, derived, reason


def _only_decides(rule: Rule) -> bool:
    """Tell whether a second rule for the same thing is needless whatever its reason says."""
    return rule.effect == "derive"


def unsatisfiable(study: Study) -> Iterator[Finding]:
    """Yield rules that contradict what is true of every fact that they bind."""
    for rule in study.base.rules:
        if any(study.never(kind) for kind in rule.kinds) and not study.both(rule):
            kinds = ", ".join(kind for kind in rule.kinds if study.never(kind))
            message = f"It contradicts what is true of every {kinds}: it can never match."
            yield Finding("dead_rule", message, rule.id)
