"""Colour repeats what the words say, and answers cannot steer the terminal."""

from __future__ import annotations

import re

import pytest
from reports_support import NASTY, consultation, with_text

from advisor.reports.advice_text import advice_text
from advisor.reports.colour import styled

CODES = re.compile(r"\x1b\[[\d;]*m")
TEXT = advice_text(consultation("serving"), verbose=True)


def test_without_colour_a_report_is_unchanged() -> None:
    assert styled(TEXT, colour=False) == TEXT


def test_colour_adds_codes_and_nothing_else() -> None:
    coloured = styled(TEXT, colour=True)
    assert coloured != TEXT
    assert CODES.sub("", coloured) == TEXT


@pytest.mark.parametrize(
    ("line", "painted"),
    [
        ("GPU  [firm]", "\x1b[1mGPU\x1b[0m  [\x1b[1;32mfirm\x1b[0m]"),
        ("GPU  [open]", "\x1b[1mGPU\x1b[0m  [\x1b[1;31mopen\x1b[0m]"),
        ("  => tensor: TP4", "  \x1b[1;32m=> tensor: TP4\x1b[0m"),
        ("  !! it breaks", "  \x1b[1;31m!!\x1b[0m it breaks"),
        ("  !  it may", "  \x1b[1;33m!\x1b[0m  it may"),
        ("     plain", "     plain"),
        ("", ""),
    ],
)
def test_each_kind_of_line_has_its_mark(line: str, painted: str) -> None:
    assert styled(line, colour=True) == painted


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("text", [text for text in NASTY if "\ud800" not in text])
def test_no_control_character_of_an_answer_reaches_the_terminal(text: str, colour: bool) -> None:
    shown = CODES.sub("", styled(advice_text(with_text(text)), colour=colour))
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown) is None


def test_every_line_closes_what_it_opens() -> None:
    for line in styled(TEXT, colour=True).splitlines():
        codes = CODES.findall(line)
        assert codes[1::2] == ["\x1b[0m"] * (len(codes) // 2)
