"""Weight formats, contexts and names that the reader takes from a config."""

from __future__ import annotations

from typing import Any

import pytest
from hub_config_samples import DEEPSEEK, LLAMA, QWEN3_MOE, QWEN25, QWEN35, Config

from advisor.store.hub_config import model_from_config
from advisor.store.model import Build


def build_of(quantised: Config | None, base: Config = LLAMA) -> Build:
    return model_from_config(base | {"quantization_config": quantised}).builds[0]


def compressed(groups: Config, **more: Any) -> Config:
    return {"quant_method": "compressed-tensors", "config_groups": groups, **more}


def weights(**scheme: Any) -> Config:
    return {"targets": ["Linear"], "weights": scheme}


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("bfloat16", "bf16"), ("float16", "fp16"), ("float32", "fp32"), ("torch.bfloat16", "bf16")],
)
def test_the_data_type_is_the_format_of_an_unquantised_model(dtype: str, expected: str) -> None:
    model = model_from_config(LLAMA | {"torch_dtype": dtype})
    assert model.published_format == expected
    assert model.builds[0].format == expected


def test_a_missing_data_type_is_taken_as_bf16_and_said() -> None:
    model = model_from_config(LLAMA | {"torch_dtype": None})
    assert model.published_format == "bf16"
    assert any("bf16 assumed" in note for note in model.notes)


def test_the_new_name_of_the_data_type_is_read_too() -> None:
    config = {name: value for name, value in LLAMA.items() if name != "torch_dtype"}
    assert model_from_config(config | {"dtype": "float16"}).published_format == "fp16"


@pytest.mark.parametrize(
    ("quantised", "expected", "group"),
    [
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, "fp8", None),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8_block", None),
        ({"quant_method": "fbgemm_fp8"}, "fp8", None),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq_int4", 128),
        ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64}, "awq_int4", 64),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq_int4", 128),
        ({"quant_method": "gptq", "bits": 4, "group_size": -1}, "gptq_int4", None),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "int8", 128),
        ({"quant_method": "gptq", "bits": 3, "group_size": 128}, "other", None),
        ({"quant_method": "auto-round", "bits": 4, "group_size": 128}, "int4", 128),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4", None),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", None),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8", None),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", 16),
        ({"quant_algo": "NVFP4", "group_size": 16}, "nvfp4", 16),
        ({"quant_method": "quip"}, "other", None),
        (compressed({"g": weights(num_bits=8, type="float", strategy="channel")}), "fp8", None),
        (compressed({"g": weights(num_bits=8, type="float", strategy="block")}), "fp8_block", None),
        (compressed({"g": weights(num_bits=8, type="int")}), "int8", None),
        (compressed({"g": weights(num_bits=4, type="int", group_size=128)}), "int4", 128),
        (compressed({"g": weights(num_bits=4, type="float", group_size=16)}), "nvfp4", 16),
        (
            compressed(
                {"g": weights(num_bits=4, type="float", group_size=32)},
                format="mxfp4-pack-quantized",
            ),
            "mxfp4",
            32,
        ),
    ],
)
def test_quantisation_methods(quantised: Config, expected: str, group: int | None) -> None:
    build = build_of(quantised)
    assert (build.format, build.group_size) == (expected, group)
    assert (build.note is not None) == (expected == "other")


def test_excluded_modules_say_what_stays_wide() -> None:
    build = build_of(
        {
            "quant_method": "fp8",
            "modules_to_not_convert": [
                "lm_head",
                *(f"model.layers.{n}.self_attn" for n in range(32)),
                *(f"model.layers.{n}.input_layernorm" for n in range(32)),
            ],
        }
    )
    assert set(build.wide) == {"head", "attention"}


def test_a_part_excluded_in_a_few_layers_counts_as_quantised() -> None:
    few = [f"model.layers.{n}.self_attn.q_proj" for n in range(3)]
    assert build_of({"quant_method": "fp8", "ignored_layers": few}).wide == ()


def test_whole_first_and_last_blocks_are_a_part_of_their_own() -> None:
    build = build_of({"quant_method": "fp8", "ignore": ["model.layers.0*", "model.layers.31*"]})
    assert build.wide == ("first_last_layers",)


