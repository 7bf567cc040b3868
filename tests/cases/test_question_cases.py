"""What the advice for real questions must and must not say, field by field."""

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

CASES = read_cases("questions.yaml")
EXAMPLES = Path(__file__).parents[2] / "examples" / "cases"


@cache
def consultation(name: str) -> Consultation:
    return advise(read_answers(str(EXAMPLES / f"{name}.yaml")))


@pytest.mark.parametrize(("case", "wanted"), parameters(CASES))
def test_the_advice_for_a_question_says(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    check(consultation(case["id"]), wanted)


def test_every_example_of_a_question_has_expectations() -> None:
    assert {case["id"] for case in CASES} == {path.stem for path in EXAMPLES.glob("*.yaml")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_expectation_makes_exactly_one_check(case: dict[str, Any]) -> None:
    for wanted in case["expect"]:
        assert len(set(wanted) & set(CHECKS)) == 1, wanted
        assert set(wanted) <= {*CHECKS, "says", "pending"}, wanted
        assert "unsaid" not in wanted or "pending" in wanted, wanted


def test_what_must_not_be_shown_and_what_is_unsaid_exist() -> None:
    knowledge = load_knowledge()
    warnings = {*knowledge.gotchas, *load_rule_base(knowledge).by_id}
    causes = {cause.id for symptom in knowledge.symptoms.values() for cause in symptom.causes}
    assert named_ids(CASES, "not_warned") <= warnings
    assert named_ids(CASES, "not_diagnosed") <= causes
    unsaid = {wanted["unsaid"] for case in CASES for wanted in case["expect"] if "unsaid" in wanted}
    assert unsaid <= {*warnings, *knowledge.symptoms}
