"""Latent attention and hybrids with a fixed state, one small config per family."""

from __future__ import annotations

import pytest
from hub_config_samples import DEEPSEEK, LLAMA, NEMOTRON_H, QWEN35, Config, blocks, kinds

from advisor.store.hub_config import model_from_config


def test_deepseek_keeps_a_latent_row_and_counts_its_mtp_layer_apart() -> None:
    model = model_from_config(DEEPSEEK)
    (group,) = model.attention
    assert group.kind == "mla"
    assert (group.kv_lora_rank, group.qk_rope_head_dim, group.q_lora_rank) == (512, 64, 1536)
    assert blocks(DEEPSEEK) == [("dense", 3), ("moe", 58)]
    assert model.parameters_b == pytest.approx(671, abs=0.5)
    assert model.mtp_layers == 1
    assert 11 < model.mtp_parameters_b < 14
    assert model.max_context_tokens == 163840


def test_a_sparse_indexer_adds_its_own_rows() -> None:
    config = DEEPSEEK | {
        "model_type": "deepseek_v32",
        "index_head_dim": 128,
        "index_n_heads": 64,
        "index_topk": 2048,
    }
    (group,) = model_from_config(config).attention
    assert group.kind == "mla"
    assert (group.index_head_dim, group.index_heads) == (128, 64)


def test_layers_that_share_an_indexer_are_a_group_of_their_own() -> None:
    config = DEEPSEEK | {
        "model_type": "glm_moe_dsa",
        "index_head_dim": 128,
        "index_n_heads": 32,
        "indexer_types": ["full"] * 3 + ["shared", "shared", "shared", "full"] * 14 + ["full"] * 2,
    }
    groups = model_from_config(config).attention
    assert [(g.layers, getattr(g, "index_head_dim", 0)) for g in groups] == [(19, 128), (42, None)]


