"""What the analysis calls proven holds for every fact; what it calls true of facts is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from advisor.analysis.cases import Form
from advisor.analysis.search import find_case
from advisor.analysis.study import Study
from advisor.analysis.tables import NEVER, TABLES
from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.vocabulary import rule_vocabulary
from advisor.engine import select
from advisor.rules import Vocabulary, load_rules
from advisor.rules.conditions import Ref
from advisor.rules.facts import Fact, Scalar
from advisor.rules.record import DECISIONS
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = ("llama-70b-chat", "deepseek-r1-long", "lora-8b", "owned-l40s", "chat-embed-rerank")

WORDS = Vocabulary.of(
    {
        "answers": {"workload.kind": ["serving", "training"], "hardware.nodes": "int"},
        "candidate": {"count": "int", "fits": "bool", "price": "number", "form": ["a", "b", "c"]},
    }
)
ATOMS = (
    "c.count == 1", "c.count > 1", "c.count >= 3", "c.count < 4", "c.count != 2", "c.fits",
    "not c.fits", "c.form == 'a'", "c.form in ['a', 'b']", "c.form != 'c'", "known(c.price)",
    "missing(c.price)", "c.price > 2.5", "c.price <= 2.5", "workload.kind == 'serving'",
    "workload.kind != 'serving'", "missing(workload.kind)", "hardware.nodes > c.count",
    "hardware.nodes >= 2", "c.price > hardware.nodes",
)  # fmt: skip


def conditions(source: random.Random) -> str:
    parts = [source.sample(ATOMS, source.randint(1, 3)) for _ in range(source.randint(1, 2))]
    return " or ".join(f"({' and '.join(part)})" for part in parts)


def rule(name: str, when: str) -> dict[str, Any]:
    return {
        "id": name, "decision": "gpu", "for": {"c": "candidate"}, "when": when,
        "effect": "warn", "because": "Because.", "cite": ["1"],
    }  # fmt: skip


def grid() -> Iterator[dict[Ref, Any]]:
    """Every case over many more values than the search tries."""
    values: dict[Ref, tuple[Any, ...]] = {
        Ref("candidate", "count"): (1, 2, 3, 4, None),
        Ref("candidate", "fits"): (True, False, None),
        Ref("candidate", "form"): ("a", "b", "c", None),
        Ref("candidate", "price"): (0.5, 2.5, 3.0, None),
        Ref("answers", "workload.kind"): ("serving", "training", None),
        Ref("answers", "hardware.nodes"): (1, 2, 4, None),
    }
    for chosen in product(*values.values()):
        yield dict(zip(values, chosen, strict=True))


GRID = tuple(grid())


def pairs() -> Iterator[tuple[Study, str, str]]:
    from advisor.errors import KnowledgeError

    source = random.Random(20261130)  # noqa: S311 - no secret
    found = 0
    while found < 150:
        first, second = conditions(source), conditions(source)
        try:
            base = load_rules([rule("one", first), rule("two", second)], WORDS)
        except KnowledgeError:  # dead in itself
            continue
        found += 1
        yield Study(base, WORDS, truths={}), first, second


def test_an_implication_that_is_told_has_no_counterexample() -> None:
    told = 0
    for study, first, second in pairs():
        one, two = study.base.rules
        forms = study.form(one), study.form(two)
        for narrow, wide, (small, large) in ((one, two, forms), (two, one, forms[::-1])):
            if study.implies(narrow, wide):
                told += 1
                assert not any(small.value(c) and not large.value(c) for c in GRID), (first, second)
    assert told > 3


def test_two_rules_that_are_told_never_to_meet_never_do() -> None:
    told = 0
    for study, first, second in pairs():
        one, two = study.base.rules
        if not study.both(one, two):
            told += 1
            forms = study.form(one), study.form(two)
            assert not any(forms[0].value(c) and forms[1].value(c) for c in GRID), (first, second)
    assert told > 3


def test_a_witness_is_one_and_is_found_where_there_is_one() -> None:
    for study, first, second in pairs():
        forms = [study.form(rule) for rule in study.base.rules]
        domains = study.domains(*forms)
        case = find_case(domains, true=forms[:1], false=forms[1:])
        there = any(forms[0].value(c) and not forms[1].value(c) for c in GRID)
        if case is not None:
            assert forms[0].value(case) is True, (first, second)
            assert forms[1].value(case) is False, (first, second)
        assert case is not None or not there, (first, second)


# ---- what is true of every fact ----


def test_what_is_never_true_is_said_in_the_words_of_the_rules() -> None:
    study = Study(load_rule_base(load_knowledge()), rule_vocabulary())
    for kind, texts in NEVER.items():
        assert len(study.never(kind)) == len(texts)


def test_tables_name_decisions_and_kinds_that_exist() -> None:
    kinds = rule_vocabulary().kinds
    for table in TABLES:
        assert table.decision in DECISIONS
        assert table.kind in kinds
        assert table.instance is None or table.instance in kinds[table.kind]


@pytest.mark.parametrize("name", CASES)
def test_no_fact_of_a_consultation_is_what_none_can_be(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Fact] = []
    original = select.Engine.fire

    def recorded(self: Any, base: Any, facts: Any, *args: Any, **more: Any) -> Any:
        made.extend(facts)
        return original(self, base, facts, *args, **more)

    monkeypatch.setattr(select.Engine, "fire", recorded)
    advise(read_answers(EXAMPLES / f"{name}.yaml"))

    study = Study(load_rule_base(load_knowledge()), rule_vocabulary())
    judged = [fact for fact in made if fact.kind in NEVER]
    gpus = {fact.fields["id"]: fact for fact in made if fact.kind == "gpu"}
    assert judged
    for fact in judged:
        case = _case(fact, *([gpus[fact.fields["gpu"]]] if fact.kind == "candidate" else []))
        for form, text in zip(study.never(fact.kind), NEVER[fact.kind], strict=True):
            assert _holds(form, case) is False, (text, dict(fact.fields))
    if name == "chat-embed-rerank":
        assert {fact.kind for fact in judged} == {"candidate", "fleet"}


def _case(*facts: Fact) -> dict[Ref, Scalar]:
    return {Ref(f.kind, name): value for f in facts for name, value in f.fields.items()}


def _holds(form: Form, case: dict[Ref, Scalar]) -> bool | None:
    """Return the truth with everything that is not given as unknown."""
    return form.value({**dict.fromkeys(form.variables), **case})
