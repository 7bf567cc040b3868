"""Count the parameters of a model by part, so that each part can be sharded and quantised.

Formula: a dense decoder layer holds ``2*h*H*d + 2*h*K*d + 3*h*I`` weights and the model
``V*h`` (tied) or ``2*V*h`` more; a mixture replaces the last term by
``E*3*h*Ie + 3*h*Is + h*E``. Source: the projection shapes of the hub implementations
(transformers ``modeling_*``), handbook section 7.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from advisor.sizing.memo import Memo
from advisor.store.model import (
    Compressed,
    DenseFfn,
    EncoderAttention,
    FullAttention,
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba2,
    MlaAttention,
    Model,
    MoeFfn,
    WindowedAttention,
)

__all__ = ["Part", "PartGroup", "Sharding", "active_parameters", "parts_of", "total_parameters"]

PartGroup = Literal[
    "attention", "linear_attention", "dense_ffn", "shared_experts", "experts", "router",
    "embedding", "head", "vision", "other",
]  # fmt: skip
Sharding = Literal["tensor", "kv_heads", "experts", "replicated"]


@dataclass(frozen=True, slots=True)
class Part:
    """A set of weight matrices that are sharded and quantised alike."""

    group: PartGroup
    parameters: float
    """Elements over all layers."""
    sharding: Sharding
    linear: bool
    """A quantiser may shrink it (projections); embeddings, router, norms stay wide."""
    kv_heads: int = 0
    """Heads to split over ranks when ``sharding`` is ``kv_heads``."""
    per_layer: bool = True
    """Split by pipeline stages; embedding and head belong to one stage."""


def _full(h: int, a: FullAttention | WindowedAttention) -> Iterator[Part]:
    value_dim = a.head_dim
    gate = 1
    projected_values = value_dim
    if isinstance(a, FullAttention):
        value_dim = a.value_head_dim or a.head_dim
        projected_values = 0 if a.values_from_keys else value_dim
        gate = 2 if a.output_gate else 1
    query_out = a.layers * h * a.heads * (gate * a.head_dim + value_dim)
    key_value = a.layers * h * a.kv_heads * (a.head_dim + projected_values)
    yield Part("attention", query_out, "tensor", linear=True)
    yield Part("attention", key_value, "kv_heads", linear=True, kv_heads=a.kv_heads)


def _mla(h: int, a: MlaAttention) -> Iterator[Part]:
    nope = a.qk_nope_head_dim or 128
    value = a.v_head_dim or 128
    query_dim = a.heads * (nope + a.qk_rope_head_dim)
    if a.q_lora_rank:
        yield Part("attention", a.layers * h * a.q_lora_rank, "replicated", linear=True)
        yield Part("attention", a.layers * a.q_lora_rank * query_dim, "tensor", linear=True)
    else:
        yield Part("attention", a.layers * h * query_dim, "tensor", linear=True)
    latent = a.layers * h * (a.kv_lora_rank + a.qk_rope_head_dim)
    yield Part("attention", latent, "replicated", linear=True)
    outputs = 2 if a.output_gate else 1
    up_and_out = a.layers * a.heads * (a.kv_lora_rank * (nope + value) + outputs * value * h)
    yield Part("attention", up_and_out, "tensor", linear=True)
    if a.index_head_dim:
        index_heads = a.index_heads or 64
        source = a.q_lora_rank or h
        indexer = source * index_heads * a.index_head_dim + h * (a.index_head_dim + index_heads)
        yield Part("attention", a.layers * indexer, "replicated", linear=True)


def _gdn(h: int, a: GatedDeltaNet) -> Iterator[Part]:
    keys = a.key_heads * a.key_head_dim
    values = a.value_heads * a.value_head_dim
    projections = a.layers * (h * (2 * keys + 2 * values) + values * h)
    yield Part("linear_attention", projections, "tensor", linear=True)
    small = a.layers * (h * 2 * a.value_heads + (2 * keys + values) * a.conv_kernel)
    yield Part("linear_attention", small, "tensor", linear=False)


def _kda(h: int, a: KimiDelta) -> Iterator[Part]:
    inner = a.heads * a.head_dim
    low_rank = h * a.head_dim + a.head_dim * inner
    # q, k, v and output; a decay gate of low rank; an output gate of either kind; beta
    projections = (5 if a.full_rank_gate else 4) * h * inner
    small = (1 if a.full_rank_gate else 2) * low_rank + h * a.heads + 3 * inner * a.conv_kernel
    yield Part("linear_attention", a.layers * projections, "tensor", linear=True)
    yield Part("linear_attention", a.layers * small, "tensor", linear=False)


def _mamba2(h: int, a: Mamba2) -> Iterator[Part]:
    inner = a.heads * a.head_dim
    grouped = 2 * a.groups * a.state_size
    projections = h * (3 * inner + grouped + a.heads)
    convolution = (inner + grouped) * a.conv_kernel
    yield Part("linear_attention", a.layers * projections, "tensor", linear=True)
    yield Part("linear_attention", a.layers * convolution, "tensor", linear=False)


def _lightning(h: int, a: LightningAttention) -> Iterator[Part]:
    # q, k, v, output gate and output
    yield Part("linear_attention", a.layers * 5 * h * a.heads * a.head_dim, "tensor", linear=True)


def _compressed(h: int, a: Compressed) -> Iterator[Part]:
    if a.q_lora_rank is None:
        return  # shapes not known: the remainder carries them
    inner = a.heads * a.head_dim
    output = inner * (a.o_lora_rank or 0) + (a.o_groups or 0) * (a.o_lora_rank or 0) * h
    split = a.q_lora_rank * inner + output
    replicated = h * (a.q_lora_rank + a.head_dim)
    if a.index_heads and a.index_head_dim:
        replicated += a.q_lora_rank * a.index_heads * a.index_head_dim + h * a.index_heads
    yield Part("attention", a.layers * split, "tensor", linear=True)
    yield Part("attention", a.layers * replicated, "replicated", linear=True)


def _encoder(h: int, a: EncoderAttention) -> Iterator[Part]:
    yield Part("attention", a.layers * 4 * h * a.heads * a.head_dim, "tensor", linear=True)


_COUNTERS: dict[type, Callable[[int, Any], Iterator[Part]]] = {
    FullAttention: _full,
    WindowedAttention: _full,
    MlaAttention: _mla,
    GatedDeltaNet: _gdn,
    KimiDelta: _kda,
    Mamba2: _mamba2,
    LightningAttention: _lightning,
    Compressed: _compressed,
    EncoderAttention: _encoder,
}


def _attention_parts(model: Model) -> Iterator[Part]:
    for attention in model.attention:
        yield from _COUNTERS[type(attention)](model.hidden_size, attention)


def _dense_ffn(h: int, f: DenseFfn) -> Iterator[Part]:
    matrices = 3 if f.gated else 2
    yield Part("dense_ffn", f.layers * matrices * h * f.intermediate_size, "tensor", linear=True)


def _moe_ffn(h: int, f: MoeFfn) -> Iterator[Part]:
    matrices = 3 if f.gated else 2
    width = f.latent_size or h
    experts = f.layers * f.experts * matrices * width * f.expert_intermediate_size
    yield Part("experts", experts, "experts", linear=True)
    yield Part("router", f.layers * h * f.experts, "replicated", linear=False)
    if f.latent_size:
        yield Part("shared_experts", f.layers * 2 * h * f.latent_size, "replicated", linear=True)
    if f.shared_intermediate_size:
        shared = f.layers * matrices * h * f.shared_intermediate_size
        yield Part("shared_experts", shared, "tensor", linear=True)


def _ffn_parts(model: Model) -> Iterator[Part]:
    h = model.hidden_size
    for f in model.ffn:
        yield from _dense_ffn(h, f) if isinstance(f, DenseFfn) else _moe_ffn(h, f)
    for width in model.dense_block_intermediate_sizes:
        yield Part("dense_ffn", 3 * h * width, "tensor", linear=True)


def _padded_vocabulary(model: Model) -> int:
    # engines pad the vocabulary to a multiple of 64 before they split it
    return -(-(model.vocab_size or 0) // 64) * 64


def _edge_parts(model: Model) -> Iterator[Part]:
    table = _padded_vocabulary(model) * model.hidden_size
    if table:
        yield Part("embedding", table, "tensor", linear=False, per_layer=False)
        if not model.tie_embeddings and model.modality not in {"embedding", "reranker"}:
            yield Part("head", table, "tensor", linear=False, per_layer=False)
    if model.vision is not None and model.vision.parameters_b:
        tower = model.vision.parameters_b * 1e9
        yield Part("vision", tower, "tensor", linear=False, per_layer=False)


_remembered: Memo[tuple[Part, ...]] = Memo(1024)


def parts_of(model: Model) -> tuple[Part, ...]:
    """Split ``model`` into parts whose parameters add up to ``parameters_b``.

    What the shapes do not explain (norms, biases, projections that are not known) becomes the
    part ``other``: quantised like a projection when the model says that shapes are unknown,
    else kept wide.
    """
    return _remembered.get((model,), None, lambda: _split(model))


def _split(model: Model) -> tuple[Part, ...]:
    parts = [*_attention_parts(model), *_ffn_parts(model), *_edge_parts(model)]
    remainder = model.parameters_b * 1e9 - sum(part.parameters for part in parts)
    if remainder > 0:
        unknown = bool(model.unknown_shapes)
        sharding: Sharding = "experts" if unknown and _is_mixture(model) else "tensor"
        parts.append(Part("other", remainder, sharding, linear=unknown))
    return tuple(parts)


def _is_mixture(model: Model) -> bool:
    active = model.active_parameters_b
    return active is not None and active < 0.6 * model.parameters_b


def total_parameters(model: Model) -> float:
    """Return the number of parameters counted from the shapes, without the remainder."""
    return sum(part.parameters for part in parts_of(model) if part.group != "other")


def active_parameters(model: Model) -> float:
    """Return the parameters one token passes through, without the input embedding table.

    For a mixture only the routed share of the experts counts. A tied table still counts
    once: it is the output head. Source: handbook section 7.3 (2*N FLOPs per token).
    """
    mixture = next((f for f in model.ffn if isinstance(f, MoeFfn)), None)
    share = mixture.experts_per_token / mixture.experts if mixture else 1.0
    total = 0.0
    for part in parts_of(model):
        if part.group == "embedding" and not model.tie_embeddings:
            continue
        if part.group == "vision":
            continue
        routed = part.group == "experts" or (part.group == "other" and part.sharding == "experts")
        total += part.parameters * (share if routed else 1.0)
    return total
