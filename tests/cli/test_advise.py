"""``gpu-advisor advise``: files in, advice out, one paragraph for what cannot be used."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from running_commands import Command

GOOD = "workload: {model: llama-3.1-8b, concurrency: 2}\nhardware: {gpu: l4}\n"
OTHER = "workload: {model: llama-3.3-70b, concurrency: 8}\nhardware: {gpu: h100-sxm}\n"
CASES = Path(__file__).parents[1] / "cases" / "answers"


@pytest.fixture
def good(tmp_path: Path) -> str:
    return written(tmp_path / "good.yaml", GOOD)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


# ---- what comes out ----


def test_text_starts_with_the_decision(command: Command, good: str) -> None:
    ran = command("advise", good)

    assert ran.code == 0
    assert ran.err == ""
    first, second = ran.out.splitlines()[:2]
    assert first.startswith("GPU  [provisional]")
    assert second.strip().startswith("=> buy or rent: 1 x l4")


def test_piped_text_has_no_colour(command: Command, good: str) -> None:
    assert "\x1b" not in command("advise", good).out


@pytest.mark.parametrize("path", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_report_fits_three_screens_and_cites(command: Command, path: Path) -> None:
    ran = command("advise", str(path))

    assert ran.code == 0
    assert len(ran.out.splitlines()) <= 150
    assert max(map(len, ran.out.splitlines())) <= 100
    assert "§" in ran.out


def test_verbose_tells_more(command: Command, good: str) -> None:
    assert len(command("advise", good, "--verbose").out) > len(command("advise", good).out)


def test_json_is_one_object_for_one_file(command: Command, good: str) -> None:
    document = command("advise", good, "--format", "json").json

    assert document["decisions"]["gpu"]["choice"]["gpu"] == "l4"
    assert "if" in document["decisions"]["gpu"]["depends_on"][0]


def test_several_files_are_an_array_in_order(command: Command, tmp_path: Path, good: str) -> None:
    other = written(tmp_path / "other.yaml", OTHER)
    documents = command("advise", other, good, "--format", "json").json

    assert [d["decisions"]["gpu"]["choice"]["gpu"] for d in documents] == ["h100-sxm", "l4"]


def test_a_dash_is_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    ran = command("advise", "-", "--format", "json")

    assert ran.json["decisions"]["gpu"]["choice"]["gpu"] == "l4"
    assert {answer["file"] for answer in ran.json["answers"]} == {"standard input"}


def test_markdown_and_html_tell_the_same_choice(command: Command, good: str) -> None:
    markdown = command("advise", good, "--format", "markdown")
    page = command("advise", good, "--format", "html")

    assert markdown.code == page.code == 0
    assert markdown.out.startswith("# GPU advice\n")
    assert page.out.startswith("<!DOCTYPE html>\n")
    for out in (markdown.out, page.out):
        assert "buy or rent: 1 x l4" in out


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_several_reports_are_headed_by_their_files(
    command: Command, tmp_path: Path, good: str, form: str
) -> None:
    other = written(tmp_path / "other.yaml", OTHER)
    alone = command("advise", good, "--format", form).out
    both = command("advise", other, good, "--format", form).out

    heads = [line for line in both.splitlines() if line.startswith(("====", "# GPU advice"))]
    assert len(heads) == 2
    assert "other.yaml" in heads[0]
    assert "good.yaml" in heads[1]
    assert both.endswith(alone.partition("\n")[2])


@pytest.mark.parametrize(
    "words",
    [
        ("--jsonl", "--format", "html"),
        ("--jsonl", "--format", "text"),
        ("--jsonl", "--format", "markdown"),
    ],
)
def test_lines_of_json_and_another_form_contradict_each_other(
    command: Command, good: str, words: tuple[str, ...]
) -> None:
    ran = command("advise", good, *words)

    assert (ran.code, ran.out) == (2, "")
    assert "--format" in ran.err


def test_lines_of_json_may_be_called_json(command: Command, good: str) -> None:
    assert command("advise", good, "--jsonl", "--format", "json").code == 0


def test_standard_input_is_taken_once(command: Command) -> None:
    ran = command("advise", "-", "-")

    assert (ran.code, ran.out) == (2, "")
    assert "once" in ran.err


def test_a_page_of_several_files_is_refused(command: Command, good: str) -> None:
    ran = command("advise", good, good, "--format", "html")

    assert (ran.code, ran.out) == (2, "")
    assert "--format" in ran.err


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_output_is_utf_8_whatever_the_stream_was_opened_with(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    own = "workload: {model: llama-3.1-8b}\nhardware: {gpu: kärtchen, gpu_memory_gib: 80}\n"
    file = written(tmp_path / "own.yaml", own)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    ran = command("advise", file, "--format", form)

    assert ran.code == 0
    assert "kärtchen" in raw.getvalue().decode("utf-8")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "width"), [(40, 60), (60, 60), (80, 80), (400, 110)])
def test_text_is_as_wide_as_the_terminal_within_reason(
    command: Command, monkeypatch: pytest.MonkeyPatch, good: str, columns: int, width: int
) -> None:
    screen = Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen)
    command("advise", good)
    lengths = [len(line) for line in screen.getvalue().splitlines()]

    assert width - 15 < max(lengths) <= width


def test_a_pipe_is_100_columns_whatever_the_terminal_is(
    command: Command, monkeypatch: pytest.MonkeyPatch, good: str
) -> None:
    plain = command("advise", good).out
    monkeypatch.setenv("COLUMNS", "60")

    assert command("advise", good).out == plain
    assert max(map(len, plain.splitlines())) in range(90, 101)


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_a_terminal_gets_colour_unless_the_user_wants_none(
    command: Command, monkeypatch: pytest.MonkeyPatch, good: str, no_colour: str
) -> None:
    screen = Terminal()
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr(sys, "stdout", screen)
    command("advise", good)

    assert ("\x1b[" in screen.getvalue()) is (no_colour == "")


def test_set_overrides_an_answer_and_says_so(command: Command, good: str) -> None:
    ran = command("advise", good, "--set", "hardware.gpu=h100-sxm", "--format", "json")

    assert ran.json["decisions"]["gpu"]["choice"]["gpu"] == "h100-sxm"
    [answer] = [a for a in ran.json["answers"] if a["key"] == "hardware.gpu"]
    assert answer["file"] == "--set"


def test_lines_go_on_after_a_bad_file(command: Command, tmp_path: Path, good: str) -> None:
    bad = written(tmp_path / "bad.yaml", "workload: {modle: x}\n")
    ran = command("advise", good, bad, good, "--jsonl")
    lines = [json.loads(line) for line in ran.out.splitlines()]

    assert ran.code == 2
    assert [set(line) for line in lines] == [
        {"source", "consultation"}, {"source", "error"}, {"source", "consultation"},
    ]  # fmt: skip
    assert [line["source"] for line in lines] == [good, bad, good]
    assert lines[1]["error"]["key"] == "workload.modle"


def test_lines_of_good_files_alone_are_no_fault(command: Command, good: str) -> None:
    assert command("advise", good, good, "--jsonl").code == 0


def test_strict_finds_what_is_not_firm(command: Command, good: str) -> None:
    assert command("advise", good, "--strict").code == 1
    assert command("advise", good, "--strict", "--jsonl").code == 1


def test_strict_is_content_with_what_does_not_apply(command: Command, tmp_path: Path) -> None:
    asked = "ask: [gpu, parallelism]\nworkload: {kind: platform}\n"
    platform = written(tmp_path / "platform.yaml", asked)

    assert command("advise", platform, "--strict").code == 0


def test_what_fits_nowhere_is_an_answer(command: Command, good: str) -> None:
    ran = command("advise", good, "--set", "objectives.budget_usd_per_hour=0.01")

    assert ran.code == 0
    assert "none fits" in ran.out


# ---- what cannot be used ----

FAULTS = {
    "unknown key": ("workload:\n  modle: x\n", 2, "workload.modle", "workload.model"),
    "misspelt GPU": (
        "workload: {model: llama-3.1-8b}\nhardware:\n  gpu: h1000-sxm\n",
        3, "hardware.gpu", "h100-sxm",
    ),
    "misspelt model": ("workload:\n  model: lama-3.1-8b\n", 2, "workload.model", "llama-3.1-8b"),
    "key given twice": ("workload:\n  model: a\n  model: b\n", 3, "model", None),
    "image model": (
        "workload:\n  model_config: {_class_name: UNet2DConditionModel}\n",
        2, "workload.model_config", None,
    ),
    "impossible parts": (
        "workload:\n  parameters_b: 7\n  active_parameters_b: 70\n",
        3, "workload.active_parameters_b", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_paragraph_with_its_place(
    command: Command, tmp_path: Path, name: str
) -> None:
    text, line, key, nearest = FAULTS[name]
    file = written(tmp_path / "answers.yaml", text)
    ran = command("advise", file)

    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert f"{file}:{line}: {key}: " in ran.err
    assert nearest is None or nearest in ran.err


@pytest.mark.parametrize("name", FAULTS)
def test_under_json_a_fault_is_an_object_and_nothing_else(
    command: Command, tmp_path: Path, name: str
) -> None:
    text, line, key, nearest = FAULTS[name]
    file = written(tmp_path / "answers.yaml", text)
    ran = command("advise", file, "--format", "json")

    assert (ran.code, ran.out) == (2, "")
    assert set(ran.error) == {"code", "message", "file", "line", "key", "allowed", "nearest"}
    assert (ran.error["file"], ran.error["line"], ran.error["key"]) == (file, line, key)
    assert nearest is None or nearest in ran.error["nearest"]


def bomb() -> bytes:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "content",
    [b"x" * 50_000_000, b"workload: {model: \xff\xfe}", bomb(), b"[" * 5000, b"\x00"],
    ids=["50 MB", "not UTF-8", "exploding anchors", "deep", "zero byte"],
)
def test_what_is_no_answers_file_is_refused_in_words(
    command: Command, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "answers.yaml"
    file.write_bytes(content)
    ran = command("advise", str(file), "--format", "json")

    assert (ran.code, ran.out) == (2, "")
    assert ran.error["file"] == str(file)
    assert ran.error["message"]


def test_a_folder_and_a_missing_file_are_refused_in_words(command: Command, tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "missing.yaml")):
        ran = command("advise", name)
        assert ran.code == 2
        assert ran.out == ""
        assert name in ran.err


def test_standard_input_that_is_no_text_is_refused_in_words(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    ran = command("advise", "-")

    assert ran.code == 2
    assert "standard input" in ran.err


def test_a_fault_of_the_second_file_prints_nothing_of_the_first(
    command: Command, tmp_path: Path, good: str
) -> None:
    bad = written(tmp_path / "bad.yaml", "workload: {modle: x}\n")
    ran = command("advise", good, bad, "--format", "json")

    assert (ran.code, ran.out) == (2, "")
