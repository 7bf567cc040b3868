"""Answers about platform and tenants with the usual values where nothing was said.

Rules about sharing and nodes read plain values (``tenancy.tenants == 'untrusted'``). What was not
said is taken as the question's own default; the consultation lists it as an assumption wherever a
rule that decided has read it, and the decision depends on the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.consultation import Assumption
from advisor.rules.conditions import refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Rule

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["assumed_by", "completed"]

_GROUPS = ("platform.", "tenancy.")
_AROUND_NODES = frozenset({"kvm", "proxmox", "vmware", "hyperv"})
"""Hypervisors whose guests are the nodes; KubeVirt and Kata start guests on nodes instead."""


def completed(answers: Answers, clouds: Mapping[str, str]) -> Answers:
    """Return the answers with the default of every platform and tenancy question not answered.

    A hypervisor that is stated makes the nodes its guests, unless they are said to be physical.

    Args:
        answers: As given.
        clouds: The cloud that a managed Kubernetes implies, by ``platform.provider``.
    """
    from advisor.store.loader import load_knowledge

    values = dict(answers.values)
    for key, default in _defaults(load_knowledge()):
        values.setdefault(key, default)
    implied = clouds.get(str(values.get("platform.provider")))
    if implied is not None:
        values.setdefault("platform.cloud", implied)
    if values.get("platform.hypervisor") in _AROUND_NODES:
        values.setdefault("platform.machine", "vm")
    return replace(answers, values=values)


@lru_cache(maxsize=8)
def _defaults(knowledge: Knowledge) -> tuple[tuple[str, object], ...]:
    """Return the plain defaults of questions about platform and tenants, and of the house."""
    from advisor.answers.questions import load_questions
    from advisor.answers.questions_files import GROUPS

    return tuple(
        (key, question.default)
        for key, question in load_questions(knowledge).items()
        if (key.startswith(_GROUPS) or question.group not in {"", *GROUPS})
        and isinstance(question.default, str | int | float | bool)
        and not question.list
    )


def assumed_by(rules: Iterable[Rule], answers: Answers) -> tuple[Assumption, ...]:
    """Return the defaults that rules read in place of answers, in the order of the rules."""
    from advisor.answers.questions import load_questions

    questions = load_questions()
    found: dict[str, Assumption] = {}
    for rule in rules:
        kinds = dict(rule.aliases)
        refs = (ref for part in rule.disjuncts for atom in part for ref in refs_of(atom))
        for ref in refs:
            question = questions.get(ref.field)
            if kinds.get(ref.alias, ANSWERS) != ANSWERS or question is None:
                continue
            if ref.field in answers.values or not ref.field.startswith(_GROUPS):
                continue
            if question.default is not None and not question.list:
                found[ref.field] = Assumption(
                    key=ref.field,
                    value=question.default,
                    why=question.default_because or "",
                    section=question.section,
                )
    return tuple(found.values())
