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


def show(what: str, found: list[tuple[float, str]]) -> None:
    """Print the size of the errors and the worst case."""
    sizes = [abs(error) for error, _ in found]
    worst, who = max(found, key=lambda pair: abs(pair[0]))
    print(
        f"{what:<44} n={len(found):<3} mean {statistics.mean(sizes):5.2f} %  median "
        f"{statistics.median(sizes):5.2f} %  worst {worst:+6.1f} % ({who})"
    )


def memory() -> None:
    """Compare memory figures."""
    pairs = results("engine_memory.yaml")
    right = sum(case["expect"]["status"] == answer.status for case, answer in pairs)
    print(f"{'verdict (starts or not)':<44} {right} of {len(pairs)} as the engine")
    given = [(case, answer) for case, answer in pairs if "kv_cache_gib" in case["args"]]
    computed = [(case, answer) for case, answer in pairs if "kv_cache_gib" not in case["args"]]
    show("weights, GiB per GPU", errors(pairs, "weights_gib", lambda r: r.weights_gib_per_gpu))
    show(
        "cache tokens from a given cache size",
        errors(given, "kv_tokens", lambda r: expected(r.kv_cache_tokens)),
    )
    found = errors(computed, "cache_gib", lambda r: expected(r.kv_cache_gib_per_gpu))
    show("cache left, GiB per GPU, computed", found)
    spans = [
        (case["expect"]["cache_gib"], answer.kv_cache_gib_per_gpu)
        for case, answer in computed
        if "cache_gib" in case["expect"]
    ]
    inside = sum(span is not None and span.low <= printed <= span.high for printed, span in spans)
    print(f"{'  printed figure between low and high':<44} {inside} of {len(spans)}")


def speed() -> None:
    """Compare decode speed: how many measurements lie in the band, and how wide it is."""
    pairs = results("decode_speed.yaml")
    counted = [
        (case, answer.decode_tokens_per_second)
        for case, answer in pairs
        if case["in_statistics"] and answer.decode_tokens_per_second is not None
    ]
    speeds = [(1000 / case["tpot_ms"], band) for case, band in counted]
    inside = sum(band.low <= measured <= band.high for measured, band in speeds)
    width = statistics.median(band.high / band.low for _, band in speeds)
    off = [max(band.low / measured, measured / band.high, 1.0) - 1 for measured, band in speeds]
    print(
        f"{'decode, one stream, inside the band':<44} {inside} of {len(speeds)}; the band is "
        f"x{width:.2f} wide (median)"
    )
    print(f"{'  distance to the band where outside, worst':<44} {100 * max(off):.0f} %")


if __name__ == "__main__":
    memory()
    speed()
