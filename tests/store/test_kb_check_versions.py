"""``kb check`` of versions: ranges, windows, stages, and what has ended."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.errors import Problem
from advisor.store import check
from advisor.store.check_versions import overlaps
from advisor.store.cited import VersionRange
from advisor.store.loader import Knowledge, load_knowledge

Edit = Callable[[str, str, str], int]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what the check reads."""
    root = tmp_path / "kb"
    for name in ("kubernetes", "gotchas", "symptoms", "questions", "handbook"):
        shutil.copytree(load_knowledge().path / name, root / name)
    shutil.copy(load_knowledge().path / "version.yaml", root)
    return root


@pytest.fixture
def edit(folder: Path) -> Edit:
    """Return a function that replaces a text once and returns the line where it stood."""

    def replace(file: str, old: str, new: str) -> int:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return text.count("\n", 0, text.index(old)) + 1

    return replace


def only(folder: Path) -> Problem:
    (problem,) = check.check_kubernetes(Knowledge(folder), None)
    return problem


def test_what_is_shipped_has_no_fault(folder: Path) -> None:
    found = check.check_kubernetes(Knowledge(folder), None)
    assert [str(problem) for problem in found] == []


PLANTED = (
    # file, what stands there, what is planted, lines further down, what the message says
    ("kubernetes/dra-gates.yaml", "{since: '1.34', stage: ga,", "{since: '1.34', stage: alpha,", 0,
     ("alpha in 1.34 comes after beta", "An alpha gate is off")),
    ("kubernetes/dra-gates.yaml", "{since: '1.35', stage: ga, default_on: true, locked: true}",
     ("{since: '1.35', stage: ga, default_on: true, locked: true}\n      "
     "- {since: '1.36', stage: ga, default_on: true}"), 1, ("Locked in 1.35, and not in 1.36",)),
    ("kubernetes/dra-gates.yaml", "{since: '1.32', stage: beta, default_on: false}",
     "{since: '1.32', stage: ga, default_on: false}", 0, ("generally available is on",)),
    ("kubernetes/releases.yaml", "fixed_in: [1.36.2, 1.37.0]", "fixed_in: [1.36.1, 1.37.0]", 0,
     ("1.36.1 is said to have the bug",)),
    ("kubernetes/releases.yaml", "end_of_life: '2026-10-27'", "end_of_life: '2024-10-27'", 0,
     ("before its release",)),
    ("kubernetes/releases.yaml",
     "- {component: kubernetes, from_version: 1.35.0, before_version: 1.35.6}",
     "- {component: kubernetes, from_version: 1.36.1, before_version: 1.36.6}", 0,
     ("overlaps from 1.36.0 to before 1.36.2",)),
    ("gotchas/runtime.yaml", "containerd, from_version: '2.0', before_version: '2.1'",
     "containerd, from_version: '1.7.20', before_version: '2.1'", 0, ("overlaps every version",)),
    ("gotchas/dra.yaml", "from_version: '1.35.0', before_version: '1.35.6'",
     "from_version: '1.35.6', before_version: '1.35.6'", 0, ("No version lies from 1.35.6",)),
    ("kubernetes/components-nvidia.yaml", "- before_version: '26.7.0'\n        severity: info",
     "- before_version: '27.7.0'\n        severity: critical", 0, ("among those to avoid",)),
)  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "further", "says"), PLANTED)
def test_versions_that_contradict_each_other_are_found(
    folder: Path, edit: Edit, file: str, old: str, new: str, further: int, says: tuple[str, ...]
) -> None:
    line = edit(file, old, new) + further
    found = check.check_kubernetes(Knowledge(folder), None)

    messages = " ".join(problem.message for problem in found)
    assert all(text in messages for text in says), messages
    assert {problem.code for problem in found} <= {"contradiction", "bad_value"}
    assert (f"kb/{file}", line) in {(problem.file, problem.line) for problem in found}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kubernetes_from: '1.33'", "kubernetes_from: '1.99'", "the window is empty"),
        ("released: '2026-09-23'", "support_ends: '2026-08', released: '2026-09-23'", "before its"),
        ("version: '610'", "version: '620'", "stands here twice"),
    ],
)
def test_a_release_of_a_component_has_one_place_and_a_window(
    folder: Path, edit: Edit, old: str, new: str, says: str
) -> None:
    line = edit("kubernetes/components-nvidia.yaml", old, new)
    problem = only(folder)
    assert (problem.code, problem.line) in {("contradiction", line), ("contradiction", line + 1)}
    assert says in problem.message


