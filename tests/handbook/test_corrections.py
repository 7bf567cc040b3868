"""The corrections: they load, they cite sections that exist, and faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import KnowledgeError, UnknownNameError
from advisor.store.corrections import check_corrections, load_corrections
from advisor.store.handbook import load_handbook
from advisor.store.loader import load_knowledge

GOOD = """sources:
  own:
    title: Own arithmetic
    date: "2026-11-29"
corrections:
  - id: a-claim
    section: "7.3"
    claim: Two and two are five.
    right: They are four.
    topics: [memory, gpu:h100-sxm]
    kind: wrong
    sources: [own]
    as_of: "2026-11-29"
"""


def write(folder: Path, text: str) -> Path:
    (folder / "corrections").mkdir()
    (folder / "corrections" / "section-7.yaml").write_text(text, encoding="utf-8")
    return folder


def test_those_that_ship_pass_their_check_against_handbook_and_gpu_catalogue() -> None:
    assert check_corrections(names={"gpu": load_knowledge().gpus}) == []


def test_every_correction_resolves_to_a_section_and_a_dated_source() -> None:
    corrections, book = load_corrections(), load_handbook()

    assert len(corrections) > 50
    for correction in corrections:
        assert book.citation(correction.section).section == correction.section
        assert all(source.date for source in corrections.sources_of(correction.id))


def test_no_claim_is_also_what_is_right() -> None:
    for correction in load_corrections():
        assert correction.claim.strip() != correction.right.strip()


def test_the_flagship_comes_first_for_a_16_bit_70b_on_h100() -> None:
    touched = ["gpu:h100-sxm", "model:llama-3.3-70b", "format:bf16", "tensor_parallel"]

    assert load_corrections().about(touched)[0].id == "70b-fits-two-h100"


def test_a_topic_that_nothing_shares_touches_nothing() -> None:
    assert load_corrections().about(["gpu:abacus"]) == ()


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_corrections().get("70b-fits-two-h200")

    assert "70b-fits-two-h100" in caught.value.problems[0].nearest


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('section: "7.3"', 'section: "7.9"', "broken_citation"),
        ("[memory,", "[memori,", "unknown_topic"),
        ("gpu:h100-sxm", "gqu:h100-sxm", "unknown_topic"),
        ("gpu:h100-sxm", "gpu:h100-smx", "unknown_topic"),
        ('    date: "2026-11-29"\ncorrections', "corrections", "undated_source"),
    ],
)
def test_what_the_schema_cannot_see_is_found(tmp_path: Path, old: str, new: str, code: str) -> None:
    assert old in GOOD
    corrections = load_corrections(write(tmp_path, GOOD.replace(old, new)))

    problems = check_corrections(corrections, names={"gpu": ("h100-sxm",)})

    assert [problem.code for problem in problems] == [code]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kind: wrong", "kind: silly"),
        ("id: a-claim", "id: A_Claim"),
        ("    right: They are four.\n", ""),
        ("topics: [memory, gpu:h100-sxm]", "topics: []"),
        ("sources: [own]", "sources: [other]"),
        ("    kind: wrong", "    kind: wrong\n    colour: blue"),
    ],
)
def test_the_schema_refuses_the_rest_with_file_and_line(tmp_path: Path, old: str, new: str) -> None:
    assert old in GOOD

    with pytest.raises(KnowledgeError) as caught:
        load_corrections(write(tmp_path, GOOD.replace(old, new)))

    problem = caught.value.problems[0]
    assert problem.file is not None
    assert problem.file.endswith("corrections/section-7.yaml")
    assert problem.line is not None
