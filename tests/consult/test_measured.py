"""What was measured is read beside the estimate of what it was measured on."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, serving, told, training, warned

from advisor.consult.consultation import Warned

USER, TOTAL = "observed__tokens_per_second_per_user", "observed__total_output_tokens_per_second"
OWNED: dict[str, Any] = {"hardware__acquisition": "owned", "concurrency": 4, "context_tokens": 8192}


def runs(**more: Any) -> Document:
    """An 8B on one L40S, in use."""
    return serving("llama-3.1-8b", "l40s", **{**OWNED, "layout__tensor_parallel": 1, **more})


def job(**more: Any) -> Document:
    usual = {"method": "full", "micro_batch": 2, "sequence_tokens": 4096, "recompute": "full"}
    there = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8}
    return training("llama-3.1-8b", "h100-sxm", **{**usual, **there, **more})


def rack(**more: Any) -> Document:
    there = {"hardware__gpus_per_node": 8, "hardware__nodes": 2, "hardware__fabric_gbps": 400}
    return serving("llama-3.3-70b", "h100-sxm", **{**OWNED, **there, **more})


def one(document: Document, prefix: str) -> Warned:
    found = [w for w in told(document).warnings if w.id.startswith(prefix)]
    assert len(found) == 1, [w.id for w in told(document).warnings]
    return found[0]


def estimate(document: Document) -> tuple[float, float]:
    rate = told(document).sizing.decode_tokens_per_second  # type: ignore[union-attr]
    assert rate is not None
    return rate.low, rate.high


def test_a_speed_far_below_the_estimate_is_a_warning_that_says_by_how_much() -> None:
    low, _ = estimate(runs())
    found = one(runs(**{USER: low / 2}), "observed-speed")

    assert (found.id, found.severity) == ("observed-speed-below-user", "warning")
    assert "50 % of the slow end" in found.text
    assert "cannot be told" in found.text
    assert all((found.cause, found.check, found.citations))


def test_a_speed_within_the_estimate_agrees_and_one_above_says_that_it_is_too_low() -> None:
    low, high = estimate(runs())

    assert one(runs(**{USER: (low + high) / 2}), "observed-speed").severity == "info"
    assert "agree" in one(runs(**{USER: (low + high) / 2}), "observed-speed").text
    above = one(runs(**{USER: 3 * high}), "observed-speed")
    assert "3.0 times the fast end" in above.text
    assert "peculative" in above.cause


def test_links_are_suspected_only_where_a_model_is_split() -> None:
    split = runs(**{USER: 5, "layout__tensor_parallel": 2, "hardware__gpus_per_node": 2})

    assert "NVLink" in one(split, "observed-speed").cause
    assert "NVLink" not in one(runs(**{USER: 5}), "observed-speed").cause


def test_eager_mode_is_named_where_it_is_on_and_the_speed_is_low() -> None:
    assert "observed-speed-eager" in warned(runs(**{USER: 5, "layout__enforce_eager": True}))
    assert "observed-speed-eager" not in warned(runs(**{USER: 5}))


def test_the_layout_in_use_is_compared_and_not_the_one_that_is_advised() -> None:
    there = {"hardware__gpus_per_node": 8, "layout__tensor_parallel": 8}
    document = serving("llama-3.1-8b", "h100-sxm", **{**OWNED, **there, USER: 150})

    assert choice(told(document), "parallelism")["tensor_parallel"] == 1
    assert "TP8 on 8 x h100-sxm" in one(document, "observed-speed").text


def test_without_a_layout_the_advised_one_stands_in_and_that_is_said() -> None:
    document = serving("llama-3.1-8b", "l40s", **{**OWNED, USER: 5})

    assert "may not be the one that ran" in one(document, "observed-speed").text


@pytest.mark.parametrize(
    ("document", "help_by"),
    [
        (serving("llama-3.1-8b", concurrency=4, **{USER: 5}), "hardware.gpu"),
        (serving("llama-3.1-8b", "l40s", **{USER: 5}), "workload.concurrency"),
        (runs(observed__ttft_ms=50), "workload.prompt_tokens"),
        (job(observed__step_seconds=3, sequence_tokens="unknown"), "training.sequence_tokens"),
        (serving("llama-3.1-8b", observed__link_gbps=100), "hardware.gpu"),
    ],
)
def test_a_figure_without_its_load_is_not_judged_and_what_is_missing_is_named(
    document: Document, help_by: str
) -> None:
    assert f"What would help: {help_by}" in one(document, "observed-").text


def test_speeds_of_several_loads_are_not_judged() -> None:
    loads = [{"name": "a", "model": "llama-3.1-8b"}, {"name": "b", "model": "qwen3-8b"}]
    document = {"workloads": loads, "observed": {"tokens_per_second_per_user": 20}}

    assert "several loads" in one(document, "observed-not-compared").text


def test_requests_that_wait_do_not_make_a_total_speed_too_low() -> None:
    few = runs(**{TOTAL: 450, "concurrency": 400})
    held = told(few).sizing

    assert held is not None
    assert held.max_concurrency is not None
    assert held.max_concurrency.expected < 400
    assert "observed-speed-agrees-total" in warned(few)


def test_prompts_of_others_widen_the_estimate_downwards() -> None:
    low, _ = estimate(runs())
    mixed = runs(**{USER: 0.7 * low, "prompt_tokens": 4000, "output_tokens": 100})

    assert "observed-speed-below-user" in warned(runs(**{USER: 0.7 * low}))
    assert "observed-speed-agrees-user" in warned(mixed)


def test_two_speeds_that_make_another_load_are_told() -> None:
    assert "observed-streams-differ" in warned(runs(**{USER: 35, TOTAL: 35 * 12}))
    assert "observed-streams-differ" not in warned(runs(**{USER: 35, TOTAL: 35 * 4}))


def test_a_layout_in_use_that_misses_its_target_is_told_although_the_estimate_reaches_it() -> None:
    low, _ = estimate(runs())
    wanted = {"weight_format": "bf16", "objectives__tokens_per_second_per_user": 1.1 * low}
    name = "observed-speed-misses-target-user"

    assert name in warned(runs(**{USER: low, **wanted}))
    assert name not in warned(runs(**{USER: 1.1 * low, **wanted}))


def test_the_first_token_is_late_only_where_waiting_explains_much_of_it() -> None:
    first = told(runs(prompt_tokens=4000)).sizing.ttft_ms  # type: ignore[union-attr]
    assert first is not None
    at = {
        name: warned(runs(prompt_tokens=4000, observed__ttft_ms=value))
        for name, value in (("early", first.low / 2), ("agrees", first.high), ("late", 5000))
    }

    for name, found in at.items():
        assert {w for w in found if w.startswith("observed")} == {f"observed-first-token-{name}"}


def test_a_step_is_compared_with_the_arithmetic_of_the_stated_job() -> None:
    assert "observed-step-fast" in warned(job(observed__step_seconds=0.2))
    assert "observed-step-agrees" in warned(job(observed__step_seconds=1.5))
    assert "observed-step-slow" in warned(job(observed__step_seconds=10))


def test_more_accumulation_makes_a_step_as_much_longer() -> None:
    assert "observed-step-agrees" in warned(job(observed__step_seconds=12, gradient_accumulation=8))


def test_a_network_that_is_not_stated_is_the_first_suspect_of_a_slow_step() -> None:
    across = {"hardware__nodes": 2, "observed__step_seconds": 4}

    assert "observed-step-slow-network" in warned(job(**across))
    assert "observed-step-slow" in warned(job(**across, hardware__fabric_gbps=3200))
    assert "observed-step-agrees" in warned(job(**across, hardware__fabric_gbps=100))


def test_recomputation_that_is_not_stated_is_no_reason_to_call_a_step_slow() -> None:
    # above 25 % of the peak without recomputation, a third more with it
    without, unknown = {"recompute": "none"}, {"recompute": "unknown"}

    assert "observed-step-slow" in warned(job(observed__step_seconds=2, **without))
    assert "observed-step-agrees" in warned(job(observed__step_seconds=2, **unknown))


@pytest.mark.parametrize(
    ("gbps", "expected"),
    [
        (40, {"observed-link-below", "observed-link-unit"}),
        (100, {"observed-link-below"}),
        (370, {"observed-link-agrees"}),
        (1000, {"observed-link-of-machines"}),
        (2960, {"observed-link-agrees"}),
        (5000, {"observed-link-above"}),
    ],
)
def test_a_link_is_compared_with_both_that_can_be_meant(gbps: float, expected: set[str]) -> None:
    found = warned(rack(observed__link_gbps=gbps))

    assert {name for name in found if name.startswith("observed")} == expected


def test_links_without_nvlink_are_those_of_the_slot() -> None:
    document = serving("llama-3.1-8b", "l40s", hardware__gpus_per_node=4, observed__link_gbps=200)

    assert "PCIe 4 x16 of l40s carries 256 Gbit/s" in one(document, "observed-link").text


def test_without_measurements_nothing_is_told_of_them() -> None:
    assert not [name for name in warned(runs()) if name.startswith("observed")]
