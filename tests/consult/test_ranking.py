"""What comes first among layouts that carry the load."""

from __future__ import annotations

from typing import Any

from advisor.answers.validate import read_answers_text
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation

LOAD = (
    "workload: {{kind: serving, model: {model}, context_tokens: {context}, concurrency: {users}}}\n"
)


def told(
    model: str, users: int, more: str = "", *, context: int = 8192, priority: str = "balanced"
) -> Consultation:
    load = LOAD.format(model=model, context=context, users=users)
    text = f"{load}objectives: {{priority: {priority}}}\n{more}"
    return advise(read_answers_text(text, name="answers.yaml"))


def chosen(consultation: Consultation) -> dict[str, Any]:
    choice = consultation.decisions["gpu"].choice
    assert choice is not None
    return choice.model_dump()


OWNED_EIGHT = "hardware: {acquisition: owned, gpu: h100-sxm, nodes: 1, gpus_per_node: 8}\n"


def test_throughput_is_judged_by_tokens_for_the_money_not_by_the_size_of_the_fleet() -> None:
    found = chosen(told("llama-3.3-70b", 200, priority="throughput"))
    assert found["total_gpus"] <= 32
    assert found["usd_per_hour"] < 200


def test_throughput_puts_all_owned_gpus_to_work() -> None:
    found = chosen(told("llama-3.1-8b", 64, OWNED_EIGHT, priority="throughput"))
    assert found["total_gpus"] == 8
    assert found["replicas"] * found["count_per_replica"] == 8


def test_throughput_takes_no_more_replicas_than_there_are_requests() -> None:
    found = chosen(told("llama-3.1-8b", 3, OWNED_EIGHT, priority="throughput"))
    assert found["replicas"] <= 3


def test_latency_does_not_double_the_gpus_for_a_gain_within_the_estimate() -> None:
    small = told("llama-3.2-1b", 1, OWNED_EIGHT, priority="latency")
    assert chosen(small)["total_gpus"] < 8


def test_a_layout_that_may_not_start_is_not_chosen_over_one_that_does() -> None:
    hardware = "hardware: {acquisition: owned, gpu: a100-40-sxm, nodes: 1, gpus_per_node: 8}\n"
    found = told("llama-3.3-70b", 1, hardware, context=4096)
    sizing = found.sizing
    assert sizing is not None
    assert "borderline" not in {problem.code for problem in sizing.problems}


def test_experts_are_not_spread_over_odd_numbers_of_ranks() -> None:
    hardware = "hardware: {acquisition: owned, gpu: h200-sxm, nodes: 1, gpus_per_node: 8}\n"
    found = told("deepseek-r1", 64, hardware)
    shown = found.candidates.shown if found.candidates else ()
    assert shown
    for row in shown:
        if row["id"].split("n1x")[0].endswith("ep"):
            assert row["total_gpus"] in {2, 4, 8}


def test_an_fp8_cache_is_offered_where_it_saves_money_and_nothing_forbids_it() -> None:
    long = told("llama-3.3-70b", 16, "hardware: {gpu: b200}\n", context=65536)
    offers = [a for a in long.decisions["gpu"].alternatives if _cache_of(a) == "fp8"]
    assert len(offers) == 1
    offer = offers[0].choice
    assert offer is not None
    assert offer.model_dump()["usd_per_hour"] < chosen(long)["usd_per_hour"]
    fixed = read_answers_text(
        "workload: {kind: serving, model: llama-3.3-70b, context_tokens: 65536, concurrency: 16,"
        " kv_format: bf16}\n",
        name="answers.yaml",
    )
    for alternative in advise(fixed).decisions["gpu"].alternatives:
        assert _cache_of(alternative) != "fp8"


def _cache_of(alternative: Any) -> str | None:
    return None if alternative.choice is None else alternative.choice.model_dump().get("kv_format")


def test_the_cache_is_not_mentioned_where_it_is_small() -> None:
    short = told("llama-3.3-70b", 1, context=2048)
    assert all(_cache_of(a) != "fp8" for a in short.decisions["gpu"].alternatives)


def test_a_split_wider_than_the_bridges_is_objected_to() -> None:
    hardware = "hardware: {acquisition: buy, gpu: h100-nvl}\n"
    for priority in ("latency", "balanced"):
        found = told("llama-3.3-70b", 4, hardware, priority=priority)
        split = found.decisions["parallelism"].choice
        assert split is not None
        assert split.model_dump().get("tensor_parallel", 1) <= 2


def test_a_price_does_not_buy_many_times_the_gpus_of_the_same_card() -> None:
    """Two machines with a network between them have no price; a hundred single ones have."""
    found = told("deepseek-r1", 300, "hardware: {gpu: h100-nvl}\n", context=16384)
    fewest = min(
        candidate["total_gpus"]
        for candidate in (found.candidates.shown if found.candidates else ())
        if candidate["gpu"] == "h100-nvl"
    )
    assert chosen(found)["total_gpus"] <= 2 * fewest
