"""``gpu-advisor diagnose``: text, file or standard input; what cannot be used is said."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from running_commands import Command

from advisor.diagnose.diagnosis import DiagnosisReport

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"


def _pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_a_text_is_diagnosed(command: Command) -> None:
    ran = command("diagnose", OOM)

    assert ran.code == 0
    assert ran.err == ""
    assert "[cuda-out-of-memory]" in ran.out
    assert f"line 1: {OOM}" in ran.out
    assert (
        ran.out.index("  1. ")
        < ran.out.index("check")
        < ran.out.index("fix")
        < ran.out.index("  2. ")
    )


def test_words_without_quotes_are_one_text(command: Command) -> None:
    assert command("diagnose", *OOM.split()).out == command("diagnose", OOM).out


def test_a_file_is_diagnosed(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "pod.log"
    log.write_text(f"one\ntwo\n{OOM}\n", encoding="utf-8")

    ran = command("diagnose", str(log), "--format", "json")

    assert ran.json["matches"][0]["evidence"] == {"line": 3, "text": OOM}


@pytest.mark.parametrize("words", [(), ("-",)])
def test_standard_input_is_diagnosed(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    _pipe(monkeypatch, OOM.encode())

    assert "[cuda-out-of-memory]" in command("diagnose", *words).out


@pytest.mark.parametrize(
    "data",
    [OOM.encode("utf-16"), b"\xef\xbb\xbf" + OOM.encode(), b"\xff\xe9\n" + OOM.encode()],
    ids=["utf-16", "utf-8 with a mark", "not quite utf-8"],
)
def test_logs_of_any_encoding_are_read(
    command: Command, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    _pipe(monkeypatch, data)

    assert command("diagnose").code == 0


def test_json_is_what_the_schema_says(command: Command) -> None:
    document = command("diagnose", "GetPreferredAllocation failed: GPU is lost; Xid 79", "--format",
                       "json").json  # fmt: skip
    schema = command("schema", "diagnosis").json

    DiagnosisReport.model_validate(document)
    assert set(document) == {"matches", "unknown", "nearest"}
    assert set(schema["properties"]) == set(document)
    assert document["matches"][0]["id"] == "preferred-allocation-failed"
    scores = [match["score"] for match in document["matches"]]
    assert scores == sorted(scores, reverse=True)
    for match in document["matches"]:
        assert {"id", "score", "evidence", "causes"} <= set(match)
        for cause in match["causes"]:
            assert {"id", "rank", "cause", "check", "fix", "citations"} <= set(cause)


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_not_known_is_said_and_returns_one(command: Command, form: str) -> None:
    ran = command("diagnose", "the moon is red", "--format", form)

    assert ran.code == 1
    assert ran.err == ""
    if form == "json":
        assert ran.json == {"matches": [], "unknown": True, "nearest": []}
    else:
        assert ran.out.startswith("Not known")


def test_answers_rank_the_causes(command: Command, tmp_path: Path) -> None:
    answers = tmp_path / "gpu.yaml"
    answers.write_text("platform: {sharing_now: [time_slicing]}\n", encoding="utf-8")

    with_facts = command("diagnose", OOM, "--answers", str(answers), "--format", "json").json
    without = command("diagnose", OOM, "--format", "json").json

    assert with_facts["matches"][0]["causes"][0]["id"] == "neighbour"
    assert without["matches"][0]["causes"][0]["id"] == "weights-do-not-fit"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("missing.log",), "no_such_file"),
        (("./missing",), "no_such_file"),
        ((".",), "not_a_file"),
        (("",), "empty"),
        (("  ",), "empty"),
        ((OOM, "--answers", "missing.yaml"), "no_such_file"),
        (("-", "--answers", "-"), "usage"),
    ],
)
def test_what_cannot_be_used_is_an_error(
    command: Command, words: tuple[str, ...], code: str
) -> None:
    ran = command("diagnose", *words, "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert ran.error["code"] == code


def test_binary_data_are_refused(command: Command, tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.write_bytes(b"\x7fELF\x00\x00" + OOM.encode())

    ran = command("diagnose", str(core), "--format", "json")

    assert (ran.code, ran.out, ran.error["code"]) == (2, "", "not_text")
    assert ran.error["file"] == str(core)


def test_empty_input_is_refused(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    _pipe(monkeypatch, b"\n \n")

    ran = command("diagnose", "--format", "json")

    assert (ran.code, ran.error["code"]) == (2, "empty")


def test_no_text_at_a_terminal_is_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.StringIO(OOM)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)

    assert command("diagnose").code == 2


def test_a_long_text_is_not_taken_for_a_file(command: Command) -> None:
    assert command("diagnose", "/" + "x" * 5000 + " " + OOM).code == 0


def test_no_control_character_reaches_the_terminal(command: Command) -> None:
    out = command("diagnose", f"\x1b]0;title\x07\x1b[2J{OOM}\x07").out

    assert out.replace("\n", "").isprintable()


def test_the_report_names_what_else_stands_in_the_text(command: Command) -> None:
    out = command("diagnose", f"{OOM}\nNVRM: Xid (PCI:0000:3b:00): 79, pid=1, fallen off the bus")

    assert "Also in the text" in out.out
    assert json.dumps(out.code) == "0"
