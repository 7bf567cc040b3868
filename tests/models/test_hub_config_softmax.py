"""Grouped, windowed and chunked attention, one small config per family."""

from __future__ import annotations

import pytest
from hub_config_samples import GEMMA3, GPT_OSS, LLAMA, QWEN3_MOE, QWEN25, Config, blocks, kinds

from advisor.store.hub_config import model_from_config


def test_llama_is_grouped_query_attention() -> None:
    model = model_from_config(LLAMA, name="Llama-3.1-8B")
    (group,) = model.attention
    assert group.kind == "full"
    assert (group.heads, group.kv_heads, group.head_dim) == (32, 8, 128)
    assert model.id == "llama-3.1-8b"
    assert model.parameters_b == pytest.approx(8.03, abs=0.01)
    assert model.active_parameters_b is None


def test_no_key_value_heads_means_multi_head_attention() -> None:
    (group,) = model_from_config(LLAMA | {"num_key_value_heads": None}).attention
    assert group.kind == "full"
    assert group.kv_heads == 32


def test_an_explicit_head_size_wins_over_hidden_size_by_heads() -> None:
    (group,) = model_from_config(QWEN3_MOE).attention
    assert group.kind == "full"
    assert group.head_dim == 128  # 2048 / 32 would be 64


def test_qwen2_ignores_a_window_that_is_switched_off() -> None:
    assert kinds(QWEN25) == [("full", 28)]


def test_qwen2_windows_the_layers_above_max_window_layers_when_switched_on() -> None:
    config = QWEN25 | {"use_sliding_window": True, "sliding_window": 4096, "max_window_layers": 21}
    assert kinds(config) == [("full", 21), ("sliding", 7)]


def test_qwen3_moe_counts_total_and_active_parameters() -> None:
    model = model_from_config(QWEN3_MOE)
    assert model.parameters_b == pytest.approx(30.53, abs=0.01)
    assert model.active_parameters_b == pytest.approx(3.35, abs=0.01)
    assert blocks(QWEN3_MOE) == [("moe", 48)]


def test_sparse_step_and_dense_layers_split_the_blocks() -> None:
    config = QWEN3_MOE | {"decoder_sparse_step": 2, "mlp_only_layers": [1, 3]}
    assert blocks(config) == [("dense", 26), ("moe", 22)]


def test_mixtral_experts_use_the_intermediate_size() -> None:
    config = LLAMA | {
        "model_type": "mixtral",
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
        "vocab_size": 32000,
        "sliding_window": None,
        "max_position_embeddings": 32768,
        "rope_scaling": None,
    }
    model = model_from_config(config)
    assert blocks(config) == [("moe", 32)]
    assert model.parameters_b == pytest.approx(46.7, abs=0.1)


def test_mistral_v01_slides_on_every_layer() -> None:
    config = LLAMA | {"model_type": "mistral", "sliding_window": 4096, "rope_scaling": None}
    (group,) = model_from_config(config).attention
    assert group.kind == "sliding"
    assert group.window == 4096


def test_a_window_wider_than_the_context_is_no_window() -> None:
    config = LLAMA | {
        "model_type": "phi3",
        "sliding_window": 262144,
        "rope_scaling": {"type": "longrope", "long_factor": [1.0], "short_factor": [1.0]},
    }
    model = model_from_config(config)
    assert kinds(config) == [("full", 32)]
    assert any("not below the context" in note for note in model.notes)


def test_gemma_2_alternates_window_and_full_layers() -> None:
    config = LLAMA | {
        "model_type": "gemma2",
        "num_hidden_layers": 42,
        "head_dim": 256,
        "sliding_window": 4096,
        "max_position_embeddings": 8192,
        "rope_scaling": None,
    }
    assert kinds(config) == [("full", 21), ("sliding", 21)]


