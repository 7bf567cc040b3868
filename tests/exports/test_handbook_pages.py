"""The handbook as HTML: everything cited can be reached, nothing is loaded or run."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from advisor.exports.handbook_pages import handbook_html, handbook_markdown, handbook_site
from advisor.exports.html_page import markdown_html
from advisor.store.handbook import load_handbook
from advisor.store.loader import load_knowledge


class Page(HTMLParser):
    """Collects ids, links and tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        if (name := found.get("id")) is not None:
            self.ids.append(name)
        if tag == "a" and (href := found.get("href")) is not None:
            self.links.append(href)


@pytest.fixture(scope="module")
def site() -> dict[str, str]:
    return dict(handbook_site(load_knowledge()))


def test_every_link_inside_the_site_leads_somewhere(site: dict[str, str]) -> None:
    pages = {name: Page(text) for name, text in site.items()}
    targets = {(name, anchor) for name, page in pages.items() for anchor in ("", *page.ids)}
    inside = [
        ((href.partition("#")[0] or name), href.partition("#")[2])
        for name, page in pages.items()
        for href in page.links
        if "://" not in href
    ]

    assert len(inside) > 150
    assert set(inside) <= targets


def test_every_section_and_anchor_of_the_handbook_is_on_one_page(site: dict[str, str]) -> None:
    book = load_handbook()
    anchors = {s.anchor for s in book.sections} | {a.anchor for a in book.sub_anchors}
    ids = [anchor for text in site.values() for anchor in Page(text).ids]

    assert sorted(ids) == sorted(anchors)


def test_one_file_holds_all_of_it_and_links_within_itself() -> None:
    page = Page(handbook_html(load_knowledge()))
    book = load_handbook()

    assert {s.anchor for s in book.sections} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    inside = {href for href in page.links if "://" not in href}
    assert inside <= {f"#{anchor}" for anchor in page.ids}


def test_tables_of_the_catalogues_are_filled_in(site: dict[str, str]) -> None:
    text = site["02-physical-layer.html"]

    assert "<!--" not in text.partition("</head>")[2]
    assert "H200" in text
    assert "<table>" in text


def test_pages_load_and_run_nothing(site: dict[str, str]) -> None:
    for text in site.values():
        assert Page(text).tags.isdisjoint({"script", "img", "iframe", "link", "form"})
        assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text


def test_markdown_pages_keep_their_anchors_and_hold_their_tables() -> None:
    pages = handbook_markdown(load_knowledge())

    assert "## 7.3 " in pages["07-multi-gpu.md"]
    assert "{#memory-math}" in pages["07-multi-gpu.md"]
    assert not any("<!-- table" in text for text in pages.values())


def test_the_same_knowledge_gives_the_same_bytes(site: dict[str, str]) -> None:
    assert dict(handbook_site(load_knowledge())) == site


def test_html_in_a_page_is_text_and_scripts_are_no_links() -> None:
    made = markdown_html("<b onclick='x'>a</b> [z](javascript:alert(1)) §9.9", lambda _: None, str)

    assert "<b" not in made
    assert "javascript:alert" not in made.partition("href")[2]
    assert "§9.9" in made


def test_a_reference_becomes_a_link_but_not_inside_one() -> None:
    made = markdown_html("See §7.3, [as §7.3 says](https://example.org).", "#s{}".format, str)

    assert made.count('href="#s7.3"') == 1
    assert made.count("<a ") == 2


def test_a_column_of_sections_is_a_column_of_links() -> None:
    text = "| what | sections |\n| --- | --- |\n| 7.3 | 7.3, acme.1 |\n"

    made = Page(markdown_html(text, "#s{}".format, str))

    assert made.links == ["#s7.3", "#sacme.1"]


def test_the_tables_of_rules_link_the_sections_that_they_cite(site: dict[str, str]) -> None:
    links = Page(site["08-decision-framework.html"]).links

    assert links.count("07-multi-gpu.html#memory-math") > 20
