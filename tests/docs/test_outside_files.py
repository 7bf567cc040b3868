"""A page that somebody else wrote cannot make a report show what stands in foreign files."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_support import DESK, SERVING

from advisor.docs.pages import check_page
from advisor.errors import Problem

SECRET = "hunter2"  # noqa: S105 - stands for whatever must not be shown


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of pages in a repository, with answers beside it in the same one."""
    pages = tmp_path / "repository/docs"
    pages.mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    monkeypatch.chdir(tmp_path)
    return pages


def problems(folder: Path, attributes: str) -> tuple[Problem, ...]:
    begin = f"<!-- gpu-advisor:begin {attributes} -->"
    page = folder / "page.md"
    page.write_text(f"{begin}\n<!-- gpu-advisor:end -->\n", encoding="utf-8")
    return check_page(page, DESK).problems


@pytest.mark.parametrize(
    "text",
    [SECRET, f"- {SECRET}", f"{SECRET}: 1", f"workload: {{kind: {SECRET}}}", f"a: [{SECRET}"],
)
@pytest.mark.parametrize("link", [False, True])
def test_nothing_of_an_answers_file_outside_of_the_repository_is_shown(
    folder: Path, tmp_path: Path, text: str, link: bool
) -> None:
    outside = tmp_path / "secret.yaml"
    outside.write_text(text, encoding="utf-8")
    (folder / "linked.yaml").symlink_to(outside)
    name = "linked.yaml" if link else "../../secret.yaml"

    [problem] = problems(folder, f'answers="{name}"')

    assert SECRET not in repr(problem)
    assert "outside of the page's repository" in problem.message
    assert "page.md:1" in problem.message


def test_nothing_of_a_price_file_outside_of_the_repository_is_shown(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "gpu.yaml").write_text(SERVING, encoding="utf-8")
    (tmp_path / "prices.yaml").write_text(f"{SECRET}: 1\nprices: [{{a: {SECRET}}}]\n", "utf-8")

    [problem] = problems(folder, 'answers="gpu.yaml" prices="../../prices.yaml"')

    assert SECRET not in repr(problem)
    assert "outside of the page's repository" in problem.message


def test_a_file_of_the_repository_that_holds_no_answers_is_not_quoted(folder: Path) -> None:
    (folder.parent / "token").write_text(SECRET, encoding="utf-8")

    [problem] = problems(folder, 'answers="../token"')

    assert problem.code == "not_a_mapping"
    assert SECRET not in repr(problem)


def test_what_is_wrong_with_answers_elsewhere_in_the_repository_is_told(folder: Path) -> None:
    (folder.parent / "gpu.yaml").write_text(SERVING.replace("gpu:", "gpuu:"), encoding="utf-8")

    [problem] = problems(folder, 'answers="../gpu.yaml"')

    assert problem.line == 2
    assert problem.nearest[0] == "hardware.gpu"


def test_sound_answers_may_lie_anywhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "gpu.yaml").write_text(SERVING, encoding="utf-8")

    assert problems(folder, 'answers="../../gpu.yaml"') == ()
