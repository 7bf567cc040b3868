"""Old naming schemes, NAS models, encoders, towers and unknown types."""

from __future__ import annotations

import pytest
from hub_config_samples import LLAMA, QWEN25, Config

from advisor.store.hub_config import model_from_config


def test_old_falcon_is_multi_query_and_ungated() -> None:
    config: Config = {
        "model_type": "falcon",
        "hidden_size": 4544,
        "num_hidden_layers": 32,
        "num_attention_heads": 71,
        "num_kv_heads": 71,
        "multi_query": True,
        "new_decoder_architecture": False,
        "alibi": False,
        "vocab_size": 65024,
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(config)
    (group,) = model.attention
    (block,) = model.ffn
    assert group.kind == "full"
    assert (group.kv_heads, group.head_dim) == (1, 64)
    assert block.kind == "dense"
    assert (block.intermediate_size, block.gated) == (18176, False)
    assert model.max_context_tokens == 2048
    assert model.parameters_b == pytest.approx(6.92, abs=0.02)


def test_new_falcon_names_its_key_value_heads() -> None:
    config: Config = {
        "model_type": "falcon",
        "hidden_size": 8192,
        "num_hidden_layers": 60,
        "num_attention_heads": 128,
        "num_kv_heads": 8,
        "new_decoder_architecture": True,
        "vocab_size": 65024,
        "torch_dtype": "bfloat16",
    }
    (group,) = model_from_config(config).attention
    assert getattr(group, "kv_heads", 0) == 8


def test_starcoder_uses_gpt_2_names_and_one_key_value_head() -> None:
    config: Config = {
        "model_type": "gpt_bigcode",
        "n_embd": 6144,
        "n_head": 48,
        "n_layer": 40,
        "n_inner": 24576,
        "n_positions": 8192,
        "multi_query": True,
        "vocab_size": 49152,
        "torch_dtype": "float32",
    }
    model = model_from_config(config)
    (group,) = model.attention
    assert group.kind == "full"
    assert (group.heads, group.kv_heads, group.head_dim) == (48, 1, 128)
    assert model.published_format == "fp32"
    assert model.parameters_b == pytest.approx(15.5, abs=0.1)


def test_gpt_2_widens_four_times_and_ties_its_head() -> None:
    config: Config = {
        "model_type": "gpt2",
        "n_embd": 768,
        "n_head": 12,
        "n_layer": 12,
        "n_positions": 1024,
        "n_ctx": 1024,
        "vocab_size": 50257,
    }
    model = model_from_config(config)
    assert model.tie_embeddings
    assert getattr(model.ffn[0], "intermediate_size", 0) == 3072
    assert model.parameters_b == pytest.approx(0.124, abs=0.002)


def test_chatglm_names_groups_and_widths_in_its_own_way() -> None:
    config: Config = {
        "model_type": "chatglm",
        "hidden_size": 4096,
        "num_layers": 40,
        "num_attention_heads": 32,
        "multi_query_attention": True,
        "multi_query_group_num": 2,
        "kv_channels": 128,
        "ffn_hidden_size": 13696,
        "padded_vocab_size": 151552,
        "seq_length": 131072,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(config)
    (group,) = model.attention
    assert group.kind == "full"
    assert (group.kv_heads, group.head_dim) == (2, 128)
    assert model.vocab_size == 151552
    assert model.max_context_tokens == 131072
    assert model.parameters_b == pytest.approx(9.4, abs=0.05)


def test_mpt_and_dbrx_nest_their_attention() -> None:
    config: Config = {
        "model_type": "mpt",
        "d_model": 4096,
        "n_heads": 32,
        "n_layers": 32,
        "expansion_ratio": 4,
        "max_seq_len": 2048,
        "attn_config": {"attn_type": "multiquery_attention", "alibi": True},
        "vocab_size": 50432,
        "torch_dtype": "bfloat16",
    }
    (group,) = model_from_config(config).attention
    assert getattr(group, "kv_heads", 0) == 1
    dbrx: Config = {
        "model_type": "dbrx",
        "d_model": 6144,
        "n_heads": 48,
        "n_layers": 40,
        "max_seq_len": 32768,
        "attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500000},
        "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
        "vocab_size": 100352,
        "torch_dtype": "bfloat16",
    }
    model = model_from_config(dbrx)
    assert getattr(model.attention[0], "kv_heads", 0) == 8
    assert model.parameters_b == pytest.approx(131.6, abs=0.5)


def test_nas_blocks_without_attention_keep_no_cache() -> None:
    attention = {"no_op": False, "n_heads_in_group": 8, "replace_with_linear": False}
    none = {"no_op": True, "n_heads_in_group": None, "replace_with_linear": False}
    config = LLAMA | {
        "model_type": "nemotron-nas",
        "hidden_size": 8192,
        "num_attention_heads": 64,
        "num_key_value_heads": None,
        "intermediate_size": None,
        "num_hidden_layers": 3,
        "block_configs": [
            {"attention": attention, "ffn": {"no_op": False, "ffn_mult": 5.25}},
            {"attention": none, "ffn": {"no_op": False, "ffn_mult": 1.0}},
            {"attention": none, "ffn": {"no_op": True, "ffn_mult": None}},
        ],
    }
    model = model_from_config(config)
    assert [(g.kind, g.layers) for g in model.attention] == [("full", 1)]
    assert getattr(model.attention[0], "kv_heads", 0) == 8
    assert [getattr(block, "intermediate_size", 0) for block in model.ffn] == [5632, 28672]


def test_encoders_keep_no_cache_and_lose_two_padded_positions() -> None:
    config: Config = {
        "architectures": ["XLMRobertaForSequenceClassification"],
        "model_type": "xlm-roberta",
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "vocab_size": 250002,
        "max_position_embeddings": 8194,
        "torch_dtype": "float32",
    }
    model = model_from_config(config)
    assert [(g.kind, g.layers) for g in model.attention] == [("encoder", 24)]
    assert model.modality == "reranker"
    assert model.max_context_tokens == 8192
    assert model.parameters_b == pytest.approx(0.56, abs=0.01)


def test_a_qwen_2_vl_tower_is_as_wide_as_its_embedding_not_its_output() -> None:
    config = QWEN25 | {
        "model_type": "qwen2_vl",
        "vision_config": {
            "depth": 32,
            "embed_dim": 1280,
            "hidden_size": 3584,
            "mlp_ratio": 4,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
        },
    }
    model = model_from_config(config)
    assert model.vision is not None
    assert model.vision.hidden_size == 1280
    assert model.vision.parameters_b == pytest.approx(0.67, abs=0.02)


def test_an_unknown_type_with_complete_fields_is_read_and_said_to_be_unknown() -> None:
    model = model_from_config(LLAMA | {"model_type": "brandnew"})
    assert [(g.kind, g.layers) for g in model.attention] == [("full", 32)]
    assert any("'brandnew' is not known" in note for note in model.notes)


def test_the_record_says_where_it_comes_from_and_reads_no_clock() -> None:
    model = model_from_config(LLAMA, as_of="2026-11-29")
    assert model.sources == ("config",)
    assert model.as_of == "2026-11-29"
    assert model.id == "llamaforcausallm"
    assert "parameters_b" in model.unverified
