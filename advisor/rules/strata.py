"""Order of evaluation: levels by negation, and groups that feed one another.

The graph has the derived kinds as nodes; a rule that derives K gives an edge from every kind
it reads to K. A cycle is recursion and allowed; a cycle through a negated edge has no
well-defined meaning and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.rules.model import Rule

__all__ = ["Strata", "stratify"]


@dataclass(frozen=True, slots=True)
class Strata:
    """Where every rule stands."""

    levels: tuple[int, ...]
    """Stratum per rule position."""
    phases: tuple[tuple[int, ...], ...]
    recursive: frozenset[int]
    unstratified: tuple[tuple[int, str], ...]
    """(rule position, negated kind) of negations inside a cycle."""


def stratify(rules: Sequence[Rule]) -> Strata:
    """Return levels and evaluation groups of ``rules``."""
    sources: dict[str, set[str]] = {}
    for rule in rules:
        if rule.derivation:
            sources.setdefault(rule.derivation.kind, set()).update(rule.kinds)
    derived = {kind: reads & sources.keys() for kind, reads in sources.items()}
    components = _components(derived)
    group = {kind: number for number, kinds in enumerate(components) for kind in kinds}
    unstratified = tuple(
        (position, negation.kind)
        for position, rule in enumerate(rules)
        for negation in rule.negations
        if rule.derivation and group.get(negation.kind) == group[rule.derivation.kind]
    )
    kind_level = _kind_levels(rules, components, group)
    levels = tuple(
        kind_level[rule.derivation.kind] if rule.derivation else _level(rule, kind_level)
        for rule in rules
    )
    phases: list[list[int]] = [[] for _ in range(len(components) + 1)]
    recursive: set[int] = set()
    for position, rule in enumerate(rules):
        place = group[rule.derivation.kind] if rule.derivation else len(components)
        phases[place].append(position)
        if rule.derivation and any(group.get(kind) == place for kind in rule.kinds):
            recursive.add(place)
    return Strata(levels, tuple(map(tuple, phases)), frozenset(recursive), unstratified)


def _kind_levels(
    rules: Sequence[Rule], components: Sequence[tuple[str, ...]], group: Mapping[str, int]
) -> dict[str, int]:
    levels: dict[str, int] = {}
    for number, kinds in enumerate(components):
        makers = [r for r in rules if r.derivation and group[r.derivation.kind] == number]
        level = max(_level(rule, levels) for rule in makers)
        levels.update(dict.fromkeys(kinds, level))
    return levels


def _level(rule: Rule, kind_level: Mapping[str, int]) -> int:
    """Return the stratum of a rule from the kinds it reads that are already placed."""
    bound = [kind_level.get(kind, 0) for _, kind in rule.aliases]
    negated = [kind_level[n.kind] + 1 for n in rule.negations if n.kind in kind_level]
    return max([0, *bound, *negated])


def _components(sources: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """Return the strongly connected components, sources first, in a stable order.

    Kinds number a few dozen, so plain reachability is clearer than Tarjan's algorithm.
    """
    reach = {kind: set(reads) for kind, reads in sources.items()}
    for middle, through in reach.items():
        for reached in reach.values():
            if middle in reached:
                reached.update(through)
    components = {
        tuple(sorted({kind} | {k for k in reach[kind] if kind in reach[k]})) for kind in reach
    }

    def before(component: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        # What a component can reach backwards grows along every edge to a later one.
        return len(reach[component[0]] | set(component)), component

    return sorted(components, key=before)
