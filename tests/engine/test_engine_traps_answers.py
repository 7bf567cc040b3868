"""The known traps of durable-rules 2.0.28 that give wrong answers, refused or made harmless.

The letters are those of the feasibility study; what crashed there must not even be reachable.
"""

from __future__ import annotations

import itertools
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
    fired,
    patterns,
    rule,
)

from advisor.engine import select_engine
from advisor.engine.durable_names import MAX_CODES, Codes, Names, fnv1a
from advisor.engine.durable_program import DurableProgram
from advisor.engine.reference import program_of
from advisor.engine.selftest import durable_trouble
from advisor.errors import EngineError
from advisor.rules import Fact, check_rules

TROUBLE = durable_trouble()
pytestmark = pytest.mark.skipif(TROUBLE is not None, reason=f"no durable engine: {TROUBLE}")


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
