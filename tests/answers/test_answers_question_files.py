from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from advisor.answers.questions_files import GROUPS, check_questions, read_vocabulary
from advisor.errors import KnowledgeError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with as_file(files("advisor.knowledge") / "questions") as source:
        shutil.copytree(source, tmp_path / "questions")
    return tmp_path / "questions"


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_files_as_shipped_have_no_problem(folder: Path) -> None:
    assert check_questions(folder) == []
    assert {path.stem for path in folder.glob("*.yaml")} == set(GROUPS)


@pytest.mark.parametrize(
    ("name", "old", "new", "key", "message"),
    [
        ("hardware", "kind: text\n", "kind: texts\n", "hardware.gpu.kind", "Did you mean text"),
        (
            "hardware",
            "section: '2.1'",
            "sektion: '2.1'",
            "hardware.gpu.sektion",
            "Did you mean section",
        ),
        ("hardware", "section: '2.1'", "chapter: '2.1'", "hardware.gpu.section", "required"),
        ("hardware", "default: rent", "default: hire", "hardware.acquisition.default", "'rent'"),
        ("hardware", "default: rent", "default: x", "hardware.acquisition.default", "not one of"),
        ("layout", "key: layout.state", "key: state", "state", "begins with 'layout.'"),
        ("layout", "layout.tensor_parallel", "layout.state", "layout.state", "described twice"),
        ("general", "duty: tenancy.duty", "duty: tenancy.duties", "workloads", "tenancy.duties"),
        ("hardware", "single: [gpu]", "single: [gpus]", "hardware.inventory", "'gpus'"),
        ("layout", "  kind: enum\n", "  kind: enum\n  kind: bool\n", "kind", "given twice"),
    ],
)
def test_a_mistake_in_a_file_is_named_by_its_key(
    folder: Path, name: str, old: str, new: str, key: str, message: str
) -> None:
    change(folder, name, old, new)
    found = check_questions(folder)
    assert [(problem.key, problem.file) for problem in found] == [
        (problem.key, f"questions/{name}.yaml") for problem in found
    ]
    assert any(problem.key == key and message in str(problem) for problem in found)


def test_a_schema_mistake_has_its_line(folder: Path) -> None:
    change(folder, "observed", "unit: ms\n  above: 0", "unit: ms\n  above: zero")
    (problem,) = check_questions(folder)
    lines = (folder / "observed.yaml").read_text(encoding="utf-8").splitlines()
    assert problem.line is not None
    assert lines[problem.line - 1] == "  above: zero"


def test_the_problems_of_all_files_come_together(folder: Path) -> None:
    (folder / "layout.yaml").unlink()
    (folder / "tenancy.yaml").write_text("a: [", encoding="utf-8")
    (folder / "training.yaml").write_text("- a\n", encoding="utf-8")
    with pytest.raises(KnowledgeError) as caught:
        read_vocabulary(folder)
    named = {problem.file for problem in caught.value.problems}
    assert named == {f"questions/{name}.yaml" for name in ("layout", "tenancy", "training")}
