"""The decision framework, row by row: the advice must reach it by its own arithmetic."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from expectations import CHECKS, check, parameters, read_cases

from advisor.answers.validate import read_answers_text
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation

CASES = read_cases("framework.yaml")


@cache
def consultation(answers: str) -> Consultation:
    return advise(read_answers_text(answers, name="framework.yaml"))


@pytest.mark.parametrize(("row", "wanted"), parameters(CASES))
def test_the_advice_for_a_row_says(row: dict[str, Any], wanted: dict[str, Any]) -> None:
    check(consultation(row["answers"]), wanted)


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_a_row_names_its_section_and_makes_one_check_at_a_time(row: dict[str, Any]) -> None:
    assert row["section"] in {"8.1", "8.3"}
    assert set(row) <= {"id", "section", "row", "answers", "disagrees", "expect"}, row["id"]
    for wanted in row["expect"]:
        assert len(set(wanted) & set(CHECKS)) == 1, wanted
        assert set(wanted) <= {*CHECKS, "says", "pending"}, wanted


@pytest.mark.parametrize("section", ["8.1", "8.3"])
def test_the_table_is_covered(section: str) -> None:
    rows = {row["row"] for row in CASES if row["section"] == section}
    assert rows == set(range(1, {"8.1": 18, "8.3": 10}[section] + 1))
