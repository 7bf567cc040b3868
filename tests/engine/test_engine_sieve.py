"""What the durable engine leaves out can never fire, and nothing else is left out."""

from __future__ import annotations

import pytest
from random_rules import random_base, random_facts, seeded
from trap_support import base_of, candidate, fire, fired, rule

from advisor.engine import durable, reference, select_engine
from advisor.engine.durable_sieve import Sieve
from advisor.engine.memory import Memory
from advisor.engine.selftest import durable_trouble
from advisor.rules import Fact, RuleBase, Vocabulary, load_rules
from advisor.rules.vocabulary import FieldSpec

TROUBLE = durable_trouble()
needs_durable = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")

SERVING = rule("serving", "workload.kind == 'serving'")
EITHER = rule("either", "workload.kind == 'serving' or hardware.nodes > 1")
CHEAP = rule("cheap", "c.price < 2", {"c": "candidate"})


def answers(**fields: object) -> Fact:
    return Fact("answers", "answers", {name.replace("__", "."): v for name, v in fields.items()})


def live(base: RuleBase, *facts: Fact) -> list[tuple[str, int]]:
    """Return (rule, alternative) of what may match."""
    found = Sieve(reference.program_of(base)).live(Memory(facts))
    return [(base.rules[position].id, number) for position, number in found]


def test_an_alternative_that_the_answers_refute_is_left_out() -> None:
    base = base_of(SERVING, EITHER)

    assert live(base, answers(workload__kind="training", hardware__nodes=2)) == [("either", 1)]
    assert live(base, answers(workload__kind="serving", hardware__nodes=1)) == [
        ("serving", 0),
        ("either", 0),
    ]


def test_an_unknown_answer_refutes_what_asks_for_it() -> None:
    base = base_of(SERVING, rule("open", "missing(workload.kind)"))

    assert live(base, answers(hardware__nodes=2)) == [("open", 0)]


def test_a_kind_without_facts_is_left_out() -> None:
    base = base_of(CHEAP, SERVING)

    assert live(base, answers(workload__kind="serving")) == [("serving", 0)]
    assert live(base) == []


def test_several_facts_of_a_kind_are_for_the_library_to_match() -> None:
    dear = [candidate("a", price=9), candidate("b", price=8)]
    base = base_of(CHEAP)

    assert live(base, dear[0]) == []
    assert live(base, *dear) == [("cheap", 0)]


@needs_durable
def test_what_rules_derive_is_never_left_out() -> None:
    words = Vocabulary.of(
        {"answers": {"workload.kind": "str"}, "need": {"what": "str"}, "want": {"what": "str"}}
    )
    derives = {"effect": "derive", "set": {"kind": "need", "fields": {"what": "'room'"}}}
    records = [
        rule("makes", "workload.kind == 'serving'", **derives),
        rule("reads", "n.what == 'room'", {"n": "need"}),
        rule("given", "w.what == 'room'", {"w": "want"}),
    ]
    base = load_rules(records, words)

    assert live(base, answers(workload__kind="serving")) == [("makes", 0), ("reads", 0)]
    other = Fact("need", "n", {"what": "time"})
    assert live(base, answers(workload__kind="serving"), other) == [("makes", 0), ("reads", 0)]
    outcome = fire(base, answers(workload__kind="serving"))
    assert {name for name, *_ in fired(outcome)} == {"makes", "reads"}


def test_tests_on_lists_are_decided_before() -> None:
    words = Vocabulary.of(
        {"answers": {"workload.kind": "str", "hardware.vendors": FieldSpec("list", ("a", "b"))}}
    )
    records = [
        rule("has", "'a' in hardware.vendors"),
        rule("not", "'a' not in hardware.vendors"),
        rule("any", "known(hardware.vendors)"),
    ]
    base = load_rules(records, words)
    item = Fact("item", "i", {"key": "hardware.vendors", "value": "a"})

    assert live(base, answers(workload__kind="x"), item) == [("has", 0), ("any", 0)]
    assert live(base, answers(workload__kind="x")) == [("not", 0)]


@needs_durable
def test_other_candidates_need_no_new_registration_but_other_answers_do() -> None:
    base = base_of(SERVING, CHEAP)
    engine = select_engine("durable")
    serving, training = answers(workload__kind="serving"), answers(workload__kind="training")
    first = [serving, candidate("a", price=1), candidate("b", price=2)]
    engine.fire(base, first)
    before = set(durable._rulesets)
    engine.fire(base, [serving, candidate("c", price=3), candidate("d", price=4)])
    assert set(durable._rulesets) == before
    engine.fire(base, [training, *first[1:]])

    assert len({key for key in durable._rulesets if key[0] is base}) == 2


@needs_durable
@pytest.mark.parametrize("seed", range(40))
def test_both_engines_agree_when_one_rule_base_meets_ever_other_facts(seed: int) -> None:
    rng = seeded(seed)
    base, _ = random_base(rng, 25)
    for size in (1, 1, 2, 6):
        select_engine("both").fire(base, random_facts(rng, size))


def test_the_sieve_lets_every_alternative_through_that_fires() -> None:
    for seed in range(40):
        rng = seeded(1_000 + seed)
        base, _ = random_base(rng, 25)
        facts = random_facts(rng, 3)
        through = {name for name, _ in live(base, *facts)}
        outcome = select_engine("reference").fire(base, facts)
        bound = {r.id for r in base.rules if r.aliases}
        assert {firing.rule for firing in outcome.firings} & bound <= through
