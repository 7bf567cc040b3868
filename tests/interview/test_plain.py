"""Two whole consultations in plain lines, as a screen reader gets them; read the diff of a golden.

``GPU_ADVISOR_UPDATE_GOLDEN=1`` writes them anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interview_support import adviser, kept, plain_text, said, store_in

from advisor.interview.interview import Interview
from advisor.interview.plain_run import hold_plain
from advisor.interview.wrapping import cells, wrapped

GOLDEN = Path(__file__).parent / "golden"
CONSULTATIONS = {
    "one-card": (
        "we own one L40S in a box under the desk, docker", "serving", "qwen3 32b", "what?", "4",
        "0", "", "/back", "16k", "/edit 4 8", "no", "/edit 4 2", "yes", "/so-far", "/quit",
    ),
    "untrusted-tenants": (
        "we run a platform for untrusted tenants on EKS", "A100 80GB", "2", "kubernetes",
        "/cite 99", "/skip", "/help section", "/facts",
    ),
}  # fmt: skip
BOX = set("│┌┐└┘─━┃╭╮╰╯▸►●•")


@pytest.mark.parametrize("name", CONSULTATIONS)
def test_a_consultation_reads_as_it_did(name: str, tmp_path: Path) -> None:
    text = plain_text(kept(store_in(tmp_path)), CONSULTATIONS[name])
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("GPU_ADVISOR_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CONSULTATIONS)
def test_nothing_needs_eyes_or_colour(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")

    assert not BOX & set(text)
    assert "\x1b" not in text
    assert "\r" not in text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("Saved as"))


def test_the_end_of_a_pipe_prints_the_advice_and_how_to_go_on(tmp_path: Path) -> None:
    text = plain_text(kept(store_in(tmp_path)), ["llama 3.1 8b"])
    end = text.rpartition("Reply: So far:")[2]

    assert "GPU [provisional]" in end
    assert "gpu-advisor --resume llama-3.1-8b-2026-11-30" in end


def scripted(*lines: str | type[BaseException] | None) -> Iterator[str | None]:
    for line in lines:
        if isinstance(line, type):
            raise line
        yield line


def held(interview: Interview, *lines: str | type[BaseException] | None) -> str:
    out, left = io.StringIO(), list(lines)

    def read(prompt: str) -> str | None:
        out.write(prompt)
        line = left.pop(0)
        if isinstance(line, type):
            raise line
        return line

    hold_plain(interview, read, out, why="a test")
    assert not left
    return out.getvalue()


def test_ctrl_c_clears_the_line_and_leaves_only_when_pressed_again() -> None:
    interview = Interview(adviser())
    text = held(interview, KeyboardInterrupt, "serving", KeyboardInterrupt, KeyboardInterrupt)

    assert text.count("Ctrl+C again leaves") == 2
    assert len(interview.session.turns) == 1
    assert "So far:" in text


class _Struck(io.StringIO):
    """Writes, and is interrupted each time that it has written one of these words."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self._words = list(words)

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._words and self._words[0] in text:
            self._words.pop(0)
            raise KeyboardInterrupt
        return written


def test_ctrl_c_is_heard_while_lines_are_written_and_the_case_is_told_all_the_same(
    tmp_path: Path,
) -> None:
    out = _Struck("Ctrl+C again leaves", "So far:")
    lines: list[str | type[BaseException]] = ["serving", KeyboardInterrupt]

    def read(_prompt: str) -> str | None:
        line = lines.pop(0)
        if isinstance(line, type):
            raise line
        return line

    hold_plain(kept(store_in(tmp_path)), read, out, why="a test")

    assert "Saved as serving-" in out.getvalue().rpartition("Ctrl+C again leaves")[2]


def test_ctrl_d_leaves() -> None:
    assert "So far:" in held(Interview(adviser()), "serving", None)


def test_an_empty_line_says_the_whole_question_again() -> None:
    text = held(Interview(adviser()), "/facts", "", None)
    first, again, full = text.split("Question 1 ")[1:]

    assert "Meaning:" in first
    assert "Meaning:" not in again
    assert "Meaning:" in full


def test_hostile_text_is_shown_harmlessly() -> None:
    text = plain_text(Interview(adviser()), ["\x1b[31mserving\u202e", "/\x07", "é" * 300])

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_wide_characters_take_two_cells() -> None:
    assert cells("漢字") == 4
    assert cells("e\u0301") == 1
    assert wrapped("漢字" * 8, 20) == ["漢字" * 5, "  " + "漢字" * 3]


@given(st.text(st.sampled_from("ab 漢\u0301\xa0§"), max_size=80), st.integers(20, 60))
def test_lines_are_no_wider_than_asked_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)

    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        one_word = " " not in line.strip() and cells(line) == len(line)
        assert cells(line) <= width or one_word or "\xa0" in text


def test_what_was_said_before_is_shown_when_a_case_goes_on() -> None:
    interview = Interview(adviser())
    said(interview, "serving")

    assert "You: serving\nUnderstood: Serving" in plain_text(interview, [])
