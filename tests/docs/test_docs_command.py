"""``gpu-advisor docs``: what it prints, its exit codes, what it writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from docs_support import SERVING

from advisor.cli.main import run

PAGE = '<!-- gpu-advisor:begin answers="gpu.yaml" show="gpu" -->\n<!-- gpu-advisor:end -->\n'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "gpu.yaml").write_text(SERVING, encoding="utf-8")
    (tmp_path / "a").mkdir()
    for name in ("page.md", "a/page.mdx"):
        text = PAGE if name == "page.md" else PAGE.replace("gpu.yaml", "../gpu.yaml")
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a/notes.txt").write_text("<!-- gpu-advisor:begin -->", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/page.md").write_text("<!-- gpu-advisor:begin -->", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_build_then_check_is_clean_and_a_folder_means_all_markdown_below(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "check", "."]) == 1
    assert capsys.readouterr().out.endswith("2 blocks read, 2 not built yet\n")
    assert run(["docs", "build", "."]) == 0
    assert capsys.readouterr().out.endswith("2 blocks read, 2 written\n")
    assert run(["docs", "check", ".", str(site / "page.md")]) == 0
    assert capsys.readouterr() == ("2 blocks read, all current\n", "")


def test_check_says_old_and_new_choice_with_a_diff_and_writes_nothing(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["docs", "build", "."])
    (site / "gpu.yaml").write_text(SERVING.replace("l40s", "l4"), encoding="utf-8")
    before = (site / "page.md").read_bytes()
    capsys.readouterr()
    assert run(["docs", "check", "page.md"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("page.md:1: the advice has moved\n  GPU\n    was: use owned: 1 x l40s")
    assert "    now: use owned: 1 x l4 in fp8 (provisional)\n" in out
    assert "\n  -**GPU** (provisional): use owned: 1 x l40s in bf16\n" in out
    assert (site / "page.md").read_bytes() == before


def test_build_refuses_a_change_by_hand_until_it_is_forced(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["docs", "build", "."])
    page = site / "page.md"
    good = page.read_text(encoding="utf-8")
    page.write_text(good.replace("1 x l40s", "9 x l40s"), encoding="utf-8")
    capsys.readouterr()
    assert run(["docs", "check", "."]) == 1
    assert "page.md:1: edited by hand" in capsys.readouterr().out
    assert run(["docs", "build", "."]) == 1
    assert run(["docs", "build", "--force", "."]) == 0
    assert page.read_text(encoding="utf-8") == good


def test_a_wrong_checksum_is_called_that_and_nothing_is_said_to_have_moved(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = site / "page.md"
    run(["docs", "build", "page.md"])
    page.write_text(page.read_text(encoding="utf-8").replace("sha256=", "sha256=f"), "utf-8")
    capsys.readouterr()
    assert run(["docs", "check", "page.md"]) == 1
    said, blank, summed = capsys.readouterr().out.splitlines()
    assert said.startswith("page.md:1: the advice is current, its checksum does not fit")
    assert (blank, summed) == ("", "1 block read, 1 with a wrong checksum")
    assert run(["docs", "build", "page.md"]) == 0


def test_a_block_with_two_faults_is_one_block_and_nothing_is_called_current(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = site / "page.md"
    run(["docs", "build", "page.md"])
    broken = '<!-- gpu-advisor:begin answers="gpu.yaml" show="gpu" links="book/" -->'
    text = f"{page.read_text(encoding='utf-8')}\n{broken}\n<!-- gpu-advisor:end -->\n"
    page.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert run(["docs", "check", "page.md"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("does not exist") == 2, "it cites two chapters"
    assert captured.out.endswith(" current, 1 cannot be rendered\n")


def test_broken_answers_end_with_2_and_each_fault_is_told_once(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "gpu.yaml").write_text(SERVING.replace("kind:", "kindd:"), encoding="utf-8")
    assert run(["docs", "build", "."]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("gpu.yaml:1: workload.kindd") == 1
    assert "0 blocks read, 2 cannot be rendered" in captured.out


def test_json_tells_the_same(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["docs", "build", "."])
    (site / "gpu.yaml").write_text(SERVING.replace("l40s", "l4"), encoding="utf-8")
    capsys.readouterr()
    assert run(["docs", "check", "page.md", "--format", "json"]) == 1
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    (block,) = document["blocks"]
    assert document["findings"] == 1
    assert (block["file"], block["line"], block["state"]) == ("page.md", 1, "stale")
    assert block["written"] is False
    assert block["choices"][0]["decision"] == "gpu"
    assert block["choices"][0]["old"] != block["choices"][0]["new"]


def test_an_error_in_json_leaves_stdout_empty(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "gpu.yaml").unlink()
    assert run(["docs", "check", "page.md", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    error = json.loads(captured.err)["error"]
    assert (error["code"], error["file"], error["line"]) == ("no_answers_file", "page.md", 1)


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_slip_of_the_pen_on_a_page_without_blocks_ends_with_2(
    site: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    page = site / "page.md"
    page.write_text(PAGE.replace("gpu-advisor", "gpu-adviser"), encoding="utf-8")
    assert run(["docs", command, "page.md"]) == 2
    assert "page.md:1: 'gpu-adviser' is not known" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "build"])
@pytest.mark.parametrize(
    ("path", "said"), [("gpu.yaml", "No Markdown page, and no block"), ("e", "No Markdown page is")]
)
def test_a_path_without_any_page_ends_with_2(
    site: Path, capsys: pytest.CaptureFixture[str], command: str, path: str, said: str
) -> None:
    (site / "e").mkdir()
    (site / "e/notes.txt").write_text("x", encoding="utf-8")
    assert run(["docs", command, path]) == 2
    assert said in capsys.readouterr().err


def test_pages_without_a_block_are_counted_and_no_fault(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "page.md").write_text("# Nothing\n", encoding="utf-8")
    assert run(["docs", "check", "page.md"]) == 0
    assert capsys.readouterr().out == "0 blocks read: 1 page without a block\n"


def test_a_path_that_is_not_there_is_bad_input(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "check", str(site / "none")]) == 2
    assert "There is no such file or folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flavour", "mark"),
    [
        ("mkdocs", "## 7.3 Memory arithmetic {#memory-math}"),
        ("myst", "(memory-math)=\n\n## 7.3 Memory arithmetic"),
        ("docusaurus", "## 7.3 Memory arithmetic {#memory-math}"),
        ("html", '<a id="memory-math"></a>\n\n## 7.3 Memory arithmetic'),
    ],
)
def test_the_handbook_is_written_with_anchors_and_filled_tables(
    site: Path, flavour: str, mark: str
) -> None:
    words = ["docs", "handbook", "book", "--flavour", flavour]
    assert run([*words, "--check"]) == 1
    assert not (site / "book").exists()
    assert run(words) == 0
    assert run([*words, "--check"]) == 0
    text = (site / "book/07-multi-gpu.md").read_text(encoding="utf-8")
    assert mark in text
    assert "<!-- table:" not in text
    assert "<!-- asked:" not in text


def test_the_handbook_for_docusaurus_holds_nothing_that_mdx_takes_for_code(site: Path) -> None:
    assert run(["docs", "handbook", "book", "--flavour", "docusaurus"]) == 0
    for page in sorted((site / "book").glob("*.md")):
        note, text = page.read_text(encoding="utf-8").split("\n", 1)
        assert note.startswith("{/* Written by")
        text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", text)
        text = re.sub(r"(?m) \{#[\w.-]+\}$", "", text)
        assert re.findall(r"(?<!\\)[{}<].*", text) == [], page.name
    assert "\\{" in (site / "book/10-gotchas.md").read_text(encoding="utf-8")


def test_the_handbook_fits_on_one_page_under_one_title(site: Path) -> None:
    assert run(["docs", "handbook", "book.md"]) == 0
    text = (site / "book.md").read_text(encoding="utf-8")
    assert [line for line in text.split("\n") if line.startswith("# ")] == ["# GPU handbook"]
    assert "### 7.3 Memory arithmetic {#memory-math}" in text


def test_a_handbook_is_no_folder_that_is_named_like_a_file(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["docs", "handbook", "book.html"]) == 2
    assert "book.html ends in .html" in capsys.readouterr().err
    assert not (site / "book.html").exists()


def test_blocks_can_cite_the_handbook_that_was_written(site: Path) -> None:
    run(["docs", "handbook", "book"])
    page = site / "page.md"
    page.write_text(PAGE.replace(" show", ' links="book/" show'), encoding="utf-8")
    assert run(["docs", "build", "page.md"]) == 0
    assert "(book/08-decision-framework.md#which-gpu)" in page.read_text(encoding="utf-8")


def test_a_page_of_somebody_else_is_never_overwritten_by_the_handbook(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "book.md").write_text("mine\n", encoding="utf-8")
    assert run(["docs", "handbook", "book.md"]) == 2
    assert "was not written by this command" in capsys.readouterr().err
    assert (site / "book.md").read_text(encoding="utf-8") == "mine\n"
