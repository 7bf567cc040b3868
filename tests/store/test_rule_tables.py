"""Decision tables: rules in words, in the handbook and by command."""

from __future__ import annotations

import re
from typing import Any

import pytest

from advisor.consult.vocabulary import rule_vocabulary
from advisor.errors import UnknownNameError
from advisor.rules import load_rules
from advisor.rules.model import Rule
from advisor.store.handbook import load_handbook, render_section
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.rule_words import advice_words, reason_pattern, situation_words
from advisor.store.rules import load_rule_base
from advisor.store.tables import catalogue_tables
from advisor.store.tables_rules import in_table_order

RULES = load_rule_base(load_knowledge()).rules
SECTIONS = {"gpu": "8.1", "sharing": "8.2", "parallelism": "8.3", "provisioning": "8.4"}


def compiled(when: str, **changes: Any) -> Rule:
    """Return a rule about a candidate, its GPU and the load."""
    record = {
        "id": "some-rule",
        "decision": "gpu",
        "for": {"c": "candidate", "g": "gpu", "l": "load"},
        "when": when,
        "effect": "reject",
        "because": "Because {g.name} has {c.total_gpus} in {c.weight_format}.",
        "cite": ["8.1"],
    }
    return load_rules([record | changes], rule_vocabulary()).rules[0]


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("c.gpu == g.id and c.tensor_parallel > 2", "tensor parallel above 2"),
        ("c.total_gpus >= 8 and g.has_nvlink", "GPUs in all at least 8; NVLink or a like link"),
        ("not g.has_nvlink", "no NVLink or like link"),
        ("g.mig", "mig: yes"),
        (
            "missing(objectives.priority) or objectives.priority != 'cost'",
            "priority is not cost or not given",
        ),
        ("l.kind in ['embeddings', 'reranking']", "the kind of work is embeddings or reranking"),
        ("l.kind not in ['serving']", "the kind of work is not serving"),
        ("known(c.train_gib)", "training"),
        ("missing(c.usd_per_hour)", "no rent is known"),
        ("c.usd_per_hour > 12.5", "rent by the hour above 12.5 USD an hour"),
        ("hardware.max_node_kw <= 5", "what a machine may draw at most 5 kW"),
        ("'amd' in hardware.vendors", "vendors includes amd"),
        ("missing(hardware.gpu)", "a GPU to take is not given"),
        ("c.holds < 2 * c.needs + 1", "holds below 2 x requests wanted at once + 1"),
        (
            "(c.replicas > 1 and g.mig) or c.replicas > 4",
            "(replicas above 1 and mig: yes) or replicas above 4",
        ),
        ("true", "always"),
    ],
)
def test_a_condition_reads_as_words(when: str, words: str) -> None:
    assert situation_words(compiled(when)) == words


def test_a_second_fact_of_a_kind_is_told_from_the_first() -> None:
    facts = {"g": "gpu", "h": "gpu"}
    rule = compiled("g.memory_gib > h.memory_gib", **{"for": facts, "because": "So it is."})

    assert situation_words(rule) == (
        "the card's memory above for another candidate the card's memory"
    )


def test_a_negated_pattern_and_a_period_are_part_of_the_situation() -> None:
    none = [{"o": "candidate", "where": "o.total_gpus < c.total_gpus"}]
    rule = compiled("c.replicas > 1", none=none, since="2026-01-01")

    assert situation_words(rule) == (
        "replicas above 1; no candidate with GPUs in all below GPUs in all; from 2026-01-01"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"effect": "reject", "strength": "must", "set": {"option": "budget"}}, "out: budget"),
        ({"set": {"option": "weight_format"}}, "dearer, x 1.5: weight format"),
        ({"set": {"option": "size", "surcharge": 3.0}}, "dearer, x 3: size"),
        ({"effect": "recommend", "strength": "must"}, "may be chosen"),
        ({"effect": "recommend", "set": {"job_stack": "jobset"}}, "job stack jobset (should)"),
        (
            {"effect": "recommend", "set": {"gang": "{platform.queueing}"}},
            "gang as stated (should)",
        ),
        (
            {"effect": "recommend", "set": {"capacity": ["spot", "on_demand"]}},
            "capacity spot, on demand (should)",
        ),
        ({"effect": "warn", "set": {"severity": "critical"}}, "warn: critical"),
    ],
)
def test_what_a_rule_does_reads_as_words(changes: dict[str, Any], words: str) -> None:
    assert advice_words(compiled("c.replicas > 1", **changes)) == words


def test_slots_of_the_reason_become_placeholders() -> None:
    rule = compiled("c.replicas > 1")

    assert reason_pattern(rule, rule_vocabulary()) == (
        "Because [gpu] has [total gpus] in [weight format]."
    )


def test_a_number_of_a_reason_is_named_without_its_unit_which_the_text_says() -> None:
    rule = compiled("c.replicas > 1", because="{c.weights_gib:.1f} GiB on {g.name}.")

    assert reason_pattern(rule, rule_vocabulary()) == "[weights] GiB on [gpu]."


def test_the_ends_of_an_estimate_are_told_apart() -> None:
    because = "{c.train_hours_low:.0f} to {c.train_hours_high:.0f} hours."
    rule = compiled("c.replicas > 1", because=because)

    assert reason_pattern(rule, rule_vocabulary()) == "[train low] to [train high] hours."


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_shipped_rule_reads_without_the_language_of_rules(rule: Rule) -> None:
    told = f"{situation_words(rule)} {reason_pattern(rule, rule_vocabulary())}"

    assert not re.search(r"[{}]|==|!=|[<>]=?|\b(?:None|True|False|c|g|l|j)\.\w", told), told
    assert advice_words(rule).strip()
    assert not re.search(r"[{}]", advice_words(rule))


def test_rules_of_one_option_stand_together_and_what_is_out_before_what_is_dearer() -> None:
    ordered = [r for r in in_table_order(RULES) if r.decision == "gpu" and r.effect == "reject"]
    groups = [(rule.strength, rule.payload.get("option")) for rule in ordered]
    starts = [
        group for before, group in zip([None, *groups], groups, strict=False) if before != group
    ]

    assert len(starts) == len(set(groups)) > 10
    assert [strength for strength, _ in groups] == sorted(s for s, _ in groups)


@pytest.mark.parametrize("decision", SECTIONS)
def test_section_8_shows_every_rule_that_advises(decision: str, knowledge: Knowledge) -> None:
    section = load_handbook().section(SECTIONS[decision])
    text = render_section(section, catalogue_tables(knowledge))
    advising = [
        r.id for r in RULES if r.decision == decision and r.effect in {"recommend", "reject"}
    ]

    assert [rule for rule in advising if f"| {rule} |" not in text] == []


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"decision": "gpu", "effect": "recommend", "severity": "critical"}, "no_rules"),
        ({"decision": "gpus"}, "unknown_value"),
        ({"rule": "no-such-rule"}, "unknown_value"),
    ],
)
def test_a_directive_that_names_no_rules_is_refused(
    knowledge: Knowledge, options: dict[str, str], code: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue_tables(knowledge)("rules", {"columns": "rule", **options})

    assert caught.value.problems[0].code == code
