"""What the reader turns away: other files, unknown attention, bad values, broken text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hub_config_samples import DEEPSEEK, LLAMA, NEMOTRON_H, QWEN3_MOE, QWEN35, Config

from advisor.errors import InputError, Problem
from advisor.store.hub_config import model_from_config, read_config


def problem_of(config: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        model_from_config(config)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    "config",
    [
        {"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.30", "sample_size": 64},
        {"_class_name": "FluxTransformer2DModel", "num_layers": 19, "num_attention_heads": 24},
        {"model_type": "clip", "text_config": {"hidden_size": 512}, "vision_config": {}},
        {"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12},
        {"model_type": "whisper", "d_model": 1280, "encoder_layers": 32, "vocab_size": 51866},
        {"model_type": "wav2vec2", "hidden_size": 768, "num_hidden_layers": 12},
        {"peft_type": "LORA", "r": 16, "base_model_name_or_path": "meta-llama/Llama-3.1-8B"},
        {"bos_token_id": 1, "eos_token_id": 2, "do_sample": True, "temperature": 0.6},
        {"tokenizer_class": "LlamaTokenizer", "model_max_length": 4096, "added_tokens_decoder": {}},
        {"metadata": {"total_size": 1}, "weight_map": {"lm_head.weight": "model-1.safetensors"}},
        {"dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_kv_heads": 8},
        {"image_processor_type": "CLIPImageProcessor", "size": 336},
    ],
    ids=lambda config: str(config.get("model_type") or next(iter(config))),
)
def test_other_files_and_other_models_are_no_language_models(config: Config) -> None:
    problem = problem_of(config)
    assert problem.code == "not_a_language_model"
    assert "hidden_size" in problem.message  # it says what a language model's config has


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (LLAMA | {"model_type": "rwkv6"}, "model_type"),
        (LLAMA | {"model_type": "mamba2"}, "model_type"),
        (LLAMA | {"model_type": "jamba"}, "model_type"),
        (LLAMA | {"model_type": "zamba2"}, "model_type"),
        (LLAMA | {"model_type": "falcon_h1"}, "model_type"),
        (LLAMA | {"model_type": "lfm2"}, "model_type"),
        (LLAMA | {"model_type": "mllama_text_model"}, "model_type"),
        (LLAMA | {"model_type": "t5", "is_encoder_decoder": True}, "is_encoder_decoder"),
        (LLAMA | {"model_type": "newhybrid", "ssm_cfg": {"layer": "Mamba3"}}, "ssm_cfg"),
        (LLAMA | {"model_type": "newhybrid", "sliding_window": 4096}, "sliding_window"),
        (LLAMA | {"model_type": "newhybrid", "recurrent_block_type": "x"}, "recurrent_block_type"),
        (LLAMA | {"layer_types": ["full_attention"] * 31 + ["gated_conv"]}, "layer_types"),
        (LLAMA | {"swa_num_key_value_heads": 4}, "swa_num_key_value_heads"),
        (NEMOTRON_H | {"hybrid_override_pattern": "M" * 51 + "Z"}, "hybrid_override_pattern"),
        (QWEN3_MOE | {"num_kv_shared_layers": 10}, "num_kv_shared_layers"),
        (LLAMA | {"model_type": "minimax_m1", "attn_type_list": [0, 2] * 16}, "attn_type_list"),
    ],
)
def test_attention_that_is_not_known_is_refused_by_its_field(config: Config, key: str) -> None:
    problem = problem_of(config)
    assert problem.code == "unknown_attention"
    assert problem.key == key


def test_expert_layers_placed_in_an_unknown_way_are_refused() -> None:
    problem = problem_of(QWEN3_MOE | {"model_type": "x", "expert_layer_period": 2})
    assert (problem.code, problem.key) == ("unknown_layers", "expert_layer_period")


@pytest.mark.parametrize(
    "value", [0, -1, "32", True, 1.5, float("nan"), float("inf"), [32], 10**12]
)
@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads"])
def test_impossible_values_name_their_key(key: str, value: Any) -> None:
    problem = problem_of(LLAMA | {key: value})
    assert problem.code == "bad_value"
    assert problem.key == key


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
            "intermediate_size", "max_position_embeddings"],
)  # fmt: skip
def test_missing_and_null_values_name_their_key(key: str) -> None:
    without = {name: value for name, value in LLAMA.items() if name not in {key, "rope_scaling"}}
    for config in (without, without | {key: None}):
        problem = problem_of(config)
        assert (problem.code, problem.key) == ("missing_key", key)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"num_key_value_heads": 5}, "num_key_value_heads"),
        ({"num_key_value_heads": 64}, "num_key_value_heads"),
        ({"num_attention_heads": 24, "num_key_value_heads": 8}, "head_dim"),
        ({"num_hidden_layers": 10**6}, "num_hidden_layers"),
        ({"rope_scaling": {"type": "yarn", "factor": -4}}, "rope_scaling.factor"),
        ({"rope_scaling": {"type": "yarn", "factor": 1e8}}, "rope_scaling"),
        ({"rope_scaling": "yarn"}, "rope_scaling"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings"),
        ({"torch_dtype": "float7"}, "torch_dtype"),
        ({"layer_types": ["full_attention"]}, "layer_types"),
        ({"layer_types": "full_attention"}, "layer_types"),
    ],
)
def test_values_that_do_not_fit_together_name_their_key(change: Config, key: str) -> None:
    problem = problem_of(LLAMA | change)
    assert problem.code == "bad_value"
    assert problem.key == key


def test_more_experts_per_token_than_experts_is_a_bad_value() -> None:
    assert problem_of(QWEN3_MOE | {"num_experts_per_tok": 129}).code == "bad_value"


def test_nested_keys_are_named_with_their_path() -> None:
    text = QWEN35["text_config"] | {"num_experts": -3}
    assert problem_of(QWEN35 | {"text_config": text}).key == "text_config.num_experts"
    assert problem_of(QWEN35 | {"text_config": ["x"]}).key == "text_config"


def test_latent_attention_without_all_its_widths_is_refused() -> None:
    assert problem_of(DEEPSEEK | {"v_head_dim": None}).key == "v_head_dim"


def test_an_empty_object_says_what_is_missing() -> None:
    assert problem_of({}).code == "missing_key"


def test_errors_in_a_file_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA | {"num_key_value_heads": 5}, indent=2), encoding="utf-8")
    problem = problem_of(read_config(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert problem.file == str(path)
    assert problem.line is not None
    assert "num_key_value_heads" in lines[problem.line - 1]


def test_a_nested_error_points_at_its_own_line() -> None:
    text = json.dumps(
        {"hidden_size": 1, "text_config": QWEN35["text_config"] | {"hidden_size": "x"}}, indent=1
    )
    problem = problem_of(text)
    assert problem.key == "text_config.hidden_size"
    assert problem.line is not None
    assert '"x"' in text.splitlines()[problem.line - 1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json"),
        ("   \n", "not_json"),
        ('{"hidden_size": 4096', "not_json"),
        ('{"hidden_size": 4096,}', "not_json"),
        ("[1, 2]", "not_a_mapping"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "duplicate_key"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "bad_value"),
        ("[" * 200_000, "not_json"),
    ],
)
def test_broken_text_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_config(text)
    assert caught.value.problems[0].code == code


def test_truncated_json_names_the_line() -> None:
    with pytest.raises(InputError) as caught:
        read_config('{\n"hidden_size": 4096,\n"num_hidden_layers"', file="<stdin>")
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("<stdin>", 3)


def test_a_repeated_key_is_named_with_path_and_line() -> None:
    text = '{\n"hidden_size": 1,\n"text_config": {\n"hidden_size": 2,\n"hidden_size": 3}}'
    with pytest.raises(InputError) as caught:
        read_config(text)
    problem = caught.value.problems[0]
    assert (problem.key, problem.line) == ("text_config.hidden_size", 5)


def test_directories_missing_files_and_binary_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "model.safetensors"
    binary.write_bytes(b"\x80\x00\xff" * 100)
    for path, code in (
        (tmp_path, "unreadable_file"),
        (tmp_path / "none.json", "unreadable_file"),
        (binary, "not_json"),
    ):
        with pytest.raises(InputError) as caught:
            read_config(path)
        assert caught.value.problems[0].code == code
        assert caught.value.problems[0].file == str(path)


def test_a_weight_file_is_too_large_to_be_a_config(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(50 * 10**6)
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert caught.value.problems[0].code == "too_large"


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("\ufeff" + json.dumps(LLAMA), encoding="utf-8")
    assert model_from_config(read_config(path)).layers == 32
    assert model_from_config("\ufeff" + json.dumps(LLAMA)).layers == 32


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless device")
def test_an_endless_device_is_not_said_to_hold_nothing() -> None:
    with pytest.raises(InputError) as caught:
        read_config("/dev/zero")

    assert caught.value.problems[0].code == "too_large"
    assert "no end" in caught.value.problems[0].message
