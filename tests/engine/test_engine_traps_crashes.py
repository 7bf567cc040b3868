"""The known traps of durable-rules 2.0.28 that crash or hang, refused or made harmless.

The letters are those of the feasibility study; what crashed there must not even be reachable.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

import pytest
from trap_support import (
    PAIR,
    RICH,
    WORDS,
    Recorder,
    base_of,
    candidate,
    fire,
    is_join,
    patterns,
    rule,
)

from advisor.engine import select_engine
from advisor.engine.durable_names import number_text
from advisor.engine.durable_program import DurableProgram
from advisor.engine.reference import program_of
from advisor.engine.selftest import durable_trouble, self_test_base, self_test_facts
from advisor.errors import EngineError
from advisor.rules import Fact, check_rules

TROUBLE = durable_trouble()
pytestmark = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")


def test_a_every_pattern_with_a_join_ends_with_a_test_that_is_true() -> None:
    joined = [tests for tests in patterns(RICH) if any(map(is_join, tests))]
    assert joined
    for tests in joined:
        (own,) = tests[-1]["$gte"]
        assert own == "one"
        assert list(tests[-1]["$gte"]["one"].values()) == ["one"]


def test_a_a_false_last_join_is_just_false() -> None:
    base = base_of(rule("up", "c.price > d.price", PAIR))
    facts = [candidate(f"c{n}", price=5 - n) for n in range(5)]
    assert len(fire(base, *facts).firings) == 10


LOOP = """
from advisor.engine import Fact, durable
from advisor.engine.selftest import self_test_base, self_test_facts
base = self_test_base()
for number in range(300):
    durable.fire(base, [Fact("card", "c", {"id": "x"})])
    durable.fire(base, [])
    durable.fire(base, self_test_facts())
"""


def test_b_a_consultation_in_which_nothing_fires_can_be_deleted() -> None:
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", f"import advisor.engine.durable\n{LOOP}"],
        env={**os.environ, "MALLOC_PERTURB_": "170"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_c_no_host_and_no_threads() -> None:
    before = threading.active_count()
    fire(self_test_base(), *self_test_facts())
    assert threading.active_count() == before
    assert "durable.engine" not in sys.modules


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-05, "1.0e-05"),
        (1e16, "1.0e+16"),
        (1e22, "1.0e+22"),
        (1.5e-07, "1.5e-07"),
        (4.0, "4"),
        (7, "7"),
        (0.1, "0.1"),
    ],
)
def test_d_numbers_are_written_so_that_the_parser_reads_them(value: float, text: str) -> None:
    assert number_text(value) == text
    assert json.loads(text) == value


def test_d_an_awkward_number_takes_no_later_fact_with_it() -> None:
    base = base_of(rule("all", "c.price > 0", {"c": "candidate"}))
    prices = [1e-05, 1e16, 1e22, 1e300, 5e-324, 1.0]
    facts = [candidate(f"c{n}", price=price) for n, price in enumerate(prices)]
    assert len(fire(base, *facts).firings) == len(prices)


@pytest.mark.parametrize("engine", ["reference", "durable"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 2**53 + 1])
def test_d_numbers_without_an_exact_value_are_refused(engine: str, value: float) -> None:
    with pytest.raises(EngineError, match="price of candidate 'c' should be number"):
        select_engine(engine).fire(
            base_of(rule("all", "c.price > 0", {"c": "candidate"})), [candidate("c", price=value)]
        )


def test_e_an_empty_batch_is_never_asserted(recorder: Recorder) -> None:
    select_engine("durable").fire(RICH, [])
    select_engine("durable").fire(RICH, [Fact("unheard", "u", {"x": 1})])
    assert "assert_facts" not in recorder.names()


def test_e_every_pattern_starts_with_its_kind_and_is_positive() -> None:
    for tests in patterns(RICH):
        assert set(tests[0]) == {"k"}
        assert tests[0]["k"] > 0


def test_f_there_is_no_division() -> None:
    assert "$div" not in DurableProgram(RICH, program_of(RICH)).text
    problems = check_rules([rule("half", "c.price / 2 > 1", {"c": "candidate"})], WORDS)
    assert [problem.code for problem in problems] == ["forbidden_expression"]


def test_g_hundreds_of_equal_patterns_on_one_kind_all_fire_once() -> None:
    base = base_of(*(rule(f"r{n}", "c.fits", {"c": "candidate"}) for n in range(300)))
    assert len(fire(base, candidate("c", fits=True)).firings) == 300


def test_g_hundreds_of_different_tests_under_one_kind_all_fire_once() -> None:
    whens = [f"c.price >= {n} and c.count < d.count + {n}" for n in range(700)]
    base = base_of(*(rule(f"r{n}", when, PAIR) for n, when in enumerate(whens)))
    facts = [candidate("a", price=900, count=1), candidate("b", price=-1, count=2)]
    assert len(fire(base, *facts).firings) == 700


def test_h_facts_are_flat(recorder: Recorder) -> None:
    nested: Any = [[[["deep"]]]]
    with pytest.raises(EngineError, match="should be text"):
        fire(RICH, candidate("c", gpu=nested))
    select_engine("durable").fire(RICH, [candidate("c", gpu="a")])
    (batch,) = [args[1] for name, args in recorder.calls if name == "assert_facts"]
    assert all(
        isinstance(v, int | float | str) for fact in json.loads(batch) for v in fact.values()
    )


def test_i_one_session_id_serves_more_consultations_than_the_library_has_sessions(
    recorder: Recorder,
) -> None:
    for number in range(1_100):
        select_engine("durable").fire(RICH, [candidate(f"c{number}", fits=True)])
    deleted = [args[1] for name, args in recorder.calls if name == "delete_state"]
    assert deleted == ["0"] * 1_100


def test_i_registered_rulesets_are_bounded() -> None:
    from advisor.engine import durable

    for number in range(durable.MAX_RULESETS + 4):
        fire(base_of(rule(f"r{number}", "true")))
    assert durable.ruleset_count() == durable.MAX_RULESETS


def test_the_sentinel_comes_first_and_the_deletion_last(recorder: Recorder) -> None:
    select_engine("durable").fire(RICH, [candidate("c", fits=True)])
    names = recorder.names()
    assert names[0] == "assert_fact"
    assert '"k":0' in recorder.calls[0][1][1]
    assert names.index("assert_facts") > 0
    assert names[-1] == "delete_state"
