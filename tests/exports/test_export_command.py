"""``gpu-advisor export`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli.main import run


def test_a_folder_takes_one_file_for_each_diagram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "diagram", "-o", str(tmp_path / "out")]) == 0

    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["gpu.mmd", "parallelism.mmd", "provisioning.mmd", "sharing.mmd"]
    assert capsys.readouterr().err == "4 files written.\n"


def test_the_ending_of_a_file_says_its_form(tmp_path: Path) -> None:
    page = tmp_path / "all.md"

    assert run(["export", "diagram", "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8").count("```mermaid\nflowchart TD\n") == 4


def test_without_a_place_the_export_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "tables", "--format", "json", "--decision", "parallelism"]

    assert run(words) == 0
    [table] = json.loads(capsys.readouterr().out)["tables"]
    assert table["decision"] == "parallelism"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rules", "--format", "html"], "rules cannot be exported as html"),
        (["rules", "-o", "rules.md"], "rules cannot be exported as markdown"),
        (["tables", "--format", "json", "-o", "x.html"], "does not end as json does"),
        (["handbook", "--decision", "gpu"], "does not go with handbook"),
        (["rules", "-o", "r.yaml"], "ends in .yaml"),
        (["tables", "-o", "t.txt", "--format", "json"], "ends in .txt"),
        (["handbook", "-o", "H.HTML"], "Allowed: .html, .md"),
        (["diagram", "-o", "x.mmd"], "holds one diagram"),
        (["tables", "--decision", "shering"], "Did you mean sharing"),
        (["handbok"], "Did you mean handbook"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["export", *words]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["site-1.2", "old.d/", "there.d"])
def test_a_folder_may_have_a_dot_in_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.d").mkdir()

    assert run(["export", "rules", "-o", name]) == 0
    assert (tmp_path / name / "rules.json").is_file()


def test_a_place_that_cannot_be_written_is_an_error_and_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")

    assert run(["export", "rules", "-o", str(tmp_path / "file" / "rules.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
