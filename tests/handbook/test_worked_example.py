"""The 70B example of §7.3 follows from its own inputs.

The table is typed in Markdown, so this recomputes it: each cell from the layout in its first
column, the model's shape and the constants that the section states.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from advisor.store.handbook import load_handbook

GIB = 2**30
PARAMETERS = 70.55e9
LINEAR_PARAMETERS = PARAMETERS - 2 * 128_256 * 8_192
KV_BYTES_16_BIT = 2 * 80 * 8 * 128 * 2
VOCABULARY, HIDDEN, INTERMEDIATE, QKV = 128_256, 8_192, 28_672, (64 + 2 * 8) * 128
TOTAL_GIB = {"H100": 79.2, "H200": 139.7}
UTILISATION, BATCHED_TOKENS, CUDA_GRAPHS_GIB = 0.92, 8_192, 0.3


@dataclass(frozen=True)
class Layout:
    """One row of the table, read from its first column."""

    gpus: int
    card: str
    fp8_weights: bool
    fp8_cache: bool
    max_num_seqs: int

    @property
    def weights_gib(self) -> float:
        narrow = PARAMETERS + (PARAMETERS - LINEAR_PARAMETERS)  # embeddings stay in 16 bits
        return (narrow if self.fp8_weights else 2 * PARAMETERS) / self.gpus / GIB

    @property
    def peak_gib(self) -> float:
        sampling = 38.5 * self.max_num_seqs * VOCABULARY
        split = (2 * INTERMEDIATE + QKV) / self.gpus
        return max(sampling, BATCHED_TOKENS * (2 * HIDDEN + split) * 2) / GIB

    @property
    def kv_bytes_per_token(self) -> float:
        return KV_BYTES_16_BIT / (2 if self.fp8_cache else 1) / self.gpus

    @property
    def cache_gib(self) -> float:
        non_torch = 0.14 if self.gpus == 1 else 0.57
        return TOTAL_GIB[self.card] * UTILISATION - self.weights_gib - non_torch - self.peak_gib

    @property
    def requests(self) -> int:
        usable = max(0.0, self.cache_gib - CUDA_GRAPHS_GIB) * GIB
        return int(usable / self.kv_bytes_per_token / 8_192)


def rows() -> list[list[str]]:
    text = load_handbook().section("7.3").text_markdown
    lines = re.findall(r"^\| (\d x H\d.*) \|$", text, re.MULTILINE)
    return [line.split(" | ") for line in lines]


def layout(words: str) -> Layout:
    match = re.match(r"(?P<gpus>\d) x (?P<card>H\d00)", words)
    assert match is not None
    sequences = re.search(r"max-num-seqs (\d+)", words)
    return Layout(
        gpus=int(match["gpus"]),
        card=match["card"],
        fp8_weights="fp8 weights" in words,
        fp8_cache="cache" in words,
        max_num_seqs=int(sequences[1]) if sequences else 1024,
    )


def test_the_example_is_there() -> None:
    assert len(rows()) >= 9


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_row_can_be_recomputed(row: list[str]) -> None:
    words, weights, peak, left, wanted, tokens, requests, verdict = row
    case = layout(words)

    assert float(weights) == pytest.approx(case.weights_gib, abs=0.06)
    assert float(peak) == pytest.approx(case.peak_gib, abs=0.06)
    assert float(wanted) == pytest.approx(32 * 8_192 * case.kv_bytes_per_token / GIB, abs=0.06)
    if left == "none":
        assert case.cache_gib < 0
    else:
        assert float(left) == pytest.approx(case.cache_gib, abs=0.06)
        held = case.cache_gib * GIB / case.kv_bytes_per_token
        assert float(tokens.replace(",", "")) == pytest.approx(held, rel=0.01)
    assert int(requests) == case.requests
    assert verdict == ("yes" if case.requests >= 32 else "no")


def test_the_prose_states_the_same_cache_per_token() -> None:
    assert f"{KV_BYTES_16_BIT:,} bytes" in load_handbook().section("7.3").text_markdown
