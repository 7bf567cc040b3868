"""The commands that explain, on an answers file: what they print and how they fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_commands import Command

ANSWERS = (
    "workload: {model: llama-3.1-8b, context_tokens: 8k, concurrency: 4}\nhardware: {gpu: l4}\n"
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "gpu.yaml"
    path.write_text(ANSWERS, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ("how", "gpu"),
        ("whatif", "workload.concurrency=200"),
        ("limits", "concurrency"),
        ("why",),
        ("why", "tenancy.tenants"),
        ("whynot", "h100-sxm", "fp8"),
        ("compare", "l4", "a10"),
    ],
)
def test_text_is_short_and_cites_and_json_has_every_line(
    command: Command, file: str, words: tuple[str, ...]
) -> None:
    name, *rest = words
    short = command(name, file, *rest)
    everything = command(name, file, *rest, "--all")
    document = command(name, file, *rest, "--format", "json").json

    assert (short.code, short.err) == (0, "")
    assert "[§" in short.out
    assert max(map(len, short.out.splitlines()[1:])) <= 100
    assert len(everything.out) >= len(short.out)
    assert document["kind"] == name
    assert all(line["sections"] for line in document["lines"])


def test_overrides_come_first(command: Command, file: str) -> None:
    ran = command("how", file, "workload.concurrency", "--set", "workload.concurrency=9")
    assert "workload.concurrency = 9 (given, --set)" in ran.out


@pytest.mark.parametrize(
    ("words", "code", "near"),
    [
        (("how", "gup"), "unknown_name", "gpu"),
        (("why", "concurency"), "unknown_key", "workload.concurrency"),
        (("whynot", "time_slicng"), "unknown_option", "time_slicing"),
        (("compare", "l4", "h1OO-sxm"), "unknown_option", "h100-sxm"),
        (("limits", "concurency"), "unknown_key", "workload.concurrency"),
        (("whatif", "workload.concurency=4"), "unknown_key", "workload.concurrency"),
    ],
)
def test_a_wrong_name_is_bad_input_with_the_nearest(
    command: Command, file: str, words: tuple[str, str], code: str, near: str
) -> None:
    name, *rest = words
    ran = command(name, file, *rest, "--format", "json")

    assert (ran.code, ran.out) == (2, "")
    assert ran.error["code"] == code
    assert near in ran.error["nearest"]


def test_a_file_that_is_not_there_is_bad_input(command: Command, tmp_path: Path) -> None:
    ran = command("whatif", str(tmp_path / "none.yaml"), "workload.concurrency=4")
    assert ran.code == 2
