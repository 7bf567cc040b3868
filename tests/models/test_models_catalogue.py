from __future__ import annotations

import pytest

from advisor.sizing.parameters import total_parameters
from advisor.store.hub_config_parameters import model_parameters
from advisor.store.loader import load_knowledge
from advisor.store.model import (
    Compressed,
    FullAttention,
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba2,
    MlaAttention,
    Model,
    WindowedAttention,
)

MODELS = load_knowledge().models
EVERY_MODEL = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
MEASURED = [model for model in MODELS.values() if not model.unknown_shapes]
OTHER_MIXERS = {
    "gemma-3n-e2b", "gemma-3n-e4b", "gemma-4-e2b", "gemma-4-e4b",
    "llama-3.2-11b-vision", "llama-3.2-90b-vision", "nemotron-super-49b",
}  # fmt: skip
"""Blocks without attention (NAS), with another block's cache (Gemma E), or that see the image."""
MODELS_WITH_SHAPES = pytest.mark.parametrize("model", MEASURED, ids=lambda model: model.id)


def growing_bytes_per_token(model: Model) -> int:
    """Cache bytes per token in 16 bit of the layers that grow with the context."""
    total = 0
    for group in model.attention:
        if isinstance(group, FullAttention):
            total += 2 * group.layers * group.kv_heads * group.head_dim * 2
        elif isinstance(group, MlaAttention):
            index = (group.index_head_dim or 0) + (4 if group.index_head_dim else 0)
            latent = (group.kv_lora_rank + group.qk_rope_head_dim) * 2
            total += group.layers * (latent + index)
    return total


def all_layers_bytes_per_token(model: Model) -> int:
    windows = [group for group in model.attention if isinstance(group, WindowedAttention)]
    local = sum(4 * group.layers * group.kv_heads * group.head_dim for group in windows)
    return growing_bytes_per_token(model) + local


def state_bytes_per_sequence(model: Model) -> int:
    """Recurrent state in its own type and the convolution window in 16 bit."""
    total = 0
    for group in model.attention:
        if isinstance(group, GatedDeltaNet):
            values = group.value_heads * group.value_head_dim
            state = values * group.key_head_dim * group.state_bytes_per_element
            window = 2 * group.key_heads * group.key_head_dim + values
            total += group.layers * (state + window * (group.conv_kernel - 1) * 2)
        elif isinstance(group, Mamba2):
            inner = group.heads * group.head_dim
            state = inner * group.state_size * group.state_bytes_per_element
            window = inner + 2 * group.groups * group.state_size
            total += group.layers * (state + window * (group.conv_kernel - 1) * 2)
    return total


@MODELS_WITH_SHAPES
def test_shapes_recount_to_the_stated_parameters(model: Model) -> None:
    assert model_parameters(model) / 1e9 == pytest.approx(model.parameters_b, rel=0.04)


@EVERY_MODEL
def test_the_two_parameter_counts_agree(model: Model) -> None:
    compressed = any(isinstance(group, Compressed) for group in model.attention)
    # sizing may leave the projections of compressed layers to its remainder
    tolerance = 0.03 if compressed else 0.005
    assert total_parameters(model) == pytest.approx(model_parameters(model), rel=tolerance)


@MODELS_WITH_SHAPES
def test_layer_groups_add_up_to_the_layers(model: Model) -> None:
    mixers = sum(group.layers for group in model.attention)
    blocks = sum(group.layers for group in model.ffn)
    if any(isinstance(group, Mamba2) for group in model.attention) and mixers != model.layers:
        assert mixers + blocks == model.layers  # one purpose per block (Nemotron-H)
    elif model.id in OTHER_MIXERS:
        assert mixers < blocks == model.layers
    else:
        assert mixers == blocks == model.layers


def test_models_without_known_shapes_say_so_and_give_none() -> None:
    without = [model for model in MODELS.values() if not model.attention or not model.ffn]
    assert without == [model for model in MODELS.values() if model.unknown_shapes]


@EVERY_MODEL
def test_the_first_build_is_the_published_one(model: Model) -> None:
    first = model.builds[0]
    assert first.format == model.published_format
    assert first.hf_id == model.hf_id


