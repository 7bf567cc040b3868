"""Promises of the project's own files: versions, sizes, texts, cheap start."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest
from project_tree import ROOT, project_files, pyproject, text_files

import advisor

LONGEST_FILE = 400
LONGEST_FUNCTION = 50


def python_files() -> list[str]:
    return [name for name in project_files() if name.endswith(".py")]


def test_the_version_is_the_same_everywhere() -> None:
    version = pyproject()["project"]["version"]
    assert advisor.__version__ == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_classifiers_start_at_the_oldest_supported_python() -> None:
    project = pyproject()["project"]
    floor = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    prefix = "Programming Language :: Python :: "
    listed = sorted(
        tuple(map(int, entry.removeprefix(prefix).split(".")))
        for entry in project["classifiers"]
        if entry.startswith(prefix)
    )
    assert listed[0] == floor
    assert listed == [(3, minor) for minor in range(floor[1], listed[-1][1] + 1)]
    assert pyproject()["tool"]["ruff"]["target-version"] == "py" + "".join(map(str, floor))


@pytest.mark.parametrize("name", python_files())
def test_files_and_functions_stay_short(name: str) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    assert source.count("\n") <= LONGEST_FILE
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    }
    assert {who: lines for who, lines in long.items() if lines > LONGEST_FUNCTION} == {}


def test_the_architecture_page_stays_readable_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_architecture_page_names_every_room() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {"/".join(name.split("/")[:2]) for name in python_files() if name.count("/") >= 2}
    rooms = {room for room in rooms if room.startswith("advisor/")}
    assert {room for room in rooms if room not in page} == set()


FORBIDDEN = {
    "a path of one machine": r"/(?:work|root|home/(?!kubernetes/)\w+)/|/" r"tmp/(?!nvidia)",
    "the host of a package registry": r"pypi" r"\.org|python" r"hosted\.org|npm" r"js\.(?:org|com)",
    "an unfinished note": r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b",
    "an assistant": r"(?i)\b(?:clau" r"de|anth" r"ropic|chat" r"gpt|co" r"pilot)\b",
    "a conflict marker": r"(?m)^(?:<{7}|>{7}) ",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_project_file_holds(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for name in text_files():
        text = (ROOT / name).read_text(encoding="utf-8")
        found += [f"{name}: {hit.group()}" for hit in pattern.finditer(text)]
    assert found == []


def test_the_forbidden_patterns_find_what_they_are_for() -> None:
    samples = {
        "a path of one machine": "see /" + "root/.cache",
        "the host of a package registry": "https://pypi" + ".org",
        "an unfinished note": "TO" + "DO later",
        "an assistant": "by " + "Clau" + "de",
        "a conflict marker": "<" * 7 + " HEAD",
    }
    assert samples.keys() == FORBIDDEN.keys()
    for what, sample in samples.items():
        assert re.search(FORBIDDEN[what], sample), what


HEAVY = ("yaml", "pydantic", "markdown_it", "durable_rules_engine", "textual")


@pytest.mark.parametrize(
    "code", ["import advisor", "from advisor.__main__ import main; main(['--help'])"]
)
def test_starting_loads_nothing_heavy(code: str) -> None:
    probe = f"import sys; {code}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", [name for name in project_files() if name.endswith(".md")])
def test_links_between_our_pages_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    missing = [link for link in links if not (ROOT / name).parent.joinpath(link).exists()]
    assert missing == []
