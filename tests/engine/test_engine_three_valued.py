"""Three-valued evaluation equals the engines where nothing is open, and is sound elsewhere."""

from __future__ import annotations

import random
from typing import Any

from random_rules import VOCABULARY, random_base, random_facts, seeded

from advisor.engine import Outcome, select_engine, settle
from advisor.rules import Fact, Truth, Vocabulary, World, evaluate, load_rules, matches, overall

ENGINE = select_engine("reference")
LIST = "hardware.vendors"


def binding_ids(binding: dict[str, Fact]) -> tuple[tuple[str, str], ...]:
    return tuple((alias, fact.id) for alias, fact in binding.items())


def fired(outcome: Outcome, rule: str) -> set[tuple[tuple[str, str], ...]]:
    return {firing.facts for firing in outcome.of_rule(rule)}


def completed(rng: random.Random, facts: list[Fact], open_keys: set[str]) -> list[Fact]:
    """Return the facts with every open answer given some value, or none."""
    donor = {fact.kind: fact for fact in random_facts(rng)}.get("answers")
    kept: list[Fact] = []
    for fact in facts:
        if fact.kind == "item" and LIST in open_keys and fact.fields.get("key") == LIST:
            continue
        if fact.kind != "answers":
            kept.append(fact)
            continue
        fields: dict[str, Any] = {k: v for k, v in fact.fields.items() if k not in open_keys}
        for key in sorted(open_keys - {LIST}):
            if donor is not None and key in donor.fields:
                fields[key] = donor.fields[key]
        kept.append(Fact("answers", fact.id, fields))
    if LIST in open_keys and rng.random() < 0.7:
        kept.append(Fact("item", "new", {"key": LIST, "value": rng.choice(("nvidia", "amd"))}))
    return kept


def test_where_nothing_is_open_true_means_fired() -> None:
    checked = 0
    for seed in range(60):
        rng = seeded(seed)
        base, _ = random_base(rng, 12)
        for _ in range(5):
            facts = random_facts(rng)
            outcome = ENGINE.fire(base, facts)
            world = World(outcome.facts)
            for rule in base.rules:
                found = list(matches(rule, world))
                assert {verdict.value for _, verdict in found} <= {Truth.TRUE}
                expected = fired(outcome, rule.id)
                assert {binding_ids(binding) for binding, _ in found} == expected, f"seed {seed}"
                assert overall(rule, world).value is (Truth.TRUE if found else Truth.FALSE)
                checked += len(found)
    assert checked > 1_000


def test_where_nothing_is_open_all_derived_facts_are_certain() -> None:
    for seed in range(40):
        rng = seeded(seed)
        base, _ = random_base(rng, 12)
        facts = random_facts(rng)
        world = settle(base, facts)
        assert not world.open_kinds
        assert {fact.id for fact in world.facts()} == {f.id for f in ENGINE.fire(base, facts).facts}


def test_what_is_certain_survives_every_completion_and_what_is_false_never_fires() -> None:
    certain = impossible = undecided = 0
    keys = [*sorted(VOCABULARY.kinds["answers"])]
    for seed in range(60):
        rng = seeded(seed)
        base, _ = random_base(rng, 12)
        facts = random_facts(rng)
        open_keys = set(rng.sample(keys, rng.randint(1, 3)))
        world = settle(base, facts, open_keys)
        given = {fact.id for fact in facts}
        derived = {fact.id for fact in world.facts()} - given
        sure = {
            rule.id: {binding_ids(b) for b, v in matches(rule, world) if v.value is Truth.TRUE}
            for rule in base.rules
        }
        totals = {rule.id: overall(rule, world) for rule in base.rules}
        for _ in range(6):
            outcome = ENGINE.fire(base, completed(rng, facts, open_keys))
            new = {fact for fact in outcome.facts if fact.id not in given and fact.id != "new"}
            assert derived <= {fact.id for fact in new}, f"seed {seed}"
            late = {fact.kind for fact in new if fact.id not in derived}
            assert late <= world.open_kinds.keys(), f"seed {seed}"
            for rule in base.rules:
                now = fired(outcome, rule.id)
                assert sure[rule.id] <= now, f"seed {seed} {rule.id}"
                if totals[rule.id].value is Truth.FALSE:
                    assert not now, f"seed {seed} {rule.id}"
                impossible += totals[rule.id].value is Truth.FALSE
                undecided += totals[rule.id].value is Truth.OPEN
            certain += sum(map(len, sure.values()))
    assert min(certain, impossible, undecided) > 200


