"""What answers do to the choice: the load, cards, models, stated layouts, training."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, fleet, nested, serving, sizes, told, training, warned

from advisor.errors import InputError, UnknownNameError

TEAM = {"context_tokens": 8192, "concurrency": 32}


def alternatives(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [a.choice.model_dump() for a in told(document).decisions["gpu"].alternatives]


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
    consultation = told(serving("llama-3.1-8b", "l4", training__lora_rank=8))
    [notice] = [w for w in consultation.warnings if w.id == "answers-not-used"]

    assert "training.lora_rank" in notice.text


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
