"""The text form says each thing once, and what it leaves out in one line for each decision."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation
from advisor.reports.advice_text import advice_text

EXAMPLES = Path(__file__).parents[2] / "examples" / "cases"
CASES = ("b02", "c16", "d09")


@cache
def found(name: str) -> Consultation:
    return advise(read_answers(str(EXAMPLES / f"{name}.yaml")), engine="reference")


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", CASES)
def test_a_decision_names_what_it_leaves_out_in_one_line(name: str) -> None:
    decisions = advice_text(found(name)).split("What will bite")[0]

    blocks = [block for block in decisions.split("\n\n") if re.match(r"[A-Z][a-z]", block)]
    assert all(block.count("(--verbose)") <= 1 for block in blocks)
    assert "left out:" not in advice_text(found(name), verbose=True)


def test_a_reason_is_given_in_full_once() -> None:
    short, whole = (words(advice_text(found("c16"), verbose=v)) for v in (False, True))
    reason = "4-bit weights cost more quality than 8-bit ones"

    assert short.count(reason) == 1
    assert "If the same did not count." in short
    assert "for the reason above." in short
    assert whole.count(reason) > 1


@pytest.mark.parametrize("name", CASES)
def test_every_section_of_what_is_shown_stays_cited(name: str) -> None:
    text = words(advice_text(found(name)))

    for decision in found(name).decisions.values():
        for cited in decision.citations:
            assert f"§{cited.section}" in text
    for warned in found(name).warnings[:10]:
        cites = " ".join(f"§{cited.section}" for cited in warned.citations)
        assert words(f"{warned.text} {cites}") in text


@pytest.mark.parametrize("name", ["b02", "d09"])
def test_symptoms_that_were_told_come_before_what_may_bite_later(name: str) -> None:
    text = advice_text(found(name))

    assert text.index("\nSymptoms\n") < text.index("\nWhat will bite\n")


def test_an_operator_that_is_not_needed_is_said() -> None:
    assert "GPU Operator    none" in advice_text(found("b02"))


def test_an_instance_that_was_named_is_not_named_again_among_the_settings() -> None:
    settings = re.split(r"settings: ", advice_text(found("d09")))[1:]

    assert all("p5en" not in block.partition("\n  ")[0] for block in settings)
