"""Whatever a config holds, the reader returns a model or one clear error."""

from __future__ import annotations

from typing import Any

from hub_config_samples import (
    DEEPSEEK,
    GEMMA3,
    GPT_OSS,
    LLAMA,
    NEMOTRON_H,
    QWEN3_MOE,
    QWEN25,
    QWEN35,
    Config,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.store.hub_config import model_from_config, read_config
from advisor.store.model import Model

SAMPLES = (DEEPSEEK, GEMMA3, GPT_OSS, LLAMA, NEMOTRON_H, QWEN3_MOE, QWEN25, QWEN35)
NAMES = sorted(
    {name for sample in SAMPLES for name in sample}
    | set(QWEN35["text_config"])
    | {
        "attn_config", "attn_type_list", "block_configs", "compress_ratios", "ffn_config",
        "indexer_types", "kv_lora_rank", "layers_block_type", "linear_attn_config",
        "mamba_n_heads", "mlp_layer_types", "moe_layer_freq", "multi_query_attention",
        "no_rope_layers", "sliding_window_pattern", "sparse_attention_config",
    }
)  # fmt: skip
TYPES = (
    "bamba", "bert", "chatglm", "dbrx", "deepseek_v3", "deepseek_v4", "falcon", "gemma2",
    "gemma4_text", "gpt2", "gpt_bigcode", "granitemoehybrid", "kimi_linear", "llama4_text",
    "minimax_m1", "mpt", "nemotron-nas", "nemotron_h", "qwen3_next", "", "unheard_of",
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 300)
    | st.floats()
    | st.sampled_from(["auto", "fp8", "linear_attention", "full_attention", "yarn", "awq", ""])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
        | st.sampled_from([{"quant_method": "gptq", "bits": 4}, {"config_groups": {"g": {}}}])
    ),
    max_leaves=6,
)


def outcome(config: Any) -> Model | InputError:
    try:
        return model_from_config(config)
    except InputError as error:
        return error


def reads_or_refuses(config: Any) -> None:
    result = outcome(config)
    if isinstance(result, Model):
        assert result.parameters_b > 0
        assert result.attention
    else:
        assert all(problem.code and problem.message for problem in result.problems)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(
    sample=st.sampled_from(SAMPLES),
    changes=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3),
    model_type=st.none() | st.sampled_from(TYPES),
)
def test_changed_configs_are_read_or_refused(
    sample: Config, changes: Config, model_type: str | None
) -> None:
    config = sample | changes
    reads_or_refuses(config if model_type is None else config | {"model_type": model_type})


@settings(derandomize=True, deadline=None, max_examples=200)
@given(config=st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), VALUES, max_size=8))
def test_any_object_is_read_or_refused(config: Config) -> None:
    reads_or_refuses(config)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(text=st.text(max_size=60).map(lambda tail: "{" + tail))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        found: object = read_config(text).data
    except InputError as error:
        found = error.problems
    assert isinstance(found, dict | tuple)
