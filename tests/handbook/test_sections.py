"""Looking sections up, citing them, and the contract of numbers and anchors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.errors import KnowledgeError, UnknownNameError
from advisor.store.handbook import Handbook, load_handbook, read_handbook
from advisor.store.handbook_check import REQUIRED_SECTIONS


@pytest.mark.parametrize(("number", "anchor"), REQUIRED_SECTIONS.items())
def test_every_promised_section_exists_with_its_anchor(number: str, anchor: str) -> None:
    section = load_handbook().section(number)

    assert (section.number, section.anchor) == (number, anchor)
    assert section.text_markdown


def test_every_anchor_occurs_once() -> None:
    book = load_handbook()
    anchors = [section.anchor for section in book.sections]
    anchors += [sub.anchor for sub in book.sub_anchors]

    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize(
    "name", ["7.3", "§7.3", "§ 7.3", " 7.3 ", "memory-math", "#memory-math", "7.3#memory-math"]
)
def test_a_section_is_found_by_number_sign_and_anchor(name: str) -> None:
    assert load_handbook().section(name).number == "7.3"


def test_a_top_section_knows_its_sub_sections_but_does_not_contain_them() -> None:
    section = load_handbook().section("7")

    assert [sub.section for sub in section.subsections] == ["7.1", "7.2", "7.3", "7.4", "7.5"]
    assert "Worked example" not in section.text_markdown


def test_a_citation_names_section_title_and_anchor() -> None:
    citation = load_handbook().citation("§3.3")

    assert (citation.section, citation.title, citation.anchor) == (
        "3.3",
        "MIG profiles",
        "mig-profiles",
    )


@pytest.mark.parametrize("name", ["7.3#worked-70b", "worked-70b", "memory-math#worked-70b"])
def test_a_citation_can_point_at_a_paragraph_heading(name: str) -> None:
    citation = load_handbook().citation(name)

    assert (citation.section, citation.anchor) == ("7.3", "worked-70b")


def test_every_section_resolves_by_what_its_citation_says() -> None:
    book = load_handbook()

    for section in book.sections:
        citation = book.citation(section.number)
        assert book.section(citation.section) is section
        assert book.section(citation.anchor) is section


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("7.9", "7.1"),
        ("memory-maths", "memory-math"),
        ("7.3#worked-80b", "7.3#worked-70b"),
        ("how do I monitor Xid errors", "5.6"),
        ("3.3#worked-70b", "3.3"),
    ],
)
def test_an_unknown_section_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_handbook().section(name)

    (problem,) = caught.value.problems
    assert problem.code in {"unknown_section", "unknown_anchor"}
    assert problem.key == name
    assert nearest in problem.nearest


def test_an_empty_name_is_an_error_and_not_the_first_section() -> None:
    with pytest.raises(UnknownNameError):
        load_handbook().section("  ")


def test_a_folder_without_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="no Markdown page"):
        read_handbook(tmp_path)


def test_the_how_to_beside_the_pages_is_not_a_page(tmp_path: Path) -> None:
    (tmp_path / "01.md").write_text("# 1 One {#one}\n\nText.\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("# Read me\n", encoding="utf-8")

    assert [section.number for section in read_handbook(tmp_path).sections] == ["1"]


def test_a_comment_in_a_code_block_is_not_a_heading(tmp_path: Path) -> None:
    page = "# 1 One {#one}\n\nText.\n\n```bash\n# 2 Not a heading {#two}\n```\n"
    (tmp_path / "01.md").write_text(page, encoding="utf-8")

    book: Handbook = read_handbook(tmp_path)

    assert [section.number for section in book.sections] == ["1"]
    assert "Not a heading" in book.section("1").text_markdown


def test_importing_the_reader_does_not_import_a_markdown_parser() -> None:
    script = (
        "import sys, advisor.store.handbook\n"
        "print(sorted({'markdown_it', 'yaml', 'pydantic'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "[]"
