"""How long one consultation takes in each engine: 300 rules x 100 candidates.

    python benchmarks/engine_speed.py [rules] [candidates]

The rules are a mix like the real ones: answers alone, answers with a candidate, a candidate
with its GPU, derived facts read by other rules, and a few negations. What counts is the ratio
to the reference engine; milliseconds depend on the machine.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

from advisor.engine import Fact, Outcome, select_engine
from advisor.engine.selftest import durable_trouble
from advisor.rules import RuleBase, Vocabulary, load_rules

FORMATS = ("bf16", "fp8", "int4", "nvfp4")
ANSWERS = 40
VOCABULARY = Vocabulary.of(
    {
        "answers": {f"workload.key{n}": ["a", "b", "c"] for n in range(ANSWERS)},
        "candidate": {
            "gpu": "str",
            "format": FORMATS,
            "price": "number",
            "count": "int",
            "slack": "number",
        },
        "gpu": {"id": "str", "memory": "number", "native": "bool"},
        "need": {"topic": "int", "count": "int"},
    }
)


def rules(count: int) -> list[dict[str, Any]]:
    """Return ``count`` rules of five shapes in turn."""
    made = []
    for n in range(count):
        key, other = f"workload.key{n % ANSWERS}", f"workload.key{(n * 7 + 3) % ANSWERS}"
        value = "abc"[n % 3]
        form = FORMATS[n % 4]
        shape: dict[str, Any] = {"for": {"c": "candidate"}}
        match n % 10:
            case 0 | 1:
                shape = {
                    "when": f"{key} == '{value}' or {other} in ['a', 'b'] and {key} != 'c'",
                    "effect": "derive",
                    "set": {"kind": "need", "fields": {"topic": n % 20, "count": n % 5}},
                }
            case 2 | 3 | 4 | 5:
                shape |= {
                    "when": f"{key} == '{value}' and c.format == '{form}' and c.slack < {n % 7 + 1}"
                }
            case 6 | 7:
                shape = {
                    "for": {"c": "candidate", "g": "gpu"},
                    "when": f"c.gpu == g.id and not g.native and c.format == '{form}' "
                    f"and c.count > {n % 8 + 4} and {key} == '{value}'",
                }
            case 8:
                shape |= {
                    "for": {"n": "need", "c": "candidate"},
                    "when": f"n.topic == {n % 20} and c.count == n.count and c.format == '{form}'",
                }
            case _:
                shape |= {
                    "when": f"c.format == '{form}' and {key} == '{value}'",
                    "none": [
                        {
                            "o": "candidate",
                            "where": "o.format == c.format and o.price < c.price",
                        }
                    ],
                }
        common = {"id": f"r{n}", "decision": "gpu", "effect": "warn", "because": "x", "cite": ["1"]}
        made.append(common | shape)
    return made


def facts(candidates: int) -> list[Fact]:
    """Return answers, 12 GPUs and the candidates."""
    answers = {f"workload.key{n}": "abc"[n * 5 % 3] for n in range(ANSWERS)}
    found = [Fact("answers", "answers", answers)]
    found += [
        Fact("gpu", f"g{n}", {"id": f"gpu-{n}", "memory": 24 + 8 * n, "native": n % 2 == 0})
        for n in range(12)
    ]
    for n in range(candidates):
        fields = {
            "gpu": f"gpu-{n % 12}",
            "format": FORMATS[n * 7 % 4],
            "price": (n * 37 % 101) / 8,
            "count": n % 9,
            "slack": n * 13 % 29 / 4,
        }
        found.append(Fact("candidate", f"c{n}", fields))
    return found


def measure(name: str, base: RuleBase, given: list[Fact]) -> tuple[float, Outcome]:
    """Return the median of 15 consultations in milliseconds, and the outcome."""
    engine = select_engine(name)
    outcome = engine.fire(base, given)
    times = []
    for _ in range(15):
        start = time.process_time()
        engine.fire(base, given)
        times.append((time.process_time() - start) * 1_000)
    return statistics.median(times), outcome


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    candidates = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    start = time.process_time()
    base = load_rules(rules(count), VOCABULARY)
    print(f"load and check {count} rules: {(time.process_time() - start) * 1_000:.0f} ms")
    given = facts(candidates)
    reference, outcome = measure("reference", base, given)
    print(f"{len(outcome.firings)} firings, {len(outcome.blocked)} blocked")
    print(f"reference {reference:8.2f} ms   1.0")
    if durable_trouble() is None:
        durable, _ = measure("durable", base, given)
        print(f"durable   {durable:8.2f} ms   {durable / reference:.1f}")


if __name__ == "__main__":
    main()
