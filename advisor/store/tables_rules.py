"""Rules as lines of the decision tables: rules of one option together, else in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.store.rule_words import advice_words, reason_pattern, situation_words
from advisor.store.tables_row import Row

if TYPE_CHECKING:
    from advisor.rules.model import Rule
    from advisor.rules.vocabulary import Vocabulary
    from advisor.store.loader import Knowledge

__all__ = ["DECISIONS", "in_table_order", "rule_rows"]

DECISIONS = ("gpu", "sharing", "parallelism", "provisioning")
"""Decisions in the order of the handbook's section 8."""

_FIRST = frozenset({"sharing", "provisioning"})
"""Decisions of which the first rule that holds decides."""
_EFFECTS = ("derive", "recommend", "require", "reject", "warn")
_STRENGTHS = ("must", "should", "may")
_SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True, slots=True)
class _Checked:
    """When a rule was checked: as it says, else with the knowledge base as a whole."""

    as_of: str
    unverified: tuple[str, ...] = ()


def rule_rows(knowledge: Knowledge) -> Iterator[Row]:
    """Yield one line per rule of ``knowledge``.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
    """
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.store.rules import load_rule_base

    vocabulary = rule_vocabulary()
    for rule in in_table_order(load_rule_base(knowledge).rules):
        checked = str(rule.as_of) if rule.as_of else knowledge.as_of
        yield Row(_values(rule, vocabulary), _Checked(checked, rule.unverified), {})


def in_table_order(rules: tuple[Rule, ...]) -> list[Rule]:
    """Return rules by decision, effect and option; equals stay as they are in the files.

    What is advised comes before what is out, that before what is only dearer, and warnings
    come last, the critical ones first. Rules that name an option come before those that add
    parameters or reasons to any. Where the first rule that holds decides, rules stay in the order
    in which they count.
    """
    first: dict[tuple[str, str, str], int] = {}
    for rule in rules:
        first.setdefault(_group(rule), rule.order)

    def key(rule: Rule) -> tuple[int, ...]:
        grave = _place(_SEVERITIES, str(rule.payload.get("severity", "")))
        binding = _place(_STRENGTHS, rule.strength) if rule.effect == "reject" else 0
        effect = _place(_EFFECTS, rule.effect)
        place = _place(DECISIONS, rule.decision), effect, binding, grave
        order = rule.order if rule.decision in _FIRST else first[_group(rule)]
        return *place, not _option(rule), order

    return sorted(rules, key=key)


def _group(rule: Rule) -> tuple[str, str, str]:
    return rule.decision, rule.effect, _option(rule)


def _option(rule: Rule) -> str:
    return str(rule.payload.get("option", ""))


def _place(order: tuple[str, ...], name: str) -> int:
    return order.index(name) if name in order else len(order)


def _values(rule: Rule, vocabulary: Vocabulary) -> Mapping[str, object]:
    return {
        "decision": rule.decision,
        "effect": rule.effect,
        "strength": rule.strength,
        "option": _option(rule) or None,
        "severity": rule.payload.get("severity"),
        "title": rule.title,
        "situation": situation_words(rule),
        "advice": advice_words(rule),
        "because": reason_pattern(rule, vocabulary),
        "rule": rule.id,
        "sections": tuple(rule.cite),
    }
