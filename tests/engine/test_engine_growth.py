"""Consultation after consultation, nothing piles up."""

from __future__ import annotations

import gc
import resource
import threading

import pytest
from random_rules import random_base, random_facts, seeded

from advisor.engine import durable, reference, select_engine
from advisor.engine.selftest import durable_trouble

TROUBLE = durable_trouble()
needs_durable = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")


@needs_durable
def test_three_hundred_consultations_need_no_more_memory_than_the_first() -> None:
    rng = seeded(3)
    base, _ = random_base(rng, 40)
    sets = [random_facts(rng, 10) for _ in range(10)]
    engine = select_engine("durable")
    for facts in sets * 3:
        engine.fire(base, facts)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for facts in sets * 30:
        engine.fire(base, facts)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # One leaked session is about 2 MiB in this library; the allocator may still round up.
    assert grown_kib < 8 * 1024


@needs_durable
def test_rule_bases_that_come_and_go_leave_a_bounded_number_registered() -> None:
    for seed in range(durable.MAX_RULESETS * 2):
        base, _ = random_base(seeded(seed), 5)
        select_engine("durable").fire(base, [])
    assert durable.ruleset_count() == durable.MAX_RULESETS


def test_the_reference_engine_forgets_rule_bases_that_are_gone() -> None:
    gc.collect()
    before = len(reference._programs)
    for seed in range(5):
        base, _ = random_base(seeded(seed), 5)
        select_engine("reference").fire(base, [])
    del base
    gc.collect()
    assert len(reference._programs) <= before


@needs_durable
def test_threads_take_turns() -> None:
    rng = seeded(11)
    base, _ = random_base(rng, 30)
    sets = [random_facts(rng, 8) for _ in range(4)]
    expected = [select_engine("reference").fire(base, facts).firings for facts in sets]
    wrong: list[int] = []

    def consult(number: int) -> None:
        engine = select_engine("durable")
        runs = [engine.fire(base, sets[number]).firings for _ in range(25)]
        wrong.extend(number for firings in runs if firings != expected[number])

    threads = [threading.Thread(target=consult, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
