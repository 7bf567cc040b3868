from __future__ import annotations

import statistics

import pytest

from advisor.answers.validate import override, read_answers
from advisor.explain.adviser import Adviser
from advisor.explain.change import core
from advisor.interview.next_question import askable, next_question, relevant

ADVISER = Adviser(engine="reference")
OWNER = {
    "workload": {"kind": "serving", "model": "llama-3.1-8b"},
    "hardware": {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 1, "nodes": 1},
}


def asked_to_the_end(document: dict[str, object], most: int = 30) -> list[str]:
    """Return the keys that are asked when every answer is "I don't know"."""
    answers, topic, keys = read_answers(document), None, list[str]()
    while len(keys) < most:
        found = next_question(ADVISER, answers, topic=topic)
        if found is None:
            return keys
        keys.append(found.key)
        topic = found.topic
        answers = override(answers, (f"{found.key}=unknown",))
    raise AssertionError(keys)


def test_the_kind_of_work_comes_first_and_then_the_model() -> None:
    first = next_question(ADVISER, read_answers({}))
    assert first is not None
    assert first.key == "workload.kind"
    second = next_question(ADVISER, read_answers({"workload": {"kind": "serving"}}))
    assert second is not None
    assert second.key == "workload.model"


def test_a_platform_is_not_asked_for_a_model_but_for_gpus_and_tenants() -> None:
    keys = asked_to_the_end({"workload": {"kind": "platform"}})

    assert "workload.model" not in keys
    assert {"hardware.gpu", "tenancy.tenants"} <= set(keys)


def test_nothing_is_asked_twice_nor_what_is_given() -> None:
    keys = asked_to_the_end(OWNER)

    assert len(keys) == len(set(keys))
    assert not {"hardware.gpu", "hardware.nodes", "workload.kind"} & set(keys)


def test_a_topic_is_finished_before_the_next() -> None:
    answers = read_answers({"workload": {"kind": "serving", "model": "llama-3.3-70b"}})
    found = next_question(ADVISER, answers, topic="nodes")

    assert found is not None
    assert found.topic == "nodes"


def test_a_question_put_off_is_not_asked() -> None:
    answers = read_answers({"workload": {"kind": "serving", "model": "llama-3.3-70b"}})
    first = next_question(ADVISER, answers)
    assert first is not None
    other = next_question(ADVISER, answers, skipped=(first.key,))

    assert other is not None
    assert other.key != first.key


def test_what_is_asked_changes_a_decision_by_one_of_the_answers_tried() -> None:
    answers = read_answers(OWNER)
    found = next_question(ADVISER, answers)
    assert found is not None
    before = ADVISER.probe(answers)
    tried = ("64", "512", "32768", "131072", "2048", "latency", "cost", "aws", "gcp", "on_prem")
    moved = False
    for value in tried:
        try:
            after = ADVISER.probe(answers, f"{found.key}={value}")
        except Exception:  # noqa: BLE001, S112 - not a value of this question
            continue
        moved |= any(
            core(before[name], name) != core(after[name], name) or before[name] != after[name]
            for name in before
        )
    assert moved


@pytest.mark.parametrize(
    "change",
    [
        "platform.provider=eks",
        "tenancy.tenants=untrusted",
        "platform.node_autoscaler=karpenter",
        "platform.machine=vm",
        "tenancy.workloads_per_gpu=4",
        "workload.traffic=bursty",
        "platform.cloud=gcp",
        "workload.concurrency=200",
    ],
)
@pytest.mark.parametrize("document", [OWNER, {"workload": {"kind": "platform"}}])
def test_a_probe_finds_what_the_whole_consultation_finds(
    document: dict[str, object], change: str
) -> None:
    answers = read_answers(document)

    quick = ADVISER.probe(answers, change)
    whole = ADVISER.consult_with(answers, (change,)).decisions
    assert {name: (d.choice, d.rules, d.rejected) for name, d in quick.items()} == {
        name: (d.choice, d.rules, d.rejected) for name, d in whole.items()
    }


def test_what_may_be_asked_bounds_what_is_asked() -> None:
    answers = read_answers(OWNER)
    listed = askable(ADVISER, answers)

    assert set(asked_to_the_end(OWNER)) <= set(listed)
    assert set(listed) <= set(relevant(ADVISER.consult(answers)))


def test_interviews_that_know_nothing_stay_short() -> None:
    assert len(asked_to_the_end({"ask": ["gpu"]})) <= 8
    assert len(asked_to_the_end({})) <= 12


@pytest.mark.slow
def test_which_gpu_takes_at_most_eight_questions_in_the_median() -> None:
    work = (
        {"kind": "serving", "model": "llama-3.3-70b"},
        {"kind": "serving", "model": "qwen3-32b"},
        {"kind": "fine_tuning", "model": "llama-3.1-8b"},
    )
    counts = [len(one) + len(asked_to_the_end({"ask": ["gpu"], "workload": one})) for one in work]
    assert statistics.median(counts) <= 8
    assert max(counts) <= 10
