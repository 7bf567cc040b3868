"""``gpu-advisor kb``: the check of everything, and showing records."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from running_commands import Command

from advisor.cli.kb_check import check_everything
from advisor.store.loader import load_knowledge

TODAY = date.fromisoformat(load_knowledge().as_of)

Edit = Callable[..., None]


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.cli.kb._today", lambda: TODAY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped knowledge."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(load_knowledge().path, tmp_path / "kb", ignore=ignored))


@pytest.fixture
def edit(folder: Path) -> Edit:
    """Return a function that replaces the first occurrence of a text in a file."""

    def replace(file: str, old: str, new: str) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return replace


def line_of(folder: Path, file: str, text: str) -> int:
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_shipped_knowledge_has_no_fault(command: Command) -> None:
    ran = command("kb", "check")

    assert ran.code == 0, ran.out
    assert ran.out.endswith("No faults.\n")
    assert ran.err == ""


def test_json_tells_faults_from_information(command: Command) -> None:
    ran = command("kb", "check", "--format", "json")

    assert ran.code == 0
    assert ran.json["ok"] is True
    assert ran.json["faults"] == []
    assert {item["code"] for item in ran.json["information"]} <= {"stale_records"}


def test_old_prices_are_shown_and_are_no_fault(folder: Path) -> None:
    later = TODAY.replace(year=TODAY.year + 1)
    found = check_everything(folder, later, analyse=False)

    assert found.faults == ()
    assert any("prices.yaml" in (item.file or "") for item in found.information)


def test_all_faults_of_all_rooms_come_at_once_with_file_and_line(
    command: Command, folder: Path, edit: Edit
) -> None:
    edit("models/llama.yaml", "parameters_b: 70.55", "parameters_b: 80.55")
    edit("questions/workload.yaml", "section: '8.1'", "section: '8.9'")
    edit("corrections/section-2.yaml", 'section: "2.1"', 'section: "2.9"')
    edit("engines/tgi.yaml", 'section: "7.3"', 'section: "7.8"')
    edit("handbook/03-virtualization.md", "columns=table,profile,", "columns=table,profil,")
    edit("rules/gpu.yaml", 'cite: ["8.1"', 'cite: ["8.7"')
    edit("rules/parallelism.yaml", "c.gpus_per_replica ==", "c.gpus_per_repliqa ==")
    ran = command("kb", "check", "--path", str(folder))

    assert ran.code == 1
    for file, key in (
        ("models/llama.yaml", ".parameters_b: The shapes add up to 70.5"),
        ("questions/workload.yaml", "workload.kind.section: The handbook has no section '8.9'"),
        ("corrections/section-2.yaml", ".section: The handbook has no section '2.9'"),
        ("engines/tgi.yaml", "engines.tgi.behaviours.0.section: The handbook has no section"),
        ("handbook/03-virtualization.md", "There is no column 'profil'. Did you mean profile"),
        ("rules/gpu.yaml", ".cite: The handbook has no section '8.7'"),
        ("rules/parallelism.yaml", "Did you mean gpus_per_replica"),
    ):
        [line] = [text for text in ran.out.splitlines() if key in text]
        assert line.startswith(f"kb/{file}:"), line
    assert ran.out.endswith("7 faults in 7 files.\n")


def test_a_fault_names_the_line_that_must_change(
    command: Command, folder: Path, edit: Edit
) -> None:
    edit("models/llama.yaml", "parameters_b: 70.55", "parameters_b: 80.55")
    edit("questions/workload.yaml", "section: '8.1'", "section: '8.9'")
    faults = command("kb", "check", "--path", str(folder), "--format", "json").json["faults"]

    assert {(fault["file"], fault["line"]) for fault in faults} == {
        ("kb/models/llama.yaml", line_of(folder, "models/llama.yaml", "parameters_b: 80.55")),
        ("kb/questions/workload.yaml", line_of(folder, "questions/workload.yaml", "'8.9'")),
    }


def test_a_shape_that_is_not_known_explains_a_gap(folder: Path, edit: Edit) -> None:
    edit(
        "models/llama.yaml",
        "parameters_b: 70.55",
        "parameters_b: 80.55\n    unknown_shapes: [ffn]",
    )

    assert check_everything(folder, TODAY, analyse=False).faults == ()


def test_a_broken_catalogue_does_not_hide_the_rest(folder: Path, edit: Edit) -> None:
    edit("gpus/nvidia-ada.yaml", "vendor: nvidia", "vendor: nvidia: twice")
    (folder / "handbook" / "glossary.md").unlink()
    (folder / "questions" / "tenancy.yaml").unlink()
    edit("version.yaml", "version:", "versoin:")
    files = {problem.file for problem in check_everything(folder, TODAY, analyse=False).faults}

    assert {"kb/gpus/nvidia-ada.yaml", "kb/questions/tenancy.yaml", "kb/version.yaml"} <= files


def test_an_empty_folder_is_all_faults_and_no_crash(command: Command, tmp_path: Path) -> None:
    ran = command("kb", "check", "--path", str(tmp_path))

    assert ran.code == 1
    assert "missing_file" not in ran.out  # sentences, not codes
    assert "No file matches this name." in ran.out


def test_files_that_are_no_text_are_faults(folder: Path) -> None:
    for file in ("handbook/10-gotchas.md", "questions/layout.yaml", "corrections/section-1.yaml"):
        (folder / file).write_bytes(b"\xff\xfe\x00")
    messages = " ".join(
        str(problem) for problem in check_everything(folder, TODAY, analyse=False).faults
    )

    assert "handbook" in messages
    assert "questions/layout.yaml" in messages
    assert "corrections/section-1.yaml" in messages


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("gpus/nvidia-ada.yaml", "as_of: '2026-11-29'", "as_of: '2031-01-01'"),
        ("corrections/section-7.yaml", 'date: "2024-12-06"', 'date: "2031-01"'),
        ("models/llama.yaml", "date: ", "date: '2031' # "),
        ("questions/hardware.yaml", "as_of: '2026-11-29'", "as_of: '2031-01-01'"),
        ("handbook/03-virtualization.md", ", 2026-08-21", ", 2031-08-21"),
    ],
)
def test_a_date_in_the_future_is_a_fault(
    folder: Path, edit: Edit, file: str, old: str, new: str
) -> None:
    edit(file, old, new)
    [fault] = check_everything(folder, TODAY, analyse=False).faults

    assert (fault.code, fault.file) == ("bad_date", f"kb/{file}")
    assert fault.line is not None
    assert "2031" in (folder / file).read_text(encoding="utf-8").splitlines()[fault.line - 1]


def test_a_clock_that_is_behind_is_one_fault_not_hundreds(folder: Path) -> None:
    [fault] = check_everything(folder, TODAY.replace(year=TODAY.year - 1), analyse=False).faults

    assert fault.file == "kb/version.yaml"


def test_a_folder_that_does_not_exist_is_bad_input(command: Command) -> None:
    ran = command("kb", "check", "--path", "no/such/folder", "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert "no/such/folder" in ran.error["message"]


def test_kb_alone_and_a_misspelt_action_name_the_actions(command: Command) -> None:
    assert command("kb", "--format", "json").code == 2
    ran = command("kb", "chekc", "--format", "json")

    assert ran.error["allowed"] == ["check", "show", "tables", "coverage"]
    assert ran.error["nearest"] == ["check"]


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("rules/warnings.yaml", "severity: warning", "severity: wraning", "severity"),
        ("rules/warnings.yaml", "kind: risk", "kind: riks", "kind"),
        ("rules/warnings.yaml", "    fix: ", "    fixx: ", "fixx"),
        ("rules/gpu.yaml", "surcharge: 3.0", "surcharge: 0.3", "surcharge"),
        ("models/llama.yaml", "heads: 64, kv_heads: 8", "heads: 64, kv_heads: 7", "kv_heads"),
        ("gpus/nvidia-hopper.yaml", "compute_capability: '9.0'", "compute_capability: '9.x'",
         "compute_capability"),
    ],
)  # fmt: skip
def test_a_slip_that_no_schema_sees_is_found_with_its_place(
    folder: Path, edit: Edit, file: str, old: str, new: str, key: str
) -> None:
    edit(file, old, new)
    faults = check_everything(folder, TODAY, analyse=False).faults
    places = [(fault.line, fault.key) for fault in faults if fault.file and file in fault.file]
    assert any(key in (name or "") for _, name in places), places
    assert line_of(folder, file, new) in {line for line, _ in places}


def test_more_layers_than_the_model_has_are_found(folder: Path, edit: Edit) -> None:
    edit("models/llama.yaml", "    layers: 80\n", "    layers: 79\n")
    faults = check_everything(folder, TODAY, analyse=False).faults
    assert any("80 layers are described, the model has 79" in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("table: dra_gates columns", "table: dra_gate columns", "There is no table 'dra_gate'"),
        (
            "columns=id,stages",
            "columns=id,stage",
            "There is no column 'stage'. Did you mean stages",
        ),
        (
            "component=nvidia-dra-driver -->",
            "component=nvidia-dra-drivers -->",
            "There is no value of component 'nvidia-dra-drivers'. Did you mean nvidia-dra-driver",
        ),
        ("part_of=gpu-operator", "partof=gpu-operator", "There is no filter 'partof'"),
    ],
)
def test_a_table_that_cannot_be_made_is_a_fault_at_its_line(
    folder: Path, edit: Edit, old: str, new: str, message: str
) -> None:
    page = "handbook/05-kubernetes.md"
    line = line_of(folder, page, old)
    edit(page, old, new)
    faults = check_everything(folder, TODAY, analyse=False).faults
    [fault] = [text for text in map(str, faults) if message in text]

    assert fault.startswith(f"kb/{page}:{line}: ")
