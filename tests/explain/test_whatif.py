"""What if: what is said to move is what moves."""

from __future__ import annotations

import pytest
from explain_support import POOL, adviser, case, holds_together

from advisor.answers.validate import override, read_answers
from advisor.consult.advise import advise
from advisor.errors import InputError
from advisor.explain.change import core
from advisor.explain.whatif import whatif

CHANGES = [
    ("one card", ["workload.concurrency=40"]),
    ("one card", ["hardware.gpu=h100-sxm", "workload.context_tokens=32k"]),
    ("owned", ["workload.concurrency=45"]),
    ("owned", ["objectives.priority=latency"]),
    ("mig", ["tenancy.tenants=trusted_teams", "tenancy.isolation=none"]),
    ("turns", ["tenancy.tenants=untrusted"]),
    ("training", ["training.method=full"]),
    ("nodes", ["platform.node_autoscaler=karpenter"]),
    ("nodes", ["ask=[gpu]"]),
]


@pytest.mark.parametrize(("name", "sets"), CHANGES)
def test_what_is_said_to_move_is_what_advice_on_the_changed_answers_has_moved(
    name: str, sets: list[str]
) -> None:
    told = whatif(adviser(), case(name), sets)
    before = advise(case(name), engine="reference")
    after = advise(override(case(name), sets), engine="reference")
    moved = {
        decision
        for decision in {**before.decisions, **after.decisions}
        if core(before.decisions.get(decision), decision)
        != core(after.decisions.get(decision), decision)
    }

    holds_together(told)
    assert {one["decision"] for one in told.data["decisions"] if one["moved"]} == moved  # type: ignore[attr-defined]
    old, new = ({w.id for w in one.warnings} for one in (before, after))
    assert set(told.data["warnings"]["come"]) == new - old  # type: ignore[index]
    assert set(told.data["warnings"]["go"]) == old - new  # type: ignore[index]


def test_nothing_changes_is_said() -> None:
    told = whatif(adviser(), case("one card"), ["workload.concurrency=4"])

    holds_together(told)
    assert told.lines[0].text.startswith("Nothing changes")
    assert told.data["changed"] is False


def test_price_and_count_differences_are_numbers_that_can_be_taken_off() -> None:
    told = whatif(adviser(), case("one card"), ["workload.concurrency=200"])
    figures = told.data["figures"]
    old = adviser().consult(case("one card")).decisions["gpu"].choice
    assert old is not None

    assert figures["total_gpus"]["before"] == old.model_dump()["total_gpus"]  # type: ignore[index]
    assert any("(+" in line.text for line in told.lines)


def test_what_was_assumed_and_is_given_now_is_no_longer_assumed() -> None:
    told = whatif(adviser(), case("turns"), ["hardware.nodes=3"])
    keys = {one["key"] for one in told.data["assumptions"]["replaced"]}  # type: ignore[index]

    assert "hardware.nodes" in keys


@pytest.mark.parametrize(
    "text", ["workload.concurency=4", "workload.concurrency=-3", "concurrency", "tenancy.duty=x"]
)
def test_what_is_not_legal_is_refused_as_everywhere(text: str) -> None:
    with pytest.raises(InputError):
        whatif(adviser(), case("one card"), [text])


@pytest.mark.parametrize("name", POOL)
def test_the_same_question_gets_the_same_answer(name: str) -> None:
    first, second = (
        whatif(adviser(), case(name), ["tenancy.tenants=untrusted"]).as_dict() for _ in range(2)
    )
    assert first == second


def test_a_price_that_is_not_known_has_no_unit_and_the_other_keeps_its_own() -> None:
    told = whatif(adviser(), case("one card"), ["hardware.gpu=rtx-5090", "platform.cloud="])
    rent = next(line.text for line in told.lines if line.text.startswith("rent: "))

    assert "USD an hour -> not known" in rent
    assert "not known USD" not in rent


def test_what_is_rented_has_no_purchase_to_tell() -> None:
    told = whatif(adviser(), case("one card"), ["hardware.gpu=h100-sxm"])

    assert not any(line.text.startswith("purchase: ") for line in told.lines)


def test_the_number_of_one_load_can_be_replaced() -> None:
    loads = [
        {"name": "chat", "kind": "serving", "model": "llama-3.1-8b", "concurrency": 8},
        {"name": "embed", "kind": "embeddings", "model": "bge-m3"},
    ]
    answers = read_answers({"workloads": loads, "hardware": {"gpu": "l4"}})
    told = whatif(adviser(), answers, ["workloads[0].concurrency=200"])

    holds_together(told)
    assert told.data["set"] == [{"key": "workloads[0].concurrency", "before": 8, "after": 200}]
    assert told.data["changed"] is True
    assert told.title == "If workloads[0].concurrency = 200:"


_TUNE = {"name": "tune", "kind": "fine_tuning", "model": "llama-3.1-8b"}
_EMBED = {"name": "embed", "kind": "embeddings", "model": "bge-m3", "concurrency": 8}
_OWNED = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 2, "nodes": 1}


@pytest.mark.parametrize("loads", [[_TUNE, _EMBED], [_TUNE]])
@pytest.mark.parametrize("change", ["training.lora_rank=512", "training.method=qlora"])
def test_memory_of_a_load_that_moves_is_told_though_the_choice_stays(
    loads: list[dict[str, object]], change: str
) -> None:
    answers = read_answers({"workloads": loads, "hardware": _OWNED})
    told = whatif(adviser(), answers, [change])
    shown = " ".join(line.text for line in told.shown())

    holds_together(told)
    assert "Nothing changes" not in shown
    after = adviser().consult_with(answers, [change]).decisions["gpu"].because
    needed = next(word for word in after.split("buffers take ")[1].split())
    assert told.data["changed"] or f"buffers take {needed} of" in shown


def test_what_each_load_says_itself_is_not_taken_into_account_and_that_is_said() -> None:
    loads = [{**_EMBED, "name": "one"}, {**_TUNE, "concurrency": 1}]
    answers = read_answers({"workloads": loads, "hardware": _OWNED})
    told = whatif(adviser(), answers, ["workload.concurrency=200"])

    holds_together(told)
    assert "each load in `workloads` says its own" in told.lines[0].text
    assert told.data["not_taken_into_account"] == ["workload.concurrency"]


def test_a_single_entry_beside_workload_is_not_taken_into_account_and_that_is_said() -> None:
    answers = read_answers(
        {"workloads": [_EMBED], "workload": {"concurrency": 500}, "hardware": {"gpu": "l4"}}
    )
    told = whatif(adviser(), answers, ["workloads[0].concurrency=2"])

    assert "workload.concurrency is given too" in told.lines[0].text
    conflicts = [w for w in adviser().consult(answers).warnings if w.kind == "conflict"]
    assert "workload counts" in conflicts[0].text
