"""What answers do to the choice: owned, named, ruled out, limited, preferred."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, fleet, serving, sizes, told, warned

from advisor.consult.published import format_bits
from advisor.errors import InputError

TEAM = {"context_tokens": 8192, "concurrency": 32}


def alternatives(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [a.choice.model_dump() for a in told(document).decisions["gpu"].alternatives]


# ---- owned ----


def owned(model: str, gpu: str, count: int, **answers: Any) -> dict[str, Any]:
    return serving(
        model, gpu, hardware__acquisition="owned", hardware__gpus_per_node=count, **answers
    )


def test_owned_gpus_that_carry_the_load_are_used() -> None:
    found = choice(told(owned("llama-3.3-70b", "h100-sxm", 8, **TEAM)))

    assert found["option"] == "use_owned"
    assert found["total_gpus"] <= 8


def test_owned_gpus_are_never_exceeded() -> None:
    for count in range(1, 9):
        found = choice(told(owned("llama-3.1-8b", "l4", count, **TEAM)))
        if found["option"] == "use_owned":
            assert found["total_gpus"] <= count


def test_owned_gpus_that_are_too_few_are_changed_into_a_fleet_of_the_same_card() -> None:
    asked = owned("llama-3.3-70b", "h100-sxm", 2, weight_format="bf16", **TEAM)
    found = choice(told(asked))

    assert found["option"] == "change_owned"
    assert (found["gpu"], found["total_gpus"], found["weight_format"]) == ("h100-sxm", 4, "bf16")
    assert "2 are there" in told(asked).decisions["gpu"].because
    assert sizes(asked) == {"tp": 4}


def test_a_changed_fleet_names_the_nearest_format_that_fits_what_is_there() -> None:
    asked = owned("llama-3.3-70b", "h100-sxm", 2, weight_format="bf16", **TEAM)
    narrower = [a for a in alternatives(asked) if a["weight_format"] != "bf16"]

    assert narrower
    assert all(a["total_gpus"] <= 2 for a in narrower)
    assert all(format_bits(a["weight_format"]) < 16 for a in narrower)


def test_quantization_not_allowed_names_no_other_format() -> None:
    asked = owned(
        "llama-3.3-70b",
        "h100-sxm",
        2,
        weight_format="bf16",
        quantization="not_allowed",
        **TEAM,
    )

    assert all(a["weight_format"] == "bf16" for a in alternatives(asked))


def test_eight_bit_only_never_names_a_4_bit_format() -> None:
    asked = owned(
        "llama-3.3-70b", "h100-sxm", 2, weight_format="bf16", quantization="fp8_only", **TEAM
    )

    assert all(format_bits(a["weight_format"]) >= 8 for a in alternatives(asked))


def test_a_card_that_can_never_do_it_is_replaced_by_another() -> None:
    asked = owned(
        "llama-3.1-405b", "l4", 1, weight_format="bf16", context_tokens=8192, concurrency=4
    )
    found = choice(told(asked))

    assert found["option"] == "change_owned"
    assert found["gpu"] != "l4"


def test_owned_without_a_name_is_an_open_question() -> None:
    decision = told(serving("llama-3.1-8b", hardware__acquisition="owned")).decisions["gpu"]

    assert decision.status == "open"
    assert "hardware.inventory" in decision.because


def test_missing_nodes_are_one_and_said() -> None:
    consultation = told(owned("llama-3.1-8b", "l4", 1))

    assert [a.value for a in consultation.assumptions if a.key == "hardware.nodes"] == [1]


def test_an_inventory_is_a_choice_between_its_machines() -> None:
    machines = [
        {"gpu": "l4", "gpus_per_node": 4},
        {"gpu": "a100-80-sxm", "gpus_per_node": 4, "nodes": 2},
    ]
    asked = serving("llama-3.3-70b", hardware__inventory=machines, weight_format="bf16", **TEAM)
    found = choice(told(asked))

    assert found["option"] == "use_owned"
    assert found["gpu"] == "a100-80-sxm"
    assert "l4" in {line.gpu for line in told(asked).decisions["gpu"].rejected}


def test_equal_machines_of_an_inventory_count_together() -> None:
    machines = [{"gpu": "l4", "gpus_per_node": 1}, {"gpu": "l4", "gpus_per_node": 1}]
    asked = serving(
        "llama-3.1-8b",
        hardware__inventory=machines,
        weight_format="bf16",
        context_tokens=8192,
        concurrency=6,
    )

    assert fleet(asked)[:2] == (2, "l4")
    assert sizes(asked) == {"replicas": 2}


def test_a_record_of_an_inventory_without_a_gpu_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        told(serving("llama-3.1-8b", hardware__inventory=[{"gpus_per_node": 2}]))

    assert caught.value.problems[0].key == "hardware.inventory[0].gpu"


# ---- nothing fits ----


def test_over_budget_means_that_none_fits_and_by_how_much() -> None:
    asked = serving("llama-3.3-70b", objectives__budget_usd_per_hour=0.5, **TEAM)
    decision = told(asked).decisions["gpu"]

    assert choice(told(asked))["option"] == "none_fits"
    assert "0.50" in decision.because
    assert all(line.rule and "budget" in line.rule for line in decision.rejected if line.rule)
    assert alternatives(asked)[0]["usd_per_hour"] > 0.5


def test_a_budget_is_kept() -> None:
    asked = serving("llama-3.3-70b", objectives__budget_usd_per_hour=6, **TEAM)

    assert choice(told(asked))["usd_per_hour"] <= 6


def test_a_named_gpu_that_cannot_do_it_is_not_swapped_in_silence() -> None:
    asked = serving("llama-3.1-405b", "l4", weight_format="bf16", **TEAM)
    consultation = told(asked)

    assert choice(consultation)["option"] == "none_fits"
    assert consultation.decisions["parallelism"].status == "open"
    assert any(
        "another GPU than the named" in a.would_be_chosen_if
        for a in consultation.decisions["gpu"].alternatives
    )


def test_a_quota_is_kept() -> None:
    asked = serving("llama-3.1-8b", "l4", platform__gpu_quota=1, **TEAM)

    assert choice(told(asked))["option"] == "none_fits"


# ---- formats ----


@pytest.mark.parametrize("weight_format", ["bf16", "fp8", "awq_int4", "checkpoint"])
def test_a_given_format_is_fixed(weight_format: str) -> None:
    asked = serving("llama-3.3-70b", weight_format=weight_format, **TEAM)
    wanted = "bf16" if weight_format == "checkpoint" else weight_format

    assert fleet(asked)[2] == wanted
    assert {a["weight_format"] for a in alternatives(asked)} <= {wanted}
    assert {c["weight_format"] for c in told(asked).candidates.shown} == {wanted}  # type: ignore[union-attr]


def test_a_narrower_choice_comes_with_a_caveat_and_the_published_best() -> None:
    asked = serving("llama-3.3-70b", **TEAM)

    assert fleet(asked)[2] != "bf16"
    assert "warn-lower-precision" in warned(asked)
    assert "bf16" in {a["weight_format"] for a in alternatives(asked)}


@pytest.mark.parametrize(
    "answers", [{"quantization": "not_allowed"}, {"objectives__priority": "simplicity"}]
)
def test_published_weights_win_when_nothing_else_is_wanted(answers: dict[str, str]) -> None:
    assert fleet(serving("llama-3.3-70b", **TEAM, **answers))[2] == "bf16"


def test_at_the_same_price_published_weights_win() -> None:
    asked = serving("llama-3.1-8b", "l4", concurrency=2, objectives__priority="cost")

    assert fleet(asked)[2] == "bf16"


def test_a_format_that_the_card_cannot_run_is_named_with_the_nearest_that_it_can() -> None:
    asked = serving("llama-3.1-8b", "v100", weight_format="fp8", concurrency=2)
    decision = told(asked).decisions["gpu"]

    assert choice(told(asked))["option"] == "none_fits"
    assert "fp8" in decision.because
    assert alternatives(asked)


# ---- priorities ----


def ranked(priority: str, **answers: Any) -> list[dict[str, Any]]:
    asked = serving("llama-3.3-70b", objectives__priority=priority, **TEAM, **answers)
    counts = told(asked).candidates
    assert counts is not None
    return [dict(row) for row in counts.shown]


def test_cost_never_picks_a_dearer_layout() -> None:
    prices = [row["usd_per_hour"] for row in ranked("cost")]
    priced = [usd for usd in prices if usd is not None]

    assert priced == sorted(priced)


@pytest.mark.parametrize("priority", ["cost", "balanced", "simplicity"])
def test_a_gpu_without_a_price_never_beats_one_that_has_one(priority: str) -> None:
    rows = ranked(priority, hardware__vendors=["nvidia", "amd"])
    if priority == "simplicity":
        shape = (rows[0]["weight_format"], rows[0]["total_gpus"])
        rows = [row for row in rows if (row["weight_format"], row["total_gpus"]) == shape]
    priced = [row["usd_per_hour"] is not None for row in rows]

    assert priced == sorted(priced, reverse=True)


def test_latency_decodes_at_least_as_fast_as_cost() -> None:
    def speed(priority: str) -> float:
        asked = serving(
            "llama-3.3-70b", "h100-sxm", objectives__priority=priority, weight_format="bf16",
            **TEAM,
        )  # fmt: skip
        sizing = told(asked).sizing
        assert sizing is not None
        assert sizing.decode_tokens_per_second is not None
        return sizing.decode_tokens_per_second.high or 0.0

    assert speed("latency") > speed("cost")


def test_throughput_gives_at_least_as_many_tokens_as_cost() -> None:
    def tokens(priority: str) -> float:
        consultation = told(serving("llama-3.1-8b", objectives__priority=priority, concurrency=100))
        sizing, found = consultation.sizing, choice(consultation)
        assert sizing is not None
        assert sizing.total_output_tokens_per_second is not None
        return (sizing.total_output_tokens_per_second.high or 0.0) * found["replicas"]

    assert tokens("throughput") >= tokens("cost")


def test_simplicity_takes_the_fewest_replicas_and_gpus() -> None:
    simple = serving("llama-3.1-8b", objectives__priority="simplicity", concurrency=100)

    assert choice(told(simple))["replicas"] == 1


# ---- speed ----


def test_a_speed_that_the_smallest_split_misses_takes_a_wider_one() -> None:
    asked = serving(
        "llama-3.3-70b",
        "h100-sxm",
        weight_format="bf16",
        objectives__tokens_per_second_per_user=60,
        context_tokens=8192,
        concurrency=8,
    )

    assert sizes(asked) == {"tp": 8}


def test_a_speed_that_a_full_replica_misses_takes_more_replicas() -> None:
    slow = serving("llama-3.1-8b", "l4", weight_format="fp8", concurrency=8, context_tokens=4096)
    consultation = told(slow)
    assert consultation.sizing is not None
    assert consultation.sizing.decode_tokens_per_second is not None
    high = consultation.sizing.decode_tokens_per_second.high
    assert high is not None
    fast = {**slow, "objectives": {"tokens_per_second_per_user": round(high * 1.05, 1)}}

    assert choice(told(fast))["option"] == "buy_or_rent"
    assert choice(told(fast))["total_gpus"] > choice(consultation)["total_gpus"]


def test_an_impossible_speed_fits_nowhere_and_says_the_estimate() -> None:
    asked = serving("llama-3.3-70b", objectives__tokens_per_second_per_user=5000)
    decision = told(asked).decisions["gpu"]

    assert choice(told(asked))["option"] == "none_fits"
    assert "5000" in decision.because


def test_a_speed_inside_the_error_of_the_estimate_is_a_warning() -> None:
    asked = serving(
        "llama-3.3-70b",
        "h100-sxm",
        weight_format="bf16",
        objectives__tokens_per_second_per_user=60,
        concurrency=8,
    )

    assert "warn-speed-is-a-hope" in warned(asked)


def test_a_wait_that_was_not_checked_is_a_warning() -> None:
    asked = serving("llama-3.3-70b", "h100-sxm", objectives__ttft_ms=500)

    assert "warn-first-token-not-counted" in warned(asked)


def test_an_impossible_wait_fits_nowhere() -> None:
    asked = serving(
        "llama-3.3-70b", prompt_tokens=30000, context_tokens=32768, objectives__ttft_ms=1
    )

    assert choice(told(asked))["option"] == "none_fits"


def test_a_rate_for_everybody_becomes_requests_in_flight() -> None:
    asked = serving("llama-3.1-8b", output_tokens=300, objectives__requests_per_second=10)
    consultation = told(asked)
    [assumed] = [a for a in consultation.assumptions if a.key == "workload.concurrency"]

    assert assumed.value == 100
    assert "30" in assumed.why
