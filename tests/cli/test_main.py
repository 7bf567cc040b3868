"""The command line as a whole: errors, exit codes, help, pipes."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys

import pytest
from running_commands import Command

from advisor.cli.main import COMMANDS
from advisor.errors import EngineError, InputError, KnowledgeError, Problem

ERROR_KEYS = {"code", "message", "file", "line", "key", "allowed", "nearest"}


def test_an_unknown_command_names_the_nearest_and_all(command: Command) -> None:
    ran = command("siez")

    assert ran.code == 2
    assert ran.out == ""
    assert "Did you mean size?" in ran.err
    assert all(name in ran.err for name in COMMANDS)


@pytest.mark.parametrize("words", [("--format", "json"), ("--format=json",)])
def test_an_error_is_one_json_object_on_stderr_when_json_was_asked_for(
    command: Command, words: tuple[str, ...]
) -> None:
    ran = command("size", *words, "--methdo", "lora")

    assert ran.code == 2
    assert ran.out == ""
    assert set(ran.error) == ERROR_KEYS
    assert ran.error["nearest"][0] == "--method"


def test_a_wrong_choice_names_the_flag_the_nearest_and_all(command: Command) -> None:
    ran = command("size", "--format", "json", "--method", "lorra")

    assert ran.error["key"] == "--method"
    assert ran.error["allowed"] == ["full", "lora", "qlora"]
    assert ran.error["nearest"][0] == "lora"


def test_flags_are_not_abbreviated(command: Command) -> None:
    ran = command("schema", "size", "--form", "json")

    assert ran.code == 2
    assert "--format" in ran.err


def test_a_flag_without_its_value_is_bad_usage(command: Command) -> None:
    ran = command("size", "--engine")

    assert ran.code == 2
    assert "expected one argument" in ran.err
    assert "gpu-advisor size --help" in ran.err


def test_without_a_command_the_interview_is_held_and_ends_with_its_input(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"llama 3.1 8b\n\xff\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", typed)
    ran = command()

    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith("gpu-advisor in plain lines (stdin is not a terminal).\n")
    assert "You: llama 3.1 8b\n" in ran.out
    assert "So far:" in ran.out


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS), ("kb", "check")])
def test_help_goes_to_stdout(command: Command, words: tuple[str, ...]) -> None:
    ran = command(*words, "--help")

    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith("usage: " + " ".join(("gpu-advisor", *words)))


def test_the_version_names_knowledge_and_engine(command: Command) -> None:
    ran = command("--version")

    assert ran.code == 0
    assert "knowledge" in ran.out
    assert "rule engine" in ran.out


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError(Problem("bad", "Bad input.")), 2),
        (KnowledgeError([Problem("bad", "Bad file."), Problem("bad", "Another.")]), 2),
        (EngineError(Problem("bad", "Bad engine.")), 3),
        (RuntimeError("planted"), 3),
    ],
)
def test_every_error_becomes_a_line_and_a_code(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    monkeypatch.delenv("GPU_ADVISOR_TRACEBACK", raising=False)

    def fail(_args: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr("advisor.cli.schema.run", fail)
    plain, as_json = command("schema"), command("schema", "--format", "json")

    assert (plain.code, as_json.code) == (code, code)
    assert (plain.out, as_json.out) == ("", "")
    assert "Traceback" not in plain.err
    assert set(as_json.error) == ERROR_KEYS


def test_all_problems_are_in_the_json(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_args: argparse.Namespace) -> int:
        raise KnowledgeError([Problem("one", "First."), Problem("two", "Second.")])

    monkeypatch.setattr("advisor.cli.schema.run", fail)
    ran = command("schema", "--format", "json")

    assert '"more": [{"code": "two"' in ran.err


def test_an_interrupt_is_no_traceback(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("advisor.cli.schema.run", stop)

    assert command("schema").code == 130


@pytest.mark.parametrize("words", [("schema", "answers"), ("schema",)])
def test_a_reader_who_goes_away_is_no_fault(words: tuple[str, ...]) -> None:
    """Both more than a pipe holds, and so little that it is only written at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate()

    assert err == b""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_a_full_disk_is_said_and_is_no_internal_error() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        ran = subprocess.run(
            [sys.executable, "-m", "advisor", "cite", "7.3"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert ran.returncode == 2
    assert "output cannot be written" in ran.stderr


def test_an_ascii_terminal_gets_an_answer() -> None:
    poor = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "advisor", "cite", "7.3"],
        env=poor, capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0
    assert ran.stdout
