"""*Firm* is a promise: nothing that was left out could lead elsewhere."""

from __future__ import annotations

import random
from typing import Any

import pytest
from consult_support import Document, choice, serving, told, training

from advisor.answers.questions import Question, load_questions
from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.live import live_rules
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

BASE = serving("llama-3.1-8b", "l4", context_tokens=8192, concurrency=2)


PLAIN: dict[str, object] = {
    "hardware.inventory": [{"gpu": "l4", "gpus_per_node": 4, "nodes": 1}],
    "workloads": [{"name": "only"}],
    "platform.gpu_quota": 100,
    "workload.model_config": {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
        "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
        "torch_dtype": "bfloat16",
    },
}  # fmt: skip


def plain_value(question: Question) -> object:
    """Return the least remarkable legal value of a question."""
    if question.key in PLAIN:
        return PLAIN[question.key]
    if question.key.startswith("objectives.") and question.kind == "number":
        # limits that ask for nothing
        return 1_000_000 if question.unit in {"ms", "usd_per_hour", "usd"} else 0.01
    if question.default is not None:
        return question.default
    if question.list and question.empty:
        return []
    if question.kind == "enum":
        value: object = question.values[0].id
        return [value] if question.list else value
    samples: dict[str, object] = {
        "bool": False, "integer": 1, "number": min(1000.0, question.max or 1000.0),
        "size_tokens": 4096, "size_gib": 500,
        "version": question.example or "0.33.0", "text": "llama-3.1-8b",
    }  # fmt: skip
    return samples[question.kind]


def answered(document: Document) -> Document:
    """Answer every open question until none is left that could change the choice."""
    document = {group: dict(values) for group, values in document.items()}
    for _ in range(10):
        consultation = told(document)
        missing = {d.question for c in consultation.decisions.values() for d in c.depends_on}
        if not missing:
            return document
        for key in missing:
            group, _, name = key.partition(".")
            value = plain_value(load_questions()[key])
            if name:
                document.setdefault(group, {})[name] = value
            else:
                document[group] = value
    raise AssertionError(missing)


def test_with_nothing_given_but_the_load_it_is_provisional() -> None:
    assert {d.status for d in told(BASE).decisions.values()} == {"provisional"}


def test_when_everything_that_is_read_is_given_it_is_firm() -> None:
    consultation = told(answered(BASE))

    assert {d.status for d in consultation.decisions.values()} == {"firm"}
    assert choice(consultation)["gpu"] == "l4"
    assert not consultation.next_questions


def test_taking_any_needed_answer_away_ends_firm() -> None:
    document = answered(BASE)
    needed = ("objectives.priority", "workload.concurrency", "workload.kv_format")
    for key in needed:
        group, _, name = key.partition(".")
        less = {g: dict(v) if isinstance(v, dict) else v for g, v in document.items()}
        del less[group][name]
        decision = told(less).decisions["gpu"]
        assert decision.status == "provisional"
        assert key in {d.question for d in decision.depends_on}


def test_unknown_is_no_answer() -> None:
    document = answered(BASE)
    document["objectives"] = {**document["objectives"], "priority": "unknown"}

    assert told(document).decisions["gpu"].status == "provisional"


def moved(document: Document, dice: random.Random, given: set[str]) -> Document:
    """Return the document with random legal values for some keys that were not given."""
    changed = {g: dict(v) if isinstance(v, dict) else v for g, v in document.items()}
    for question in load_questions().values():
        group, _, name = question.key.partition(".")
        if question.key in given or not name or dice.random() > 0.3:
            continue
        if question.kind not in {"enum", "bool"} or group == "workloads":
            continue
        value: Any = dice.choice([c.id for c in question.values] or [True, False])
        changed.setdefault(group, {})[name] = [value] if question.list else value
    return changed


@pytest.mark.parametrize("seed", range(20))
def test_a_firm_choice_stays_whatever_the_other_answers_are(seed: int) -> None:
    document = answered(BASE)
    firm = told(document)
    given = {answer.key for answer in firm.answers}
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    other = advise(read_answers(moved(document, dice, given)), engine="reference")

    for name, keys in (
        ("gpu", ("option", "gpu", "count_per_replica", "weight_format")),
        ("parallelism", ("option", "tensor_parallel", "pipeline_parallel", "data_parallel")),
    ):
        mine, its = choice(firm, name), choice(other, name)
        assert {key: mine[key] for key in keys} == {key: its[key] for key in keys}


@pytest.mark.parametrize(
    "asked",
    [BASE, training("llama-3.1-8b", "l4", method="lora"), {"workload": {"kind": "serving"}}],
)
def test_what_rules_of_a_decision_read_is_given_or_an_open_question(asked: Document) -> None:
    base = load_rule_base(load_knowledge())
    consultation = told(asked)
    given = {answer.key for answer in consultation.answers}
    for name in ("gpu", "parallelism"):
        decision = consultation.decisions[name]  # type: ignore[index]
        listed = {d.question for d in decision.depends_on}
        keys = {k for k in live_rules(base, name).keys if not k.startswith("training.")}
        assert keys <= given | listed


def test_the_most_telling_questions_come_first() -> None:
    consultation = told({"workload": {"model": "llama-3.3-70b"}})
    first = [question.key for question in consultation.next_questions]

    assert first == ["workload.concurrency", "workload.context_tokens", "hardware.acquisition"]


def test_a_discrete_question_names_the_values_that_would_move_it() -> None:
    depends = told(BASE).decisions["gpu"].depends_on
    [priority] = [d for d in depends if d.question == "objectives.priority"]

    assert set(priority.if_) == {"latency", "throughput", "cost", "simplicity"}
