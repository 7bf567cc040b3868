"""How the interview begins from the command line; what it says is tested in tests/interview."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from running_commands import Command, Ran

from advisor.cli.interview import plain_because


@pytest.fixture
def held(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    monkeypatch.setenv("GPU_ADVISOR_DATA", str(tmp_path))

    def call(*words: str, typed: str = "") -> Ran:
        stdin = io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", stdin)
        return command(*words)

    return call


def test_a_case_is_listed_and_gone_on_with(held: Command) -> None:
    assert "No case has been kept" in held("--cases").out
    held("--plain", typed="serving\n/save my case\n")
    listed = held("--cases")
    assert listed.code == 0
    assert listed.out.startswith("my-case: ")
    for words in (("--resume", "my-case"), ("--resume",)):
        ran = held("--plain", *words)
        assert ran.code == 0
        assert "Case my-case, 1 answered." in ran.out
        assert "Question 2 " in ran.out


def test_an_unknown_case_is_bad_input_and_names_the_nearest(held: Command) -> None:
    held("--plain", typed="serving\n/save chat-70b\n")
    ran = held("--plain", "--resume", "chat-7ob")

    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean chat-70b?" in ran.err


def test_the_interview_begins_with_an_answers_file(held: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("workload: {kind: serving, model: llama-3.1-8b}\n")
    ran = held("--plain", "--answers", str(file))

    assert ran.code == 0
    assert "Question 1 (How much of it" in ran.out
    assert "Saved as llama-3.1-8b-" in ran.out


@pytest.mark.parametrize("text", ["workload: {model: no-such-model}\n", "workload: {kind: x}\n"])
def test_an_answers_file_that_leads_to_an_error_is_the_usual_error(
    held: Command, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    ran = held("--plain", "--answers", str(file))

    assert (ran.code, ran.out) == (2, "")
    assert f"{file}:1" in ran.err


def test_a_case_and_a_file_are_not_begun_with_together(held: Command) -> None:
    assert held("--resume", "x", "--answers", "y").code == 2


def test_plain_lines_say_why_they_are_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    assert plain_because(plain=True) == "--plain"
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert plain_because(plain=False) == "TERM is dumb"
    monkeypatch.setenv("ACCESSIBLE", "1")
    assert plain_because(plain=False) == "ACCESSIBLE is set"
    monkeypatch.setenv("ACCESSIBLE", "false")
    assert plain_because(plain=False) == "TERM is dumb"
