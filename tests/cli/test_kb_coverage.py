"""``gpu-advisor kb coverage``: what answers files reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_commands import Command

from advisor.analysis.coverage import GOTCHAS, Run, coverage_of
from advisor.rules.record import DECISIONS
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

ONE = """\
workload: {kind: serving, model: llama-3.1-8b, concurrency: 4, context_tokens: 4k}
hardware: {inventory: [{gpu: l4, gpus_per_node: 1, nodes: 1}]}
ask: [gpu, parallelism]
"""
MANY = """\
workload: {kind: serving, model: llama-3.1-8b, concurrency: 400, context_tokens: 8k}
hardware: {gpu: l4}
ask: [gpu, parallelism]
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two answers files, one below a folder."""
    (tmp_path / "more").mkdir()
    paths = tmp_path / "one.yaml", tmp_path / "more" / "many.yaml"
    for path, text in zip(paths, (ONE, MANY), strict=True):
        path.write_text(text, encoding="utf-8")
    (tmp_path / "more" / "notes.md").write_text("No answers.", encoding="utf-8")
    return [str(path) for path in paths]


def test_rules_are_counted_by_decision_once_for_each_file(
    command: Command, files: list[str]
) -> None:
    ran = command("kb", "coverage", *files, "--format", "json")

    assert ran.code == 0, ran.err
    patterns = ran.json["decisions"]["parallelism"]
    assert patterns["fired"]["parallelism-single"] >= 1
    assert patterns["fired"]["parallelism-replicas"] >= 1
    assert max(patterns["fired"].values()) <= 2
    assert "parallelism-lora-single" in patterns["never"]
    assert not set(patterns["fired"]) & set(patterns["never"])


def test_every_rule_is_either_fired_or_never(command: Command, files: list[str]) -> None:
    found = command("kb", "coverage", *files, "--format", "json").json

    groups = found["decisions"].values()
    told = [rule for group in groups for rule in (*group["fired"], *group["never"])]
    assert sorted(told) == sorted(rule.id for rule in load_rule_base(load_knowledge()).rules)
    assert found["rules"]["total"] == len(told)
    assert found["rules"]["fired"] == sum(len(group["fired"]) for group in groups)
    assert set(found["decisions"]) <= {*DECISIONS, GOTCHAS}


def test_answers_values_and_options_that_none_reaches_are_told(
    command: Command, files: list[str]
) -> None:
    found = command("kb", "coverage", *files, "--format", "json").json

    assert found["answers"]["reached"]["workload.model"] == 2
    assert found["answers"]["reached"]["hardware.inventory"] == 1
    assert "training.method" in found["answers"]["never"]
    assert found["values"]["workload.kind"]["reached"] == {"serving": 2}
    assert "pretraining" in found["values"]["workload.kind"]["never"]
    assert set(found["options"]["parallelism"]["reached"]) <= {"single", "replicas"}
    assert "expert" in found["options"]["parallelism"]["never"]


def test_never_lists_only_what_is_not_reached(command: Command, files: list[str]) -> None:
    found = command("kb", "coverage", *files, "--never", "--format", "json").json
    assert all(set(group) == {"never"} for group in found["decisions"].values())

    full = command("kb", "coverage", *files).out
    never = command("kb", "coverage", *files, "--never").out
    assert full.startswith("2 files: ")
    assert "  parallelism-single\n" in full
    assert "  parallelism-single\n" not in never
    assert "  -  parallelism-lora-single  knowledge/rules/" in never


def test_a_folder_means_the_answers_files_below_it(command: Command, files: list[str]) -> None:
    folder = Path(files[0]).parent
    found = command("kb", "coverage", str(folder), "--format", "json").json
    assert [Path(file).name for file in found["files"]] == ["many.yaml", "one.yaml"]


def test_without_files_the_examples_here_are_taken(
    command: Command, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(files[0]).parent
    monkeypatch.chdir(folder)
    ran = command("kb", "coverage")
    assert ran.code == 2
    assert "examples" in ran.err

    (folder / "more").rename(folder / "examples")
    found = command("kb", "coverage", "--format", "json").json
    assert found["files"] == ["examples/many.yaml"]


def test_of_a_transcript_its_final_answers_count(command: Command) -> None:
    root = Path(__file__).parents[2]
    file = root / "transcripts" / "notebooks-on-one-gpu.md"
    found = command("kb", "coverage", str(file), "--format", "json").json

    assert found["answers"]["reached"]["workload.kind"] == 1
    assert found["questions_asked"]["reached"]["workload.kind"] == 1
    assert "8.2" in found["sections"]["reached"]


def test_a_rule_that_never_fires_is_told_with_its_place(command: Command, files: list[str]) -> None:
    found = command("kb", "coverage", *files, "--never", "--format", "json").json
    root = load_knowledge().path.parent

    assert len(found["never_fired"]) == found["rules"]["total"] - found["rules"]["fired"]
    for one in found["never_fired"]:
        lines = (root / one["file"]).read_text(encoding="utf-8").splitlines()
        name = one["rule"].removeprefix("gotcha-").partition(".")[0]
        assert name in lines[one["line"] - 1]


@pytest.mark.parametrize(
    ("text", "name"), [(None, "none.yaml"), ("workload: {modle: x}", "bad.yaml")]
)
def test_a_file_that_cannot_be_used_is_bad_input(
    command: Command, tmp_path: Path, text: str | None, name: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    ran = command("kb", "coverage", str(path))
    assert ran.code == 2
    assert name in ran.err


def test_an_empty_folder_says_so(command: Command, tmp_path: Path) -> None:
    ran = command("kb", "coverage", str(tmp_path))
    assert ran.code == 2
    assert "No answers files" in ran.err


def test_lists_and_yes_or_no_count_as_values() -> None:
    runs = [
        Run(
            {"platform.capacity": ("spot", "reserved"), "platform.secure_boot": False},
            frozenset(),
            {},
        ),
        Run({"platform.capacity": ("spot",)}, frozenset(), {}),
    ]
    choices = {
        "platform.capacity": ("spot", "reserved", "on_demand"),
        "platform.secure_boot": ("yes", "no"),
    }
    found = coverage_of(load_rule_base(load_knowledge()), choices, {}, runs)
    assert dict(found.values["platform.capacity"].reached) == {"spot": 2, "reserved": 1}
    assert found.values["platform.capacity"].never == ("on_demand",)
    assert found.values["platform.secure_boot"].never == ("yes",)
