"""Megabytes are read in bounded pieces, and no short cut loses a match."""

from __future__ import annotations

import pytest
from diagnose_support import cases, told

from advisor.diagnose.diagnose import diagnose_lines
from advisor.diagnose.lines import cleaned
from advisor.diagnose.pieces import pieces_of, tight
from advisor.store.loader import load_knowledge

PATTERNS = [
    (one.symptom.id, anchors, pattern)
    for one in pieces_of(load_knowledge())
    for anchors, pattern in one.patterns
]


def test_nearly_every_pattern_has_literals_by_which_a_text_is_passed_over() -> None:
    assert len([name for name, anchors, _ in PATTERNS if not anchors]) < len(PATTERNS) / 20


def test_what_a_pattern_finds_holds_its_literals() -> None:
    texts = [symptom.example for symptom in load_knowledge().symptoms.values()]
    texts += [case["text"] for case in cases()]

    for text in texts:
        plain = tight(text)
        for name, anchors, pattern in PATTERNS:
            if pattern.search(text):
                assert all(any(one in plain for one in each) for each in anchors), (name, text)


@pytest.mark.parametrize("before", [4070, 4080, 4096, 9000, 250_000])
def test_a_text_deep_in_one_huge_line_is_found(before: int) -> None:
    line = "x" * 20 + " y" * (before // 2) + " CUDA out of memory. Tried" + " z" * 5000

    match = told(line).matches[0]

    assert (match.id, match.evidence.line) == ("cuda-out-of-memory", 1)
    assert "CUDA" in match.evidence.text


def test_a_huge_line_without_blanks_is_cut_all_the_same() -> None:
    lines = list(cleaned(["ab" * 50_000, "next"]))

    assert "".join(line.text for line in lines[:-1]) == "ab" * 50_000
    assert max(len(line.text) for line in lines) < 5000
    assert {line.number for line in lines} == {1, 2}


def test_a_text_across_the_cut_of_a_huge_line_is_found() -> None:
    for before in range(4070, 4100, 3):
        line = "x" * before + ",CUDA_ERROR_OUT_OF_MEMORY," + "y" * 5000
        assert told(line).matches[0].id == "cuda-out-of-memory", before


def test_the_lines_after_a_huge_one_keep_their_numbers() -> None:
    lines = ["a " * 300_000, "no CUDA-capable device is detected"]

    match = diagnose_lines(lines, load_knowledge()).matches[0]

    assert match.evidence.line == 2


def test_a_huge_line_of_information_stays_information() -> None:
    lines = list(cleaned(["INFO 11-30 10:00:00 " + "a b " * 5000]))

    assert len(lines) > 2
    assert all(line.quiet for line in lines)
