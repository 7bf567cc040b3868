"""Recognises latent attention: MLA, MLA with a sparse indexer, Kimi's KDA mix, DeepSeek V4."""

from __future__ import annotations

from collections import Counter

from advisor.store.hub_config_fields import Fields
from advisor.store.model import Attention, Compressed, KimiDelta, MlaAttention

__all__ = ["compressed_attention", "kimi_attention", "latent_attention"]

# Row sizes of vLLM's packed cache: 448 fp8 values, 64 rotary values in bf16 and the scales
# per row; an fp8 index key with its scale.
_V4_HEAD_DIM = 512
_V4_ROW_BYTES = 584
_INDEX_SCALE_BYTES = 4
_ALWAYS_INDEXED = {"glm_moe_dsa": 32, "deepseek_v32": 64}
"""Model types whose class has an indexer of 128 with that many heads where the file names none."""
_V4_RATIOS = {"sliding_attention": 0, "compressed_sparse_attention": 4}
_V4_RATIOS["heavily_compressed_attention"] = 128


def latent_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return the MLA groups; layers that share an indexer keep no index rows of their own."""
    plain = _mla(fields, layers)
    if not fields.has("index_head_dim") and fields.model_type not in _ALWAYS_INDEXED:
        return (plain,)
    update = {
        "index_head_dim": fields.number("index_head_dim", default=128),
        "index_heads": fields.number(
            "index_n_heads", default=_ALWAYS_INDEXED.get(fields.model_type)
        ),
    }
    owners = _indexer_owners(fields, layers)
    indexed = plain.model_copy(update={**update, "layers": owners})
    if owners == layers:
        return (indexed,)
    borrowing = {"layers": layers - owners, "borrowed_index_head_dim": indexed.index_head_dim}
    return indexed, plain.model_copy(update=borrowing)


def _indexer_owners(fields: Fields, layers: int) -> int:
    kinds = fields.items("indexer_types", layers)
    if kinds is None:
        step = fields.optional("index_topk_freq")
        if step is not None and step > 1:
            fields.notes.append(
                f"index_topk_freq {step} without indexer_types: index rows counted on every layer"
            )
        return layers
    if set(kinds) - {"full", "shared"} or "full" not in kinds:
        message = "indexer_types must list 'full' and 'shared'"
        raise fields.problem("unknown_attention", message, "indexer_types")
    return kinds.count("full")


def _mla(fields: Fields, layers: int, *, output_gate: bool = False) -> MlaAttention:
    fields.ignore("num_key_value_heads", "head_dim", "qk_head_dim", "layer_types")
    return MlaAttention(
        layers=layers,
        heads=fields.number("num_attention_heads"),
        kv_lora_rank=fields.number("kv_lora_rank"),
        qk_rope_head_dim=fields.number("qk_rope_head_dim", minimum=0),
        qk_nope_head_dim=fields.number("qk_nope_head_dim"),
        v_head_dim=fields.number("v_head_dim"),
        q_lora_rank=fields.optional("q_lora_rank"),
        output_gate=output_gate,
    )


def kimi_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return the MLA and Kimi delta layers of Kimi-Linear and K3."""
    nested = fields.child("linear_attn_config")
    if nested is not None:
        full = len(nested.items("full_attn_layers") or [])
        linear = len(nested.items("kda_layers") or [])
        heads, width = nested.number("num_heads"), nested.number("head_dim")
        kernel = nested.number("short_conv_kernel_size", default=4)
        full_rank = nested.flag("use_full_rank_gate", default=False)
    else:
        kinds = Counter(fields.items("layer_types", layers) or [])
        full, linear = kinds["full_attention"], kinds["linear_attention"]
        heads, width = fields.number("linear_num_heads"), fields.number("linear_head_dim")
        kernel = fields.number("linear_conv_kernel_dim", default=4)
        full_rank = False
    if full + linear != layers:
        message = f"{full} full and {linear} delta layers do not make {layers}"
        raise fields.problem("bad_value", message, "linear_attn_config")
    fields.notes.append("the type of the delta state is not in the config: fp32 assumed")
    gate = fields.flag("mla_use_output_gate", default=False)
    delta = KimiDelta(
        layers=linear, heads=heads, head_dim=width, conv_kernel=kernel, full_rank_gate=full_rank
    )
    return (_mla(fields, full, output_gate=gate), delta) if full else (delta,)


def compressed_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return DeepSeek V4's window-plus-compressed layers.

    Raises:
        InputError: The head width is not the one whose cache rows are known.
    """
    if fields.number("head_dim") != _V4_HEAD_DIM:
        message = "compressed attention is only known with head_dim 512"
        raise fields.problem("unknown_attention", message, "head_dim")
    fields.ignore("num_key_value_heads", "layer_types", "compress_ratios", "index_head_dim")
    ratios = Counter(_ratios(fields, layers))
    return tuple(_v4_group(fields, count, ratio) for ratio, count in sorted(ratios.items()))


def _ratios(fields: Fields, layers: int) -> list[int]:
    listed = fields.items("compress_ratios", layers)
    if listed is None:
        kinds = fields.items("layer_types", layers)
        if kinds is None:
            fields.missing("compress_ratios", "layer_types")
        listed = [_V4_RATIOS.get(kind, -1) for kind in kinds or []]
    if any(ratio not in {0, 4, 128} for ratio in listed):
        message = "layers compress by something else than 4 or 128"
        raise fields.problem("unknown_attention", message, "compress_ratios")
    return listed


def _v4_group(fields: Fields, layers: int, ratio: int) -> Compressed:
    indexed = ratio == 4
    index_width = fields.number("index_head_dim") if indexed else None
    return Compressed(
        layers=layers,
        heads=fields.number("num_attention_heads"),
        head_dim=_V4_HEAD_DIM,
        window=fields.number("sliding_window"),
        row_bytes=_V4_ROW_BYTES,
        compression=ratio or None,
        index_row_bytes=index_width + _INDEX_SCALE_BYTES if index_width else 0,
        q_lora_rank=fields.number("q_lora_rank"),
        o_groups=fields.number("o_groups"),
        o_lora_rank=fields.number("o_lora_rank"),
        index_heads=fields.number("index_n_heads") if indexed else None,
        index_head_dim=index_width,
    )
