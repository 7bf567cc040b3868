"""Limits: a flip that is told is one, and on a fine grid it is the nearest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from explain_support import POOL, adviser, case, holds_together, with_answers

from advisor.answers.model import Answers
from advisor.answers.validate import read_answers
from advisor.consult.consultation import Consultation
from advisor.errors import InputError
from advisor.explain.grid import Grid, grid_of
from advisor.explain.limits import limits, numeric_answers
from advisor.explain.probe import build_of, kind_of

CASES = [
    ("one card", "workload.concurrency", {}),
    ("one card", "workload.concurrency", {"workload__concurrency": 19}),
    ("one card", "workload.concurrency", {"hardware__gpu": "h100-sxm"}),
    ("one card", "workload.concurrency", {"workload__kv_format": "fp8"}),
    ("owned", "workload.concurrency", {}),
    ("owned", "workload.concurrency", {"workload__concurrency": 40}),
    ("owned", "hardware.nodes", {}),
    ("owned", "hardware.gpus_per_node", {}),
    ("mig", "tenancy.workloads_per_gpu", {}),
    ("mig", "hardware.gpus_per_node", {}),
    ("turns", "tenancy.workloads_per_gpu", {}),
    ("training", "training.micro_batch", {}),
    ("training", "training.lora_rank", {"training__lora_rank": 16}),
    ("nodes", "workload.concurrency", {}),
]
REACH = 40
"""Every whole number up to so far from the given one is consulted."""


Read = Callable[[Consultation], object]
EDGES: dict[str, Read] = {"kind": kind_of, "room": build_of}


def same(answers: Answers, key: str, value: int, read: Read = kind_of) -> bool:
    """Tell by consulting whether the advice is that of the answers as given."""
    try:
        told = adviser().consult_with(answers, [f"{key}={value}"])
    except InputError:
        return False
    return read(told) == read(adviser().consult(answers))


def found(answers: Answers, key: str) -> dict[str, Any]:
    told = limits(adviser(), answers, key)
    holds_together(told)
    return dict(told.data["limits"][0])  # type: ignore[index]


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(("name", "key", "changed"), CASES)
def test_limits_agree_with_consulting_every_whole_number(
    name: str, key: str, changed: dict[str, object], edge: str
) -> None:
    """The nearest flip of the kind, and the nearest at which more, fewer or others are built."""
    read = EDGES[edge]
    answers = with_answers(name, **changed)
    limit, grid = found(answers, key), grid_of(adviser().questions[key])
    assert grid is not None
    start = int(limit["value"])
    for way, both in ((1, limit["up"]), (-1, limit["down"])):
        side = both if edge == "kind" else both["room"]
        if side["flips"] is not None:
            assert side["flips"] == side["holds"] + way
            assert same(answers, key, side["holds"], read)
            assert not same(answers, key, side["flips"], read)
        for value in side["tested"]:
            assert same(answers, key, int(value), read)
        every = set(range(start, int(side["holds"]), way)) | {int(side["holds"])}
        assert side["every"] == (every <= {start, *side["tested"]})
        reach = range(start + way, start + way * (REACH + 1), way)
        inside = [value for value in reach if grid.first <= value <= grid.last]
        flips = next((value for value in inside if not same(answers, key, value, read)), None)
        assert (side["flips"] if side["flips"] in inside else None) == flips


def test_a_narrow_island_between_doubled_values_is_found_where_the_number_of_gpus_differs() -> None:
    """From 51 to 54 users a machine of four is cheapest, below and above one card for each."""
    answers = with_answers("one card", workload__concurrency=19)
    up = found(answers, "workload.concurrency")["up"]
    island = [value for value in range(20, 80) if not same(answers, "workload.concurrency", value)]

    assert 0 < len(island) < 8
    assert up["flips"] == island[0]


def test_a_limit_says_what_the_advice_becomes_and_what_it_was() -> None:
    told = limits(adviser(), case("owned"), "workload.concurrency")
    texts = [line.text for line in told.lines]

    assert "holds up to" in texts[0]
    assert any("(was " in text for text in texts)
    assert any("the same is built at" in text for text in texts)


def test_more_gpus_of_the_same_kind_are_a_flip_and_are_told_before_another_kind() -> None:
    """F1: half the GPUs and half the bill are no advice that stays as it is."""
    answers = with_answers("one card", workload__concurrency=40, hardware__acquisition="rent")
    up = found(answers, "workload.concurrency")["up"]
    text = limits(adviser(), answers, "workload.concurrency").lines[0].text
    then = adviser().consult_with(answers, [f"workload.concurrency={up['room']['flips']}"])
    old, new = (
        one.decisions["gpu"].choice.model_dump()  # type: ignore[union-attr]
        for one in (adviser().consult(answers), then)
    )

    assert old["gpu"] == new["gpu"]
    assert f"at {up['room']['flips']}: GPUs {old['total_gpus']} -> {new['total_gpus']}" in text
    assert f"{old['usd_per_hour']:,.2f} -> {new['usd_per_hour']:,.2f} USD an hour" in text
    assert up["flips"] is None or up["flips"] > up["room"]["flips"]


@pytest.mark.parametrize("name", POOL)
def test_what_is_said_of_all_numbers_and_of_one_does_not_contradict(name: str) -> None:
    """Where all are searched roughly, what was tried stands beside it and is true."""
    told = limits(adviser(), case(name))
    for rough in told.data["limits"][:1]:  # type: ignore[index]
        fine = found(case(name), rough["key"])
        texts = [line.text for line in told.lines if not line.detail]
        for way in ("up", "down"):
            for one, other in ((rough[way], fine[way]), (rough[way]["room"], fine[way]["room"])):
                if one["flips"] is not None and other["flips"] is not None:
                    start = rough["value"]
                    assert abs(other["flips"] - start) <= abs(one["flips"] - start)
            room = rough[way]["room"]
            if room["tested"] and not room["every"]:
                last = f"{room['tested'][-1]:,.10g}"
                assert any("tried only" in text and last in text for text in texts)


def test_without_a_key_every_number_that_is_given_or_assumed_is_searched() -> None:
    told = limits(adviser(), case("owned"))
    keys = {one["key"] for one in told.data["limits"]}  # type: ignore[attr-defined]

    holds_together(told)
    assert keys | set(told.data["left_out"]) == set(numeric_answers(adviser(), case("owned")))  # type: ignore[call-overload]
    assert "workload.concurrency" in keys


def test_an_assumed_number_is_marked_as_assumed() -> None:
    known = numeric_answers(adviser(), case("turns"))

    assert known["hardware.nodes"] == (1, True)
    assert known["tenancy.workloads_per_gpu"] == (3, False)


@pytest.mark.parametrize("key", ["workload.model", "no.such", "workload.prompt_tokens"])
def test_a_key_without_a_number_is_refused_with_what_could_be_meant(key: str) -> None:
    with pytest.raises(InputError) as refused:
        limits(adviser(), case("one card"), key)
    assert refused.value.problems[0].code in {"not_a_number", "unknown_key", "not_given"}


def test_the_last_part_of_a_key_is_enough() -> None:
    told = limits(adviser(), case("one card"), "concurrency")
    assert told.data["limits"][0]["key"] == "workload.concurrency"  # type: ignore[index]


def test_a_search_that_runs_out_of_consultations_says_so() -> None:
    told = limits(adviser(), case("mig"), "hardware.nodes", most=7)
    up = told.data["limits"][0]["up"]  # type: ignore[index]

    assert up["complete"] is False
    assert "the search stopped there" in told.lines[0].text
    assert "tried only" in told.lines[0].text


@pytest.mark.parametrize("name", POOL)
def test_limits_of_every_case_can_be_told_and_are_the_same_twice(name: str) -> None:
    first, second = (limits(adviser(), case(name)) for _ in range(2))

    holds_together(first)
    assert json.dumps(first.as_dict()) == json.dumps(second.as_dict())


@pytest.mark.parametrize(
    ("value", "step"), [(0.92, 0.001), (20.0, 0.1), (1.5, 0.01), (0.125, 0.001), (1234.0, 1.0)]
)
def test_numbers_that_are_not_whole_are_tried_on_a_grid_that_holds_them(
    value: float, step: float
) -> None:
    grid = Grid(0, 10_000, 1).around(value)

    assert grid.value(grid.index(value)) == value
    assert grid.value(grid.index(value) + 1) == pytest.approx(value + step)


def test_the_numbers_of_each_load_have_limits_and_those_none_of_them_reads_have_none() -> None:
    loads = [
        {"name": "chat", "kind": "serving", "model": "llama-3.1-8b", "context_tokens": 4096,
         "concurrency": 4},
        {"name": "embed", "kind": "embeddings", "model": "bge-m3", "context_tokens": 1024,
         "concurrency": 8},
    ]  # fmt: skip
    answers = read_answers(
        {"workloads": loads, "workload": {"concurrency": 500}, "hardware": {"gpu": "l4"}}
    )
    known = numeric_answers(adviser(), answers)

    assert known["workloads[0].concurrency"] == (4, False)
    assert known["workloads[1].context_tokens"] == (1024, False)
    assert "workload.concurrency" not in known
    with pytest.raises(InputError, match="each load in `workloads` says its own"):
        limits(adviser(), answers, "workload.concurrency")

    edges = found(answers, "workloads[0].concurrency")
    for name, read in EDGES.items():
        edge = edges["up"] if name == "kind" else edges["up"]["room"]
        assert edge["flips"] is not None
        assert same(answers, "workloads[0].concurrency", edge["holds"], read)
        assert not same(answers, "workloads[0].concurrency", edge["flips"], read)


def test_a_share_of_memory_that_grows_is_no_other_thing_to_build() -> None:
    loads = [
        {"name": "chat", "kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192,
         "concurrency": 20},
        {"name": "embed", "kind": "embeddings", "model": "bge-m3", "concurrency": 8},
    ]  # fmt: skip
    shared = {"tenants": "trusted_teams", "duty": "intermittent"}
    answers = read_answers({"workloads": loads, "tenancy": shared, "hardware": {"gpu": "l40s"}})

    def shares(more: Answers) -> list[object]:
        choice = adviser().consult(more).decisions["gpu"].choice
        assert choice is not None
        return [load.get("memory_fraction") for load in choice.model_dump()["loads"]]

    key = "workloads[0].concurrency"
    assert shares(answers) != shares(adviser().override(answers, [f"{key}=21"]))
    assert same(answers, key, 21, build_of)
