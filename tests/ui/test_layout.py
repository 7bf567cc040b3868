from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.content import Content

from advisor.store.handbook import load_handbook, render_section
from advisor.store.loader import load_knowledge
from advisor.store.tables import catalogue_tables
from advisor.ui.markdown import markdown_lines
from advisor.ui.rows import Row, folded, spread
from advisor.ui.tables import table_lines

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "))


@settings(max_examples=60, deadline=None)
@given(TEXT, st.integers(20, 90), st.integers(0, 9), st.integers(0, 5), st.booleans())
def test_rows_never_leave_the_width_and_keep_every_word(
    text: str, width: int, indent: int, hang: int, marked: bool
) -> None:
    mark = Content("= " if marked else "")
    lines = folded([Row(Content(text), indent, hang, mark=mark)], width)
    assert all(line.cell_length <= width for line in lines)
    said = "".join(line.plain for line in lines).replace(" ", "")
    assert said == f"{mark.plain}{text}".replace(" ", "")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=2, max_size=4))
def test_tables_never_leave_the_width_and_keep_every_cell(cells: list[list[str]]) -> None:
    for width in (24, 42, 90):
        lines = table_lines([[Content(c) for c in row] for row in cells], width)
        assert all(line.cell_length <= width for line in lines)
        said = "".join(line.plain for line in lines)
        for cell in cells[1]:
            # wrapped cells stand beside others: only their characters can be looked for
            assert set(cell.replace(" ", "")) <= set(said)


def test_what_stands_at_the_right_edge_stands_there() -> None:
    line = spread(Content("left"), Content("[§3.3]"), 20)
    assert line.plain == "left          [§3.3]"


def test_a_long_first_line_makes_room_for_the_section() -> None:
    row = Row(Content("one two three four five"), right=Content("[§3.3]"))
    lines = [line.plain for line in folded([row], 26)]
    assert lines == ["one two three four  [§3.3]", "five"]


@pytest.mark.parametrize("width", [38, 76])
def test_every_section_of_the_handbook_can_be_laid_out(width: int) -> None:
    tables = catalogue_tables(load_knowledge())
    for section in load_handbook().sections:
        lines = markdown_lines(render_section(section, tables)[:16_000], width)
        assert lines
        assert max(line.cell_length for line in lines) <= width, section.number


def test_markdown_keeps_lists_code_and_tables() -> None:
    text = "# T\n\nSee §3.3 *now*.\n\n1. one\n2. two\n   - deep `code`\n\n"
    text += "```\nx  y\n```\n\n| a | b |\n|-|-|\n| 1 | 2 |\n"
    lines = [line.plain for line in markdown_lines(text, 40)]
    assert lines == [
        "T", "", "See §3.3 now.", "", "1. one", "2. two", "  - deep code", "", "  x  y", "",
        "a  b", "----", "1  2",
    ]  # fmt: skip
    links = [str(span) for line in markdown_lines(text, 40) for span in line.spans]
    assert any("app.cite('3.3')" in link for link in links)
