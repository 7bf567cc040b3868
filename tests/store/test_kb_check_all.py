"""The analysis inside ``kb check``: everything at once, with severity, file and line."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from advisor.analysis.analyse import WARNINGS
from advisor.cli.kb_check import check_everything
from advisor.cli.kb_check_analysis import analysis_problems
from advisor.cli.kb_check_dates import old_records
from advisor.cli.kb_places import Places
from advisor.errors import Problem
from advisor.store.check import INFORMATION
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.rules import check_rule_files

DAY = date.fromisoformat(load_knowledge().as_of)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped knowledge."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(load_knowledge().path, tmp_path / "kb", ignore=ignored))


def edit(folder: Path, file: str, old: str, new: str) -> int:
    """Replace a text once; return the line on which the new one begins."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text.count("\n", 0, text.index(old)) + 1


def places(problems: tuple[Problem, ...]) -> set[tuple[str, str | None, int | None]]:
    return {(problem.code, problem.file, problem.line) for problem in problems}


def test_what_is_shipped_has_no_fault_among_its_rules() -> None:
    found = list(analysis_problems(load_knowledge(), DAY))
    assert [str(problem) for problem in found if problem.code not in WARNINGS | INFORMATION] == []


def test_planted_faults_of_every_kind_come_at_once(folder: Path) -> None:
    rules = "rules/parallelism.yaml"
    cover = edit(folder, rules, "c.replicas > 1 and", "c.replicas > 2 and")
    ended = edit(folder, rules, "    effect:", "    until: 2026-01-01\n    effect:")
    clash = edit(
        folder, rules, "\n      and (missing(platform.queueing) or platform.queueing == 'none')", ""
    )
    assert clash
    edit(
        folder,
        "questions/platform.yaml",
        "- key: platform.region\n",
        "- key: platform.qqregion\n",
    )
    edit(folder, "questions/tenancy.yaml", "as_of: '2026", "as_of: '2024")
    corrections = folder / "corrections/section-7.yaml"
    aged = re.sub("as_of: (.)2026", r"as_of: \g<1>2024", corrections.read_text(encoding="utf-8"))
    corrections.write_text(aged, encoding="utf-8")
    extra = """
  - id: never
    decision: gpu
    for: {c: candidate}
    when: c.tensor_parallel < 1
    effect: reject
    set: {option: x}
    because: Because of {platform.region}.
    cite: ['8.1']
"""
    path = folder / "rules/fleets.yaml"
    start = path.read_text(encoding="utf-8").count("\n") + 2
    path.write_text(path.read_text(encoding="utf-8") + extra, encoding="utf-8")

    found = check_everything(folder, DAY)
    expected = {
        ("gap", f"kb/{rules}", cover + 1),
        ("stale_rule", f"kb/{rules}", ended),
        ("dead_rule", "kb/rules/fleets.yaml", start + 3),
        ("unasked", "kb/rules/fleets.yaml", start + 6),
    }
    assert expected <= places(found.faults)
    assert "conflict" in {problem.code for problem in found.faults}
    unused = [p.key for p in found.warnings if p.code == "unused_question"]
    assert "platform.qqregion" in unused
    files = {problem.file for problem in found.information if problem.code == "stale_records"}
    assert {"kb/questions/tenancy.yaml", "kb/corrections/section-7.yaml"} <= files


def test_a_place_where_no_pool_of_nodes_is_advised_is_a_gap(folder: Path) -> None:
    edit(folder, "rules/provisioning.yaml", "when: p.option == 'slurm' and p.here",
         "when: p.option == 'slurm' and p.here and k.rack")  # fmt: skip
    found = [p for p in analysis_problems(Knowledge(folder), DAY) if p.code == "gap"]
    assert len(found) == 1
    assert "slurm" in (found[0].key or "")
    assert found[0].file == "kb/rules/provisioning.yaml"


def test_an_unused_question_names_its_line_and_fails_nothing(folder: Path) -> None:
    block = """- key: tenancy.qqmood
  text: How is everybody?
  help: Nothing.
  kind: text
  section: '8.2'
"""
    line = edit(folder, "questions/tenancy.yaml", "questions:\n", "questions:\n" + block)
    found = analysis_problems(Knowledge(folder), DAY)
    [problem] = [p for p in found if p.key == "tenancy.qqmood"]
    assert (problem.code, problem.file) == ("unused_question", "questions/tenancy.yaml")
    assert problem.code in WARNINGS
    assert Places(Knowledge(folder)).line("kb/questions/tenancy.yaml", problem.key) == line + 1


def test_rules_that_do_not_load_are_told_by_the_loader_alone(folder: Path) -> None:
    edit(folder, "rules/parallelism.yaml", "c.replicas > 1", "c.replikas > 1")
    knowledge = Knowledge(folder)
    assert list(analysis_problems(knowledge, DAY)) == []
    assert {problem.code for problem in check_rule_files(knowledge)} == {"unknown_key"}


@pytest.mark.parametrize(
    ("as_of", "old"), [("2025-10-26", False), ("2025-10-25", True), ("2024", True), ("soon", False)]
)
def test_a_date_is_old_after_more_than_400_days(as_of: str, old: bool) -> None:
    found = list(old_records([("x.yaml", "as_of", as_of)], date(2026, 11, 30)))
    assert [problem.code for problem in found] == ["stale_records"] * old


def test_of_a_file_only_the_oldest_record_is_told() -> None:
    dated = [("x", "b", "2024-02"), ("x", "a", "2024-01"), ("y", "c", "2024-03")]
    found = list(old_records(dated, date(2026, 11, 30)))
    assert [(problem.file, problem.key) for problem in found] == [("x", "a"), ("y", "c")]
