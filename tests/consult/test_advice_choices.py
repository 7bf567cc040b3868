"""What answers do to the choice: owned, named, ruled out, limited, preferred."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, fleet, nested, serving, sizes, told, training, warned

from advisor.consult.published import format_bits
from advisor.errors import InputError, UnknownNameError

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

    assert "warn-first-token-unknown" in warned(asked)


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


# ---- load ----


def test_a_usual_length_below_the_longest_carries_more_users() -> None:
    whole = serving(
        "llama-3.3-70b", "h200-sxm", weight_format="fp8", context_tokens=32768, concurrency=40
    )
    usual = serving(
        "llama-3.3-70b",
        "h200-sxm",
        weight_format="fp8",
        context_tokens=32768,
        typical_context_tokens=4096,
        concurrency=40,
    )

    assert fleet(usual)[0] < fleet(whole)[0]


def test_contradictory_lengths_are_told() -> None:
    asked = serving("llama-3.1-8b", "l4", context_tokens=4096, typical_context_tokens=8192)
    longer = serving("llama-3.1-8b", "l4", context_tokens=4096, prompt_tokens=8192)

    assert "warn-typical-longer-than-longest" in warned(asked)
    assert "warn-prompt-longer-than-request" in warned(longer)


def test_prompt_and_output_add_up_to_the_longest_request() -> None:
    asked = serving("llama-3.1-8b", "h100-sxm", prompt_tokens=20000, output_tokens=2000)

    assert choice(told(asked))["max_model_len"] == 22000


def test_a_long_prompt_alone_makes_room_for_an_answer() -> None:
    asked = serving("llama-3.1-8b", "h100-sxm", prompt_tokens=20000)

    assert choice(told(asked))["max_model_len"] > 20000


def test_more_requests_than_an_engine_default_still_find_their_replicas() -> None:
    few = serving("llama-3.1-8b", "l4", weight_format="fp8", context_tokens=2048, concurrency=60)
    many = {**few, "workload": {**few["workload"], "concurrency": 6000}}

    assert choice(told(many))["option"] == "buy_or_rent"
    assert fleet(many)[0] > 20 * fleet(few)[0]


def test_a_list_of_one_workload_counts_like_the_workload() -> None:
    asked = serving("llama-3.1-8b", "l4", weight_format="fp8", context_tokens=4096, concurrency=3)
    listed = {"hardware": asked["hardware"], "workloads": [asked["workload"]]}

    assert fleet(listed) == fleet(asked)


def test_several_workloads_are_open_in_this_version() -> None:
    listed = {"workloads": [{"model": "llama-3.1-8b"}, {"model": "bge-m3"}]}

    assert told(listed).decisions["gpu"].status == "open"


# ---- cards ----


def test_a_card_known_by_its_memory_alone_is_echoed_by_name() -> None:
    asked = serving("llama-3.1-8b", "house-card", hardware__gpu_memory_gib=47, concurrency=4)

    assert fleet(asked)[1] == "house-card"
    assert choice(told(asked))["gpu_memory_gib"] == 47
    assert "usd_per_hour" not in choice(told(asked))


def test_memory_without_a_name_is_your_card() -> None:
    asked = serving("llama-3.1-8b", hardware__gpu_memory_gib=47, concurrency=4)

    assert fleet(asked)[1] == "your card"


def test_a_misspelt_card_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        told(serving("llama-3.1-8b", "h1000-sxm"))

    assert "h100-sxm" in caught.value.problems[0].nearest


def test_a_stated_variant_overrides_the_memory() -> None:
    asked = serving("llama-3.1-8b", "h100-sxm", hardware__gpu_memory_gib=60)

    assert choice(told(asked))["gpu_memory_gib"] == 60


@pytest.mark.parametrize(
    ("answers", "holds"),
    [({"hardware__vendors": ["amd"]}, {"mi300x", "mi325x", "mi350x", "mi355x", "mi350p"}),
     ({"hardware__architectures": ["hopper"]}, {"h100-sxm", "h100-pcie", "h100-nvl", "h200-sxm",
                                                "h200-nvl", "gh200-96", "gh200-144"}),
     ({"hardware__architectures": ["ada"]}, {"l4", "l40", "l40s"})],
)  # fmt: skip
def test_only_allowed_makes_and_generations_are_chosen(
    answers: dict[str, Any], holds: set[str]
) -> None:
    asked = serving("llama-3.3-70b", **TEAM, **answers)
    shown = told(asked).candidates

    assert shown is not None
    assert {row["gpu"] for row in shown.shown} <= holds


def test_liquid_cooled_parts_need_liquid_cooling() -> None:
    def cards(**answers: Any) -> set[str]:
        shown = told(serving("kimi-k2", **TEAM, **answers)).candidates
        assert shown is not None
        return {row["gpu"] for row in shown.shown}

    assert not {"gb200", "gb300"} & cards()
    assert {"gb200", "gb300"} & cards(hardware__cooling="liquid", hardware__unified_memory=True)


def test_a_limit_of_watts_is_kept() -> None:
    asked = serving("llama-3.1-8b", hardware__max_gpu_watts=80, concurrency=2)

    assert fleet(asked)[1] == "l4"


def test_cards_without_nvlink_are_out_when_it_is_wanted() -> None:
    asked = serving("llama-3.3-70b", hardware__nvlink="yes", **TEAM)
    shown = told(asked).candidates

    assert shown is not None
    assert not {row["gpu"] for row in shown.shown} & {"l40s", "l4", "rtx-pro-6000-server"}


def test_a_cloud_prices_with_its_own_instances() -> None:
    found = choice(told(serving("llama-3.3-70b", platform__cloud="aws", **TEAM)))

    assert found["provider"] == "aws"


def test_an_instance_type_narrows_the_price() -> None:
    asked = serving("llama-3.1-8b", "l4", platform__instance_type=["g6.2xlarge"], concurrency=2)

    assert choice(told(asked))["instance_type"] == "g6.2xlarge"


def test_idle_gpus_of_a_whole_instance_are_told() -> None:
    asked = serving("llama-3.3-70b", "mi300x", weight_format="fp8", concurrency=8)

    assert choice(told(asked))["instance_gpus"] == 8
    assert "warn-idle-rented-gpus" in warned(asked)


# ---- models ----

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 32768,
    "torch_dtype": "bfloat16",
}  # fmt: skip


def test_a_model_by_its_config_counts_like_the_catalogue_entry_of_the_same_shape() -> None:
    stated = nested({"workload.model_config": CONFIG, "hardware.gpu": "l4"})

    assert fleet(stated) == fleet(serving("llama-3.1-8b", "l4"))


def test_a_model_by_the_path_of_its_config_is_read_beside_the_answers(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json

    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise

    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    file = tmp_path / "answers.yaml"
    file.write_text("workload: {model_config: config.json}\nhardware: {gpu: l4}\n", "utf-8")
    monkeypatch.chdir("/")

    assert choice(advise(read_answers(file)))["gpu"] == "l4"


def test_a_model_known_by_its_size_warns_that_its_shapes_are_borrowed() -> None:
    asked = nested({"workload.parameters_b": 13, "hardware.gpu": "a100-80-sxm"})

    assert "warn-stated-model" in warned(asked)
    assert fleet(asked)[0] == 1


def test_more_active_parameters_than_parameters_are_refused() -> None:
    with pytest.raises(InputError):
        told(nested({"workload.parameters_b": 7, "workload.active_parameters_b": 70}))


def test_an_image_model_is_refused_at_its_answer() -> None:
    config = {"_class_name": "UNet2DConditionModel", "sample_size": 64}
    with pytest.raises(InputError) as caught:
        told(nested({"workload.model_config": config}))

    assert caught.value.problems[0].key == "workload.model_config"


# ---- stated layouts ----


def test_a_wanted_layout_binds() -> None:
    asked = serving("llama-3.1-8b", "h100-sxm", layout__state="wanted", layout__tensor_parallel=4)

    assert sizes(asked)["tp"] == 4


def test_a_tried_layout_that_cannot_run_is_told_and_does_not_bind() -> None:
    asked = serving(
        "qwen3-235b-a22b",
        "h100-sxm",
        weight_format="fp8",
        layout__tensor_parallel=8,
        layout__state="tried",
    )

    assert "layout-quant-group-not-divisible" in warned(asked)
    assert sizes(asked)["tp"] == 4


def test_a_layout_in_use_that_holds_too_few_is_told() -> None:
    asked = serving(
        "llama-3.3-70b", "h100-sxm", weight_format="fp8", layout__tensor_parallel=2,
        context_tokens=8192, concurrency=100,
    )  # fmt: skip

    assert "layout-holds-too-few" in warned(asked)


# ---- what is not used ----


def test_an_answer_that_nothing_reads_is_told() -> None:
    consultation = told(serving("llama-3.1-8b", "l4", lora_adapters=8))
    [notice] = [w for w in consultation.warnings if w.id == "answers-not-used"]

    assert "workload.lora_adapters" in notice.text


def test_answers_about_later_decisions_are_no_fault() -> None:
    asked = serving("llama-3.1-8b", "l4", platform__orchestrator="kubernetes")

    assert "answers-not-used" not in warned(asked)


# ---- training ----


def test_training_is_not_asked_about_requests() -> None:
    consultation = told(training("llama-3.1-8b", "l4", method="lora"))
    questions = {d.question for d in consultation.decisions["gpu"].depends_on}

    assert not {"workload.concurrency", "workload.kv_format"} & questions
    assert "workload.concurrency" not in {a.key for a in consultation.assumptions}


def test_pretraining_is_full_training() -> None:
    asked = training("llama-3.1-8b", "h100-sxm")
    asked["workload"]["kind"] = "pretraining"
    found = choice(told(asked), "parallelism")

    assert found["training_method"] == "full"
    assert found["option"] == "fsdp"
    assert "warn-training-time-decides" in warned(asked)


def test_tokens_to_train_on_become_hours() -> None:
    asked = training("llama-3.1-8b", "h100-sxm", method="lora", dataset_tokens=1_000_000_000)

    assert "warn-training-hours" in warned(asked)


def test_sharded_training_names_its_link() -> None:
    asked = training("llama-3.1-70b", "h100-sxm", method="full")

    assert choice(told(asked), "parallelism")["fabric"] == "rdma"
