"""What the handbook check finds, one fault at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from advisor.errors import Problem, UnknownNameError
from advisor.store.handbook import Table, read_handbook
from advisor.store.handbook_check import check_handbook

GOOD = """# 7 Multi-GPU {#multi-gpu}

Intro.

## 7.3 Memory {#memory-math}

Text, see §7 and [above](#multi-gpu).

### A place {#place}

More.

**Sources**

- A manual, 2026-01-02
"""


def problems_of(folder: Path, page: str) -> list[Problem]:
    """Check one page; that the other pages are missing is not what these tests are about."""
    (folder / "07.md").write_text(page, encoding="utf-8")
    found = check_handbook(read_handbook(folder))
    return [problem for problem in found if problem.code != "missing_section"]


def test_the_handbook_that_ships_is_fit_to_cite() -> None:
    assert check_handbook() == []


def test_a_good_page_has_no_problem(tmp_path: Path) -> None:
    assert problems_of(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("{#place}", "", "heading_without_anchor", 9),
        ("{#place}", "{#A Place}", "bad_anchor", 9),
        ("{#place}", "{#memory-math}", "duplicate_anchor", 9),
        ("### A place {#place}", "## 7.3 Twice {#twice}", "duplicate_section", 9),
        ("{#memory-math}", "{#ram-math}", "changed_anchor", 5),
        ("## 7.3", "## 8.3", "misplaced_section", 5),
        ("## 7.3", "### 7.3", "wrong_level", 5),
        ("### A place {#place}", "# 8 More {#decision-framework}", "second_top_section", 9),
        ("see §7", "see §7.9", "broken_reference", 7),
        ("(#multi-gpu)", "(#nowhere)", "broken_link", 7),
        ("(#multi-gpu)", "(08.md#multi-gpu)", "broken_link", 7),
        ("- A manual, 2026-01-02", "- A manual", "uncited_section", 5),
        ("**Sources**", "Sources", "uncited_section", 5),
        ("More.", "<!-- table: gpus columns -->", "bad_directive", 11),
        ("More.", "<!-- table: unicorns -->", "unknown_table", 11),
        ("Intro.", "", "empty_section", 1),
        ("# 7 Multi-GPU {#multi-gpu}", "Lost.\n\n# 7 M {#multi-gpu}", "text_outside_section", 1),
    ],
)
def test_each_fault_is_found_at_its_line(
    tmp_path: Path, old: str, new: str, code: str, line: int
) -> None:
    assert old in GOOD

    found = problems_of(tmp_path, GOOD.replace(old, new, 1))

    assert (code, "handbook/07.md", line) in [(p.code, p.file, p.line) for p in found]


def test_missing_sections_are_named(tmp_path: Path) -> None:
    (tmp_path / "07.md").write_text(GOOD, encoding="utf-8")

    missing = {
        p.key for p in check_handbook(read_handbook(tmp_path)) if p.code == "missing_section"
    }

    assert "3.3" in missing
    assert "glossary" in missing
    assert "7.3" not in missing


def test_with_a_provider_every_directive_is_expanded(tmp_path: Path) -> None:
    def strict(_name: str, options: Mapping[str, str]) -> Table:
        if options["columns"] != "id":
            problem = Problem("unknown_column", "No such column.", allowed=("id",))
            raise UnknownNameError(problem)
        return Table(("id",), ())

    page = GOOD.replace("More.", "<!-- table: gpus columns=price -->")
    (tmp_path / "07.md").write_text(page, encoding="utf-8")

    found = check_handbook(read_handbook(tmp_path), strict)

    (problem,) = [problem for problem in found if problem.code == "unknown_column"]
    assert (problem.file, problem.line, problem.allowed) == ("handbook/07.md", 11, ("id",))


def test_every_faulty_table_of_a_section_is_found_at_once(tmp_path: Path) -> None:
    def strict(_name: str, options: Mapping[str, str]) -> Table:
        if options["columns"] != "id":
            raise UnknownNameError(Problem("unknown_column", "No such column."))
        return Table(("id",), ())

    directives = (
        "<!-- table: gpus columns=price -->\n\n<!-- table: gpu columns=id -->\n\n"
        "<!-- table: models columns=weight -->"
    )
    (tmp_path / "07.md").write_text(GOOD.replace("More.", directives), encoding="utf-8")

    found = [
        (problem.code, problem.line)
        for problem in check_handbook(read_handbook(tmp_path), strict)
        if problem.code.startswith("unknown")
    ]

    assert found == [("unknown_column", 11), ("unknown_table", 13), ("unknown_column", 15)]
