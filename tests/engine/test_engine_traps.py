"""The known traps of durable-rules 2.0.28, each refused or made harmless by us.

The letters are those of the feasibility study; what crashed there must not even be reachable.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from advisor.engine import Outcome, select_engine
from advisor.engine.durable_names import MAX_CODES, Codes, Names, fnv1a, number_text
from advisor.engine.durable_program import DurableProgram
from advisor.engine.reference import program_of
from advisor.engine.selftest import durable_trouble, self_test_base, self_test_facts
from advisor.errors import EngineError
from advisor.rules import Fact, RuleBase, Vocabulary, check_rules, load_rules

TROUBLE = durable_trouble()
pytestmark = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")

WORDS = Vocabulary.of(
    {
        "answers": {"workload.kind": "str", "hardware.nodes": "int"},
        "candidate": {"gpu": "str", "price": "number", "count": "number", "fits": "bool"},
        "gpu": {"id": "str", "price": "number", "p2039599": "number", "p2222382": "number"},
    }
)


def rule(name: str, when: str, binds: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "decision": "gpu",
        "for": binds or {},
        "when": when,
        "effect": "warn",
        "because": "why",
        "cite": ["1"],
        **more,
    }


def base_of(*records: dict[str, Any]) -> RuleBase:
    return load_rules(records, WORDS)


def candidate(name: str, **fields: Any) -> Fact:
    return Fact("candidate", name, fields)


def fire(base: RuleBase, *facts: Fact) -> Outcome:
    return select_engine("both").fire(base, facts)


def fired(outcome: Outcome) -> set[tuple[str, ...]]:
    return {(f.rule, *(fact_id for _, fact_id in f.facts)) for f in outcome.firings}


def patterns(base: RuleBase) -> Iterator[list[dict[str, Any]]]:
    """Yield the tests of every pattern that the library gets for the rules of ``base``."""
    ruleset = json.loads(DurableProgram(base, program_of(base)).text)
    for name, content in ruleset.items():
        for pattern in content["all"] if name not in ("prime", "float") else ():
            (condition,) = pattern.values()
            yield condition["$and"]


PAIR = {"c": "candidate", "d": "candidate"}
RICH = base_of(
    rule("joins", "c.price < d.price * 1.5 + 1 and c.gpu == d.gpu and c.count != d.count", PAIR),
    rule("or", "c.fits or c.gpu in ['a', 'b'] or missing(c.price)", {"c": "candidate"}),
    rule("answers", "workload.kind == 'serving' and hardware.nodes > 1"),
    rule("none", "c.fits", {"c": "candidate"}, none=[{"o": "gpu", "where": "o.price < c.price"}]),
)


def is_join(test: dict[str, Any]) -> bool:
    (value,) = test.values()
    inner = next(iter(value.values())) if isinstance(value, dict) else value
    return isinstance(inner, dict) or (isinstance(value, dict) and next(iter(value))[0] == "f")


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


class Recorder:
    """The library, with every call noted; can be told to fail."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.fail = False

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> Any:
            self.calls.append((name, args))
            if name == "assert_facts" and self.fail:
                self._library.assert_facts(*args)
                raise RuntimeError("half-filled")
            return getattr(self._library, name)(*args)

        return call

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    from advisor.engine import durable

    ruleset = durable._ruleset_of(RICH)
    recording = Recorder(ruleset.library)
    monkeypatch.setattr(ruleset, "library", recording)
    return recording


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


CHEAPEST = rule(
    "cheapest",
    "true",
    {"c": "candidate"},
    none=[{"o": "candidate", "where": "o.price < c.price"}],
)


def test_j_no_better_candidate_gives_one_answer_in_every_order() -> None:
    base = base_of(CHEAPEST)
    facts = [candidate(name, price=price) for name, price in zip("wxyz", (4, 2, 3, 2), strict=True)]
    answers = {frozenset(fired(fire(base, *order))) for order in itertools.permutations(facts)}
    assert answers == {frozenset({("cheapest", "x"), ("cheapest", "z")})}


