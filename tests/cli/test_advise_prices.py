"""``gpu-advisor advise --prices``: own rents, used, left out with a reason, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_commands import Command

GOOD = "workload: {model: llama-3.1-8b, concurrency: 2}\nhardware: {gpu: l4}\n"


@pytest.fixture
def good(tmp_path: Path) -> str:
    return written(tmp_path / "good.yaml", GOOD)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


PRICES = """
as_of: '2026-11-01'
prices:
  - {provider: aws, instance: my l4, gpu: l4, gpu_count: 1, usd_per_hour: 0.01, kind: on_demand,
     region: here}
"""
CSV = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"
    "my-l4,L4,1,8,32,0.02,,here\n"
    "my-cpu,,,8,32,0.01,,here\n"
)


def test_prices_of_a_file_are_used_and_named(command: Command, tmp_path: Path, good: str) -> None:
    file = written(tmp_path / "prices.yaml", PRICES)
    ran = command("advise", good, "--prices", file)

    assert ran.code == 0
    assert "0.01 USD an hour (as of 2026-11-01)" in ran.out
    assert "by your price file" in " ".join(ran.out.split())


def test_a_csv_takes_its_date_and_provider_from_flags_and_its_notes_go_to_stderr(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "vms.csv", CSV)
    words = ("--prices", file, "--prices-as-of", "2026-11-02", "--prices-provider", "gcp")
    ran = command("advise", good, *words, "--format", "json")
    chosen = ran.json["decisions"]["gpu"]["choice"]

    assert (chosen["provider"], chosen["instance_type"]) == ("gcp", "my-l4")
    assert (chosen["usd_per_hour"], chosen["price_as_of"]) == (0.02, "2026-11-02")
    assert chosen["price_source"] == "price file"
    assert "1 row skipped: no GPU" in ran.err


def test_every_line_of_many_uses_the_prices(command: Command, tmp_path: Path, good: str) -> None:
    file = written(tmp_path / "prices.yaml", PRICES)
    ran = command("advise", good, good, "--jsonl", "--prices", file)
    lines = [json.loads(line)["consultation"] for line in ran.out.splitlines()]

    assert [x["decisions"]["gpu"]["choice"]["usd_per_hour"] for x in lines] == [0.01, 0.01]


def test_a_price_without_a_date_is_refused_with_its_place(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "prices.yaml", PRICES.replace("as_of: '2026-11-01'", ""))
    ran = command("advise", good, "--prices", file, "--format", "json")

    assert (ran.code, ran.out) == (2, "")
    assert ran.error["file"] == file
    assert "as_of" in ran.error["key"]


def test_prices_that_the_answers_leave_out_are_counted_and_the_reason_is_told(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "prices.yaml", PRICES)
    words = ("--prices", file, "--set", "platform.cloud=gcp", "--format", "json")
    ran = command("advise", good, *words)
    warned = {w["id"]: w["text"] for w in ran.json["warnings"]}

    assert "Of 1 prices" in warned["prices-left-out"]
    assert "platform.cloud is gcp" in warned["prices-left-out"]
    assert warned["prices-left-out"] in ran.err
    assert ran.json["decisions"]["gpu"]["choice"]["price_source"] == "catalogue"


def test_prices_that_are_used_bring_no_word_about_it(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "prices.yaml", PRICES)
    ran = command("advise", good, "--prices", file, "--format", "json")

    assert ran.err == ""
    assert "prices-left-out" not in {w["id"] for w in ran.json["warnings"]}


@pytest.mark.parametrize("form", ["yaml", "csv"])
def test_prices_of_a_far_future_are_refused(
    command: Command, tmp_path: Path, good: str, form: str
) -> None:
    if form == "yaml":
        words = [written(tmp_path / "p.yaml", PRICES.replace("2026-11-01", "2099-11-01"))]
    else:
        words = [written(tmp_path / "p.csv", CSV), "--prices-as-of", "2099-11-01"]
    ran = command("advise", good, "--prices", *words, "--format", "json")

    assert (ran.code, ran.out) == (2, "")
    assert ran.error["code"] == "bad_date"
    assert "2099" in ran.error["message"]


def test_prices_a_little_newer_than_the_knowledge_are_welcome(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "p.yaml", PRICES.replace("2026-11-01", "2027-01-15"))

    assert command("advise", good, "--prices", file).code == 0


def test_wrong_columns_are_told_before_the_missing_date(
    command: Command, tmp_path: Path, good: str
) -> None:
    file = written(tmp_path / "p.csv", "gpu,usd\nl4,0.5\n")
    ran = command("advise", good, "--prices", file, "--format", "json")

    assert ran.error["code"] == "missing_column"


@pytest.mark.parametrize("flag", ["--prices-as-of", "--prices-provider"])
def test_flags_about_prices_need_prices(command: Command, good: str, flag: str) -> None:
    ran = command("advise", good, flag, "2026-11-02")

    assert (ran.code, ran.out) == (2, "")
    assert flag in ran.err
