"""The seam: choosing an engine, limits, traces, and what an outcome holds."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from advisor.engine import (
    DEFAULT_LIMIT,
    Fact,
    Outcome,
    engine_from_environment,
    engine_name,
    fire,
    select,
    select_engine,
)
from advisor.engine.selftest import durable_trouble
from advisor.errors import EngineError, EngineMismatchError, FiringLimitError, InputError
from advisor.rules import RuleBase, Vocabulary, load_rules

TROUBLE = durable_trouble()
ENGINES = [
    "reference",
    pytest.param("durable", marks=pytest.mark.skipif(TROUBLE is not None, reason=str(TROUBLE))),
]

WORDS = Vocabulary.of(
    {
        "answers": {"workload.kind": ["serving", "training"]},
        "candidate": {"gpu": "str", "price": "number"},
        "step": {"number": "number"},
        "best": {"gpu": "str"},
        "item_seen": {"value": "str"},
    }
)


def rule(name: str, when: str, **more: Any) -> dict[str, Any]:
    common = {"decision": "gpu", "effect": "warn", "because": "x", "cite": ["1"]}
    return {"id": name, "when": when, **common, **more}


def base_of(*records: dict[str, Any]) -> RuleBase:
    return load_rules(records, WORDS)


def derive(kind: str, **fields: Any) -> dict[str, Any]:
    return {"effect": "derive", "set": {"kind": kind, "fields": fields}}


COUNTING = base_of(
    rule("start", "true", **derive("step", number=1)),
    rule("next", "true", **{"for": {"s": "step"}}, **derive("step", number="s.number + 1")),
)
CHEAPEST = base_of(
    rule(
        "cheapest",
        "true",
        **{"for": {"c": "candidate"}},
        none=[{"o": "candidate", "where": "o.price < c.price"}],
        **derive("best", gpu="c.gpu"),
    ),
    rule("say", "b.gpu == c.gpu", **{"for": {"b": "best", "c": "candidate"}}),
    rule("nothing", "true", none=[{"b": "best"}]),
)
CARDS = [
    Fact("candidate", "c2", {"gpu": "l4", "price": 1}),
    Fact("candidate", "c1", {"gpu": "h100", "price": 4.5}),
    Fact("candidate", "c3", {"gpu": "mystery"}),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_outcome_lists_firings_facts_and_blocked_matches_in_a_fixed_order(engine: str) -> None:
    outcome = select_engine(engine).fire(CHEAPEST, CARDS)
    assert outcome.engine == engine
    assert [(f.rule, f.binding, f.stratum, f.derived) for f in outcome.firings] == [
        ("cheapest", {"c": "c2"}, 0, 'best[gpu="l4"]'),
        ("say", {"b": 'best[gpu="l4"]', "c": "c2"}, 0, None),
    ]
    assert [fact.id for fact in outcome.facts] == ['best[gpu="l4"]', "c1", "c2", "c3"]
    assert [(s.rule, s.facts, s.negated, s.blocker) for s in outcome.blocked] == [
        ("cheapest", (("c", "c1"),), "o", "c2"),
        ("nothing", (), "b", 'best[gpu="l4"]'),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_candidate_without_a_price_is_never_the_cheapest(engine: str) -> None:
    outcome = select_engine(engine).fire(CHEAPEST, [CARDS[2]])
    assert [firing.rule for firing in outcome.firings] == ["nothing"]


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_that_feed_themselves_end_in_a_named_error(engine: str) -> None:
    with pytest.raises(FiringLimitError, match=r"more than 500 firings.*next \(499\)"):
        select_engine(engine).fire(COUNTING, [], 500)


@pytest.mark.parametrize("engine", ENGINES)
def test_exactly_as_many_firings_as_allowed_are_fine(engine: str) -> None:
    run = select_engine(engine)
    assert len(run.fire(CHEAPEST, CARDS, 2).firings) == 2
    with pytest.raises(FiringLimitError):
        run.fire(CHEAPEST, CARDS, 1)


def test_the_default_limit_stops_a_runaway_quickly() -> None:
    with pytest.raises(FiringLimitError, match=f"more than {DEFAULT_LIMIT}"):
        select_engine("reference").fire(COUNTING, [])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_conclusion_that_is_known_already_is_not_added_again(engine: str) -> None:
    given = Fact("best", "told", {"gpu": "l4"})
    outcome = select_engine(engine).fire(CHEAPEST, [*CARDS, given])
    assert [fact.id for fact in outcome.facts if fact.kind == "best"] == ["told"]
    assert outcome.firings[0].derived == "told"


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_overflow_are_refused_when_derived(engine: str) -> None:
    base = base_of(
        rule(
            "big", "true", **{"for": {"c": "candidate"}}, **derive("step", number="c.price * 9000")
        )
    )
    with pytest.raises(EngineError, match="'big' derives number = inf"):
        select_engine(engine).fire(base, [Fact("candidate", "c", {"price": 1e305})])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([CARDS[0], CARDS[0]], "two facts have the id 'c2'"),
        ([Fact("answers", "a", {}), Fact("answers", "b", {})], "more than one fact of kind"),
    ],
)
def test_facts_that_break_the_contract_are_refused(
    engine: str, facts: list[Fact], message: str
) -> None:
    with pytest.raises(EngineError, match=message):
        select_engine(engine).fire(CHEAPEST, facts)


@pytest.mark.parametrize("engine", ENGINES)
def test_elements_of_list_answers_can_be_joined_with(engine: str) -> None:
    base = base_of(
        rule(
            "listed",
            "i.key == 'hardware.gpu' and i.value == c.gpu",
            **{"for": {"i": "item", "c": "candidate"}},
        )
    )
    wanted = Fact("item", "i1", {"key": "hardware.gpu", "value": "h100"})
    outcome = select_engine(engine).fire(base, [*CARDS, wanted])
    assert [firing.binding for firing in outcome.firings] == [{"i": "i1", "c": "c1"}]


def test_rules_out_of_force_do_not_fire() -> None:
    base = base_of(
        rule("old", "true", until="2025-01-01"), rule("new", "true", since=dt.date(2025, 1, 1))
    )
    days = (dt.date(2024, 12, 31), dt.date(2025, 1, 1))
    fired = [[f.rule for f in fire(base.at(day), []).firings] for day in days]
    assert fired == [["old"], ["new"]]
    assert base.at(days[0]) is base.at(dt.date(2020, 1, 1))


def test_reference_runs_everywhere_and_says_so() -> None:
    assert engine_name("reference") == "reference (chosen)"


def test_the_best_engine_that_works_is_the_default() -> None:
    assert select_engine().name == ("reference" if TROUBLE else "durable")


def test_without_the_library_the_default_is_reference_and_names_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(select, "_durable_trouble", lambda: "durable-rules is not installed")
    assert engine_name() == "reference (durable-rules is not installed)"
    with pytest.raises(InputError) as error:
        select_engine("both")
    assert error.value.problems[0].code == "engine_unavailable"
    assert "not installed" in str(error.value)


def test_the_environment_chooses_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPU_ADVISOR_ENGINE", raising=False)
    assert engine_from_environment() is None
    monkeypatch.setenv("GPU_ADVISOR_ENGINE", "reference")
    assert engine_from_environment() == "reference"
    monkeypatch.setenv("GPU_ADVISOR_ENGINE", "referense")
    with pytest.raises(InputError) as error:
        engine_from_environment()
    assert error.value.problems[0].nearest == ("reference",)


@pytest.mark.skipif(TROUBLE is not None, reason=str(TROUBLE))
def test_both_raises_on_the_first_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.engine import durable

    honest = durable.fire

    def forgetful(base: RuleBase, facts: list[Fact], limit: int) -> Outcome:
        outcome = honest(base, facts, limit)
        return replace(outcome, firings=outcome.firings[:1])

    assert select_engine("both").fire(CHEAPEST, CARDS).engine == "both"
    monkeypatch.setattr(durable, "fire", forgetful)
    with pytest.raises(EngineMismatchError, match=r"firings\[1\]: durable has None.*'say'"):
        select_engine("both").fire(CHEAPEST, CARDS)


def test_importing_the_seam_loads_neither_pydantic_nor_the_library() -> None:
    code = (
        "import sys, advisor.engine, advisor.rules\n"
        "from advisor.engine import engine_name\n"
        "engine_name('reference')\n"
        "heavy = {'pydantic', 'yaml', 'durable_rules_engine', 'durable'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
