"""Markdown: what a user wrote stays text, whatever it looks like."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from reports_support import NAMES, NASTY, consultation, with_text

from advisor.reports.advice_markdown import advice_markdown, escape_markdown
from advisor.reports.advice_words import one_line

ACTIVE = frozenset({"html_block", "html_inline", "image", "link_open", "fence", "code_block"})
WRAPS = {"paragraph": "{}", "item": "- **{}**: {}", "cell": "| a | b |\n| --- | --- |\n| {} | {} |"}
# one of every character that means something somewhere, and enough plain ones around it
SHARP = st.text(st.sampled_from(" \n\ta1.\\`*_[](){}<>|~$#+-=!&;:@/\"'^wh"), max_size=24)


def parsed(text: str) -> list[Token]:
    """Return all tokens, inline ones included, read as GitHub does: tables, links, raw HTML."""
    reader = MarkdownIt("gfm-like")
    reader.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    return [inner for token in reader.parse(text) for inner in (token, *(token.children or ()))]


def shown(text: str) -> str:
    return "".join(token.content for token in parsed(text) if token.type == "text")


def assert_inert(text: str, wrap: str) -> None:
    safe = escape_markdown(text)
    written = WRAPS[wrap].replace("{}", safe)
    tokens = parsed(written)
    plain = parsed(WRAPS[wrap].replace("{}", "x"))
    assert [t.type for t in tokens if t.type != "text"] == [
        t.type for t in plain if t.type != "text"
    ]
    assert one_line(text) in shown(written)


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_shown_as_it_was_written(text: str, wrap: str) -> None:
    assert_inert(text, wrap)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=SHARP)
@pytest.mark.parametrize("wrap", WRAPS)
def test_any_text_is_shown_as_it_was_written(wrap: str, text: str) -> None:
    if one_line(text):
        assert_inert(text, wrap)


def test_the_check_would_see_markup_that_is_not_escaped() -> None:
    types = {token.type for token in parsed("<b>x</b> [a](http://e) ![i](http://e) http://e.com")}
    assert {"html_inline", "link_open", "image"} <= types


@pytest.mark.parametrize("text", NASTY)
def test_no_user_text_adds_a_block_a_link_or_a_column(text: str) -> None:
    calm = [
        t.type for t in parsed(advice_markdown(with_text("calm"))) if t.type in ACTIVE or t.block
    ]
    nasty = [
        t.type for t in parsed(advice_markdown(with_text(text))) if t.type in ACTIVE or t.block
    ]
    assert nasty == calm


@pytest.mark.parametrize("name", NAMES)
def test_every_table_row_has_the_cells_of_its_head(name: str) -> None:
    counts: list[int] = []
    for token in parsed(advice_markdown(consultation(name))):
        if token.type == "tr_open":
            counts.append(0)
        elif token.type in {"th_open", "td_open"}:
            counts[-1] += 1
        elif token.type == "table_close":
            assert len(set(counts)) == 1, name
            counts.clear()


def test_the_decision_comes_before_everything_else() -> None:
    text = advice_markdown(consultation("serving"))
    order = ["## GPU: provisional", "### Alternatives", "### Rejected", "### Open questions"]
    order += ["## Parallelism: firm", "## The numbers that decided", "## What will bite"]
    order += ["## Assumed", "## Often heard, and wrong", "## What was given", "## Sections"]
    places = [text.index(title) for title in order]
    assert places == sorted(places)


def test_sections_are_listed_once_in_the_order_of_the_handbook() -> None:
    text = advice_markdown(consultation("serving"))
    listed = [line.split()[1] for line in text.split("## Sections")[1].splitlines() if "§" in line]
    assert listed == ["§2.9", "§2.10", "§7.2", "§7.3", "§8.1"]


def test_a_wrong_claim_is_never_shown_as_advice() -> None:
    assert '- **Claimed: "A 70B fits two H100."**: It does not' in advice_markdown(
        consultation("serving")
    )
