"""What the advice must say to further questions from public threads, one file an area."""

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

HERE = Path(__file__).parent
ANSWERS = HERE / "answers" / "threads"
CASES = [
    case
    for path in sorted((HERE / "threads").glob("*.yaml"))
    for case in read_cases(f"threads/{path.name}")
]


@cache
def consultation(name: str) -> Consultation:
    return advise(read_answers(str(ANSWERS / f"{name}.yaml")))


@pytest.mark.parametrize(("case", "wanted"), parameters(CASES))
def test_the_advice_for_a_thread_says(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    check(consultation(case["id"]), wanted)


def test_every_thread_has_expectations() -> None:
    assert {case["id"] for case in CASES} == {path.stem for path in ANSWERS.glob("*.yaml")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_expectation_makes_exactly_one_check_of_a_cited_thread(case: dict[str, Any]) -> None:
    assert case["url"].startswith("https://")
    for wanted in case["expect"]:
        assert len(set(wanted) & set(CHECKS)) == 1, wanted
        assert set(wanted) <= {*CHECKS, "says", "pending"}, wanted


def test_what_must_not_be_warned_of_exists() -> None:
    knowledge = load_knowledge()
    warnings = {*knowledge.gotchas, *load_rule_base(knowledge).by_id}
    assert named_ids(CASES, "not_warned") <= warnings
