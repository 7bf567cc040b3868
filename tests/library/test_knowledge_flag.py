"""``--knowledge`` and its variable, on every command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pack import FILES, VERSION, write_pack

from advisor.cli.kb_coverage import answers_files
from advisor.cli.main import COMMANDS, build_parser, run
from advisor.store.in_use import in_use

ROOT = Path(__file__).parents[2]
Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_folders_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPU_ADVISOR_KNOWLEDGE", raising=False)
    monkeypatch.setenv("GPU_ADVISOR_ENGINE", "reference")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(write_pack(tmp_path / "nord"))


def answers(tmp_path: Path) -> str:
    file = tmp_path / "answers.yaml"
    text = "workload: {model: llama-3.1-8b}\nnord: {zone: inner}\nask: [gpu]\n"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_advice_is_given_with_the_folder_and_says_so(
    folder: str, tmp_path: Path, capsys: Out
) -> None:
    words = ["advise", answers(tmp_path), "--format", "json", "--knowledge", folder]

    assert run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["knowledge"]["overlays"] == [
        {"name": "nord", "version": "7", "as_of": "2026-11-30"}
    ]
    assert told["decisions"]["gpu"]["choice"]["gpu"] == "nord-card"


def test_the_variable_counts_where_no_flag_is_given(
    folder: str, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setenv("GPU_ADVISOR_KNOWLEDGE", folder)

    assert run(["cite", "nord.1"]) == 0
    assert capsys.readouterr().out.startswith("§nord.1  Zones\n")


def test_flags_before_and_after_the_command_and_the_variable_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    folders = []
    for name in ("a", "b", "c", "d"):
        version = {"version.yaml": VERSION.replace("nord", name)}
        folders.append(str(write_pack(tmp_path / name, version)))
    monkeypatch.setenv("GPU_ADVISOR_KNOWLEDGE", os.pathsep.join(folders[:2]))

    assert run(["--knowledge", folders[2], "--version", "--knowledge", folders[3]]) == 0
    names = "a 7 of 2026-11-30, b 7 of 2026-11-30, c 7 of 2026-11-30, d 7 of 2026-11-30"
    assert f"with {names}, rule engine" in capsys.readouterr().out


def test_the_folder_is_not_in_use_after_the_command(folder: str, capsys: Out) -> None:
    run(["cite", "nord.1", "--knowledge", folder])

    assert in_use() is None
    assert run(["cite", "nord.1"]) == 2
    assert "has no section 'nord.1'" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_flag(command: str, capsys: Out) -> None:
    with pytest.raises(SystemExit):
        build_parser(command).parse_args([command, "--help"])

    assert "--knowledge DIR" in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_bad_input(capsys: Out) -> None:
    assert run(["cite", "--knowledge", "nowhere"]) == 2
    assert "There is no folder 'nowhere'" in capsys.readouterr().err


def test_records_and_questions_of_the_folder_are_shown_with_its_files(
    folder: str, capsys: Out
) -> None:
    assert run(["kb", "show", "gpu", "nord card", "--knowledge", folder]) == 0
    assert "nord/gpus/cards.yaml" in capsys.readouterr().out
    assert run(["kb", "show", "question", "nord.zone", "--knowledge", folder]) == 0
    assert "nord/questions/nord.yaml" in capsys.readouterr().out


def test_the_schema_of_answers_has_the_questions_of_the_folder(folder: str, capsys: Out) -> None:
    assert run(["schema", "answers", "--knowledge", folder]) == 0
    assert "nord" in json.loads(capsys.readouterr().out)["properties"]


def test_faults_of_the_folder_come_with_its_files_and_exit_code_1(
    tmp_path: Path, capsys: Out
) -> None:
    rules = FILES["rules/house.yaml"].replace('["nord.1"]', '["nord.7"]')
    folder = write_pack(tmp_path / "nord", rules=rules)

    assert run(["kb", "check", "--format", "json", "--knowledge", str(folder)]) == 1
    [fault] = json.loads(capsys.readouterr().out)["faults"]
    assert fault["file"] == f"{folder.as_posix()}/rules/house.yaml"
    assert fault["line"] == rules.splitlines().index('    cite: ["nord.7"]') + 1


def test_the_example_folder_is_sound(capsys: Out) -> None:
    example = str(ROOT / "examples" / "own-knowledge")

    assert run(["kb", "check", "--format", "json", "--knowledge", example]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["faults"] == []
    assert not any("own-knowledge" in w["file"] for w in found["warnings"])


def test_a_folder_of_answers_may_hold_a_folder_of_knowledge(folder: str, tmp_path: Path) -> None:
    file = answers(tmp_path)

    assert [str(path) for path in answers_files([str(tmp_path)])] == [file]
    assert Path(folder).is_relative_to(tmp_path)
