"""The two engines and a naive interpreter agree on random rules and facts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from naive_oracle import Oracle, Result
from random_rules import random_base, random_facts, seeded

from advisor.engine import Outcome, select_engine
from advisor.engine.selftest import durable_trouble
from advisor.rules import Fact

HERE = Path(__file__).parent
TROUBLE = durable_trouble()
needs_durable = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")
# Where the library is missing the reference engine still has to satisfy the oracle.
ENGINE = "reference" if TROUBLE else "both"

BASES = 125
SETS_PER_BASE = 16


def as_oracle_sees(outcome: Outcome, facts: list[Fact]) -> tuple[Result, dict[str, Any]]:
    """Return an outcome with derived facts named by their contents."""
    given = {fact.id for fact in facts}
    names: dict[str, Any] = {
        fact.id: fact.id if fact.id in given else (fact.kind, tuple(sorted(fact.fields.items())))
        for fact in outcome.facts
    }
    seen = Result(derived={name for fact_id, name in names.items() if fact_id not in given})
    for firing in outcome.firings:
        seen.firings.add((firing.rule, tuple(names[fact_id] for _, fact_id in firing.facts)))
    for stop in outcome.blocked:
        key = stop.rule, tuple(names[fact_id] for _, fact_id in stop.facts)
        seen.blocked[key] = stop.negated, {names[stop.blocker]}
    return seen, names


@pytest.mark.parametrize("block", range(5))
def test_engines_agree_with_a_naive_interpreter_on_two_thousand_fact_sets(block: int) -> None:
    engine = select_engine(ENGINE)
    firings = stopped = 0
    for seed in range(block * BASES // 5, (block + 1) * BASES // 5):
        rng = seeded(seed)
        base, records = random_base(rng, 14)
        oracle = Oracle(records)
        for _ in range(SETS_PER_BASE):
            facts = random_facts(rng)
            outcome = engine.fire(base, facts)
            expected = oracle.run(facts)
            seen, names = as_oracle_sees(outcome, facts)
            assert seen.firings == expected.firings, f"seed {seed}"
            assert seen.derived == expected.derived, f"seed {seed}"
            assert seen.blocked.keys() == expected.blocked.keys(), f"seed {seed}"
            by_name = {name: fact_id for fact_id, name in names.items()}
            for key, (alias, blockers) in expected.blocked.items():
                smallest = min(blockers, key=lambda name: by_name[name])
                assert seen.blocked[key] == (alias, {smallest}), f"seed {seed}"
            firings += len(outcome.firings)
            stopped += len(outcome.blocked)
    assert firings > 1_000
    assert stopped > 20


@needs_durable
@pytest.mark.parametrize("size", [120, 300])
def test_large_rule_bases_agree(size: int) -> None:
    rng = seeded(size)
    base, _ = random_base(rng, size)
    engine = select_engine("both")
    for _ in range(3):
        assert engine.fire(base, random_facts(rng, 8), 100_000).firings


def test_the_order_of_the_facts_does_not_matter() -> None:
    rng = seeded(7)
    engine = select_engine(ENGINE)
    for _ in range(15):
        base, _ = random_base(rng, 14)
        facts = random_facts(rng)
        expected = engine.fire(base, facts)
        for _ in range(4):
            rng.shuffle(facts)
            assert engine.fire(base, facts) == expected


PROGRAM = """
import hashlib, sys
from random_rules import random_base, random_facts, seeded
from advisor.engine import select_engine
engine = select_engine(sys.argv[1])
digest = hashlib.sha256()
for seed in range(int(sys.argv[2])):
    rng = seeded(seed)
    base, _ = random_base(rng, 12)
    for _ in range(6):
        outcome = engine.fire(base, random_facts(rng))
        told = [(firing.rule, firing.facts, firing.derived) for firing in outcome.firings]
        told += [(stop.rule, stop.facts, stop.blocker) for stop in outcome.blocked]
        told += [(fact.kind, fact.id, sorted(fact.fields.items())) for fact in outcome.facts]
        digest.update(repr(told).encode())
print(digest.hexdigest())
"""


def run_in_process(bases: int, **environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, ENGINE, str(bases)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(HERE), **environment},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_hash_seed_of_the_process_does_not_matter() -> None:
    assert len({run_in_process(8, PYTHONHASHSEED=seed) for seed in ("0", "1", "4711")}) == 1


@needs_durable
def test_the_library_reads_no_memory_that_is_not_its_own() -> None:
    # glibc fills freed and fresh memory with a pattern; wild reads then crash or differ.
    perturbed = run_in_process(40, MALLOC_PERTURB_="170")
    assert perturbed == run_in_process(40)
