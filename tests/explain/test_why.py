"""Why: what a question can move, by which rules, and what each answer would do."""

from __future__ import annotations

import json

import pytest
from explain_support import POOL, adviser, case, holds_together, with_answers

from advisor.errors import InputError, UnknownNameError
from advisor.explain.change import changes
from advisor.explain.why import next_key, why


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("turns", "tenancy.tenants"),
        ("mig", "tenancy.isolation"),
        ("owned", "objectives.priority"),
        ("nodes", "platform.node_autoscaler"),
        ("one card", "workload.concurrency"),
        ("training", "training.method"),
    ],
)
def test_what_an_answer_is_said_to_do_is_what_it_does(name: str, key: str) -> None:
    told = why(adviser(), case(name), key)
    before = adviser().consult(case(name))

    holds_together(told)
    for effect in told.data["effects"]:  # type: ignore[attr-defined]
        try:
            after = adviser().consult_with(case(name), [f"{key}={effect['value']}"])
        except InputError:
            assert effect["refused"]
            continue
        moved = {one.decision for one in changes(before, after) if one.reworded}
        assert {move["decision"] for move in effect["moves"]} == moved
        kinds = {one.decision for one in changes(before, after) if one.moved}
        assert {move["decision"] for move in effect["moves"] if move["kind"]} == kinds


def test_what_a_value_does_is_said_with_what_it_was() -> None:
    told = why(adviser(), case("turns"), "tenancy.tenants")
    text = next(line.text for line in told.lines if line.text.startswith("if untrusted"))

    assert "Sharing becomes" in text
    assert "(was " in text


def test_a_value_that_changes_the_number_of_gpus_does_not_leave_the_choices_as_they_are() -> None:
    answers = with_answers("one card", hardware__acquisition="rent", workload__concurrency=40)
    told = why(adviser(), answers, "workload.concurrency")
    texts = [line.text for line in told.lines if line.text.startswith("if ")]
    for effect in told.data["effects"]:  # type: ignore[attr-defined]
        after = adviser().consult_with(answers, [f"workload.concurrency={effect['value']}"])
        before = adviser().consult(answers)
        old, new = (one.decisions["gpu"].choice.model_dump() for one in (before, after))  # type: ignore[union-attr]
        text = next(text for text in texts if effect["value"] in text.partition(":")[0])
        if old["total_gpus"] != new["total_gpus"]:
            assert "GPU" in text
            assert "stay" not in text
    assert any("GPU: GPUs " in text for text in texts)


def test_without_a_key_the_next_question_is_explained() -> None:
    told = why(adviser(), case("owned"))

    assert told.data["key"] == next_key(adviser().consult(case("owned")))


def test_what_is_assumed_until_then_and_how_to_find_out_are_said() -> None:
    told = why(adviser(), case("mig"), "tenancy.duty")
    texts = [line.text for line in told.lines]

    assert any(text.startswith("Until then: tenancy.duty = sustained (assumed") for text in texts)
    assert any(text.startswith("How to find out: ") for text in texts)


def test_rules_that_given_answers_have_killed_are_not_named() -> None:
    cloud = with_answers("turns", platform__machine="bare_metal", tenancy__isolation="none")
    alive = why(adviser(), cloud, "tenancy.tenants").data["rules"]["sharing"]  # type: ignore[index]
    every = why(adviser(), case("turns"), "tenancy.tenants").data["rules"]["sharing"]  # type: ignore[index]

    assert set(alive) < set(every)


def test_a_key_inside_a_record_is_explained() -> None:
    from advisor.answers.validate import read_answers

    loads = [{"name": "a", "kind": "serving", "model": "llama-3.1-8b"},
             {"name": "b", "kind": "embeddings", "model": "bge-m3"}]  # fmt: skip
    answers = read_answers({"workloads": loads, "hardware": {"gpu": "l40s"}})
    told = why(adviser(), answers, "workloads[0].prompt_tokens")

    holds_together(told)


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as refused:
        why(adviser(), case("mig"), "tenancy.tenant")
    assert "tenancy.tenants" in refused.value.problems[0].nearest


@pytest.mark.parametrize("name", POOL)
def test_every_open_question_can_be_explained_and_is_the_same_twice(name: str) -> None:
    told = adviser().consult(case(name))
    keys = {need.question for made in told.decisions.values() for need in made.depends_on}
    for key in sorted(keys)[::6]:
        first, second = (why(adviser(), case(name), key) for _ in range(2))
        holds_together(first)
        assert json.dumps(first.as_dict()) == json.dumps(second.as_dict())


def test_rules_that_turn_on_what_is_worked_out_from_an_answer_are_named() -> None:
    """No rule tests the provider by its name; what the cluster has is worked out from it."""
    told = why(adviser(), case("nodes"), "platform.provider")
    texts = [line.text for line in told.lines]

    assert not told.data["rules"]
    assert any(text.startswith("Rules turn on what is worked out from it: prov") for text in texts)
    assert not any("no rule does" in text for text in texts)


def test_an_answer_that_only_sizing_reads_has_no_rule() -> None:
    told = why(adviser(), case("owned"), "workload.output_tokens")
    texts = [line.text for line in told.lines]

    assert any("No rule tests it by its name" in text for text in texts) != any(
        "read by" in text for text in texts
    )


def test_what_one_load_is_given_is_asked_for_as_much_as_what_is_open() -> None:
    from advisor.answers.validate import read_answers

    loads = [{"name": "a", "kind": "serving", "model": "llama-3.1-8b", "concurrency": 8},
             {"name": "b", "kind": "embeddings", "model": "bge-m3"}]  # fmt: skip
    answers = read_answers({"workloads": loads, "hardware": {"gpu": "l40s"}})
    told = why(adviser(), answers, "workloads[0].concurrency")

    holds_together(told)
    assert "Nothing turns on it" not in told.lines[0].text
    assert "gpu" in told.data["decides"]  # type: ignore[operator]
    assert told.data["effects"]
    with pytest.raises(InputError, match="no such record"):
        why(adviser(), answers, "workloads[7].concurrency")