def test_the_mtp_layer_after_the_last_is_no_block_of_the_model() -> None:
    quantised = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["mtp.layers.0*"]}
    assert build_of(quantised).wide == ()
    beyond = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["model.layers.32*"]}
    assert build_of(beyond).wide == ()


def test_hybrids_measure_exclusion_against_the_layers_that_have_the_part() -> None:
    excluded = [f"model.layers.{n}.self_attn*" for n in range(3, 40, 4)]
    quantised = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": excluded}
    text = QWEN35["text_config"] | {"quantization_config": quantised}
    assert model_from_config(QWEN35 | {"text_config": text}).builds[0].wide == ("attention",)


def test_regular_expressions_of_kimi_leave_only_the_experts_quantised() -> None:
    quantised = compressed(
        {"group_0": weights(num_bits=4, type="int", group_size=32)},
        ignore=["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*",
                r"re:.*mlp\.(gate|up|gate_up|down)_proj.*"],
    )  # fmt: skip
    build = build_of(quantised, DEEPSEEK)
    assert (build.format, build.group_size) == ("int4", 32)
    assert set(build.wide) == {"head", "attention", "shared_experts", "dense_ffn"}


def test_mixed_precision_takes_the_narrowest_format_and_names_the_others() -> None:
    layers = {
        f"model.layers.{n}.{module}": {"quant_algo": kind}
        for n in range(48)
        for module, kind in (
            ("self_attn.q_proj", "FP8"),
            ("mlp.experts", "W4A16_NVFP4"),
        )
    }
    quantised = {
        "quant_method": "modelopt",
        "quant_algo": "MIXED_PRECISION",
        "quantized_layers": layers | {"lm_head": {"quant_algo": "W4A16_NVFP4"}},
    }
    build = build_of(quantised, QWEN3_MOE)
    assert (build.format, build.group_size) == ("nvfp4", 16)
    assert build.part_formats == {"attention": "fp8", "head": "nvfp4"}


def test_a_name_that_speaks_of_a_format_the_config_lacks_is_noted() -> None:
    model = model_from_config(LLAMA, name="nvidia/Llama-3.1-8B-NVFP4")
    assert model.published_format == "bf16"
    assert any("NVFP4" in note and "bf16" in note for note in model.notes)
    assert not any("NVFP4" in note for note in model_from_config(LLAMA, name="x").notes)


@pytest.mark.parametrize(
    ("scaling", "positions", "expected", "native"),
    [
        (None, 32768, 32768, None),
        ({"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, 32768,
         131072, 32768),
        ({"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}, 163840,
         163840, None),
        ({"rope_type": "yarn", "factor": 4.0}, 32768, 131072, 32768),
        ({"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}, 131072,
         131072, None),
        ({"type": "linear", "factor": 2.0}, 4096, 8192, 4096),
        ({"type": "dynamic", "factor": 2.0}, 4096, 8192, 4096),
        ({"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}, 131072, 131072, None),
        ({"type": "mrope", "mrope_section": [16, 24, 24]}, 128000, 128000, None),
    ],
)  # fmt: skip
def test_rope_scaling_lengthens_the_context_only_where_engines_do(
    scaling: Config | None, positions: int, expected: int, native: int | None
) -> None:
    config = QWEN25 | {"rope_scaling": scaling, "max_position_embeddings": positions}
    model = model_from_config(config)
    assert (model.max_context_tokens, model.native_context_tokens) == (expected, native)


def test_rope_parameters_of_the_new_layout_are_read() -> None:
    config = QWEN25 | {
        "rope_parameters": {
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768,
        },
    }  # fmt: skip
    assert model_from_config(config).max_context_tokens == 131072


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b"),
        ("My Model (v2)", "my-model-v2"),
        ("模型", "model-from-config"),
        ("--", "model-from-config"),
    ],
)
def test_ids_are_made_from_names(name: str, expected: str) -> None:
    model = model_from_config(QWEN3_MOE, name=name)
    assert model.id == expected
    assert model.name == name
