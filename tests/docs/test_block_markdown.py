from __future__ import annotations

import re
from itertools import pairwise

import pytest
from docs_support import DESK, PLATFORM, SERVING, advised

from advisor.answers.validate import read_answers_text
from advisor.docs.block_markdown import block_markdown, choices_in
from advisor.docs.spec import BlockOptions
from advisor.errors import InputError

CONSULTATION = DESK.adviser.consult(read_answers_text(SERVING, name="answers"))


def test_every_decision_is_told_with_status_choice_reason_and_sections() -> None:
    text = advised()
    for name in ("GPU", "Sharing", "Parallelism", "Provisioning"):
        (head,) = re.findall(rf"^\*\*{name}\*\* \(provisional\): .+\n\n(.+)$", text, re.MULTILINE)
        assert re.search(r"§\d", head)


def test_only_what_is_to_be_shown_is_shown_in_that_order() -> None:
    text = advised('show="sharing, gpu"')
    assert re.findall(r"^\*\*(\w+)\*\* \(", text, re.MULTILINE) == ["Sharing", "GPU"]


def test_a_lower_precision_never_comes_without_its_caveat() -> None:
    text = advised("show=gpu", SERVING.replace("l40s", "l4"))
    assert "in fp8" in text
    assert "published in bf16" in text


def test_what_could_change_the_choice_is_named() -> None:
    assert "Not answered, and could change it: `workload." in advised("show=gpu")


def test_full_details_bring_figures_alternatives_assumptions_and_fixes() -> None:
    short, full = advised(), advised("details=full")
    assert len(full) > 2 * len(short)
    for part in ("- room: ", "GPU, alternatives:", "Sharing, rejected:", "Assumed:", "Fix: "):
        assert part in full
        assert part not in short


def test_all_warnings_are_shown_when_they_are_asked_for() -> None:
    told = advised('show="gpu,warnings"').count("\n- **")
    assert told == len(CONSULTATION.warnings)
    assert told > advised("show=gpu").count("\n- **")


@pytest.mark.parametrize("details", ["short", "full"])
def test_nothing_volatile_is_written(details: str) -> None:
    text = advised(f"details={details}")
    assert "days old" not in text
    assert "rule engine" not in text
    assert CONSULTATION.knowledge.version not in text


@pytest.mark.parametrize("answers", [SERVING, PLATFORM])
def test_the_text_does_not_depend_on_the_engine(answers: str) -> None:
    other = DESK.adviser.consult(read_answers_text(answers, name="answers"))
    renamed = other.model_copy(update={"engine": "durable"})
    options = BlockOptions()
    assert block_markdown(renamed, options) == block_markdown(other, options)


def test_lists_are_flat_and_stand_apart_so_that_every_reader_takes_them() -> None:
    lines = advised("details=full").split("\n")
    assert not any(line.startswith((" ", "\t", "#", "|", "<")) for line in lines)
    for before, line in pairwise(lines):
        if line.startswith("- "):
            assert before == "" or before.startswith("- ")


@pytest.mark.parametrize(
    ("links", "target"),
    [
        ("handbook/", "handbook/08-decision-framework.md#which-gpu"),
        (
            "https://docs.example.org/h/",
            "https://docs.example.org/h/08-decision-framework/#which-gpu",
        ),
        ("book.md", "book.md#which-gpu"),
        ("/x/{section}.html?p={page}#{anchor}", "/x/8.1.html?p=08-decision-framework#which-gpu"),
    ],
)
def test_citations_lead_to_the_handbook(links: str, target: str) -> None:
    assert f"[§8.1]({target})" in advised(f'show=gpu links="{links}"')


def test_a_decision_that_was_not_asked_for_is_refused_at_the_block() -> None:
    with pytest.raises(InputError, match=r"sharing is to be shown.*ask: gpu") as caught:
        advised("show=sharing", SERVING + "ask: [gpu]\n")
    assert (caught.value.problems[0].file, caught.value.problems[0].line) == ("page.md", 1)


def test_diagnoses_are_shown_for_symptoms_and_refused_without() -> None:
    text = advised("show=diagnoses", PLATFORM + 'symptoms: ["Failed to enable MSI-X"]\n')
    assert "**Symptom**: Failed to enable MSI-X" in text
    assert "- cause 1: " in text
    with pytest.raises(InputError, match="hold no symptoms"):
        advised("show=diagnoses")


def test_links_that_would_break_the_page_are_refused() -> None:
    with pytest.raises(InputError, match="cannot stand in a Markdown link"):
        advised('show=gpu links="a b/"')


def test_choices_can_be_read_back_from_a_block() -> None:
    found = choices_in(advised())
    assert list(found) == ["gpu", "sharing", "parallelism", "provisioning"]
    assert found["gpu"] == "use owned: 1 x l40s in bf16 (provisional)"
    assert choices_in(advised("", PLATFORM))["gpu"] == "(not applicable)"
