"""Bytes of activations that one token leaves behind in a decoder layer, from the shapes.

Method of Korthikanti and others (arXiv 2205.05198, section 4): count every 16-bit tensor that
the backward pass needs. For their layer (as many key as query heads, four times wider
ungated feed-forward) that is ``s*b*h*(34 + 5*a*s/h)``; the sums below give 32 there, because
today's models train without the two dropout masks of one byte. Adapted here to grouped keys,
gated and routed feed-forward and latent attention by counting the same tensors at their real
widths:

- attention: norm input and norm output (2h each), q, k, v, and the output that enters the last
  projection; the score term ``5*heads*s`` only without a fused kernel;
- gated feed-forward: norm input and output, gate, up, activated gate, product (2I each).

``low`` is a compiled or fused stack that recomputes norms and pointwise products, ``high`` an
eager one that keeps fp32 norm inputs and repeats keys and values to all query heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from advisor.sizing.parameters import parts_of
from advisor.store.model import (
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
    MoeFfn,
    WindowedAttention,
)

__all__ = ["HalfLayers", "Saved", "attention_saved", "ffn_saved", "half_layers"]

SCORE_BYTES = 5
"""Per head and pair of tokens: softmax output 2, dropout mask 1, dropout output 2."""
_LINEAR_LOW, _LINEAR_HIGH = 0.7, 2.0
"""Spread of the linear-attention estimate: kernels differ in what they recompute."""
_CHUNK_TOKENS = 64
"""Tokens per chunk of the chunked linear-attention kernels (flash-linear-attention)."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Bytes per token that one layer keeps for its backward pass."""

    residual: tuple[float, float, float]
    """Tensors of the hidden width, low, expected, high; split only by sequence parallelism."""
    split: tuple[float, float, float]
    """Tensors inside the block, split over the tensor-parallel ranks."""
    score_heads: int = 0
    """Query heads whose score matrix exists without a fused kernel."""

    def per_token(self, bound: int, *, residual_ranks: int, ranks: int) -> float:
        """Return bytes per token and GPU without scores; ``bound`` is 0, 1 or 2."""
        return self.residual[bound] / residual_ranks + self.split[bound] / ranks

    def scores(self, sequence_tokens: float, ranks: int) -> float:
        """Return bytes per token and GPU of the score matrix without a fused kernel."""
        return SCORE_BYTES * self.score_heads * sequence_tokens / ranks


def _residual(h: int) -> tuple[float, float, float]:
    # norm input and norm output; low recomputes the norm, high also keeps an fp32 norm input
    return 2.0 * h, 4.0 * h, 8.0 * h


def _grouped(h: int, heads: int, kv_heads: int, dims: tuple[int, int], gate: float) -> Saved:
    key, value = dims
    kept = 2.0 * heads * (key + value) + 2.0 * kv_heads * (key + value) + 4.0 * heads + gate
    repeated = 2.0 * (heads - kv_heads) * (key + value)
    return Saved(_residual(h), (kept, kept, kept + repeated), heads)


def _softmax(h: int, a: FullAttention | WindowedAttention | EncoderAttention) -> Saved:
    if isinstance(a, EncoderAttention):
        return _grouped(h, a.heads, a.heads, (a.head_dim, a.head_dim), 0.0)
    value, gate = a.head_dim, 0.0
    if isinstance(a, FullAttention):
        value = a.value_head_dim or a.head_dim
        # the gate and the gated output, beside the plain output
        gate = 4.0 * a.heads * value if a.output_gate else 0.0
    return _grouped(h, a.heads, a.kv_heads, (a.head_dim, value), gate)


def _mla(h: int, a: MlaAttention) -> Saved | None:
    nope, value = a.qk_nope_head_dim, a.v_head_dim
    if nope is None or value is None:
        return None
    key = nope + a.qk_rope_head_dim
    latents = 4.0 * (a.q_lora_rank or 0) + 4.0 * a.kv_lora_rank + 2.0 * a.qk_rope_head_dim
    expanded = 2.0 * a.heads * (2 * key + 2 * value) + 4.0 * a.heads
    gate = 4.0 * a.heads * value if a.output_gate else 0.0
    # kernels with one head size pad the values to the key's width
    padded = 2.0 * a.heads * max(0, key - value)
    kept = latents + expanded + gate
    return Saved(_residual(h), (kept, kept, kept + padded), a.heads)


def _linear(h: int, kept: float) -> Saved:
    return Saved(_residual(h), (kept * _LINEAR_LOW, kept, kept * _LINEAR_HIGH))


def _gdn(h: int, a: GatedDeltaNet) -> Saved:
    keys, values = a.key_heads * a.key_head_dim, a.value_heads * a.value_head_dim
    # q, k, v before and after the convolution; gate, output, normed output; decay and beta; the
    # chunk's own score matrix
    chunk = 2.0 * _CHUNK_TOKENS * a.value_heads
    return _linear(h, 4.0 * (2 * keys + values) + 6.0 * values + 8.0 * a.value_heads + chunk)


def _kda(h: int, a: KimiDelta) -> Saved:
    inner = a.heads * a.head_dim
    # as above, with a decay per channel in fp32
    chunk = 2.0 * _CHUNK_TOKENS * a.heads
    return _linear(h, 4.0 * 3 * inner + 6.0 * inner + 4.0 * inner + chunk)


def _mamba2(h: int, a: Mamba2) -> Saved:
    inner = a.heads * a.head_dim
    mixed = inner + 2 * a.groups * a.state_size
    # convolution input and output, gate, output, gated norm, step sizes, one state per chunk
    state = 4.0 * inner * a.state_size / (4 * _CHUNK_TOKENS)
    return _linear(h, 4.0 * mixed + 6.0 * inner + 4.0 * a.heads + state)