@EVERY_MODEL
def test_sixteen_bit_checkpoints_hold_two_bytes_per_parameter(model: Model) -> None:
    for build in model.builds:
        if build.checkpoint_gb is None or build.format not in {"bf16", "fp16"}:
            continue
        copies = (model.vocab_size or 0) * model.hidden_size / 1e9  # a tied head stored again
        most = 2 * (model.parameters_b + 1.6 * model.mtp_parameters_b + copies)
        assert 1.94 * model.parameters_b <= build.checkpoint_gb <= 1.02 * most, build


@EVERY_MODEL
def test_quantised_checkpoints_are_smaller_than_16_bit_and_larger_than_their_bits(
    model: Model,
) -> None:
    bits = {"fp8": 8, "fp8_block": 8, "int8": 8}
    for build in model.builds:
        if build.checkpoint_gb is None or build.format in {"bf16", "fp16", "fp32"}:
            continue
        narrowest = model.parameters_b * bits.get(build.format, 4) / 8
        widest = 2 * (model.parameters_b + model.mtp_parameters_b)
        assert narrowest * 0.97 <= build.checkpoint_gb < widest, build


@EVERY_MODEL
def test_windows_and_contexts_are_plausible(model: Model) -> None:
    assert model.native_context_tokens is None or (
        model.native_context_tokens < model.max_context_tokens
    )
    for group in model.attention:
        if isinstance(group, WindowedAttention):
            assert group.window < model.max_context_tokens
        if isinstance(group, FullAttention | WindowedAttention):
            assert group.heads % group.kv_heads == 0


@EVERY_MODEL
def test_no_part_is_both_wide_and_quantised(model: Model) -> None:
    for build in model.builds:
        assert not set(build.wide) & set(build.part_formats), build


@EVERY_MODEL
def test_mixtures_use_fewer_parameters_than_they_hold(model: Model) -> None:
    if model.active_parameters_b is not None:
        assert model.active_parameters_b < model.parameters_b


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama-2-7b", 524_288),
        ("llama-2-70b", 327_680),
        ("llama-3.1-8b", 131_072),
        ("llama-3.3-70b", 327_680),
        ("llama-3.1-405b", 516_096),
        ("llama-4-scout", 49_152),
        ("qwen2.5-7b", 57_344),
        ("qwen2.5-72b", 327_680),
        ("qwen3-8b", 147_456),
        ("qwen3-30b-a3b", 98_304),
        ("qwen3-235b-a22b", 192_512),
        ("qwen3-coder-480b-a35b", 253_952),
        ("qwen3-next-80b-a3b", 24_576),
        ("qwen3.5-35b-a3b", 20_480),
        ("qwen3.6-27b", 65_536),
        ("mistral-small-3", 163_840),
        ("mistral-large-3", 70_272),
        ("mistral-small-4", 23_040),
        ("mixtral-8x22b", 229_376),
        ("gemma-2-27b", 188_416),
        ("gemma-3-27b", 81_920),
        ("phi-4", 204_800),
        ("gpt-oss-20b", 24_576),
        ("gpt-oss-120b", 36_864),
        ("deepseek-v3", 70_272),
        ("deepseek-v3.2", 78_324),
        ("kimi-k2", 70_272),
        ("kimi-k3", 27_648),
        ("glm-4.6", 376_832),
        ("glm-5.1", 100_152),
        ("minimax-m2", 253_952),
        ("minimax-m3", 122_880),
        ("nemotron-super-49b", 200_704),
        ("nemotron-nano-9b-v2", 16_384),
        ("nemotron-3-super-120b-a12b", 8_192),
        ("granite-4-h-small", 16_384),
        ("command-r-plus", 262_144),
        ("falcon-40b", 122_880),
        ("glm-4-9b", 40_960),
        ("bge-m3", 0),
    ],
)
def test_cache_per_token_follows_from_the_shapes(name: str, expected: int) -> None:
    assert growing_bytes_per_token(MODELS[name]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-oss-120b", 73_728),
        ("gemma-3-27b", 507_904),
        ("gemma-2-27b", 376_832),
        ("llama-4-maverick", 196_608),
    ],
)
def test_windowed_layers_add_what_an_engine_without_hybrid_cache_charges(
    name: str, expected: int
) -> None:
    assert all_layers_bytes_per_token(MODELS[name]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qwen3-next-80b-a3b", 77_266_944),
        ("qwen3.5-122b-a10b", 153_649_152),
        ("qwen3.5-397b-a17b", 192_061_440),
        ("qwen3.6-27b", 153_944_064),
        ("nemotron-nano-9b-v2", 143_548_416),
        ("nemotron-3-nano-30b-a3b", 49_082_368),
        ("nemotron-3-ultra-550b-a55b", 407_961_600),
        ("granite-4-h-small", 152_819_712),
        ("granite-4-h-tiny", 57_341_952),
    ],
)
def test_recurrent_state_of_one_sequence_follows_from_the_shapes(name: str, expected: int) -> None:
    assert state_bytes_per_sequence(MODELS[name]) == expected


