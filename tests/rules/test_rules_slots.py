"""Texts with slots are filled from the matched facts and the answers."""

from __future__ import annotations

import pytest
from validator_words import WORDS, record

from advisor.rules import Fact, fill_payload, fill_text, load_rules
from advisor.rules.slots import resolved_slots

CARD = Fact("candidate", "c1", {"gpu": "H100", "price": 2.456, "count": 4, "fits": True, "one": 1})
ANSWERS = Fact("answers", "a", {"workload.model": "llama", "hardware.nodes": 2})


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{c.gpu} x {c.count}", "H100 x 4"),
        ("{c.price:.1f} USD", "2.5 USD"),
        ("{c.price}", "2.456"),
        ("{c.count:>3}|", "  4|"),
        ("fits: {c.fits}", "fits: yes"),
        ("{workload.model} on {answer.hardware.nodes} nodes", "llama on 2 nodes"),
        ("{c.format}, {workload.kind}", "unknown, unknown"),
        ("{c.format:.3}", "unknown"),
        ("vendors: {hardware.vendors}", "vendors: amd, nvidia"),
        ("a literal {{brace}}", "a literal {brace}"),
        ("{c.one} replicas of {c.count} GPUs", "1 replica of 4 GPUs"),
        ("{c.one} GPUs, {c.one} data ranks", "1 GPU, 1 data rank"),
    ],
)
def test_slots_are_filled(text: str, filled: str) -> None:
    lists = {"hardware.vendors": ("amd", "nvidia")}
    assert fill_text(text, {"c": CARD}, ANSWERS, lists) == filled


def test_answers_bound_by_the_rule_need_not_be_passed() -> None:
    assert fill_text("{workload.model}", {"answers": ANSWERS}) == "llama"


def test_whole_numbers_and_fractions_print_without_noise() -> None:
    fact = Fact("candidate", "c", {"price": 0.1 + 0.2, "count": 2.0})
    assert fill_text("{c.price} {c.count}", {"c": fact}) == "0.3 2"


def test_a_format_that_turns_out_not_to_suit_falls_back_to_the_plain_value() -> None:
    fact = Fact("candidate", "c", {"count": 2.5})
    assert fill_text("{c.count:d}", {"c": fact}) == "2.5"


def test_payloads_are_filled_however_nested() -> None:
    payload = {
        "option": "buy_or_rent",
        "count": 2,
        "check": ["run {c.gpu}", {"then": "{c.count}"}],
        "none": None,
    }
    base = load_rules([record(set=payload)], WORDS)
    assert fill_payload(base.rules[0], {"c": CARD}) == {
        "option": "buy_or_rent",
        "count": 2,
        "check": ["run H100", {"then": "4"}],
        "none": None,
    }


def test_the_fields_that_texts_name_can_be_listed() -> None:
    base = load_rules([record(because="{c.gpu} {workload.model} {c.gpu}")], WORDS)
    (rule,) = base.rules
    assert [str(ref) for ref in resolved_slots(rule, [rule.because])] == ["c.gpu", "workload.model"]
