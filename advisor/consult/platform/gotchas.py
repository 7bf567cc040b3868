"""Which gotchas speak of the versions in use, and which were brought by something stated.

The rest of a gotcha's condition is a rule, see :mod:`advisor.store.gotcha_rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from advisor.consult.consultation import Warned
from advisor.consult.platform.settled import Settled
from advisor.rules.conditions import Atom, Compare, ListAny, ListHas, Member, Presence, refs_of
from advisor.rules.facts import ANSWERS, Fact
from advisor.rules.model import Rule, RuleBase
from advisor.store.versions_in_use import versions_in_use

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
        if gotcha.applies.versions and gotcha.applies.in_versions(known) is True:
            yield Fact("in_versions", f"in_versions:{gotcha.id}", {"gotcha": gotcha.id})
    unsaid = _unsaid(settled, answers, known)
    if unsaid:
        yield Fact("in_versions", "in_versions:not_stated", {"not_stated": ", ".join(unsaid)})


def _unsaid(settled: Settled, answers: Mapping[str, object], known: Mapping[str, str]) -> list[str]:
    """Return what runs in versions that were not given, where something runs already."""
    if not any(key in answers for key in _RUNS):
        return []
    if any(card.gpu.vendor != "nvidia" for card in settled.cards):
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
