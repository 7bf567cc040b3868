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
    bites = [w for w in found(name).warnings if not w.id.startswith("monitor-")]
    for warned in bites[:10]:
        cites = " ".join(f"§{cited.section}" for cited in warned.citations)
        assert words(f"{warned.text} {cites}") in text


@pytest.mark.parametrize("name", CASES)
def test_what_to_watch_is_told_however_much_may_bite(name: str) -> None:
    watched = [w for w in found(name).warnings if w.id.startswith("monitor-")]
    block = words(advice_text(found(name)).split("\nWhat to watch\n")[1].split("\n\n")[0])

    assert watched
    for warned in watched:
        cites = " ".join(f"§{cited.section}" for cited in warned.citations)
        assert words(f"{warned.check} {cites}") in block
        assert words(f"text {warned.text}").removeprefix("text ") in words(
            advice_text(found(name), verbose=True)
        )


@pytest.mark.parametrize("name", CASES)
def test_a_report_of_four_decisions_takes_two_screens_or_little_more(name: str) -> None:
    assert len(advice_text(found(name)).splitlines()) <= 140


def test_of_a_common_claim_the_report_tells_what_is_right_in_two_sentences() -> None:
    first = found("c16").corrections[0]
    long = first.model_copy(update={"right": "It is not. It is half. The rest is a detail."})
    advice = found("c16").model_copy(update={"corrections": (long,)})
    short, whole = (words(advice_text(advice, verbose=v)) for v in (False, True))

    assert f'"{words(first.claim)}" It is not. It is half. §' in short
    assert "The rest is a detail." in whole
    assert "The rest is a detail." not in short


def test_why_an_open_question_matters_is_told_of_the_gpu_and_kept_for_verbose_elsewhere() -> None:
    short, whole = (advice_text(found("c16"), verbose=v) for v in (False, True))
    sharing = short.split("\nSharing")[1].split("\n\n")[0]
    (line,) = [line for line in sharing.splitlines() if line.startswith("  ?  ")]

    assert line.count(",") == 2
    assert "tenancy.tenants: untrusted tenants leave only" in whole


@pytest.mark.parametrize("name", ["b02", "d09"])
def test_symptoms_that_were_told_come_before_what_may_bite_later(name: str) -> None:
    text = advice_text(found(name))

    assert text.index("\nSymptoms\n") < text.index("\nWhat will bite\n")


def test_an_operator_that_is_not_needed_is_said() -> None:
    assert "GPU Operator    none" in advice_text(found("b02"))


def test_an_instance_that_was_named_is_not_named_again_among_the_settings() -> None:
    settings = re.split(r"settings: ", advice_text(found("d09")))[1:]

    assert all("p5en" not in block.partition("\n  ")[0] for block in settings)
