"""Figures that are typed in the handbook's prose are those that the tool computes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from advisor.cli.main import run
from advisor.sizing import prefill, speed
from advisor.store.handbook import load_handbook
from advisor.store.loader import load_knowledge

OUTCOMES = [
    # model, card, tensor parallel, format, cache format, request, low end, and the words in §8.1
    ("llama-3.1-8b", "l4", 1, "fp8", None, 8_192, 7, "an 8B: 7 requests of 8k"),
    ("llama-3.1-8b", "l4", 1, "fp8", None, 32_768, 1, "7 requests of 8k, 1 of 32k"),
    ("llama-3.1-8b", "a10g", 1, "awq_int4", None, 32_768, 2, "A10G with 4 bits (2 of 32k)"),
    ("llama-3.1-8b", "l40s", 1, "bf16", None, 8_192, 21, "L40S (8B bf16 21"),
    ("qwen3-14b", "l40s", 1, "fp8", None, 8_192, 17, "14B fp8 17)"),
    ("llama-3.1-8b", "rtx-pro-6000-server", 1, "fp8", None, 32_768, 18, "RTX PRO 6000 (fp8: 18"),
    ("qwen3-14b", "rtx-pro-6000-server", 1, "fp8", None, 32_768, 13, "(fp8: 18 and 13)"),
    ("qwen3-32b", "l40s", 1, "fp8", None, 8_192, 2, "fp8 at 8k: L40S 2 to 3"),
    ("qwen3-32b", "h100-sxm", 1, "fp8", None, 8_192, 17, "H100 17, RTX PRO 6000"),
    ("qwen3-32b", "rtx-pro-6000-server", 1, "fp8", None, 8_192, 25, "RTX PRO 6000 25"),
    ("qwen3-32b", "h200-sxm", 1, "bf16", None, 8_192, 30, "H200 in bf16 30"),
    ("qwen3-30b-a3b", "h100-sxm", 1, "fp8", None, 131_072, 3, "3 requests of 128k"),
    ("llama-3.3-70b", "h200-sxm", 1, "fp8", None, 8_192, 21, "one H200 (21 at 8k)"),
    ("llama-3.3-70b", "h100-sxm", 2, "fp8", None, 8_192, 26, "two H100 TP 2 (26)"),
    ("llama-3.3-70b", "h200-sxm", 1, "fp8", "fp8", 8_192, 43, "with fp8 cache 43"),
    ("llama-3.3-70b", "h100-sxm", 2, "fp8", "fp8", 8_192, 52, "43 and 52"),
    ("llama-3.3-70b", "rtx-pro-6000-server", 1, "fp8", None, 8_192, 5, "RTX PRO 6000 5"),
    ("llama-3.3-70b", "h100-sxm", 4, "bf16", None, 8_192, 54, "80 GB cards TP 4 (54 at 8k)"),
    ("llama-3.3-70b", "h200-sxm", 2, "bf16", None, 8_192, 45, "two H200 TP 2 (45)"),
    ("llama-3.3-70b", "mi325x", 1, "bf16", None, 8_192, 36, "one MI325X (36)"),
    ("llama-3.3-70b", "b300", 1, "bf16", None, 8_192, 42, "B300 (42)"),
    ("llama-3.3-70b", "mi355x", 1, "bf16", None, 8_192, 48, "MI355X (48)"),
    ("llama-3.3-70b", "mi300x", 1, "bf16", None, 8_192, 13, "MI300X 13"),
    ("llama-3.3-70b", "b200", 1, "bf16", None, 8_192, 9, "B200 9"),
    ("qwen3-235b-a22b", "h100-sxm", 4, "fp8", None, 8_192, 31, "H100 TP 4 (31 at 8k)"),
    ("qwen3-235b-a22b", "b200", 2, "fp8", None, 8_192, 62, "two B200 TP 2 (62)"),
    ("llama-3.1-405b", "h100-sxm", 8, "fp8", None, 131_072, 1, "one request of 128k"),
    ("llama-3.1-405b", "h100-sxm", 8, "fp8", None, 8_192, 16, "or 16 of 8k"),
    ("llama-3.1-405b", "b200", 4, "fp8", None, 131_072, 2, "four B200 two of 128k"),
    ("llama-3.1-405b", "h200-sxm", 8, "fp8", None, 131_072, 8, "eight H200 eight"),
    ("llama-3.1-405b", "h200-sxm", 4, "fp8", None, 8_192, 5, "only short ones (5 of 8k)"),
    ("deepseek-v3", "h200-sxm", 8, None, None, 8_192, 78, "TP 8: 78 at 8k"),
    ("kimi-k2.5", "h200-sxm", 8, None, None, 8_192, 93, "Kimi K2.5: 93 at 8k"),
]


def sized(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run(["size", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("model", "gpu", "tensor", "weights", "cache", "length", "least", "said"), OUTCOMES
)
def test_a_usual_choice_holds_what_section_8_1_says(
    model: str, gpu: str, tensor: int, weights: str | None, cache: str | None, length: int,
    least: int, said: str, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    arguments = ["--model", model, "--gpu", gpu, "--tensor-parallel", str(tensor)]
    arguments += ["--max-model-len", str(length), "--max-num-seqs", "64"]
    arguments += ["--engine", "vllm", "--engine-version", "0.33.0"]
    arguments += ["--weight-format", weights] if weights else []
    arguments += ["--kv-format", cache] if cache else []
    found = sized(arguments, capsys)

    assert said in load_handbook().section("8.1").text_markdown
    assert int(found["kv_cache_tokens"]["low"] / length) == least


def test_the_rule_for_decoding_is_that_of_the_tool() -> None:
    text = load_handbook().section("1").text_markdown
    best, worst = speed._BEST_BANDWIDTH, speed._WORST_BANDWIDTH
    low, _, high = speed._LAYER_US["dense"]

    assert (
        f"floor / {best} + layers x {low:.0f} us and floor / {worst} + layers x {high:.0f} us"
        in (text)
    )
    floor_ms = 15.0 / 3_350 * 1_000
    ends = floor_ms / best + 32 * low / 1_000, floor_ms / worst + 32 * high / 1_000
    match = re.search(r"takes ([\d.]+) to ([\d.]+) ms, (\d+) to (\d+) tokens per second", text)
    assert match is not None
    assert [float(part) for part in match.groups()] == [
        round(ends[0], 1), round(ends[1], 1), round(1_000 / ends[1]), round(1_000 / ends[0]),
    ]  # fmt: skip


def test_the_shares_of_the_peaks_are_those_of_the_tool() -> None:
    text = load_handbook().section("7.2").text_markdown
    bandwidth = f"{100 * speed._WORST_BANDWIDTH:.0f} to {100 * speed._BEST_BANDWIDTH:.0f} %"
    compute = f"{100 * prefill._WORST_COMPUTE:.0f} to {100 * prefill._BEST_COMPUTE:.0f} %"

    assert f"over {bandwidth} of the bandwidth" in text
    assert f"at {compute} of the dense peak" in text
    assert f"engines reach {bandwidth} of it" in load_handbook().section("2.1").text_markdown


def test_no_mixture_splits_over_the_72_gpus_of_a_rack() -> None:
    heads = {
        model.id: [heads for kind in model.attention if (heads := getattr(kind, "heads", 0))]
        for model in load_knowledge().models.values()
        if any(part.kind == "moe" for part in model.ffn)
    }

    assert "no mixture of experts in the catalogue divides by 72" in (
        load_handbook().section("7.1").text_markdown
    )
    assert [model for model, found in heads.items() if any(n % 72 == 0 for n in found)] == []
    assert sum(bool(found) for found in heads.values()) > 50


@pytest.mark.parametrize(
    ("section", "said", "card", "field"),
    [
        (
            "2",
            "B300 advertised with 288 GB gives an engine {:.1f} GiB",
            "b300",
            "engine_memory_gib",
        ),
        ("2", "an H100 of 80 GB gives {:.1f}", "h100-sxm", "engine_memory_gib"),
        ("2.1", "L40S {:.0f} GB/s is about a quarter", "l40s", "memory_bandwidth_gbs"),
        ("2.1", "RTX PRO 6000 Server {:,.0f} GB/s", "rtx-pro-6000-server", "memory_bandwidth_gbs"),
        ("2.1", "{:.1f} x 0.92 = 128.5 GiB", "h200-sxm", "engine_memory_gib"),
        ("2.1", "HGX B200 at {:,.0f} W", "b200", "tdp_w"),
        ("2.2", "{:,.0f} / 3,350", "b200", "memory_bandwidth_gbs"),
        ("2.2", "{:,.0f} / 1,979 | 2.3", "b200", "tflops.fp8"),
        ("2.2", "{:,.0f} / 1,979 | 4.5", "b200", "tflops.fp4"),
        ("2.2", "{:.2f} / 79.2", "b200", "engine_memory_gib"),
        ("2.3", "{:.0f} GiB on MI350X and MI355X", "mi355x", "engine_memory_gib"),
        ("2.3", "against {:.1f} on B300 (8 %)", "b300", "engine_memory_gib"),
        ("2.3", "{:.1f} on GB300 (4 %)", "gb300", "engine_memory_gib"),
        ("2.3", "MI350P is a PCIe card of {:.0f} W", "mi350p", "tdp_w"),
        ("1", "an H100 SXM moves {:,.0f} GB/s", "h100-sxm", "memory_bandwidth_gbs"),
        ("1", "{:,.0f} / 3.35 x 1 / 2", "h100-sxm", "tflops.fp8"),
        ("7.3", "H100 {:.1f}, H200 139.7 GiB", "h100-sxm", "engine_memory_gib"),
    ],
)
def test_a_figure_of_a_card_is_that_of_the_catalogue(
    section: str, said: str, card: str, field: str
) -> None:
    value: Any = load_knowledge().gpus[card]
    for part in field.split("."):
        value = getattr(value, part)

    assert said.format(value) in load_handbook().section(section).text_markdown
