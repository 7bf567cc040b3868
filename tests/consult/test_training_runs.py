"""A job that ends is ranked by the rent of the whole run; whole machines are used whole."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, told, training, warned

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
    once = choice(told(full_8b(hardware__gpu="h100-sxm", dataset_tokens="1B")))
    tenfold = choice(told(full_8b(hardware__gpu="h100-sxm", dataset_tokens="10B")))

    ratio = tenfold["usd_per_run"]["low"] / once["usd_per_run"]["low"]
    assert ratio == pytest.approx(10, rel=0.01)


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
