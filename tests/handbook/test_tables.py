"""Table directives: how they are written, expanded and refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from advisor.errors import KnowledgeError, Problem, UnknownNameError
from advisor.store.handbook import Section, Table, load_handbook, render_section, section_text
from advisor.store.handbook_tables import read_directives

SECTION = Section("2.1", "Line-up", "line-up", 2, "handbook/02.md", 10, "", 12)


def echo(name: str, options: Mapping[str, str]) -> Table:
    """Return the question as the answer, so that a test sees what was asked."""
    if name == "unicorns":
        problem = Problem("unknown_table", "There is no such table.", nearest=("gpus",))
        raise UnknownNameError(problem)
    rows = tuple((key, value) for key, value in options.items())
    return Table(("key", "value"), rows, ("left", "right"), caption=f"From {name}, 2026-11-29")


def section(text: str) -> Section:
    return replace(SECTION, text_markdown=text)


def test_a_directive_becomes_the_table_of_the_provider() -> None:
    text = "Before.\n\n<!-- table: gpus columns=id,memory_gb vendor=nvidia -->\n\nAfter."

    assert render_section(section(text), echo) == (
        "## 2.1 Line-up\n\n"
        "Before.\n\n"
        "| key | value |\n"
        "| :--- | ---: |\n"
        "| columns | id,memory_gb |\n"
        "| vendor | nvidia |\n\n"
        "*From gpus, 2026-11-29*\n\n\n"
        "After.\n"
    )


def test_a_directive_may_run_over_lines_and_quote_values() -> None:
    text = '<!-- table: gpus columns=id\n     name="RTX PRO 6000" -->'
    directives, problems = read_directives(section(text))

    assert problems == []
    assert directives[0].options == {"columns": "id", "name": "RTX PRO 6000"}


def test_pipes_and_line_breaks_in_cells_do_not_break_the_table() -> None:
    def nasty(_name: str, _options: Mapping[str, str]) -> Table:
        return Table(("a|b",), (("one\ntwo",),))

    assert "| a\\|b |\n| :--- |\n| one two |" in render_section(section("<!-- table: x -->"), nasty)


@pytest.mark.parametrize("cell", ["rdma/<pool>", "`GLIBC_2.34'", "gpu_*_x and mig.*", "C:\\new"])
def test_a_cell_is_plain_text_whatever_it_holds(cell: str) -> None:
    def one(_name: str, _options: Mapping[str, str]) -> Table:
        return Table(("cell",), ((cell,),))

    assert cell in section_text(section("Text.\n\n<!-- table: x -->"), one)


def test_a_filter_may_name_a_dotted_field() -> None:
    directives, problems = read_directives(
        section("<!-- table: gpus columns=id mig.supported=yes -->")
    )

    assert problems == []
    assert directives[0].options == {"columns": "id", "mig.supported": "yes"}


@pytest.mark.parametrize(
    "directive",
    [
        "<!-- table gpus -->",
        "<!-- tables: gpus -->",
        "<!-- table: -->",
        "<!-- table: columns=id -->",
        "<!-- table: gpus columns -->",
        "<!-- table: gpus columns=id columns=name -->",
        '<!-- table: gpus name="open -->',
        "- a list\n\n  <!-- table: gpus -->",
        "In a sentence <!-- table: gpus --> is no place.",
    ],
)
def test_a_directive_that_cannot_be_read_is_a_problem_with_its_place(directive: str) -> None:
    with pytest.raises(KnowledgeError) as caught:
        render_section(section(f"Text.\n\n{directive}"), echo)

    (problem,) = caught.value.problems
    assert problem.code == "bad_directive"
    assert problem.file == "handbook/02.md"
    assert problem.line is not None
    assert problem.line >= 14


def test_an_unknown_table_names_the_page_the_line_and_the_nearest() -> None:
    with pytest.raises(KnowledgeError) as caught:
        render_section(section("Text.\n\n<!-- table: unicorns -->"), echo)

    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("handbook/02.md", 14)
    assert problem.nearest == ("gpus",)
    assert "unicorns" in problem.message


def test_an_ordinary_comment_is_left_alone() -> None:
    text = "<!-- reviewed 2026-11 -->\n\nText."

    assert text in render_section(section(text), echo)


def test_every_section_that_ships_can_be_rendered() -> None:
    for shipped in load_handbook().sections:
        rendered = render_section(shipped, echo)
        assert "<!-- table:" not in rendered
        assert "<!-- asked:" not in rendered
        assert "{#" not in rendered
