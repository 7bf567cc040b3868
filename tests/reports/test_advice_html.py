"""HTML: one file, sound structure, nothing active, readable by everybody."""

from __future__ import annotations

import itertools
import re

import pytest
from reports_support import NAMES, NASTY, Page, consultation, with_text

from advisor.reports.advice_html import POLICY, advice_html
from advisor.reports.advice_style import STYLE
from advisor.reports.advice_words import one_line

FETCHING = frozenset(
    {"script", "link", "img", "iframe", "object", "embed", "audio", "video", "source", "base",
     "form", "input", "svg", "math", "applet", "frame"}
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_element_is_closed_where_it_should_be(name: str) -> None:
    assert Page(advice_html(consultation(name))).faults == []


@pytest.mark.parametrize("source", ["<p><b></p></b>", "<div>", "</p>", '<p id="a" id="b"></p>'])
def test_the_reader_of_html_sees_faults(source: str) -> None:
    assert Page(source).faults


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched_and_nothing_runs(name: str) -> None:
    source = advice_html(consultation(name))
    page = Page(source)
    assert not FETCHING & {tag for tag, _ in page.tags}
    assert "<script" not in source.lower()
    for tag, attributes in page.tags:
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, key)
            assert key not in {"src", "srcset", "style", "action"}, (tag, key)
            if key == "href":
                assert (value or "").startswith("#section-")
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_the_content_policy_allows_the_inline_style_alone() -> None:
    page = Page(advice_html(consultation("serving")))
    policies = [
        a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY] == ["default-src 'none'; style-src 'unsafe-inline'"]


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_is_shown_and_changes_no_tag(text: str) -> None:
    calm, page = Page(advice_html(with_text("calm"))), Page(advice_html(with_text(text)))
    assert page.faults == []
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in calm.tags]
    assert [sorted(a) for _, a in page.tags] == [sorted(a) for _, a in calm.tags]
    assert one_line(text) in page.text


@pytest.mark.parametrize("text", NASTY)
def test_the_page_can_be_written_as_utf_8(text: str) -> None:
    assert advice_html(with_text(text)).encode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_one_place_of_the_page(name: str) -> None:
    page = Page(advice_html(consultation(name)))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    wanted = {(a["href"] or "")[1:] for tag, a in page.tags if tag == "a"}
    wanted |= {a["aria-labelledby"] or "" for _, a in page.tags if "aria-labelledby" in a}
    assert len(ids) == len(set(ids))
    assert wanted <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_headings_skip_no_level_and_the_language_is_named(name: str) -> None:
    page = Page(advice_html(consultation(name)))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert ("html", {"lang": "en"}) in page.tags


@pytest.mark.parametrize("name", NAMES)
def test_every_header_cell_says_what_it_heads(name: str) -> None:
    page = Page(advice_html(consultation(name)))
    scopes = [a.get("scope") for tag, a in page.tags if tag == "th"]
    assert scopes
    assert set(scopes) <= {"col", "row"}
    tags = [tag for tag, _ in page.tags]
    assert tags.count("caption") == tags.count("table")


def test_status_and_severity_are_words_not_colours_alone() -> None:
    text = Page(advice_html(consultation("serving"))).text
    for word in ("[provisional]", "[firm]", "critical, gotcha, GPU:", "info, limit, Parallelism:"):
        assert word in text


def palettes() -> list[dict[str, str]]:
    found = re.findall(r":root \{([^}]*)\}", STYLE)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in found]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_text_has_the_contrast_of_wcag_aa(place: int) -> None:
    palette = palettes()[place]
    for name in ("text", "quiet", "link", "good", "wait", "bad"):
        assert contrast(palette[name], palette["page"]) >= 4.5, name
    assert contrast(palette["text"], palette["band"]) >= 4.5
    assert contrast(palette["line"], palette["page"]) >= 3


def test_the_page_has_a_light_a_dark_and_a_print_form() -> None:
    assert len(palettes()) == 3
    assert "@media (prefers-color-scheme: dark)" in STYLE
    assert "@media print" in STYLE