def test_deepseek_v4_has_window_and_compressed_layers() -> None:
    config: Config = {
        "model_type": "deepseek_v4",
        "hidden_size": 4096,
        "num_hidden_layers": 43,
        "num_attention_heads": 64,
        "num_key_value_heads": 1,
        "head_dim": 512,
        "q_lora_rank": 1024,
        "o_groups": 8,
        "o_lora_rank": 1024,
        "qk_rope_head_dim": 64,
        "index_head_dim": 128,
        "index_n_heads": 64,
        "index_topk": 512,
        "sliding_window": 128,
        "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0],
        "compress_rope_theta": 160000,
        "moe_intermediate_size": 2048,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_experts_per_tok": 6,
        "expert_dtype": "fp4",
        "vocab_size": 129280,
        "max_position_embeddings": 1048576,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(config)
    assert [(g.kind, g.layers, getattr(g, "compression", None)) for g in model.attention] == [
        ("compressed", 2, None),
        ("compressed", 21, 4),
        ("compressed", 20, 128),
    ]
    assert model.parameters_b == pytest.approx(284, abs=2)
    assert model.published_format == "mxfp4"
    assert model.builds[0].part_formats["attention"] == "fp8_block"


def test_kimi_mixes_latent_and_delta_layers() -> None:
    config = DEEPSEEK | {
        "model_type": "kimi_linear",
        "num_hidden_layers": 27,
        "hidden_size": 2304,
        "num_attention_heads": 32,
        "q_lora_rank": None,
        "first_k_dense_replace": 1,
        "num_nextn_predict_layers": 0,
        "n_routed_experts": None,
        "num_experts": 256,
        "num_experts_per_tok": None,
        "num_experts_per_token": 8,
        "moe_intermediate_size": 1024,
        "intermediate_size": 9216,
        "vocab_size": 163840,
        "rope_scaling": None,
        "mla_use_nope": True,
        "quantization_config": None,
        "linear_attn_config": {
            "full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
            "kda_layers": [n for n in range(1, 28) if n not in {4, 8, 12, 16, 20, 24, 27}],
            "num_heads": 32,
            "head_dim": 128,
            "short_conv_kernel_size": 4,
        },
    }
    assert kinds(config) == [("mla", 7), ("kda", 20)]
    assert model_from_config(config).parameters_b == pytest.approx(49, abs=1)


def test_qwen_3_5_has_gated_full_layers_delta_layers_and_a_tower() -> None:
    model = model_from_config(QWEN35, name="Qwen/Qwen3.5-35B-A3B")
    full, delta = model.attention
    assert full.kind == "full"
    assert full.output_gate
    assert (full.layers, full.head_dim) == (10, 256)
    assert delta.kind == "gdn"
    assert (delta.layers, delta.value_heads, delta.state_bytes_per_element) == (30, 32, 4)
    assert model.modality == "vision_language"
    assert model.id == "qwen3.5-35b-a3b"
    assert (model.mtp_layers, model.mtp_parameters_b) == (1, pytest.approx(0.84, abs=0.02))
    assert model.parameters_b == pytest.approx(35.1, abs=0.1)


def test_qwen_3_next_counts_full_layers_by_their_interval() -> None:
    text = dict(QWEN35["text_config"])
    del text["layer_types"], text["mamba_ssm_dtype"]
    text |= {"model_type": "qwen3_next", "num_hidden_layers": 48, "full_attention_interval": 4}
    model = model_from_config(text)
    assert [(g.kind, g.layers) for g in model.attention] == [("full", 12), ("gdn", 36)]
    assert any("fp32 assumed" in note for note in model.notes)


def test_nemotron_h_blocks_have_one_purpose_each() -> None:
    model = model_from_config(NEMOTRON_H)
    assert kinds(NEMOTRON_H) == [("full", 6), ("mamba2", 23)]
    assert blocks(NEMOTRON_H) == [("moe", 23)]
    assert model.layers == 52
    assert model.parameters_b == pytest.approx(31.58, abs=0.05)


def test_granite_4_hybrid_has_an_ffn_on_every_layer() -> None:
    config: Config = {
        "model_type": "granitemoehybrid",
        "hidden_size": 1536,
        "intermediate_size": 512,
        "shared_intermediate_size": 1024,
        "num_hidden_layers": 40,
        "num_attention_heads": 12,
        "num_key_value_heads": 4,
        "num_local_experts": 64,
        "num_experts_per_tok": 6,
        "layer_types": ["attention" if n in {5, 15, 25, 35} else "mamba" for n in range(40)],
        "mamba_n_heads": 48,
        "mamba_d_head": "auto",
        "mamba_d_state": 128,
        "mamba_n_groups": 1,
        "mamba_d_conv": 4,
        "mamba_expand": 2,
        "vocab_size": 100352,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(config)
    assert [(g.kind, g.layers) for g in model.attention] == [("full", 4), ("mamba2", 36)]
    assert getattr(model.attention[1], "head_dim", 0) == 64
    assert model.parameters_b == pytest.approx(6.94, abs=0.05)


def test_bamba_lists_its_attention_layers() -> None:
    config = LLAMA | {
        "model_type": "bamba",
        "attn_layer_indices": [9, 18, 27],
        "mamba_n_heads": 128,
        "mamba_d_head": 64,
        "mamba_d_state": 128,
        "mamba_n_groups": 1,
        "rope_scaling": None,
    }
    assert kinds(config) == [("full", 3), ("mamba2", 29)]


def test_minimax_01_is_mostly_lightning() -> None:
    config: Config = {
        "model_type": "minimax_m1",
        "hidden_size": 6144,
        "intermediate_size": 9216,
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "attn_type_list": ([0] * 7 + [1]) * 10,
        "layernorm_linear_attention_alpha": 3.5,
        "num_local_experts": 32,
        "num_experts_per_tok": 2,
        "shared_intermediate_size": 0,
        "vocab_size": 200064,
        "max_position_embeddings": 10240000,
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(config)
    assert kinds(config) == [("full", 10), ("lightning", 70)]
    assert model.parameters_b == pytest.approx(456, abs=2)
    tables = 2 * 200064 * 6144 / 1e9  # the vendor's 45.9B leave the embeddings out
    assert model.active_parameters_b == pytest.approx(45.9 + tables, abs=0.1)


def test_minimax_m2_with_softmax_everywhere_is_plain_grouped_query() -> None:
    config = LLAMA | {
        "model_type": "minimax_m2",
        "attn_type_list": [1] * 32,
        "num_local_experts": 256,
        "num_experts_per_tok": 8,
        "intermediate_size": 1536,
        "rope_scaling": None,
    }
    assert kinds(config) == [("full", 32)]


def test_minimax_m3_keeps_index_keys_on_its_sparse_layers() -> None:
    config = LLAMA | {
        "model_type": "minimax_m3",
        "num_local_experts": 128,
        "num_experts_per_tok": 4,
        "rope_scaling": None,
        "sparse_attention_config": {
            "use_sparse_attention": True,
            "sparse_attention_freq": [0] * 3 + [1] * 29,
            "sparse_num_index_heads": 4,
            "sparse_index_dim": 128,
        },
    }
    groups = model_from_config(config).attention
    assert [(g.layers, getattr(g, "index_head_dim", 0)) for g in groups] == [(3, None), (29, 128)]


def test_a_sharing_frequency_without_the_list_counts_every_layer_and_says_so() -> None:
    config = DEEPSEEK | {"index_head_dim": 128, "index_n_heads": 32, "index_topk_freq": 4}
    model = model_from_config(config)
    assert kinds(config) == [("mla", 61)]
    assert any("every layer" in note for note in model.notes)
