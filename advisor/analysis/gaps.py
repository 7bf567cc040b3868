"""Gap: a fact that can be there and that no rule of its decision recommends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from advisor.analysis.cases import Case, Form, Value, holds, variables_of
from advisor.analysis.search import OutOfBudgetError, find_case
from advisor.analysis.study import Finding, Study, touching
from advisor.analysis.tables import Table
from advisor.rules.conditions import (
    Atom,
    Compare,
    Const,
    ListHas,
    Member,
    Presence,
    Ref,
    renamed,
    text_of,
)
from advisor.rules.facts import ANSWERS, ITEM, Scalar
from advisor.rules.model import Rule

__all__ = ["by_instance", "gaps", "told"]

_MOST = 3
"""Gaps told of one table; the next ones show when these are closed."""


def gaps(study: Study) -> Iterator[Finding]:
    """Yield the gaps of every table that has rules."""
    for table, rules in study.tables.items():
        choosing = [rule for rule in rules if _chooses(rule, table)]
        if choosing:
            yield from _gaps_of(study, table, choosing)


def _chooses(rule: Rule, table: Table) -> bool:
    """Tell whether a rule makes its fact eligible: where options are named, those name one."""
    if rule.effect != "recommend" or rule.strength == "may":
        return False
    return rule.strength == "must" if table.policy == "all" else "option" in rule.payload


def _gaps_of(study: Study, table: Table, rules: Sequence[Rule]) -> Iterator[Finding]:
    forms = [by_instance(study.form(rule), table) for rule in rules]
    never = [] if table.instance else touching(study.never(table.kind), forms)
    about = [study.parsed(table.only)] if table.only else []
    domains = study.domains(*forms, *never, *about, table=table)
    closed: list[Form] = []
    seen: set[str] = set()
    for world in study.worlds.get(table.kind, ({},)):
        for _ in range(_MOST):
            try:
                case = find_case(domains, true=about, false=[*forms, *never, *closed], given=world)
            except OutOfBudgetError:
                yield _too_large(table, rules[0])
                return
            if case is None:
                break
            core = _core(case, forms)
            closed.append(Form((tuple(_equal(ref, value) for ref, value in core.items()),)))
            finding = _finding(table, _nearest(rules, forms, case, world), core)
            if finding.rule not in seen:
                seen.add(finding.rule)
                yield finding


def _too_large(table: Table, rule: Rule) -> Finding:
    message = (
        f"Too many cases to tell whether the rules of {table.decision} leave a gap for a "
        f"{table.kind}; split conditions that are long."
    )
    return Finding("gap_not_searched", message, rule.id)


def by_instance(form: Form, table: Table) -> Form:
    """Return the form with the facts of a kind apart by the value that tells them apart."""
    if table.instance is None:
        return form
    tells = Ref(table.kind, table.instance)
    split: list[tuple[Atom, ...]] = []
    for atoms in form.conjunctions:
        names = [value for atom in atoms for value in _instances(atom, tells)] or ["any"]
        rest = [atom for atom in atoms if not list(_instances(atom, tells))]
        split += [
            tuple(renamed(atom, table.kind, f"{table.kind}#{name}") for atom in rest)
            for name in names
        ]
    return Form(tuple(split))


def _instances(atom: Atom, tells: Ref) -> Iterator[Scalar]:
    if isinstance(atom, Member) and atom.ref == tells and not atom.negated:
        yield from atom.values
    if isinstance(atom, Compare) and isinstance(atom.right, Const) and atom.op == "==":
        yield from [atom.right.value] if atom.left == tells else []


def _core(case: Case, forms: Sequence[Form]) -> dict[Ref, Value]:
    """Return the part of a case that by itself keeps every rule from matching."""
    core = dict(case)
    for ref in case:
        less = {other: value for other, value in core.items() if other != ref}
        if all(form.value(less) is False for form in forms):
            core = less
    return core


def _equal(ref: Ref, value: Value) -> Atom:
    if value is None:
        return Presence(ref, known=False)
    if isinstance(value, tuple):
        return ListHas(ref.field, value[0]) if value else ListHas(ref.field, "")
    return Compare(ref, "==", Const(value))


def _finding(table: Table, nearest: tuple[Rule, tuple[Atom, ...]], core: Case) -> Finding:
    rule, lacking = nearest
    what = "any option at all" if table.instance else f"a {table.kind}"
    wanted = " and ".join(text_of(atom) for atom in lacking)
    message = (
        f"No rule of {table.decision} recommends {what} with {told(core) or 'anything'}. "
        f"Nearest is {rule.id}, which also wants {wanted}: widen it or add a rule."
    )
    return Finding("gap", message, rule.id)


def _nearest(
    rules: Sequence[Rule], forms: Sequence[Form], case: Case, world: Case
) -> tuple[Rule, tuple[Atom, ...]]:
    """Return the rule that most likely was meant for the case, and the tests that keep it out.

    That is the one that fails fewest tests; among equals the one whose failing test looks at what
    few others look at or is widened soonest, then the one of which most holds. What the world
    settles is no reason to widen a rule.
    """
    readers = Counter(variable for form in forms for variable in form.variables)
    ranked: list[tuple[tuple[int, int, float, int], Rule, tuple[Atom, ...]]] = []
    for rule, form in zip(rules, forms, strict=True):
        for atoms in form.conjunctions:
            values = [holds(atom, case) for atom in atoms]
            failed = tuple(a for a, value in zip(atoms, values, strict=True) if value is False)
            weight = sum(_distance(a) * sum(readers[v] for v in variables_of(a)) for a in failed)
            settled = sum(any(v in world for v in variables_of(atom)) for atom in failed)
            key = (settled, len(failed), weight, -values.count(True))
            ranked.append((key, rule, failed))
    _, rule, failed = min(ranked, key=lambda item: item[0])
    return rule, failed


def _distance(atom: Atom) -> float:
    """Return how much it takes to widen a test: a limit is moved, a list is lengthened."""
    if isinstance(atom, Compare) and atom.op not in {"==", "!="}:
        return 0.5
    return 0.9 if isinstance(atom, Member) else 1.0


def told(case: Case) -> str:
    """Return a case in words: ``candidate.tensor_parallel 2, training.method unknown``."""
    return ", ".join(_told(ref, value) for ref, value in case.items())


def _told(ref: Ref, value: Value) -> str:
    if ref.alias == "?":
        return ref.field if value else f"not: {ref.field}"
    name = ref.field if ref.alias in {ANSWERS, ITEM} else f"{ref.alias}.{ref.field}"
    if value is None:
        return f"{name} unknown"
    if isinstance(value, tuple):
        return f"{name} [{', '.join(value)}]"
    if isinstance(value, float):
        return f"{name} {value:g}"
    return f"{name} {str(value).lower() if isinstance(value, bool) else value}"
