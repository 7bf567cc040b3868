"""A claim is told where the situation touches it, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.store.corrections import load_corrections
from advisor.store.touch import matches, unknown_words

CASES = yaml.safe_load((Path(__file__).parent / "touched_claims.yaml").read_text("utf-8"))


def told(answers: dict[str, Any]) -> list[str]:
    return [record.id for record in advise(read_answers(answers)).corrections]


@pytest.mark.parametrize("case", CASES["touched"], ids=lambda case: case["claim"])
def test_a_claim_is_told_where_it_is_touched(case: dict[str, Any]) -> None:
    assert case["claim"] in told(case["answers"])


@pytest.mark.parametrize("case", CASES["untouched"])
def test_a_claim_is_not_told_elsewhere(case: dict[str, Any]) -> None:
    assert not {*case["claims"]} & {*told(case["answers"])}


def test_every_claim_that_ships_says_what_touches_it() -> None:
    assert [record.id for record in load_corrections() if not record.touched_by] == []


@pytest.mark.parametrize(
    ("test", "values", "met"),
    [
        ("mig", {"mig", "mps"}, True),
        ("mig", {"mps"}, False),
        ("any", {"mps"}, True),
        ("any", set(), False),
        ("absent", set(), True),
        ("absent", {"mps"}, False),
        ("not none", {"26.7.0"}, True),
        ("not none", {"none"}, False),
        ("not none", set(), False),
        ("NCCL_*", {"NCCL_DEBUG"}, True),
        ("NCCL_*", {"UCX_TLS"}, False),
        (">=2", {"8"}, True),
        (">=2", {"1"}, False),
        (">=64 <79", {"70.55"}, True),
        (">=64 <79", {"405.85"}, False),
        (">=1.35 <1.36.3", {"1.36.2"}, True),
        (">=1.35 <1.36.3", {"1.36"}, True),
        (">=1.35 <1.36.3", {"1.36.3"}, False),
        ("<26.7", {"26.3.2"}, True),
        ("<26.7", {"none"}, False),
    ],
)
def test_what_each_test_of_a_fact_means(test: str, values: set[str], met: bool) -> None:
    assert matches({"some.fact": (test,)}, {"some.fact": values}) is met


def test_a_situation_wants_all_its_facts_and_one_of_the_tests_of_each() -> None:
    situation = {"one": ("a", "b"), "other": ("c",)}

    assert matches(situation, {"one": {"b"}, "other": {"c"}})
    assert not matches(situation, {"one": {"b"}})


@pytest.mark.parametrize(
    ("situation", "nearest"),
    [
        ({"platform.draa": ("wanted",)}, "platform.dra"),
        ({"platform.dra": ("wantd",)}, "wanted"),
        ({"place.dra": ("maybe", "ye")}, "yes"),
        ({"gpu.id": ("h100-smx",)}, "h100-sxm"),
        ({"platform.node_autoscaler": ("not karpentr",)}, "karpenter"),
    ],
)
def test_a_word_that_nobody_knows_is_named_with_the_nearest(
    situation: dict[str, tuple[str, ...]], nearest: str
) -> None:
    found = [*unknown_words(situation, {"gpu": ("h100-sxm",)})]

    assert found
    assert any(nearest in near for _, near in found)
