"""The README is run: its commands by .ci/run, its examples here."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from project_pages import ACCURACY, EXAMPLE, LEFT_OUT, refreshed, shortened
from project_tree import ROOT, project_files, pyproject

from advisor.answers.validate import read_answers

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


@pytest.mark.parametrize("page", [name for name in PAGES if name.count("/") == 0])
def test_what_a_page_shows_is_what_the_program_prints(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert refreshed(text) == text, "run: python tests/project/project_pages.py"


def test_there_is_an_example_of_each_kind_of_answer() -> None:
    assert {"advise", "size"} <= {found[1].split()[0] for found in EXAMPLE.finditer(README)}
    assert ACCURACY.search(README)


def test_left_out_lines_keep_the_head_and_the_tail_of_an_example() -> None:
    real = ["a", "b", "c", "d"]
    assert shortened(real, ["x", LEFT_OUT, "y"]) == ["a", LEFT_OUT, "d"]
    assert shortened(real, ["x", LEFT_OUT]) == ["a", LEFT_OUT]
    assert shortened(real, ["x"]) == real


def test_every_shipped_answers_file_is_readable() -> None:
    files = sorted((ROOT / "examples").glob("*.yaml"))
    assert files
    for file in files:
        read_answers(Path(file))