def test_a_range_to_avoid_is_told_once(folder: Path, edit: Edit) -> None:
    file = "kubernetes/components-nvidia.yaml"
    text = (folder / file).read_text(encoding="utf-8")
    start = text.index("      - from_version: '570.124.06'")
    end = "gotcha: full-gpu-beside-mig\n"
    block = text[start : text.index(end, start) + len(end)]
    line = edit(file, block, block + block.replace("570.124.06'", "570.133'", 1))

    problem = only(folder)
    assert (problem.code, problem.line) == ("contradiction", line + block.count("\n"))
    assert "overlaps from 570.124.06 to before 570.158.02" in problem.message


def test_two_records_of_one_gate_must_agree_on_a_minor(folder: Path) -> None:
    path = folder / "kubernetes/dra-gates.yaml"
    text = path.read_text(encoding="utf-8")
    block = text[text.index("  - id: core\n") : text.index("  - id: prioritized-list\n")]
    again = block.replace("id: core", "id: core-again").replace("'1.26'", "'1.27'")
    path.write_text(text.replace(block, block + again, 1), encoding="utf-8")

    found = check.check_kubernetes(Knowledge(folder), None)
    twice = [problem for problem in found if "two stages in" in problem.message]
    assert [problem.message.split()[5] for problem in twice] == ["1.32", "1.34", "1.35"]
    assert all("core-again" in (problem.key or "") for problem in twice)


def test_what_points_at_something_that_has_ended_is_told(folder: Path, edit: Edit) -> None:
    images = (folder / "kubernetes/node-images.yaml").read_text(encoding="utf-8")
    platforms = (folder / "kubernetes/platforms.yaml").read_text(encoding="utf-8")
    used = next(
        line.split("id:")[1].strip()
        for line in images.splitlines()
        if line.startswith("  - id:") and line.split("id:")[1].strip() in platforms
    )
    edit(
        "kubernetes/node-images.yaml",
        f"  - id: {used}\n",
        f"  - id: {used}\n    until: '2026-01-31'\n",
    )

    found = check.check_kubernetes(Knowledge(folder), None)
    assert {problem.code for problem in found} == {"ended_record"}
    assert any(problem.file == "kb/kubernetes/platforms.yaml" for problem in found)
    assert all(used in problem.message for problem in found)


def test_nothing_has_ended_where_the_day_is_not_known(folder: Path, edit: Edit) -> None:
    (folder / "version.yaml").unlink()
    edit("kubernetes/node-images.yaml", "  - id:", "  - until: '2026-01-31'\n    id:")
    assert check.check_kubernetes(Knowledge(folder), None) == []


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        (("1.35.0", "1.35.6"), ("1.35.6", "1.36.0"), False),
        (("1.35.0", "1.35.6"), ("1.35.5", "1.36.0"), True),
        ((None, "26.7.0"), ("26.3.0", "26.3.3"), True),
        (("595", None), ("580", "595.1"), True),
        (("1.9", "1.10"), ("1.10", None), False),
        (("1.9", "1.10"), ("1.2", "1.9"), False),
    ],
)
def test_ranges_reach_from_inclusive_to_exclusive(
    first: tuple[str | None, str | None], second: tuple[str | None, str | None], shared: bool
) -> None:
    one, two = (
        VersionRange(component="x", from_version=low, before_version=high)
        for low, high in (first, second)
    )
    assert overlaps(one, two) is overlaps(two, one) is shared
