"""A job that ends is ranked by the rent of the whole run; whole machines are used whole."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, told, training, warned

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.training_counts import LONGEST_HOURS, Option, preferred
from advisor.store.loader import load_knowledge

RENTED = {"hardware__acquisition": "rent"}


def full_8b(**answers: Any) -> Document:
    return training("llama-3.1-8b", None, method="full", **{**RENTED, **answers})


def middle(usd: dict[str, float]) -> float:
    return (usd["low"] + usd["high"]) / 2


@pytest.mark.parametrize("cloud", ["aws", "lambda", "runpod", "crusoe"])
@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_no_run_that_is_shown_is_cheaper_than_the_choice(cloud: str, method: str) -> None:
    asked = training(
        "llama-3.1-8b", None, method=method, dataset_tokens="3B",
        platform__cloud=cloud, objectives__priority="cost", **RENTED,
    )  # fmt: skip
    shown = told(asked).candidates
    assert shown is not None
    costs = [middle(row["usd_per_run"]) for row in shown.shown if row["usd_per_run"]]

    assert len(costs) > 1
    assert costs[0] <= min(costs) + 0.01


def test_the_hour_decides_where_no_data_are_named_and_the_run_where_they_are() -> None:
    by_hour = choice(told(full_8b(platform__cloud="lambda")))
    by_run = choice(told(full_8b(platform__cloud="lambda", dataset_tokens="500M")))

    assert "usd_per_run" not in by_hour
    assert by_run["usd_per_hour"] > by_hour["usd_per_hour"]


def test_the_rent_of_a_run_is_its_hours_times_the_hourly_rent() -> None:
    found = choice(told(full_8b(dataset_tokens="2B")))

    for end in ("low", "high"):
        expected = found["hours"][end] * found["usd_per_hour"]
        assert found["usd_per_run"][end] == pytest.approx(expected, rel=0.01)


def test_the_run_is_told_in_the_reason_and_in_what_a_runner_up_lacks() -> None:
    made = told(full_8b(dataset_tokens="2B")).decisions["gpu"]

    assert "cheapest for the whole run" in made.because
    assert "USD of rent for the run" in made.because
    assert any("its run costs" in a.would_be_chosen_if for a in made.alternatives)
    assert not any("an hour less" in a.would_be_chosen_if for a in made.alternatives)


def test_every_gpu_on_the_bill_takes_part() -> None:
    alone = choice(told(full_8b(platform__cloud="lambda", hardware__gpu="a100-80-sxm")))

    assert alone["total_gpus"] == alone["instances"] * alone["instance_gpus"] == 8
    assert "idle_gpus" not in alone


def test_simplicity_and_machines_that_are_bought_leave_the_count_alone() -> None:
    simple = full_8b(
        platform__cloud="lambda", hardware__gpu="a100-80-sxm", objectives__priority="simplicity"
    )

    assert choice(told(simple))["total_gpus"] == 4


def test_more_data_cost_more_in_proportion() -> None:
    once = choice(told(full_8b(hardware__gpu="h100-sxm", dataset_tokens="10B")))
    twice = choice(told(full_8b(hardware__gpu="h100-sxm", dataset_tokens="20B")))

    assert once["total_gpus"] == twice["total_gpus"]
    assert twice["usd_per_run"]["low"] == pytest.approx(2 * once["usd_per_run"]["low"], rel=0.01)


def test_a_run_above_the_budget_is_no_choice() -> None:
    free = choice(told(full_8b(dataset_tokens="5B")))
    tight = full_8b(dataset_tokens="5B", objectives__budget_usd=free["usd_per_run"]["low"] / 2)
    close = full_8b(dataset_tokens="5B", objectives__budget_usd=middle(free["usd_per_run"]))

    assert choice(told(tight))["option"] == "none_fits"
    assert choice(told(close))["gpu"] == free["gpu"]
    assert "warn-training-run-near-budget" in warned(close)


def test_owned_gpus_have_hours_and_no_rent() -> None:
    asked = training(
        "llama-3.1-8b", "h100-sxm", method="full", dataset_tokens="2B",
        hardware__acquisition="owned", hardware__gpus_per_node=8,
    )  # fmt: skip
    found = choice(told(asked))

    assert found["hours"]["low"] > 0
    assert "usd_per_run" not in found


def test_a_card_without_a_known_rate_never_wins_by_its_run() -> None:
    unknown = {gpu.id for gpu in load_knowledge().gpus.values() if not gpu.tflops.bf16}
    shown = told(full_8b(dataset_tokens="2B")).candidates
    assert shown is not None
    names = [row["gpu"] for row in shown.shown]

    assert unknown.intersection(names)
    assert names[0] not in unknown


def test_a_job_in_a_hurry_is_ranked_by_its_pace() -> None:
    asked = full_8b(dataset_tokens="2B", objectives__priority="latency")

    assert "fastest training" in told(asked).decisions["gpu"].because


def test_a_run_of_an_hour_says_that_it_is_mostly_set_up() -> None:
    short = training("llama-3.1-8b", "h100-sxm", method="lora", dataset_tokens="5M", **RENTED)
    long = training("llama-3.1-8b", "h100-sxm", method="lora", dataset_tokens="50B", **RENTED)

    assert "warn-training-short-run" in warned(short)
    assert "warn-training-short-run" not in warned(long)


@pytest.mark.parametrize("gpu", ["a100-80-sxm", "h100-sxm", "l40s", "a10g"])
@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_shorter_samples_and_smaller_batches_never_take_more_gpus(gpu: str, method: str) -> None:
    for model in ("llama-3.1-8b", "qwen2.5-32b"):
        counts = [safe_count(model, gpu, method, n, 1) for n in (512, 2048, 8192, 32768)]
        batches = [safe_count(model, gpu, method, 2048, batch) for batch in (1, 2, 8)]

        assert_never_falls(counts)
        assert_never_falls(batches)


def safe_count(model: str, gpu: str, method: str, tokens: int, batch: int) -> float | None:
    """Return the GPUs that surely hold the job; ``None`` where it is too close to call."""
    asked = training(model, gpu, method=method, sequence_tokens=tokens, micro_batch=batch, **RENTED)
    made = told(asked)
    close = made.sizing is not None and any(p.code == "borderline" for p in made.sizing.problems)
    return None if close else choice(made).get("total_gpus", float("inf"))


def assert_never_falls(counts: list[float | None]) -> None:
    known = [number for number in counts if number is not None]
    assert known
    assert known == sorted(known)


LONG = {"workload__kind": "pretraining", "dataset_tokens": "300B"}


def owned(model: str, tokens: str, **answers: Any) -> Document:
    return training(
        model, "h200-sxm", dataset_tokens=tokens, hardware__acquisition="owned",
        hardware__gpus_per_node=8, hardware__nodes=4, **answers,
    )  # fmt: skip


@pytest.mark.parametrize("framework", [None, "torch_fsdp", "megatron"])
@pytest.mark.parametrize("model", ["llama-3.2-1b", "llama-3.1-8b", "llama-2-13b", "llama-3.1-70b"])
def test_a_long_run_takes_every_owned_gpu(model: str, framework: str | None) -> None:
    stated = {} if framework is None else {"framework": framework}
    pretrained = owned(model, "1T", workload__kind="pretraining", **stated)
    tuned = owned(model, "50B", method="full", **stated)

    for asked in (pretrained, tuned):
        made = told(asked)
        assert choice(made)["total_gpus"] == 32
        assert made.sizing is not None
        assert not any(p.code == "borderline" for p in made.sizing.problems)
    assert "idle save nothing" in told(pretrained).decisions["gpu"].because


def test_a_short_run_leaves_owned_gpus_alone() -> None:
    assert choice(told(owned("llama-3.1-8b", "10M", method="lora")))["total_gpus"] == 1
    assert choice(told(owned("llama-3.1-8b", "5M", method="full")))["total_gpus"] <= 8


@pytest.mark.parametrize("gpu", ["h100-sxm", "b200", "a100-80-sxm"])
@pytest.mark.parametrize("model", ["llama-3.2-1b", "llama-3.2-3b"])
def test_a_rented_run_ends_within_a_month_on_whole_machines(model: str, gpu: str) -> None:
    made = told(training(model, gpu, **LONG, **RENTED))
    found = choice(made)

    assert found["hours"]["high"] <= LONGEST_HOURS
    assert found["total_gpus"] == found["instances"] * found["instance_gpus"]
    fewer = found["total_gpus"] - found["instance_gpus"]
    assert fewer <= 1 or found["hours"]["high"] * found["total_gpus"] / fewer > LONGEST_HOURS / 2
    assert "within 30 days" in made.decisions["gpu"].because


def test_a_rented_run_of_hours_stays_on_the_fewest() -> None:
    silent = choice(told(training("llama-3.1-8b", "h100-sxm", method="lora", **RENTED)))
    short = choice(
        told(training("llama-3.1-8b", "h100-sxm", method="lora", dataset_tokens="20M", **RENTED))
    )

    assert short["total_gpus"] == silent["total_gpus"]


def test_a_quota_bounds_what_a_long_run_takes() -> None:
    asked = training("llama-3.2-3b", "h100-sxm", **LONG, **RENTED, platform__gpu_quota=8)
    found = choice(told(asked))

    assert found["total_gpus"] == 8
    assert found["hours"]["high"] > LONGEST_HOURS
    assert "more than 30 days" in told(asked).decisions["gpu"].because


def test_what_is_bought_is_not_multiplied_for_a_date() -> None:
    asked = training("llama-3.2-3b", "h100-sxm", **LONG, hardware__acquisition="buy")

    assert "within 30 days" not in told(asked).decisions["gpu"].because


def test_a_budget_is_tested_on_the_cheapest_layout_of_the_run() -> None:
    asked = training("llama-3.2-3b", "h100-sxm", **LONG, **RENTED, objectives__budget_usd=20_000)
    found = choice(told(asked))

    assert found["option"] == "buy_or_rent"
    assert found["recompute"] == "none"
    assert found["usd_per_run"]["low"] <= 20_000


def option(gpus: int, hours: float, usd_per_hour: float | None) -> Option:
    return Option(gpus, (hours, hours * 1.8), usd_per_hour)


def test_of_equally_dear_counts_the_fewest_that_end_in_a_month_are_taken() -> None:
    options = [option(n, 4000 / n, 4.0 * n) for n in (1, 2, 4, 8, 16, 32, 64)]

    assert preferred(options, "balanced").gpus == 16
    assert preferred(options, "simplicity").gpus == 16
    assert preferred(options[:3], "balanced").gpus == 4


def test_priority_cost_takes_the_cheapest_run_and_of_equals_the_shortest() -> None:
    equal = [option(n, 4000 / n, 4.0 * n) for n in (1, 8, 64)]
    cheaper = [option(1, 4000, 3.0), option(8, 500, 32.0)]

    assert preferred(equal, "cost").gpus == 64
    assert preferred(cheaper, "cost").gpus == 1


def test_under_priority_cost_no_date_is_given_as_the_reason() -> None:
    asked = training("llama-3.2-3b", "h100-sxm", **LONG, **RENTED, objectives__priority="cost")
    because = told(asked).decisions["gpu"].because

    assert "within 30 days" not in because
    assert "costs no more in all" in because


def test_what_keeps_the_budget_goes_before_what_ends_in_time() -> None:
    options = [option(1, 1000, 4.0), option(8, 125, 40.0)]

    assert preferred(options, "balanced", 4500).gpus == 1
    assert preferred(options, "balanced", 9000).gpus == 8
    assert preferred(options, "balanced", 10).gpus == 1


def test_hours_include_the_wait_for_states_in_host_ram() -> None:
    def hours(offload: str) -> dict[str, float]:
        answers = {
            "workload": {"kind": "fine_tuning", "model": "llama-3.1-8b"},
            "training": {"method": "full", "dataset_tokens": 100_000_000, "offload": offload},
            "hardware": {
                "acquisition": "owned", "gpu": "h200-sxm", "gpus_per_node": 8,
                "host_ram_gib": 2048,
            },
        }  # fmt: skip
        choice = advise(read_answers(answers)).decisions["gpu"].choice
        assert choice is not None
        found: dict[str, float] = choice.model_dump()["hours"]
        return found

    plain, offloaded = hours("none"), hours("cpu")
    assert offloaded["low"] > plain["low"]
    assert offloaded["high"] > plain["high"]