def test_k_a_blocked_rule_takes_no_other_rule_with_it() -> None:
    base = base_of(CHEAPEST, rule("plain", "c.price > 0", {"c": "candidate"}))
    outcome = fire(base, candidate("a", price=1), candidate("b", price=2))
    assert fired(outcome) == {("cheapest", "a"), ("plain", "a"), ("plain", "b")}
    assert [(stop.rule, stop.facts, stop.blocker) for stop in outcome.blocked] == [
        ("cheapest", (("c", "b"),), "a")
    ]


def test_l_two_true_alternatives_give_one_firing() -> None:
    base = base_of(rule("or", "c.fits or c.price > 0", {"c": "candidate"}))
    assert len(fire(base, candidate("c", fits=True, price=1)).firings) == 1


@pytest.mark.parametrize(
    ("when", "matches"),
    [
        ("c.fits or c.price > d.price", True),
        ("(c.price < d.price or c.gpu == d.gpu) and c.count > d.count", False),
        ("(c.price < d.price and c.gpu == d.gpu) and c.count > d.count", False),
    ],
)
def test_l_or_and_and_mix_with_joins(when: str, matches: bool) -> None:
    base = base_of(rule("mixed", f"c.gpu == 'a' and d.gpu == 'b' and ({when})", PAIR))
    facts = [
        candidate("c", gpu="a", fits=True, price=1, count=1),
        candidate("d", gpu="b", fits=False, price=2, count=2),
    ]
    assert bool(fire(base, *facts).firings) is matches


def test_l_the_library_sees_neither_or_nor_nested_and() -> None:
    text = DurableProgram(RICH, program_of(RICH)).text
    assert "$or" not in text
    assert "$not" not in text
    assert all("$and" not in test for tests in patterns(RICH) for test in tests)


def test_m_whole_and_fractional_numbers_are_equal_in_joins() -> None:
    base = base_of(rule("same", "c.count == g.price", {"c": "candidate", "g": "gpu"}))
    outcome = fire(base, candidate("c", count=5), Fact("gpu", "g", {"price": 5.0}))
    assert fired(outcome) == {("same", "c", "g")}


def test_m_a_missing_field_that_others_refer_to_is_no_error() -> None:
    base = base_of(rule("less", "c.price < d.price", PAIR))
    outcome = fire(base, candidate("a"), candidate("b", price=1), candidate("c", price=2))
    assert fired(outcome) == {("less", "b", "c")}


@pytest.mark.parametrize(
    "fields", [{"price": True}, {"price": "16"}, {"fits": 1}, {"fits": "true"}, {"gpu": 4}]
)
def test_n_a_fact_of_another_type_is_refused_not_coerced(fields: dict[str, Any]) -> None:
    base = base_of(rule("all", "c.fits and c.price > 1 and c.gpu == 'a'", {"c": "candidate"}))
    for engine in ("reference", "durable"):
        with pytest.raises(EngineError) as error:
            select_engine(engine).fire(base, [candidate("c", **fields)])
        assert error.value.problems[0].code == "fact_type"


def test_n_texts_that_look_like_numbers_stay_texts() -> None:
    base = base_of(
        *(rule(f"r{n}", f"c.gpu == {text!r}", {"c": "candidate"}) for n, text in enumerate("012"))
    )
    assert fired(fire(base, candidate("c", gpu="2"))) == {("r2", "c")}


def test_o_long_texts_are_not_cut() -> None:
    base = base_of(
        rule("empty", "c.gpu == ''", {"c": "candidate"}), rule("same", "c.gpu == d.gpu", PAIR)
    )
    long, longer = "x" * 65_536, "y" * 131_072
    facts = [candidate("a", gpu=long), candidate("b", gpu=longer), candidate("c", gpu=long)]
    assert fired(fire(base, *facts)) == {("same", "a", "c"), ("same", "c", "a")}


