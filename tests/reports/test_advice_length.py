"""The text form says each thing once, and what it leaves out in one line for each decision."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation, Warned
from advisor.reports.advice_bites import first_step, told_first
from advisor.reports.advice_text import advice_text

EXAMPLES = Path(__file__).parents[2] / "examples" / "cases"
CASES = ("b02", "c16", "d09")
LONGEST = {"b02": 105, "c16": 138, "d09": 138}
"""Lines of the report of a case; b02 is an ordinary one, the others tell of much that bites."""


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
    assert len(advice_text(found(name)).splitlines()) <= LONGEST[name]


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


def bite(**parts: str) -> Warned:
    """Return a warning with a text in every part, but for what is given."""
    told = {"id": "it-bites", "kind": "gotcha", "severity": "warning", "decision": "gpu"}
    told |= {"text": "It bites.", "symptom": "A bite.", "cause": "Teeth.", "check": "Look."}
    told |= {"fix": "Feed it. Then wait until the whole of what was fed has been eaten by it, too."}
    return Warned.model_validate(told | {"rule": "it-bites", "citations": ()} | parts)


def bites(*warned: Warned) -> str:
    advice = found("c16").model_copy(update={"warnings": warned})
    return words(advice_text(advice).split("What will bite\n")[1].split("\n\n")[0])


def test_the_graver_a_warning_the_more_is_told_of_it() -> None:
    fix = "Feed it. Then wait until the whole of what was fed has been eaten by it, too." * 2

    critical, warning, note = (
        bites(bite(severity=grave, fix=fix)) for grave in ("critical", "warning", "info")
    )
    assert "It bites. check: Look. fix: " in critical
    assert words(fix) in critical
    assert "A bite." not in critical
    assert "Teeth." not in critical
    assert "! It bites. fix: Feed it. ..." in warning
    assert "fix: " not in note
    assert all("symptom, cause, check and whole fix of each: --verbose" in t for t in (
        critical, warning, note
    ))  # fmt: skip


def test_every_critical_warning_is_shown_however_many_there_are() -> None:
    grave = tuple(bite(severity="critical", id=f"b{n}") for n in range(13))

    assert told_first((*grave, bite())) == grave
    assert len(told_first(tuple(bite() for _ in range(13)))) == 10


def test_a_step_is_cut_after_a_sentence_or_a_clause_and_never_inside_a_bracket() -> None:
    start = "Mount an emptyDir with medium Memory of a few GiB"
    tail = (
        ", within the memory limit of the pod, which has to be raised by as much, or it is killed"
    )

    assert first_step(f"Feed it. {start}{tail}. Wait.") == "Feed it. ..."
    assert first_step(f"{start}{tail}.") == f"{start}, within the memory limit of the pod ..."
    assert first_step(f"{start} (one{tail}).") == f"{start} ..."
    assert first_step(f"{start} until{tail.replace(',', '')}.").endswith("it is killed.")


def test_the_image_is_named_once_and_one_owner_of_driver_and_toolkit_in_one_line() -> None:
    short, whole = (advice_text(found("c16"), verbose=v) for v in (False, True))

    assert "driver, toolkit by operator" in short
    assert "     image  " not in short
    assert "driver by       operator" in whole


def test_of_ways_to_share_and_to_provision_the_condition_is_told_and_the_rest_kept() -> None:
    short, whole = (words(advice_text(found("c16"), verbose=v)) for v in (False, True))

    for other in found("c16").decisions["provisioning"].alternatives[:2]:
        assert other.would_be_chosen_if in short
        assert other.because not in short
        assert other.because in whole


def test_a_setting_is_said_once_and_the_image_in_the_first_line_only() -> None:
    file = EXAMPLES / "a17-offload.yaml"
    job = advise(read_answers(str(file)), engine="reference")
    short, whole = (advice_text(job, verbose=v) for v in (False, True))

    assert words(short).count("training_method full") == 1
    assert words(whole).count("training_method full") == 2
    assert "Image: " not in short
    assert "Image: " in whole
