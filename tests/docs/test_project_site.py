"""The project's own documentation: sessions run, references are current, the build is strict."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from docs_support import DESK
from page_sessions import PAGES, refreshed
from reference_pages import FOLDER, pages

from advisor.docs.pages import check_page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


def config() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return found


def navigated(entry: Any) -> list[str]:
    """Return the pages of a navigation, whatever their depth."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    return [page for part in parts for page in navigated(part)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_session_shows_what_the_program_prints(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert refreshed(text, tmp_path) == text, "run: python tests/docs/page_sessions.py"


def test_the_tutorial_is_a_session_and_starts_with_the_line_of_the_readme() -> None:
    tutorial = DOCS / "tutorial.md"
    assert tutorial in PAGES
    line = "python3 -m venv .venv && .venv/bin/pip install -q -e ."
    assert f"\n{line}\n" in tutorial.read_text(encoding="utf-8")
    assert f"\n{line} && " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_tutorial_tells_what_its_commands_show() -> None:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    first, second = re.findall(r"\$ gpu-advisor advise chat.yaml\n((?:.*\n)*?)```", text)
    assert "=> use owned: 4 x l40s in fp8_block, 2 replicas of 2" in first, "four cards, 8-bit"
    assert "=> use owned: 4 x l40s in bf16, 2 replicas of 2" in second, "the same four, published"
    for setting in ("max_num_seqs 64", "max_num_batched_tokens 2048", "gpu_memory_utilization"):
        flag, _, value = setting.partition(" ")
        assert f"--{flag.replace('_', '-')} {value}" in text
    assert "(workload.typical_context_tokens)" in text, "the length of a typical request decides"


@pytest.mark.parametrize("status", ["firm", "provisional", "open"])
def test_the_page_on_firm_shows_a_decision_of_each_status(status: str) -> None:
    text = (DOCS / "firm.md").read_text(encoding="utf-8")
    assert re.search(rf"(?m)^\w+  \[{status}\]$", text)


def test_references_are_what_the_program_says() -> None:
    made = pages()
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert set(made) == set(kept)
    stale = [name for name, text in made.items() if kept[name] != text]
    assert stale == [], "run: python tests/docs/reference_pages.py"


def test_blocks_on_our_own_pages_can_be_rendered() -> None:
    found = [check_page(page, DESK) for page in sorted(DOCS.glob("*.md"))]
    assert [page.problems for page in found if page.problems] == []
    assert [block.state for page in found for block in page.blocks] == ["fence"]


def test_every_page_is_in_the_navigation() -> None:
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    own = {page for page in there if not page.startswith("handbook/")}
    named = navigated(config()["nav"])
    assert {page for page in named if not page.startswith("handbook/")} == own
    book = {f"handbook/{path.name}" for path in (ROOT / "knowledge/handbook").glob("*.md")}
    assert {page for page in named if page.startswith("handbook/")} == book - {"handbook/README.md"}


@pytest.mark.parametrize(
    ("source", "folder", "shown"),
    [
        ("[README](../README.md), why", "", "README (`README.md`), why"),
        ("[knowledge/](../knowledge) holds", "", "knowledge/ holds"),
        ("[rules](../../knowledge/rules#a)", "how", "rules (`knowledge/rules`)"),
        ("[own](../library.md#x)", "how", "[own](../library.md#x)"),
        ("[tutorial](tutorial.md)", "", "[tutorial](tutorial.md)"),
    ],
)
def test_links_out_of_the_site_become_paths(
    source: str, folder: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    from outward_links import on_page_markdown  # type: ignore[import-not-found]

    page = SimpleNamespace(file=SimpleNamespace(src_uri=f"{folder}/page.md".lstrip("/")))
    assert on_page_markdown(source, page) == shown


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("material") is None:
        pytest.skip("Material for MkDocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "examples"):
        left = shutil.ignore_patterns("handbook", "build", "__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=left)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    for command in (["advisor", "docs", "handbook", "docs/handbook"], ["mkdocs", "build", "-s"]):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"


@pytest.mark.slow
def test_the_site_is_built_with_warnings_as_errors_and_every_page_is_there(site: Path) -> None:
    for page in navigated(config()["nav"]):
        name = page.removesuffix(".md")
        built = site / "index.html" if name == "README" else site / name / "index.html"
        assert built.is_file(), page


@pytest.mark.slow
def test_the_tutorial_shows_advice_with_links_into_the_handbook(site: Path) -> None:
    text = (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<strong>GPU</strong> \((firm|provisional)\): use owned", text)
    target = re.search(r'href="\.\./(handbook/[\w-]+)/#memory-math"', text)
    assert target is not None
    page = (site / target[1] / "index.html").read_text(encoding="utf-8")
    assert 'id="memory-math"' in page


@pytest.mark.slow
def test_tables_of_the_references_are_tables(site: Path) -> None:
    for name in ("commands", "output", "rules", "knowledge"):
        page = (site / "reference" / name / "index.html").read_text(encoding="utf-8")
        assert "| ---" not in page
        assert "<table>" in page
