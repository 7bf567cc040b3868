"""Unasked: a rule reads an answer that no question gives. Unused: a question that nobody reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from advisor.analysis.code_words import read_words
from advisor.analysis.study import Finding, Study
from advisor.rules.conditions import ListAny, ListHas, Node, atoms_of, refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Rule, RuleBase
from advisor.rules.slots import resolved_slots, texts_of

__all__ = ["answers_read", "unasked", "unused"]


def unasked(study: Study, questions: Iterable[str]) -> Iterator[Finding]:
    """Yield rules that read a key without a question in the knowledge that is checked.

    The rules are compiled against the installed questions; another folder may lack one.
    """
    known = frozenset(questions)
    for rule in study.base.rules:
        for key, place in answers_read(rule).items():
            if key not in known:
                message = f"It reads {key}, and there is no such question."
                yield Finding("unasked", message, rule.id, place)


def unused(base: RuleBase, questions: Iterable[str], hinted: AbstractSet[str]) -> Iterator[str]:
    """Yield the keys of questions that change nothing.

    Args:
        base: The rules.
        questions: Keys of all questions.
        hinted: Keys that gotchas, symptoms and components name.
    """
    read = {key for rule in base.rules for key in answers_read(rule)} | hinted
    for key in questions:
        if key not in read and not _in_code(key):
            yield key


def answers_read(rule: Rule) -> dict[str, str]:
    """Return the answer keys that a rule reads, each with the first place inside the rule."""
    kinds = dict(rule.aliases)
    found: dict[str, str] = {}
    conditions = [("when", rule.condition)]
    conditions += [(f"none[{n}]", part.condition) for n, part in enumerate(rule.negations)]
    for place, condition in conditions:
        for key in _keys_in(condition, kinds):
            found.setdefault(key, place)
    texts = [("because", [rule.because])]
    if rule.derivation:
        for name, value in rule.derivation.fields:
            for ref in refs_of(value):
                if kinds.get(ref.alias, ANSWERS) == ANSWERS:
                    found.setdefault(ref.field, f"set.fields.{name}")
    else:
        texts.append(("set", list(texts_of(rule.payload))))
    for place, written in texts:
        for ref in resolved_slots(rule, written):
            if ref.alias == ANSWERS:
                found.setdefault(ref.field, place)
    return found


def _keys_in(condition: Node, kinds: Mapping[str, str]) -> Iterator[str]:
    for atom in atoms_of(condition):
        if isinstance(atom, ListHas | ListAny):
            yield atom.key
            continue
        for ref in refs_of(atom):
            if ref.alias == ANSWERS or kinds.get(ref.alias) == ANSWERS:
                yield ref.field


def _in_code(key: str) -> bool:
    words = read_words()
    group, _, name = key.rpartition(".")
    return key in words or (f"{group}.*" in words and name in words)
