"""Which gotchas speak of the versions in use, and which were brought by something stated.

The rest of a gotcha's condition is a rule, see :mod:`advisor.store.gotcha_rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from advisor.consult.consultation import Warned
from advisor.consult.platform.settled import Settled
from advisor.rules.conditions import Atom, Compare, ListAny, ListHas, Member, Presence, refs_of
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.model import Rule, RuleBase
from advisor.store.cited import version_key
from advisor.store.versions_in_use import versions_in_use

if TYPE_CHECKING:
    from advisor.store.cited import VersionRange
    from advisor.store.gotcha import Gotcha

__all__ = ["stated_first", "version_facts"]

_RUNS = (
    "platform.driver_owner_now", "platform.driver_version", "platform.gpu_operator_version",
    "platform.kubernetes_version", "platform.container_toolkit_version",
)  # fmt: skip
"""Any of these says that there is a cluster or host already."""
_NAMES = {
    "kubernetes": "Kubernetes",
    "gpu-operator": "the GPU Operator",
    "nvidia-driver": "the NVIDIA driver",
    "nvidia-container-toolkit": "the Container Toolkit",
}
_EVERYWHERE = frozenset({"kind", "trains"})
"""Fields of the fact ``chosen`` that say nothing of a choice."""


def version_facts(settled: Settled) -> Iterator[Fact]:
    """Yield a fact for each gotcha whose versions are in use, and one for what was not said."""
    knowledge = settled.desk.knowledge
    answers = settled.full_answers.values
    known = versions_in_use(knowledge.components, answers.get)
    for gotcha in knowledge.gotchas.values():
        rest = _if_inside(gotcha, known)
        if rest is not None:
            fields = {"gotcha": gotcha.id, "if_inside": rest}
            yield Fact("in_versions", f"in_versions:{gotcha.id}", fields)
    unsaid = _unsaid(settled, answers, known)
    if unsaid:
        yield Fact("in_versions", "in_versions:not_stated", {"not_stated": ", ".join(unsaid)})


def _if_inside(gotcha: Gotcha, known: Mapping[str, str]) -> str | None:
    """Return nothing to add for a version inside, and ``None`` for one outside.

    A version such as 1.36 may be any of its patches: then the sentence says which of them matter.
    What is for information only is not told on a mere chance.
    """
    applies = gotcha.applies
    verdict = applies.in_versions(known) if applies.versions else False
    if verdict is not None:
        return "" if verdict else None
    component = next((r.component for r in applies.versions if r.component in known), None)
    if component is None or applies.versions_of_each or gotcha.severity == "info":
        return None
    given = known[component]
    open_ranges = [r for r in applies.versions if r.component == component]
    bounds = [_bounds(r, given) for r in open_ranges if r.covers(given) is None]
    if version_key(given) is None or not bounds:
        return None
    return f" It applies if yours is {', or '.join(bounds)}: only {given} was given."


def _bounds(span: VersionRange, given: str) -> str:
    """Return the ends of a range that lie among the versions that start with ``given``."""
    below = span.model_copy(update={"from_version": None, "before_version": span.from_version})
    above = span.model_copy(update={"from_version": span.before_version, "before_version": None})
    parts = []
    if span.from_version and below.covers(given) is not False:
        parts.append(f"{span.from_version} or later")
    if span.before_version and above.covers(given) is not False:
        parts.append(f"below {span.before_version}")
    return " and ".join(parts)


def _unsaid(settled: Settled, answers: Mapping[str, object], known: Mapping[str, str]) -> list[str]:
    """Return what runs in versions that were not given, where something runs already."""
    if not any(key in answers for key in _RUNS):
        return []
    if not settled.vendors <= {"nvidia"}:
        return []
    used = ["nvidia-driver"]
    if answers.get("platform.driver_owner_now") != "provider":
        used.append("nvidia-container-toolkit")
    if answers.get("platform.orchestrator") == "kubernetes":
        used.insert(0, "kubernetes")
    if answers.get("platform.driver_owner_now") == "operator":
        used.append("gpu-operator")
        used.remove("nvidia-container-toolkit")  # the operator brings its own
    return [_NAMES[component] for component in used if component not in known]


def stated_first(
    warnings: Iterable[Warned], base: RuleBase, given: Mapping[str, object]
) -> tuple[Warned, ...]:
    """Return warnings with those last that only usual values bring; equals keep their order.

    Args:
        warnings: Of any rules of ``base``.
        base: All rules.
        given: The answers as given, without defaults.
    """
    return tuple(
        sorted(warnings, key=lambda warned: not _stated(base.rule(warned.rule or ""), given))
    )


def _stated(rule: Rule, given: Mapping[str, object]) -> bool:
    """Tell whether a rule reads a choice, a GPU, a version or an answer that was given."""
    kinds = dict(rule.aliases)
    return any(_speaks(atom, kinds, given) for atoms in rule.disjuncts for atom in atoms)


def _speaks(atom: Atom, kinds: Mapping[str, str], given: Mapping[str, object]) -> bool:
    if isinstance(atom, ListHas | ListAny):
        return atom.key in given and not (isinstance(atom, ListHas) and atom.negated)
    if isinstance(atom, Presence) or (isinstance(atom, Member) and atom.negated):
        return False
    if isinstance(atom, Compare) and atom.op == "!=":
        return False
    return any(
        ref.field in given
        if kinds.get(ref.alias, ANSWERS) == ANSWERS
        else ref.field not in _EVERYWHERE
        for ref in refs_of(atom)
    )
