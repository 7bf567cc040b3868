"""What a condition means, one sentence of the contract at a time."""

from __future__ import annotations

from typing import Any

import pytest
from validator_words import WORDS, record

from advisor.engine import select_engine
from advisor.rules import Fact, load_rules
from advisor.rules.conditions import text_of

CARD = Fact(
    "candidate", "c1", {"gpu": "h100", "format": "fp8", "price": 2.5, "count": 4, "fits": True}
)
BARE = Fact("candidate", "c2", {"gpu": "l4"})
ANSWERS = Fact("answers", "a", {"workload.kind": "serving", "hardware.nodes": 2})
AMD = Fact("item", "i1", {"key": "hardware.vendors", "value": "amd"})


def holds(when: str, *facts: Fact, **changes: Any) -> bool:
    """Return whether the rule fires on all of these facts."""
    base = load_rules([record(when=when, **changes)], WORDS)
    return bool(select_engine("reference").fire(base, facts).firings)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("c.count == 4", True),
        ("c.count == 4.0", True),
        ("4 == c.count", True),
        ("3 < c.count", True),
        ("1 < c.price < 3", True),
        ("1 < c.price < 2", False),
        ("not (1 < c.price < 2)", True),
        ("c.format in ['bf16', 'fp8']", True),
        ("c.format not in ('bf16',)", True),
        ("not c.format in ['bf16']", True),
        ("c.fits", True),
        ("not c.fits", False),
        ("c.fits == true", True),
        ("c.fits == False", False),
        ("c.fits != false", True),
        ("c.price * 2 + 1 == 6", True),
        ("2 * c.price - 1 == c.count", True),
        ("(c.price + c.count) * 2 == 13", True),
        ("-c.count == -4", True),
        ("c.price + -0.5 == 2", True),
        ("known(c.price) and not missing(c.price)", True),
        ("missing(c.price)", False),
        ("not (c.fits and c.count == 3)", True),
        ("not (c.fits or c.count == 3)", False),
        ("c.count == 3 or\n  c.count == 4", True),
        ("c.gpu == 'h100' # a remark", True),
    ],
)
def test_tests_on_known_fields(when: str, expected: bool) -> None:
    assert holds(when, CARD) is expected


@pytest.mark.parametrize(
    "when",
    [
        "c.count == 4",
        "c.count != 4",
        "c.count < 4",
        "not (c.count < 4)",
        "c.format in ['fp8']",
        "c.format not in ['fp8']",
        "c.fits",
        "not c.fits",
        "c.price + c.count != 0",
        "known(c.price)",
        "not missing(c.price)",
    ],
)
def test_unknown_makes_every_test_false(when: str) -> None:
    assert not holds(when, BARE)


@pytest.mark.parametrize("when", ["missing(c.price)", "not known(c.price)", "missing(c.fits)"])
def test_only_missing_is_true_of_the_unknown(when: str) -> None:
    assert holds(when, BARE)


def test_null_is_unknown() -> None:
    nothing: Any = None
    assert holds("missing(c.price)", Fact("candidate", "c", {"price": nothing}))


@pytest.mark.parametrize(
    ("when", "with_amd", "without"),
    [
        ("'amd' in hardware.vendors", True, False),
        ("'nvidia' in hardware.vendors", False, False),
        ("'amd' not in hardware.vendors", False, True),
        ("not 'amd' in hardware.vendors", False, True),
        ("known(hardware.vendors)", True, False),
        ("missing(hardware.vendors)", False, True),
    ],
)
def test_list_answers_are_asked_for_elements(when: str, with_amd: bool, without: bool) -> None:
    rule: dict[str, Any] = {"for": None}
    assert holds(when, ANSWERS, AMD, **rule) is with_amd
    assert holds(when, ANSWERS, **rule) is without


def test_a_rule_that_mentions_an_answer_needs_answers() -> None:
    assert not holds("'amd' not in hardware.vendors", AMD, **{"for": None})
    assert not holds("missing(workload.model)", **{"for": None})


def test_answers_and_facts_are_compared_with_one_another() -> None:
    assert holds("c.count == hardware.nodes * 2 and workload.kind == 'serving'", CARD, ANSWERS)
    assert not holds("c.count == hardware.nodes", CARD, ANSWERS)


def test_two_patterns_never_bind_the_same_fact() -> None:
    pair = {"for": {"c": "candidate", "d": "candidate"}}
    assert not holds("c.gpu == d.gpu", CARD, **pair)
    assert holds("c.gpu == d.gpu", CARD, Fact("candidate", "c9", CARD.fields), **pair)


def test_a_negated_pattern_does_not_stop_a_fact_by_itself() -> None:
    none = [{"o": "candidate", "where": "o.gpu == c.gpu"}]
    assert holds("c.fits", CARD, none=none)
    assert not holds("c.fits", CARD, Fact("candidate", "c9", {"gpu": "h100"}), none=none)


def test_each_alternative_of_a_negated_pattern_stops() -> None:
    none = [{"g": "gpu", "where": "g.id == 'l4' or g.memory > 50"}]
    assert holds("c.fits", CARD, Fact("gpu", "g", {"id": "t4", "memory": 16}), none=none)
    assert not holds("c.fits", CARD, Fact("gpu", "g", {"id": "l4"}), none=none)
    assert not holds("c.fits", CARD, Fact("gpu", "g", {"memory": 80}), none=none)


def test_a_negated_pattern_may_ask_for_any_fact_of_a_kind() -> None:
    assert holds("c.fits", CARD, none=[{"g": "gpu"}])
    assert not holds("c.fits", CARD, Fact("gpu", "g", {}), none=[{"g": "gpu"}])


def test_a_rule_without_condition_matches_every_fact() -> None:
    assert holds("true", BARE)
    base = load_rules([record(when=True)], WORDS)
    assert len(select_engine("reference").fire(base, [CARD, BARE]).firings) == 2


def test_derived_fields_are_expressions_and_unknown_ones_are_left_out() -> None:
    fields = {"count": "c.count * 2 + 1", "format": "c.format"}
    base = load_rules(
        [record(when="true", effect="derive", set={"kind": "need", "fields": fields})], WORDS
    )
    outcome = select_engine("reference").fire(base, [CARD, BARE])
    derived = [dict(fact.fields) for fact in outcome.facts if fact.kind == "need"]
    assert derived == [{}, {"count": 9, "format": "fp8"}]


@pytest.mark.parametrize(
    ("when", "text"),
    [
        (
            'not (c.count < 4 or c.fits) and c.gpu == "a"',
            "(c.count >= 4 and c.fits == false) and c.gpu == 'a'",
        ),
        ("c.price*2+1 <= c.count", "c.price * 2 + 1 <= c.count"),
        ("not missing(c.gpu)", "known(c.gpu)"),
        ("not 'amd' in hardware.vendors", "'amd' not in hardware.vendors"),
        ("workload.kind not in ['serving']", "workload.kind not in ['serving']"),
    ],
)
def test_conditions_print_in_the_language_they_are_written_in(when: str, text: str) -> None:
    (rule,) = load_rules([record(when=when)], WORDS).rules
    assert text_of(rule.condition) == text
    (again,) = load_rules([record(when=text)], WORDS).rules
    assert again.condition == rule.condition
