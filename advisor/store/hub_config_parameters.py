"""Counts parameters from shapes: the exact matrices of each kind of layer.

Norms, biases and positional tables are left out (well under one percent). Formulas follow
the public modelling code of each family (transformers 5.24, ``modeling_*``).
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.store.model import (
    Attention,
    Compressed,
    DenseFfn,
    EncoderAttention,
    Ffn,
    FullAttention,
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba2,
    MlaAttention,
    Model,
    WindowedAttention,
)

__all__ = [
    "active_parameters",
    "attention_parameters",
    "ffn_parameters",
    "language_parameters",
    "model_parameters",
]


def model_parameters(model: Model) -> int:
    """Return the parameters that ``model``'s shapes imply, vision tower included."""
    language = language_parameters(
        attention=model.attention,
        ffn=model.ffn,
        hidden_size=model.hidden_size,
        vocab_size=model.vocab_size or 0,
        tie_embeddings=model.tie_embeddings,
    )
    gates = 3 * model.hidden_size  # NAS blocks are gated in every published model
    by_block = sum(gates * width for width in model.dense_block_intermediate_sizes)
    vision = round(model.vision.parameters_b * 1e9) if model.vision else 0
    return language + by_block + vision


def language_parameters(
    *,
    attention: Iterable[Attention],
    ffn: Iterable[Ffn],
    hidden_size: int,
    vocab_size: int,
    tie_embeddings: bool,
) -> int:
    """Return the parameters of a language model without vision tower and MTP layers."""
    embeddings = vocab_size * hidden_size * (1 if tie_embeddings else 2)
    mixers = sum(group.layers * attention_parameters(group, hidden_size) for group in attention)
    blocks = sum(group.layers * ffn_parameters(group, hidden_size) for group in ffn)
    return embeddings + mixers + blocks


def active_parameters(language: int, ffn: Iterable[Ffn], hidden_size: int) -> float | None:
    """Return the parameters (in 1e9) that one token uses, ``None`` for a dense model.

    Args:
        language: Parameters of the language model, as :func:`language_parameters` counts.
        ffn: Its feed-forward groups.
        hidden_size: Model width.
    """
    idle = 0
    mixture = False
    for group in ffn:
        if isinstance(group, DenseFfn):
            continue
        mixture = True
        width = group.latent_size or hidden_size
        one = (3 if group.gated else 2) * width * group.expert_intermediate_size
        idle += group.layers * (group.experts - group.experts_per_token) * one
    return round((language - idle) / 1e9, 4) if mixture else None


def ffn_parameters(group: Ffn, hidden_size: int) -> int:
    """Return the parameters of one feed-forward block of ``group``."""
    matrices = 3 if group.gated else 2
    if isinstance(group, DenseFfn):
        return matrices * hidden_size * group.intermediate_size
    width = group.latent_size or hidden_size
    routed = group.experts * matrices * width * group.expert_intermediate_size
    shared = matrices * hidden_size * group.shared_intermediate_size
    router = group.experts * hidden_size
    latent = 2 * hidden_size * group.latent_size if group.latent_size else 0
    return routed + shared + router + latent


def attention_parameters(group: Attention, hidden_size: int) -> int:
    """Return the parameters of one token-mixing layer of ``group``."""
    if isinstance(group, MlaAttention):
        return _mla(group, hidden_size)
    if isinstance(group, Compressed):
        return _compressed(group, hidden_size)
    if isinstance(group, GatedDeltaNet | KimiDelta | Mamba2 | LightningAttention):
        return _linear(group, hidden_size)
    if isinstance(group, EncoderAttention):
        return 4 * hidden_size * group.heads * group.head_dim
    return _grouped_query(group, hidden_size)


def _grouped_query(group: FullAttention | WindowedAttention, hidden_size: int) -> int:
    value_dim = group.head_dim
    queries = group.heads * group.head_dim
    values = group.kv_heads * value_dim
    index = 0
    if isinstance(group, FullAttention):
        value_dim = group.value_head_dim or group.head_dim
        values = 0 if group.values_from_keys else group.kv_heads * value_dim
        queries *= 2 if group.output_gate else 1
        index = ((group.index_heads or 0) + 1) * (group.index_head_dim or 0)
    keys = group.kv_heads * group.head_dim
    output = group.heads * value_dim
    return hidden_size * (queries + keys + values + output + index)


def _mla(group: MlaAttention, hidden_size: int) -> int:
    nope = group.qk_nope_head_dim or 0
    value = group.v_head_dim or 0
    query_width = group.heads * (nope + group.qk_rope_head_dim)
    if group.q_lora_rank:
        query = hidden_size * group.q_lora_rank + group.q_lora_rank * query_width
    else:
        query = hidden_size * query_width
    down = hidden_size * (group.kv_lora_rank + group.qk_rope_head_dim)
    up = group.kv_lora_rank * group.heads * (nope + value)
    output = group.heads * value * hidden_size * (2 if group.output_gate else 1)
    return query + down + up + output + _indexer(group, hidden_size)


def _indexer(group: MlaAttention, hidden_size: int) -> int:
    """Sparse indexer: query up-projection, one key head and the head weights."""
    if not group.index_head_dim or not group.index_heads:
        return 0
    query = (group.q_lora_rank or hidden_size) * group.index_heads * group.index_head_dim
    return query + hidden_size * (group.index_head_dim + group.index_heads)


def _compressed(group: Compressed, hidden_size: int) -> int:
    """DeepSeek V4 block: low-rank queries, one shared key/value head, grouped output."""
    width = group.heads * group.head_dim
    rank = group.q_lora_rank or hidden_size
    query = hidden_size * rank + rank * width
    key_value = hidden_size * group.head_dim
    if group.o_groups and group.o_lora_rank:
        output = width * group.o_lora_rank + group.o_groups * group.o_lora_rank * hidden_size
    else:
        output = width * hidden_size
    if group.compression is None:
        return query + key_value + output
    overlap = 2 if group.index_row_bytes else 1  # the 1/4 layers compress two overlapping windows
    compressor = 2 * overlap * hidden_size * group.head_dim
    if not group.index_heads or not group.index_head_dim or not group.index_row_bytes:
        return query + key_value + output + compressor
    index = rank * group.index_heads * group.index_head_dim + hidden_size * group.index_heads
    index += 2 * overlap * hidden_size * group.index_head_dim
    return query + key_value + output + compressor + index


def _linear(
    group: GatedDeltaNet | KimiDelta | Mamba2 | LightningAttention, hidden_size: int
) -> int:
    if isinstance(group, GatedDeltaNet):
        keys = 2 * group.key_heads * group.key_head_dim
        values = group.value_heads * group.value_head_dim
        projections = hidden_size * (keys + 2 * values + 2 * group.value_heads)
        return projections + (keys + values) * group.conv_kernel + values * hidden_size
    if isinstance(group, Mamba2):
        inner = group.heads * group.head_dim
        states = 2 * group.groups * group.state_size
        projections = hidden_size * (2 * inner + states + group.heads)
        return projections + (inner + states) * group.conv_kernel + inner * hidden_size
    width = group.heads * group.head_dim
    if isinstance(group, LightningAttention):
        return 5 * hidden_size * width  # queries, keys, values, output gate, output
    low_rank = hidden_size * group.head_dim + group.head_dim * width
    gate = hidden_size * width if group.full_rank_gate else low_rank
    convolutions = 3 * width * group.conv_kernel
    return 4 * hidden_size * width + low_rank + gate + hidden_size * group.heads + convolutions
