"""Sharing, provisioning and what bites, for situations that nobody has asked about in public."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from expectations import CHECKS, check, named_ids, parameters, read_cases

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

CASES = read_cases("platform_situations.yaml")
ANSWERS = Path(__file__).parent / "answers"


@cache
def consultation(name: str) -> Consultation:
    return advise(read_answers(str(ANSWERS / f"{name}.yaml")))


@pytest.mark.parametrize(("case", "wanted"), parameters(CASES))
def test_the_advice_for_a_situation_says(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    check(consultation(case["id"]), wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_expectation_makes_exactly_one_check(case: dict[str, Any]) -> None:
    for wanted in case["expect"]:
        assert len(set(wanted) & set(CHECKS)) == 1, wanted
        assert set(wanted) <= {*CHECKS, "says", "pending"}, wanted


def test_what_must_not_be_warned_of_exists() -> None:
    knowledge = load_knowledge()
    warnings = {*knowledge.gotchas, *load_rule_base(knowledge).by_id}
    assert named_ids(CASES, "not_warned") <= warnings
