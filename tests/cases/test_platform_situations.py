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
from advisor.engine import select_engine
from advisor.errors import InputError
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

CASES = read_cases("platform_situations.yaml")
ANSWERS = Path(__file__).parent / "answers" / "platform"


@cache
def consultation(name: str, engine: str | None = None) -> Consultation:
    return advise(read_answers(str(ANSWERS / f"{name}.yaml")), engine=engine)


@pytest.mark.parametrize(("case", "wanted"), parameters(CASES))
def test_the_advice_for_a_situation_says(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    check(consultation(case["id"]), wanted)


def durable_works() -> bool:
    try:
        select_engine("durable")
    except InputError:
        return False
    return True


@pytest.mark.skipif(not durable_works(), reason="durable-rules is not installed here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_both_engines_give_the_same_advice(case: dict[str, Any]) -> None:
    reference, durable = (
        consultation(case["id"], engine).model_dump(exclude={"engine"})
        for engine in ("reference", "durable")
    )
    assert durable == reference


def test_every_situation_has_expectations() -> None:
    assert {case["id"] for case in CASES} == {path.stem for path in ANSWERS.glob("*.yaml")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_expectation_makes_exactly_one_check(case: dict[str, Any]) -> None:
    for wanted in case["expect"]:
        assert len(set(wanted) & set(CHECKS)) == 1, wanted
        assert set(wanted) <= {*CHECKS, "says", "pending"}, wanted


def test_what_must_not_be_warned_of_exists() -> None:
    knowledge = load_knowledge()
    warnings = {*knowledge.gotchas, *load_rule_base(knowledge).by_id}
    assert named_ids(CASES, "not_warned") <= warnings