def test_gemma_4_global_layers_have_their_own_heads() -> None:
    full, local = MODELS["gemma-4-31b"].attention
    assert isinstance(full, FullAttention)
    assert (full.layers, full.kv_heads, full.head_dim, full.values_from_keys) == (10, 4, 512, True)
    assert isinstance(local, WindowedAttention)
    assert (local.layers, local.kv_heads, local.head_dim) == (50, 16, 256)


def test_shared_indexers_keep_index_rows_on_their_own_layers_only() -> None:
    with_rows = [
        group.layers
        for group in MODELS["glm-5.2"].attention
        if isinstance(group, MlaAttention) and group.index_head_dim
    ]
    assert with_rows == [21]


def test_maverick_has_experts_on_every_second_layer() -> None:
    assert [(group.kind, group.layers) for group in MODELS["llama-4-maverick"].ffn] == [
        ("moe", 24),
        ("dense", 24),
    ]


def test_lightning_and_delta_layers_outnumber_the_full_ones() -> None:
    for name, kind in (("minimax-m1", LightningAttention), ("kimi-k3", KimiDelta)):
        linear = sum(g.layers for g in MODELS[name].attention if isinstance(g, kind))
        assert linear > MODELS[name].layers / 2


def test_the_vendor_405b_fp8_build_keeps_attention_wide() -> None:
    build = next(b for b in MODELS["llama-3.1-405b"].builds if b.checkpoint_gb == 496)
    assert build.wide == ("attention", "first_last_layers")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Meta-Llama-3-8B", "llama-3-8b"),
        ("meta-llama/Meta-Llama-3.1-405B-Instruct-FP8", "llama-3.1-405b"),
        ("lmsys/vicuna-7b-v1.3", "llama-7b"),
        ("Chinese-LLaMA-Alpaca-2 7B", "chinese-llama-2-7b"),
        ("DeepSeek-R1-0528", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "qwen2.5-14b"),
        ("DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b"),
        ("Qwen3.8-27B", "qwen3.6-27b"),
        ("Qwen2 1.5B", "qwen2.5-1.5b"),
        ("Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b-2507"),
        ("GLM-5.1", "glm-5.1"),
        ("GLM-4.7", "glm-4.6"),
        ("MiniMax-M2.5", "minimax-m2"),
        ("Kimi-K2-Thinking", "kimi-k2-thinking"),
        ("cyankiwi/gemma-4-31B-it-AWQ-4bit", "gemma-4-31b"),
        ("lukealonso/GLM-5.1-NVFP4-MTP", "glm-5.1"),
        ("StarCoder 15B", "starcoder-15b"),
        ("Code Llama 34B", "codellama-34b"),
        ("Phi-3.5-mini", "phi-3.5-mini"),
        ("Baichuan-13B", "baichuan-13b"),
        ("glm-4.5v (106B-A12B)", "glm-4.5v"),
    ],
)
def test_names_that_people_write_find_their_model(written: str, expected: str) -> None:
    assert load_knowledge().find_model(written).id == expected
