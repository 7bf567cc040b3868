from __future__ import annotations

from dataclasses import replace

import pytest
from canned_views import CARD
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.content import Content

from advisor.interview.view import OptionView
from advisor.store.handbook import load_handbook, render_section
from advisor.store.loader import load_knowledge
from advisor.store.tables import catalogue_tables
from advisor.ui.card_rows import Marks, card_lines
from advisor.ui.markdown import markdown_lines
from advisor.ui.passages import shortened
from advisor.ui.rows import Row, folded, spread
from advisor.ui.tables import table_lines

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "))
WIDE = st.text(
    st.sampled_from("a b漢字🚀é\u0301का\u200d　x")
    | st.characters(codec="utf-8", exclude_categories=["C"]),
    max_size=40,
)
"""Mostly characters of two cells, or of none."""


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


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WIDE, min_size=1, max_size=4), min_size=1, max_size=4), st.integers(8, 90))
def test_tables_of_wide_characters_never_leave_the_width(
    cells: list[list[str]], width: int
) -> None:
    lines = table_lines([[Content(cell) for cell in row] for row in cells], width)
    assert all(line.cell_length <= width for line in lines)


@settings(max_examples=150, deadline=None)
@given(WIDE, WIDE, st.integers(8, 90), st.integers(0, 9), st.integers(0, 5))
def test_rows_of_wide_characters_never_leave_the_width(
    text: str, right: str, width: int, indent: int, hang: int
) -> None:
    row = Row(Content(text), indent, hang, Content(right[:8]), Content("= "))
    assert all(line.cell_length <= width for line in folded([row], width))


@settings(max_examples=80, deadline=None)
@given(st.lists(WIDE, max_size=12), WIDE, st.integers(12, 80), st.integers(3, 20), st.booleans())
def test_a_question_of_wide_characters_never_leaves_its_room(
    labels: list[str], text: str, width: int, height: int, several: bool
) -> None:
    shown = tuple(OptionView(n, str(n), label) for n, label in enumerate(labels, 1))
    card = replace(CARD, text=text or "?", options=shown, several=several)
    lines = card_lines(card, Marks(), width, height)
    assert len(lines) <= max(height, 3)
    assert all(line.cell_length <= width for line in lines)


def test_a_column_that_wants_little_gets_it() -> None:
    rows = [["link", "remark"], ["NVLink 4", "both directions " * 3]]
    lines = table_lines([[Content(cell) for cell in row] for row in rows], 40)
    assert lines[2].plain.startswith("NVLink 4  both")


RULES = """Some words.

| when | rule |
| :--- | :--- |
| one GPU | parallelism-single |
| many GPUs | parallelism-tensor |
| a rack | parallelism-rack |

| other | table |
|-|-|
| 1 | 2 |
"""


def test_a_long_section_keeps_the_rows_that_the_advice_rests_on() -> None:
    text = shortened(RULES, ("parallelism-tensor",), "8.3")
    assert "many GPUs" in text
    assert "one GPU" not in text
    assert "2 more rows: `gpu-advisor cite 8.3` prints all." in text
    assert "| 1 | 2 |" in text
    assert shortened(RULES, (), "8.3") == RULES.rstrip()


def test_what_the_advice_rests_on_is_marked_without_a_colour() -> None:
    lines = [
        line.plain
        for line in markdown_lines(f"### Speed\n\n{RULES}", 60, ("Speed", "parallelism-tensor"))
    ]
    assert lines[0] == ">> Speed"
    assert [line for line in lines if line.startswith(">> ")][1].startswith(">> many GPUs")
    assert sum(">>" in line for line in lines) == 2


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
