"""Megabytes are read in bounded pieces, and no short cut loses a match."""

from __future__ import annotations

import pytest
from diagnose_support import cases, told

from advisor.diagnose.diagnose import diagnose_lines
from advisor.diagnose.lines import cleaned
from advisor.diagnose.pieces import pieces_of, tight
from advisor.diagnose.windows import windows
from advisor.store.loader import load_knowledge

PATTERNS = [
    (one.symptom.id, expression)
    for one in pieces_of(load_knowledge())
    for expression in one.patterns
]


def test_nearly_every_pattern_has_literals_by_which_a_text_is_passed_over() -> None:
    assert len([name for name, one in PATTERNS if not one.anchors]) < len(PATTERNS) / 20


def test_what_a_pattern_finds_holds_its_literals() -> None:
    texts = [symptom.example for symptom in load_knowledge().symptoms.values()]
    texts += [case["text"] for case in cases()]

    for text in texts:
        for name, expression in PATTERNS:
            if expression.pattern.search(text):
                for plain, sets in (
                    (tight(text), expression.anchors),
                    (text.lower(), expression.literals),
                ):
                    assert all(any(one in plain for one in each) for each in sets), (name, text)


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


def test_a_match_is_found_wherever_its_literals_stand() -> None:
    """Only the lines around a literal are searched: at every seam of them, too."""
    for before in range(14):
        lines = ["id max idle"] * before + ["NVRM: Xid (PCI:0000:3b:00):", "79, pid=7"]
        lines += ["id max idle"] * (14 - before)

        match = told("\n".join(lines)).matches[0]

        assert (match.id, match.evidence.line) == ("xid-off-the-bus", before + 1)


def test_what_hides_between_two_words_costs_no_search() -> None:
    """No such literal stands in a text because two words beside one another look like it."""
    window = next(windows(cleaned(["full duplex id 79"])))
    expressions = [e for name, e in PATTERNS if name == "xid-off-the-bus"]

    assert all(window.may_hold(expression) for expression in expressions)
    assert not [found for expression in expressions for found in window.search(expression)]


def test_the_evidence_is_where_the_parts_are_nearest() -> None:
    """A word with which a text begins may stand in a line before it by chance."""
    text = "mounts: /dev/shm from dshm\nError while creating shared memory segment /dev/shm/nccl-A"

    match = told(text + "\nNo space left on device").matches[0]

    assert (match.id, match.evidence.line) == ("shm-too-small", 2)
