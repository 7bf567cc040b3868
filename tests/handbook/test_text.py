"""The handbook on a terminal."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advisor.store.handbook import Table, load_handbook, section_text
from advisor.store.handbook_text import markdown_to_text


def small_table(_name: str, options: Mapping[str, str]) -> Table:
    columns = tuple(options["columns"].split(","))
    return Table(columns, (tuple("1" for _ in columns),))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal_except_addresses(width: int) -> None:
    for section in load_handbook().sections:
        for line in section_text(section, small_table, width).splitlines():
            longest_word = max((len(word) for word in line.split()), default=0)
            assert len(line) <= width or longest_word > width - 14, (section.number, line)


def test_the_text_holds_no_markup_and_no_colour() -> None:
    text = section_text(load_handbook().section("7.3"), small_table, 80)

    assert "\x1b" not in text
    assert "**" not in text
    assert "<!--" not in text
    assert "{#" not in text
    assert text.startswith("§7.3  Memory arithmetic\n")


def test_a_top_section_lists_its_sub_sections() -> None:
    text = section_text(load_handbook().section("2"), small_table, 80)

    assert text.endswith("§2.3  AMD Instinct\n§2.4  Interconnect\n")


def test_a_table_is_aligned_and_numbers_are_flush_right() -> None:
    markdown = "| Card | GB/s |\n| --- | ---: |\n| L4 | 300 |\n| H100 SXM | 3,350 |"

    assert markdown_to_text(markdown, 40).splitlines() == [
        "Card       GB/s",
        "--------  -----",
        "L4          300",
        "H100 SXM  3,350",
    ]


def test_long_cells_wrap_inside_their_column() -> None:
    markdown = "| A | B |\n| --- | --- |\n| one two three four | five six seven |\n| x | y |"

    assert markdown_to_text(markdown, 22).splitlines() == [
        "A           B",
        "----------  ----------",
        "one two     five six",
        "three four  seven",
        "",
        "x           y",
    ]


def test_a_table_that_cannot_fit_becomes_records() -> None:
    markdown = "| Alpha | Beta | Gamma |\n| --- | --- | --- |\n| first1 | second1 | third1 |"

    assert markdown_to_text(markdown, 20).splitlines() == [
        "Alpha: first1",
        "  Beta: second1",
        "  Gamma: third1",
    ]


def test_a_record_leaves_out_what_is_not_known_but_never_its_first_cell() -> None:
    markdown = "| Alpha | Beta | Gamma |\n| --- | --- | --- |\n| - | second1 | - |"

    assert markdown_to_text(markdown, 20).splitlines() == ["Alpha: -", "  Beta: second1"]


def test_a_long_name_stays_whole_where_other_columns_can_wrap() -> None:
    name = "DRAResourceClaimGranularStatusAuthorization"
    markdown = f"| Gate | Means |\n| --- | --- |\n| {name} | one two three four five |"
    lines = markdown_to_text(markdown, 60).splitlines()

    assert lines[2].startswith(f"{name}  one two")
    assert max(len(line) for line in lines) <= 60


def test_rows_that_would_all_be_high_become_records() -> None:
    sentence = "one two three four five six seven eight nine ten eleven twelve thirteen"
    markdown = f"| A | B | C |\n| --- | --- | --- |\n| {sentence} | {sentence} | {sentence} |"

    assert markdown_to_text(markdown, 48).splitlines()[0].startswith("A: one two")
    assert markdown_to_text(markdown, 120).splitlines()[1].startswith("---")


def test_lists_nest_and_number() -> None:
    markdown = "3. three\n4. four\n   - inner text that is long enough to wrap\n"

    assert markdown_to_text(markdown, 26).splitlines() == [
        "3. three",
        "4. four",
        "   - inner text that is",
        "     long enough to wrap",
    ]


def test_links_show_their_address_and_code_stays_as_it_is() -> None:
    markdown = "See [the guide](https://example.org/x).\n\n```\na   b\n```"

    assert markdown_to_text(markdown, 60) == "See the guide <https://example.org/x>.\n\n    a   b"


def test_an_address_is_never_cut() -> None:
    address = "https://example.org/" + "long-" * 20

    assert address in markdown_to_text(f"Source: {address}, 2026", 40)
