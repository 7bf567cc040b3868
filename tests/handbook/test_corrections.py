"""The corrections: they load, cite sections that exist, their sums hold, the page is theirs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from corrections_page import PAGE, refreshed
from written_sums import sums_in

from advisor.cli.kb_show import show
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


def test_every_correction_has_a_section_that_exists_a_date_and_dated_sources() -> None:
    corrections, book = load_corrections(), load_handbook()

    assert len(corrections) >= 150
    for correction in corrections:
        assert book.citation(correction.section).section == correction.section
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", correction.as_of), correction.id
        sources = corrections.sources_of(correction.id)
        assert sources
        assert all(source.date for source in sources), correction.id


def test_the_page_is_what_the_records_say() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert refreshed(page) == page


def test_the_page_would_notice_a_record_that_changed() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert refreshed(page.replace("262,144 x 327,680", "262,144 x 2,621,440")) == page
    assert all(f"`{correction.id}`" in page for correction in load_corrections())


def test_names_of_records_on_the_page_around_the_list_exist() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("<!-- /records -->")[2]
    known = {correction.id for correction in load_corrections()} | set(load_knowledge().gotchas)

    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", text)) - {"do-not-disrupt"}

    assert named
    assert named <= known


def test_every_sum_that_a_record_shows_is_right() -> None:
    sums = [
        (correction.id, one)
        for correction in load_corrections()
        for one in sums_in(correction.arithmetic or "")
    ]

    assert len(sums) >= 95
    assert [(name, one.text) for name, one in sums if not one.holds] == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("3,350 / 2,039 = 1.64", True),
        ("3,350 / 2,039 = 1.74", False),
        ("70.55e9 x 2 = 131.4 GiB", True),
        ("70.55e9 x 2 = 141.1 GB", True),
        ("70.55e9 x 2 = 141.1 GiB", False),
        ("262,144 x 2,621,440 = 665 MB", False),
        ("85.9 GB = 80.0 GiB", True),
        ("2 x (17 + 12.9) = 59.8 GB", True),
    ],
)
def test_a_wrong_sum_would_be_found(text: str, holds: bool) -> None:
    assert [one.holds for one in sums_in(text)] == [holds]


@pytest.mark.parametrize(
    ("name", "gpu", "field", "printed"),
    [
        ("decode-always-bandwidth-bound", "h100-sxm", "tflops.bf16", "989 TFLOPS"),
        ("fp8-and-fp4-both-double", "b200", "tflops.fp4", "9,000"),
        ("fp8-and-fp4-both-double", "b300", "tflops.fp4", "13,500"),
        ("one-h200-serves-16-bit-70b", "h200-sxm", "engine_memory_gib", "139.7"),
        ("70b-fits-two-h100", "h100-sxm", "engine_memory_gib", "79.2"),
        ("hbm-doubles-each-generation", "a100-80-sxm", "memory_bandwidth_gbs", "2,039"),
        ("gddr-always-slower-per-gb", "rtx-5090", "memory_bandwidth_gbs", "1,792"),
        ("gddr-always-slower-per-gb", "l40s", "memory_bandwidth_gbs", "864"),
        ("a100-has-one-bandwidth", "a100-80-pcie", "memory_bandwidth_gbs", "1,935"),
        ("a100-has-one-bandwidth", "a100-40-pcie", "memory_bandwidth_gbs", "1,555"),
        ("b200-has-eight-tb-per-second", "b300", "memory_bandwidth_gbs", "7,700"),
        ("b200-has-eight-tb-per-second", "gb300", "memory_bandwidth_gbs", "8,000"),
        (
            "rtx-pro-6000-between-h100-and-h200",
            "rtx-pro-6000-server",
            "memory_bandwidth_gbs",
            "1,597",
        ),
        ("rtx-pro-6000-between-h100-and-h200", "h100-pcie", "memory_bandwidth_gbs", "2,000"),
        (
            "rtx-pro-6000-memory-close-to-h200",
            "rtx-pro-6000-server",
            "engine_memory_gib",
            "94.97",
        ),
        ("eight-b200-five-to-eight-times-h100", "h100-sxm", "tflops.fp8", "1,979"),
        ("mi355x-fp4-sparse-figure", "mi355x", "tflops.fp4", "10,000"),
        ("nvl72-is-72-b200", "gb200", "memory_gb", "186"),
        ("nvl72-is-72-b200", "gb200", "tflops.bf16", "2,500"),
        ("kilowatt-means-liquid", "mi355x", "tdp_w", "1,400"),
        ("kilowatt-means-liquid", "gaudi3", "tdp_w", "900"),
        ("amd-is-mi300x-and-mi350", "mi300x", "tflops.bf16", "1,307"),
        ("hgx-900-all-to-all", "h100-sxm", "interconnect.nvlink_bidirectional_gbs", "900"),
        ("alert-on-low-free-memory", "l4", "engine_memory_gib", "22.0"),
    ],
)
def test_a_figure_of_a_card_is_that_of_the_catalogue(
    name: str, gpu: str, field: str, printed: str
) -> None:
    value: object = load_knowledge().gpus[gpu]
    for part in field.split("."):
        value = getattr(value, part)
    record = load_corrections().get(name)
    figure = re.sub(r"[^\d.]", "", printed)

    assert printed in f"{record.right} {record.arithmetic}"
    assert isinstance(value, float)
    assert f"{value:.{len(figure.partition('.')[2])}f}" == figure


def test_the_command_shows_a_correction_by_its_id_alone() -> None:
    text = show("kv-cache-of-665-mb", "", as_json=False)

    assert text == show("correction", "kv-cache-of-665-mb", as_json=False)
    assert "262,144 x 327,680 = 85.9 GB" in text
    assert "Sources:" in text


def test_an_id_that_is_nearly_right_is_named() -> None:
    with pytest.raises(UnknownNameError) as caught:
        show("kv-cache-of-665", "", as_json=False)

    assert caught.value.problems[0].nearest[0] == "kv-cache-of-665-mb"


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
