"""The README is run: its commands by .ci/run, its examples here."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from project_tree import ROOT, project_files, pyproject

from advisor.__main__ import main

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL_LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
ONE_LINERS = [line for line in SHELL_LINES if line.startswith("python3 -m venv ")]
PAGES = [name for name in project_files() if name.endswith(".md")]


def test_ci_runs_the_lines_of_the_readme() -> None:
    script = ROOT / ".ci" / "run"
    shown = subprocess.run(
        ["bash", str(script), "--show"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.splitlines() == ONE_LINERS
    assert len(ONE_LINERS) == 3
    assert "venv .venv" not in script.read_text(encoding="utf-8"), "a line is typed again"


def test_each_line_makes_its_own_environment() -> None:
    run, test, without_compiler = ONE_LINERS
    assert "gpu-advisor advise examples/" in run
    assert "-m pytest" in test
    assert "durable" not in without_compiler
    assert shlex.split(run)[3] != shlex.split(test)[3]


def test_the_line_without_a_compiler_installs_every_other_dependency() -> None:
    wanted = {
        re.split(r"[><=;]", requirement)[0]
        for requirement in pyproject()["project"]["dependencies"]
        if "durable" not in requirement
    }
    installed = ONE_LINERS[2].split("install -q ")[1].split(" && ")[0].split()
    assert set(installed) == wanted


def examples() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```console\n\$ (.*?)^```", text, re.MULTILINE | re.DOTALL):
            command, _, output = block.partition("\n")
            found.append((page, command, output))
    return found


def matches(shown: str, real: str) -> bool:
    """Compare line by line; a shown line ``[...]`` stands for any number of lines."""
    parts = [re.escape(part) for part in re.split(r"^\[\.\.\.\]\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*".join(parts), real) is not None


@pytest.mark.parametrize(
    ("page", "command", "shown"),
    examples(),
    ids=[f"{page}: {what}" for page, what, _ in examples()],
)
def test_a_shown_example_prints_what_is_shown(
    page: str,
    command: str,
    shown: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("GPU_ADVISOR_ENGINE", "reference")
    program, *arguments = shlex.split(command)
    assert program == "gpu-advisor"
    main(arguments)
    real = capsys.readouterr().out
    assert matches(shown, real), f"{page}: {command} now prints\n{real}"


def test_there_is_an_example_of_each_kind_of_answer() -> None:
    shown = {command.split()[1] for page, command, _ in examples() if page == "README.md"}
    assert {"advise", "size"} <= shown


def test_every_shipped_answers_file_is_readable() -> None:
    from advisor.answers.validate import read_answers

    files = sorted((ROOT / "examples").glob("*.yaml"))
    assert files
    for file in files:
        read_answers(Path(file))
