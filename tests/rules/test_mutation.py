"""Faults in rules are noticed; the page about them is of these rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from advisor.analysis.mutation import Corpus
from advisor.analysis.mutation_corpus import read_corpus
from advisor.analysis.mutation_equal import Sameness
from advisor.analysis.mutation_mutants import Mutant, mutants_of
from advisor.analysis.mutation_report import rule_count_line
from advisor.consult.vocabulary import rule_vocabulary
from advisor.rules.load import load_rules
from advisor.rules.model import RuleBase
from advisor.rules.vocabulary import Vocabulary
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "mutation.md"
ACCEPTED = ROOT / "tests" / "cases" / "corpus_accepted.yaml"
SAMPLE = ROOT / "tests" / "cases" / "corpus_sample.yaml"
WORDS = Vocabulary.of(
    {
        "answers": {"a.size": "int", "a.kind": ["one", "two", "three"], "a.list": "list"},
        "card": {"id": "str", "memory": "number", "good": "bool"},
    }
)


def rules(*records: dict[str, object]) -> RuleBase:
    plain = {"decision": "gpu", "effect": "warn", "because": "So.", "cite": ["1"]}
    return load_rules([{**plain, **record} for record in records], WORDS)


def faults(when: str, **more: object) -> dict[str, list[str]]:
    base = rules({"id": "r", "for": {"c": "card"}, "when": when, **more})
    found: dict[str, list[str]] = {}
    for mutant in mutants_of(base.rule("r"), base, WORDS):
        found.setdefault(mutant.kind, []).append(mutant.words)
    return found


@cache
def knowledge_and_corpus() -> tuple[RuleBase, Corpus]:
    knowledge = load_knowledge()
    base = load_rule_base(knowledge)
    return base, Corpus(read_corpus(ROOT), knowledge, base)


def test_each_kind_of_fault_is_made_once_or_twice() -> None:
    found = faults(
        "c.memory < a.size and c.memory > 8 and c.good and a.kind in ['one', 'two']"
        " and 'x' not in a.list",
        effect="reject",
        set={"surcharge": 2.0},
    )
    assert {kind: len(words) for kind, words in found.items()} == {
        "negate": 1,
        "drop": 2,
        "flip": 2,
        "border": 2,
        "number": 2,
        "value": 2,
        "effect": 3,
    }
    assert found["effect"] == ["left out", "strength should -> must", "surcharge 2.0 -> 4.0"]
    assert set(found["border"]) == {
        "c.memory < a.size -> c.memory <= a.size",
        "c.memory > 8 -> c.memory >= 8",
    }


def test_a_word_is_exchanged_for_a_legal_one_only() -> None:
    assert faults("a.kind == 'three'")["value"] == ["a.kind == 'three' -> a.kind == 'one'"]
    assert "value" not in faults("c.id == 'x'")


def test_a_whole_number_stays_whole() -> None:
    assert faults("a.size >= 1")["number"] == [
        "a.size >= 1 -> a.size >= 0",
        "a.size >= 1 -> a.size >= 2",
    ]


def test_a_rule_that_always_holds_is_only_changed_in_effect() -> None:
    assert set(faults("true", none=[])) == {"effect"}


def test_a_negated_pattern_is_left_out_as_a_test_is() -> None:
    found = faults("c.good", none=[{"o": "card", "where": "o.memory > c.memory"}])
    assert "without none: card where o.memory > c.memory" in found["drop"]


def test_a_number_that_no_whole_number_tells_apart_is_proven_the_same() -> None:
    base = rules({"id": "r", "when": "a.size > 1 and a.size >= 2"})
    same = Sameness(base, WORDS, ())
    mutants = mutants_of(base.rule("r"), base, WORDS)
    proven = {mutant.words for mutant in mutants if mutant.id in same.reasons([mutant])}
    assert "without a.size > 1" in proven
    assert "negated" not in proven


def test_an_accepted_reason_covers_its_rule_and_fault_only() -> None:
    base = rules({"id": "r", "when": "a.size > 1"}, {"id": "r2", "when": "a.size > 1"})
    same = Sameness(base, WORDS, [{"rule": "r", "fault": "left out", "because": "why"}])
    mutants = [m for rule in base.rules for m in mutants_of(rule, base, WORDS)]
    assert same.reasons(mutants) == {"r: effect: left out": "why"}
    assert same.unused(mutants) == []
    assert Sameness(base, WORDS, [{"rule": "x", "fault": "left out", "because": ""}]).unused(
        mutants
    )


@pytest.mark.parametrize("case", yaml.safe_load(SAMPLE.read_text("utf-8")), ids=lambda c: c["rule"])
def test_a_fault_in_a_rule_changes_the_advice(case: dict[str, str]) -> None:
    base, corpus = knowledge_and_corpus()
    mutants = [
        mutant
        for mutant in mutants_of(base.rule(case["rule"]), base, rule_vocabulary())
        if mutant.kind == case["kind"]
    ]
    assert any(corpus.notices(case["by"], mutant) for mutant in mutants)


def test_the_page_is_about_as_many_rules_as_there_are() -> None:
    base, _ = knowledge_and_corpus()
    line = rule_count_line(len(base.rules))
    assert line in PAGE.read_text("utf-8"), "python benchmarks/mutate_rules.py --write"


def test_reasons_why_a_fault_means_the_same_are_about_faults_that_are_made() -> None:
    base, _ = knowledge_and_corpus()
    accepted = yaml.safe_load(ACCEPTED.read_text("utf-8"))
    vocabulary = rule_vocabulary()
    named = {record["rule"] for record in accepted}
    mutants: list[Mutant] = [
        mutant
        for rule in base.rules
        if rule.id in named
        for mutant in mutants_of(rule, base, vocabulary)
    ]
    assert Sameness(base, vocabulary, accepted).unused(mutants) == []