def _lightning(h: int, a: LightningAttention) -> Saved:
    return _linear(h, 2.0 * 7 * a.heads * a.head_dim)


_COUNTERS: dict[type, Callable[[int, Any], Saved | None]] = {
    FullAttention: _softmax,
    WindowedAttention: _softmax,
    EncoderAttention: _softmax,
    MlaAttention: _mla,
    GatedDeltaNet: _gdn,
    KimiDelta: _kda,
    Mamba2: _mamba2,
    LightningAttention: _lightning,
}


def attention_saved(h: int, attention: object) -> Saved | None:
    """Return what one attention layer keeps, or ``None`` when its shapes are not known."""
    counter = _COUNTERS.get(type(attention))
    return counter(h, attention) if counter else None


def _inner(width: int, *, gated: bool, adapted: bool) -> tuple[float, float, float]:
    if not gated:
        # input and output of the activation; frozen weights do not need the output
        kept = 4.0 * width if adapted else 2.0 * width
        return 2.0 * width, kept, kept
    # gate, up, activated gate, product; only the trained last projection needs the product
    kept = 8.0 * width if adapted else 6.0 * width
    return 4.0 * width, kept, kept


def ffn_saved(h: int, ffn: Ffn | int, *, adapted: bool) -> Saved:
    """Return what one feed-forward layer keeps; an ``int`` is the width of a gated block.

    ``adapted`` is false when neither its weights nor adapters on them are trained: then the
    inputs of its projections are not kept (they only serve weight gradients).
    """
    residual = _residual(h) if adapted else (2.0 * h, 2.0 * h, 6.0 * h)
    if isinstance(ffn, int):
        return Saved(residual, _inner(ffn, gated=True, adapted=adapted))
    if isinstance(ffn, DenseFfn):
        inner = _inner(ffn.intermediate_size, gated=ffn.gated, adapted=adapted)
        return Saved(residual, inner)
    return _routed(h, ffn, residual, adapted=adapted)


def _routed(h: int, ffn: MoeFfn, residual: tuple[float, float, float], *, adapted: bool) -> Saved:
    """Add what each of the k chosen experts keeps: its sorted input, its inside, its output."""
    k, width = ffn.experts_per_token, ffn.latent_size or h
    one = _inner(ffn.expert_intermediate_size, gated=ffn.gated, adapted=adapted)
    shared = _inner(ffn.shared_intermediate_size, gated=ffn.gated, adapted=adapted)
    router = 8.0 * ffn.experts
    low, expected, high = (k * a + b + router for a, b in zip(one, shared, strict=True))
    # the sorted copy of the input and the output that the router weight scales
    copies = k * 4.0 * width if adapted else k * 2.0 * width
    return Saved(residual, (low + k * 2.0 * width, expected + copies, high + k * 4.0 * width))


@dataclass(frozen=True, slots=True)
class HalfLayers:
    """Every kind of attention and of feed-forward layer, with its number."""

    attention: tuple[tuple[Saved, int], ...]
    ffn: tuple[tuple[Saved, int], ...]

    @property
    def all(self) -> tuple[tuple[Saved, int], ...]:
        """Both halves together."""
        return self.attention + self.ffn


_USUAL_WIDTH = 2.7
"""Least inner width per hidden size of a gated block (Llama 2: 2.69 to 2.7; 3.5 in Llama 3 70B)."""
_UNKNOWN_LOW, _UNKNOWN_HIGH = 0.75, 1.4
"""Spread where the shapes are a like model's: dense models of one size differ by so much."""


def _width_left(model: Model) -> float:
    """Return the inner width of gated blocks that explains the parameters a token meets.

    Of a mixture that is the width of the chosen experts together: the operations of a token are
    those of the active parameters, and so are the tensors it leaves behind.
    """
    shaped = sum(part.parameters for part in parts_of(model) if part.group != "other")
    met = (model.active_parameters_b or model.parameters_b) * 1e9
    width = (met - shaped) / (3.0 * model.hidden_size * model.layers)
    return max(_USUAL_WIDTH * model.hidden_size, width)


def _doubtful(saved: Saved) -> Saved:
    """Return the same with the range that unknown shapes leave."""
    low, expected, high = saved.split
    split = (low * _UNKNOWN_LOW, expected, high * _UNKNOWN_HIGH)
    low, expected, high = saved.residual
    residual = (low * _UNKNOWN_LOW, expected, high * _UNKNOWN_HIGH)
    return replace(saved, residual=residual, split=split)


def half_layers(model: Model, *, ffn_adapted: bool) -> HalfLayers | None:
    """Return every kind of half layer, or ``None`` when one kind of attention is not known."""
    h = model.hidden_size
    attention: list[tuple[Saved, int]] = []
    for group in model.attention:
        saved = attention_saved(h, group)
        if saved is None:
            return None
        attention.append((saved, group.layers))
    ffn = [(ffn_saved(h, group, adapted=ffn_adapted), group.layers) for group in model.ffn]
    if not model.ffn and "ffn" in model.unknown_shapes:
        width = round(_width_left(model))
        ffn = [(_doubtful(ffn_saved(h, width, adapted=ffn_adapted)), model.layers)]
        attention = [(_doubtful(saved), count) for saved, count in attention]
    widths = model.dense_block_intermediate_sizes
    ffn += [(ffn_saved(h, width, adapted=ffn_adapted), 1) for width in widths]
    return HalfLayers(tuple(attention), tuple(ffn))
