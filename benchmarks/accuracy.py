"""How far the calculator is from figures that running engines printed.

    python benchmarks/accuracy.py

Reads the cases of ``tests/cases``: each has its public source. Memory is compared with what the
engine printed, decode speed with measured time per output token of one stream. Deterministic:
run it after a change of the knowledge base and compare.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import GpuAdvisorError
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import Range, SizeResult, Span
from advisor.store.loader import load_knowledge

CASES = Path(__file__).resolve().parents[1] / "tests" / "cases"


def results(name: str) -> list[tuple[dict[str, Any], SizeResult]]:
    """Return each case of a file with our answer; a refused case ends the run."""
    knowledge = load_knowledge()
    cases = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))["cases"]
    found = []
    for case in cases:
        try:
            answer = size_by_name(
                knowledge, case["model"], case.get("gpu"), SizeRequest(**case["args"])
            )
        except GpuAdvisorError as error:
            raise SystemExit(f"{case['id']}: {error}") from error
        found.append((case, answer))
    return found


def errors(
    pairs: Iterable[tuple[dict[str, Any], SizeResult]],
    key: str,
    ours: Callable[[SizeResult], float | None],
) -> list[tuple[float, str]]:
    """Return signed errors in per cent, with the case, of one printed figure."""
    found = []
    for case, answer in pairs:
        printed = case["expect"].get(key)
        value = ours(answer)
        if printed is not None and value is not None:
            found.append((100 * (value / printed - 1), case["id"]))
    return found


def expected(span: Span | Range | None) -> float | None:
    """Return the middle of an estimate."""
    return None if span is None else span.expected


def row(what: str, found: list[tuple[float, str]]) -> str:
    """Return a table row: mean, median and worst error."""
    sizes = [abs(error) for error, _ in found]
    worst, who = max(found, key=lambda pair: abs(pair[0]))
    return (
        f"| {what} | {len(found)} | mean {statistics.mean(sizes):.2f} %, median "
        f"{statistics.median(sizes):.2f} %, worst {worst:+.1f} % ({who}) |"
    )


def memory() -> list[str]:
    """Compare memory figures."""
    pairs = results("engine_memory.yaml")
    right = sum(case["expect"]["status"] == answer.status for case, answer in pairs)
    given = [(case, answer) for case, answer in pairs if "kv_cache_gib" in case["args"]]
    computed = [(case, answer) for case, answer in pairs if "kv_cache_gib" not in case["args"]]
    spans = [
        (case["expect"]["cache_gib"], answer.kv_cache_gib_per_gpu)
        for case, answer in computed
        if "cache_gib" in case["expect"]
    ]
    inside = sum(span is not None and span.low <= printed <= span.high for printed, span in spans)
    return [
        f"| it starts, or it does not | {len(pairs)} | {right} as the engine |",
        row("weights per GPU", errors(pairs, "weights_gib", lambda r: r.weights_gib_per_gpu)),
        row(
            "cache tokens, from the printed cache size",
            errors(given, "kv_tokens", lambda r: expected(r.kv_cache_tokens)),
        ),
        row(
            "cache size per GPU, computed",
            errors(computed, "cache_gib", lambda r: expected(r.kv_cache_gib_per_gpu)),
        ),
        f"| the same, inside its range | {len(spans)} | {inside} inside |",
    ]


def speed() -> list[str]:
    """Compare decode speed: how many measurements lie in the band, and how wide it is."""
    counted = [
        (1000 / case["tpot_ms"], answer.decode_tokens_per_second)
        for case, answer in results("decode_speed.yaml")
        if case["in_statistics"] and answer.decode_tokens_per_second is not None
    ]
    bands = [
        (measured, band.low, band.high)
        for measured, band in counted
        if band.low is not None and band.high is not None
    ]
    inside = sum(low <= measured <= high for measured, low, high in bands)
    width = statistics.median(high / low for _, low, high in bands)
    off = max(max(low / measured, measured / high, 1.0) - 1 for measured, low, high in bands)
    text = (
        f"| decode speed of one stream, inside its band | {len(counted)} | {inside} inside, the "
        f"others off by {100 * off:.0f} % at most; the band is a factor {width:.2f} wide |"
    )
    return [text]


def main() -> None:
    """Print the table."""
    for line in ("| figure | cases | error |", "| --- | --- | --- |", *memory(), *speed()):
        print(line)


if __name__ == "__main__":
    main()