def test_gemma_3_fills_in_what_its_text_part_omits() -> None:
    model = model_from_config(GEMMA3)
    assert [(g.kind, g.layers) for g in model.attention] == [("full", 5), ("sliding", 29)]
    assert all((g.heads, g.kv_heads, g.head_dim) == (8, 4, 256) for g in model.attention)  # type: ignore[union-attr]
    assert model.tie_embeddings
    assert model.max_context_tokens == 131072  # its linear scaling is already in it
    assert model.vision is not None
    assert model.vision.parameters_b == pytest.approx(0.42, abs=0.02)
    assert any("defaults to 262208" in note for note in model.notes)


def test_gemma_4_global_layers_have_their_own_heads_and_no_value_projection() -> None:
    config: Config = {
        "model_type": "gemma4",
        "audio_config": None,
        "text_config": {
            "model_type": "gemma4_text",
            "hidden_size": 2816,
            "intermediate_size": 2112,
            "moe_intermediate_size": 704,
            "enable_moe_block": True,
            "num_experts": 128,
            "top_k_experts": 8,
            "num_hidden_layers": 30,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "num_global_key_value_heads": 2,
            "head_dim": 256,
            "global_head_dim": 512,
            "attention_k_eq_v": True,
            "num_kv_shared_layers": 0,
            "hidden_size_per_layer_input": 0,
            "sliding_window": 1024,
            "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 5,
            "vocab_size": 262144,
            "max_position_embeddings": 262144,
            "tie_word_embeddings": True,
            "dtype": "bfloat16",
        },
    }
    model = model_from_config(config)
    full, local = model.attention
    assert full.kind == "full"
    assert (full.layers, full.kv_heads, full.head_dim, full.values_from_keys) == (5, 2, 512, True)
    assert local.kind == "sliding"
    assert (local.layers, local.kv_heads, local.head_dim) == (25, 8, 256)
    (block,) = model.ffn
    assert block.kind == "moe"
    assert (block.shared_experts, block.shared_intermediate_size) == (1, 2112)
    assert model.parameters_b == pytest.approx(25.2, abs=0.2)


def test_cohere_2_slides_on_three_layers_of_four() -> None:
    config = LLAMA | {"model_type": "cohere2", "sliding_window": 4096, "rope_scaling": None}
    assert kinds(config) == [("full", 8), ("sliding", 24)]


def test_exaone_pattern_letters_say_local_and_global() -> None:
    config = LLAMA | {
        "model_type": "exaone4",
        "sliding_window": 4096,
        "sliding_window_pattern": "LLLG",
        "rope_scaling": None,
    }
    assert kinds(config) == [("full", 8), ("sliding", 24)]


def test_gpt_oss_lists_its_layers() -> None:
    model = model_from_config(GPT_OSS)
    assert kinds(GPT_OSS) == [("full", 12), ("sliding", 12)]
    assert model.parameters_b == pytest.approx(20.9, abs=0.1)
    assert model.published_format == "mxfp4"
    assert model.builds[0].wide == ("attention", "head")
    assert any("no data type" in note for note in model.notes) is False


def test_llama_4_chunks_all_but_every_fourth_layer() -> None:
    config: Config = {
        "model_type": "llama4",
        "text_config": {
            "model_type": "llama4_text",
            "hidden_size": 5120,
            "intermediate_size": 8192,
            "intermediate_size_mlp": 16384,
            "num_hidden_layers": 48,
            "num_attention_heads": 40,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "attention_chunk_size": 8192,
            "interleave_moe_layer_step": 2,
            "num_local_experts": 128,
            "num_experts_per_tok": 1,
            "vocab_size": 202048,
            "max_position_embeddings": 1048576,
            "torch_dtype": "bfloat16",
        },
    }
    model = model_from_config(config)
    assert kinds(config) == [("full", 12), ("chunked", 36)]
    assert blocks(config) == [("dense", 24), ("moe", 24)]
    assert model.parameters_b == pytest.approx(400, abs=2)
