"""What is not known, or not used, is said."""

from __future__ import annotations

from advisor.answers.validate import read_answers_text
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation


def told(text: str) -> Consultation:
    return advise(read_answers_text(text, name="answers.yaml"))


def warned(text: str) -> set[str]:
    return {warning.id for warning in told(text).warnings}


LOAD = "workload: {kind: serving, model: llama-3.1-8b, context_tokens: 8192, concurrency: 8}\n"


def test_a_card_outside_the_catalogue_is_said_to_be_unknown() -> None:
    card = "hardware: {acquisition: owned, gpu: Foo 9000, gpu_memory_gib: 48, gpus_per_node: 1}\n"
    assert "warn-card-unknown" in warned(LOAD + card)
    assert "warn-card-unknown" not in warned(LOAD + "hardware: {gpu: l40s}\n")


def test_a_card_that_a_cloud_is_not_known_to_offer_is_said_to_be_so() -> None:
    amd = "hardware: {acquisition: rent, gpu: mi300x}\nplatform: {cloud: gcp}\n"
    assert "warn-no-offer-there" in warned(LOAD + amd)
    sold = "hardware: {acquisition: rent, gpu: l4}\nplatform: {cloud: gcp}\n"
    assert "warn-no-offer-there" not in warned(LOAD + sold)


def test_requests_a_second_without_lengths_are_said_not_to_be_counted() -> None:
    rate = "objectives: {requests_per_second: 100}\n"
    assert "warn-rate-not-counted" in warned(LOAD + rate)
    answers = LOAD.replace("concurrency: 8", "concurrency: 8, output_tokens: 100")
    assert "warn-rate-not-counted" not in warned(answers + rate)
    assert "warn-rate-without-prompts" in warned(answers + rate)
    prompts = LOAD.replace("concurrency: 8", "concurrency: 8, prompt_tokens: 100")
    assert "warn-rate-without-answers" in warned(prompts + rate)


def test_at_the_same_price_the_wider_of_two_narrow_formats_is_taken() -> None:
    choice = told(
        LOAD.replace("8192", "16384").replace("concurrency: 8", "concurrency: 24")
        + "hardware: {acquisition: rent, gpu: l40s}\nobjectives: {priority: cost}\n"
    ).decisions["gpu"]
    assert choice.choice is not None
    found = choice.choice.model_dump()
    for alternative in choice.alternatives:
        other = alternative.choice.model_dump() if alternative.choice else {}
        if other.get("usd_per_hour") == found["usd_per_hour"] and found["weight_format"] != "bf16":
            assert found["weight_format"] != "awq_int4" or other["weight_format"] != "fp8"


def test_a_stand_in_shares_out_its_cache_like_most_models() -> None:
    stated = told(
        "workload: {kind: serving, parameters_b: 7, context_tokens: 8192, concurrency: 8}\n"
        "hardware: {acquisition: owned, gpu: l40s, gpus_per_node: 1}\n"
    ).sizing
    assert stated is not None
    # one shared KV head would take 0.06 GiB
    assert (stated.kv_gib_per_request_per_gpu or 0) > 0.25


def test_activations_of_a_model_known_by_size_include_its_feed_forward_layers() -> None:
    job = "training: {method: full, sharding: fsdp, sequence_tokens: 4096, recompute: none}\n"
    owned = "hardware: {acquisition: owned, gpu: h100-sxm, gpus_per_node: 8, nodes: 4}\n"
    known = told(f"workload: {{kind: pretraining, model: llama-2-13b}}\n{job}{owned}").sizing
    stated = told(f"workload: {{kind: pretraining, parameters_b: 13}}\n{job}{owned}").sizing
    assert known is not None
    assert stated is not None
    assert (stated.activations_gib_per_gpu or 0) > 0.5 * (known.activations_gib_per_gpu or 0)


def test_loads_of_a_list_are_not_said_to_be_missing() -> None:
    text = (
        "workloads:\n"
        "  - {kind: serving, model: llama-3.1-8b, concurrency: 8}\n"
        "  - {kind: serving, model: qwen3-32b, concurrency: 4}\n"
    )
    assert "warn-prefix-of-load-unknown" not in warned(text)
    alone = "workload: {model: llama-3.1-8b}\n"
    assert "warn-prefix-of-load-unknown" in warned(alone)


def test_a_hub_id_of_the_published_weights_does_not_widen_other_formats() -> None:
    hardware = "hardware: {acquisition: owned, gpu: rtx-3090, gpus_per_node: 3}\n"
    load = "workload: {kind: serving, model: %s, context_tokens: 8192, weight_format: awq}\n"
    by_hub_id = told(load % "Qwen/Qwen2.5-32B-Instruct" + hardware)
    by_name = told(load % "qwen2.5-32b" + hardware)
    assert by_hub_id.sizing is not None
    assert by_name.sizing is not None
    assert by_hub_id.sizing.weights_gib_per_gpu == by_name.sizing.weights_gib_per_gpu
    assert by_hub_id.decisions["gpu"].choice == by_name.decisions["gpu"].choice
