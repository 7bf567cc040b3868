"""The 70B example of §7.3 is what ``gpu-advisor size`` says, and follows from its own inputs.

The table is typed in Markdown, so each row is sized anew from the words in its first column.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from advisor.cli.main import run
from advisor.store.handbook import load_handbook

GIB = 2**30
KV_BYTES_16_BIT = 2 * 80 * 8 * 128 * 2
VOCABULARY = 128_256
REQUEST, USERS = 8_192, 32
CARDS = {"H100": "h100-sxm", "H200": "h200-sxm"}


@cache
def text() -> str:
    return load_handbook().section("7.3").text_markdown


def rows() -> list[list[str]]:
    lines = re.findall(r"^\| (\d x H\d.*) \|$", text(), re.MULTILINE)
    return [line.split(" | ") for line in lines]


def sized(words: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what ``size`` says of a layout in words: ``2 x H100, TP 2, fp8 weights``."""
    match = re.match(r"(?P<gpus>\d) x (?P<card>H\d00)", words)
    assert match is not None
    sequences = re.search(r"max-num-seqs (\d+)", words)
    code = run(
        [
            "size", "--model", "llama-3.3-70b", "--gpu", CARDS[match["card"]],
            "--tensor-parallel", match["gpus"], "--max-model-len", str(REQUEST),
            "--max-num-seqs", sequences[1] if sequences else "1024",
            "--engine", "vllm", "--engine-version", "0.33.0",
            *(["--weight-format", "fp8"] if "fp8 weights" in words else []),
            *(["--kv-format", "fp8"] if "cache" in words else []),
            "--format", "json",
        ]
    )  # fmt: skip
    assert code == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_example_is_there() -> None:
    assert len(rows()) >= 9


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_row_is_what_the_tool_says(row: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words, weights, before, left, wanted, tokens, requests, verdict = row
    found = sized(words, capsys)
    takes = ("non_torch_gib", "activation_peak_gib", "cuda_graphs_gib", "workspace_gib")
    low, high = (int(found["kv_cache_tokens"][end] / REQUEST) for end in ("low", "high"))
    per_token = KV_BYTES_16_BIT / (2 if "cache" in words else 1) / int(words[0])

    assert float(weights) == pytest.approx(found["weights_gib_per_gpu"], abs=0.06)
    assert float(before) == pytest.approx(sum(found["overheads"][t] for t in takes), abs=0.06)
    assert float(wanted) == pytest.approx(USERS * REQUEST * per_token / GIB, abs=0.06)
    if left == "none":
        assert found["kv_cache_gib_per_gpu"]["high"] < 0
    else:
        assert float(left) == pytest.approx(found["kv_cache_gib_per_gpu"]["expected"], abs=0.06)
    held = float(tokens.replace(",", ""))
    assert held == pytest.approx(found["kv_cache_tokens"]["expected"], rel=0.01)
    assert requests == ("0" if high == 0 else f"{low} to {high}")
    assert verdict == ("yes" if low >= USERS else "no")
    assert (low >= USERS) == (high >= USERS)


@pytest.mark.parametrize(
    ("said", "computed"),
    [
        (r"= ([\d.]+) GiB, and 8,192 hidden", 14 * 1_024 * VOCABULARY / GIB),
        (r"4\.125 x 1,024 x 128,256 bytes = ([\d.]+) GiB", 4.125 * 1_024 * VOCABULARY / GIB),
        (r"hidden states of 16 KB, ([\d.]+) GiB", REQUEST * 8_192 * 2 / GIB),
        (r"\*\*What the engine may use\.\*\* 79\.2 x 0\.92 = ([\d.]+) GiB", 79.2 * 0.92),
    ],
)
def test_the_sums_of_the_prose_hold(said: str, computed: float) -> None:
    match = re.search(said, text())

    assert match is not None
    assert float(match[1]) == pytest.approx(computed, abs=0.06)


def test_the_prose_states_the_same_cache_per_token() -> None:
    assert f"{KV_BYTES_16_BIT:,} bytes" in text()