def test_o_texts_that_are_no_valid_unicode_are_compared_like_others() -> None:
    base = base_of(rule("same", "c.gpu == d.gpu", PAIR))
    facts = [candidate("a", gpu="\ud800"), candidate("b", gpu="\ud800"), candidate("c", gpu='"}')]
    assert len(fire(base, *facts).firings) == 2


def test_p_field_names_with_the_same_hash_are_kept_apart() -> None:
    assert fnv1a("p2039599") == fnv1a("p2222382")
    base = base_of(rule("one", "g.p2039599 > 0", {"g": "gpu"}))
    assert fired(fire(base, Fact("gpu", "g", {"p2222382": 1}))) == set()
    assert fired(fire(base, Fact("gpu", "g", {"p2039599": 1}))) == {("one", "g")}


def test_p_fact_ids_with_the_same_hash_are_kept_apart() -> None:
    base = base_of(rule("any", "c.fits", {"c": "candidate"}))
    facts = [candidate("p2039599", fits=True), candidate("p2222382", fits=True)]
    assert len(fire(base, *facts).firings) == 2


def test_p_generated_ids_and_codes_have_different_hashes() -> None:
    assert len({fnv1a(str(number)) for number in range(MAX_CODES)}) == MAX_CODES


def test_p_generated_names_step_over_a_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.engine import durable_names

    monkeypatch.setattr(durable_names, "fnv1a", lambda name: 0 if name in ("a1", "a2") else name)
    names = Names()
    assert [names.fresh("a") for _ in range(3)] == ["a0", "a1", "a3"]


def test_p_too_many_different_texts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.engine import durable_names

    monkeypatch.setattr(durable_names, "MAX_CODES", 2)
    codes = Codes()
    assert [codes.of(text) for text in ("a", "b", "a")] == [0, 1, 0]
    with pytest.raises(EngineError, match="different texts"):
        codes.of("c")


def test_q_a_decimal_comma_is_noticed_before_any_fact_is_compared(
    monkeypatch: pytest.MonkeyPatch, recorder: Recorder
) -> None:
    from advisor.engine import durable

    # What the library's atof makes of 1.5 under a locale with a decimal comma.
    monkeypatch.setattr(durable, "_SENTINEL", durable._SENTINEL.replace("1.5", "1"))
    with pytest.raises(EngineError, match="LC_NUMERIC"):
        durable.fire(RICH, [candidate("c", fits=True)])
    assert "assert_facts" not in recorder.names()
    assert recorder.names()[-1] == "delete_state"
    assert "1.5 > 1.2 is false" in (durable_trouble() or "")


def test_r_every_condition_object_has_one_key() -> None:
    for tests in patterns(RICH):
        for test in tests:
            assert len(test) == 1
            for value in test.values():
                assert not isinstance(value, dict) or len(value) == 1


def test_r_unknown_aliases_and_fields_are_refused() -> None:
    problems = check_rules([rule("typo", "x.price > 1 and c.prise > 1", {"c": "candidate"})], WORDS)
    assert [problem.code for problem in problems] == ["unknown_alias", "unknown_key"]


def test_s_a_half_filled_session_is_deleted_and_the_next_one_is_clean(recorder: Recorder) -> None:
    facts = [candidate("c", fits=True)]
    expected = select_engine("reference").fire(RICH, facts)
    recorder.fail = True
    with pytest.raises(EngineError, match="half-filled"):
        select_engine("durable").fire(RICH, facts)
    assert recorder.names()[-1] == "delete_state"
    recorder.fail = False
    assert select_engine("durable").fire(RICH, facts).firings == expected.firings


def test_the_sentinel_comes_first_and_the_deletion_last(recorder: Recorder) -> None:
    select_engine("durable").fire(RICH, [candidate("c", fits=True)])
    names = recorder.names()
    assert names[0] == "assert_fact"
    assert '"k":0' in recorder.calls[0][1][1]
    assert names.index("assert_facts") > 0
    assert names[-1] == "delete_state"