def test_open_verdicts_name_only_open_keys_and_some() -> None:
    keys = [*sorted(VOCABULARY.kinds["answers"])]
    seen = 0
    for seed in range(40):
        rng = seeded(seed)
        base, _ = random_base(rng, 12)
        open_keys = set(rng.sample(keys, 2))
        world = settle(base, random_facts(rng), open_keys)
        for rule in base.rules:
            verdict = overall(rule, world)
            if verdict.value is Truth.OPEN:
                assert verdict.open_keys
                assert verdict.open_keys <= open_keys
                seen += 1
    assert seen > 50


WORDS = Vocabulary.of(
    {
        "answers": {"workload.kind": ["serving", "training"], "hardware.nodes": "int"},
        "candidate": {"price": "number", "count": "int"},
        "need": {"nodes": "int"},
    }
)


def rule(name: str, when: str, **more: Any) -> dict[str, Any]:
    common = {"decision": "gpu", "effect": "warn", "because": "x", "cite": ["1"]}
    return {"id": name, "when": when, **common, **more}


def answers(**fields: Any) -> Fact:
    return Fact("answers", "a", {name.replace("__", "."): value for name, value in fields.items()})


def test_an_open_key_is_open_even_when_a_default_is_assumed() -> None:
    base = load_rules([rule("r", "hardware.nodes > 1")], WORDS)
    facts = [answers(hardware__nodes=4)]
    assert overall(base.rules[0], World(facts)).value is Truth.TRUE
    verdict = overall(base.rules[0], World(facts, ["hardware.nodes"]))
    assert (verdict.value, verdict.open_keys) == (Truth.OPEN, frozenset({"hardware.nodes"}))


def test_an_open_test_beside_a_false_one_is_false() -> None:
    base = load_rules([rule("r", "hardware.nodes > 1 and workload.kind == 'training'")], WORDS)
    world = World([answers(workload__kind="serving")], ["hardware.nodes"])
    assert overall(base.rules[0], world).value is Truth.FALSE


def test_a_false_verdict_says_which_tests_failed_and_what_they_saw() -> None:
    record = rule(
        "r", "c.price < 2 and c.count > 1 and hardware.nodes > 1", **{"for": {"c": "candidate"}}
    )
    base = load_rules([record], WORDS)
    card = Fact("candidate", "c1", {"price": 5.5, "count": 2})
    verdict = evaluate(base.rules[0], {"c": card}, World([answers(), card]))
    assert verdict.value is Truth.FALSE
    assert [(failure.text, failure.values) for failure in verdict.failed] == [
        ("c.price < 2", (("c.price", 5.5),)),
        ("hardware.nodes > 1", (("hardware.nodes", None),)),
    ]


def test_a_negated_pattern_names_the_fact_that_stops_the_rule() -> None:
    none = [{"o": "candidate", "where": "o.price < c.price"}]
    base = load_rules([rule("r", "true", none=none, **{"for": {"c": "candidate"}})], WORDS)
    dear, cheap = Fact("candidate", "dear", {"price": 2}), Fact("candidate", "cheap", {"price": 1})
    verdict = evaluate(base.rules[0], {"c": dear}, World([dear, cheap]))
    assert [failure.blocker for failure in verdict.failed] == ["cheap"]
    assert evaluate(base.rules[0], {"c": cheap}, World([dear, cheap])).value is Truth.TRUE


def test_open_fields_of_other_facts_are_named_with_their_kind() -> None:
    base = load_rules([rule("r", "c.price < 2", **{"for": {"c": "candidate"}})], WORDS)
    card = Fact("candidate", "c1", {"count": 1}, frozenset({"price"}))
    verdict = overall(base.rules[0], World([card]))
    assert (verdict.value, verdict.open_keys) == (Truth.OPEN, frozenset({"candidate.price"}))


def test_a_kind_that_may_gain_facts_leaves_its_readers_open() -> None:
    records = [
        rule(
            "make",
            "hardware.nodes > 1",
            effect="derive",
            set={"kind": "need", "fields": {"nodes": 2}},
        ),
        rule("read", "n.nodes == 2", **{"for": {"n": "need"}}),
        rule("lack", "workload.kind == 'serving'", none=[{"n": "need"}]),
    ]
    base = load_rules(records, WORDS)
    world = settle(base, [answers(workload__kind="serving")], ["hardware.nodes"])
    assert world.open_kinds == {"need": frozenset({"hardware.nodes"})}
    assert overall(base.rule("read"), world).value is Truth.OPEN
    assert overall(base.rule("lack"), world).value is Truth.OPEN
    settled = settle(base, [answers(workload__kind="serving", hardware__nodes=2)])
    assert overall(base.rule("read"), settled).value is Truth.TRUE
    assert overall(base.rule("lack"), settled).value is Truth.FALSE
