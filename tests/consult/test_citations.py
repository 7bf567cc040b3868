"""The cheap list of sections is the handbook's own."""

from __future__ import annotations

import pytest

from advisor.consult.sections import read_sections
from advisor.errors import UnknownNameError
from advisor.store.handbook import load_handbook
from advisor.store.loader import load_knowledge


def test_every_section_has_the_title_and_anchor_of_the_handbook() -> None:
    sections = read_sections(load_knowledge().path / "handbook")
    for section in load_handbook().sections:
        found = sections.cite(section.number)
        assert (found.section, found.title, found.anchor) == (
            section.number, section.title, section.anchor,
        )  # fmt: skip


def test_a_paragraph_is_cited_through_the_handbook() -> None:
    sections = read_sections(load_knowledge().path / "handbook")
    anchor = load_handbook().sub_anchors[0]

    assert sections.cite(f"{anchor.section}#{anchor.anchor}").anchor == anchor.anchor


def test_a_section_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        read_sections(load_knowledge().path / "handbook").cite("77.7")
