"""The weight matrices of a model, one by one: what adapters attach to and what one block holds.

``parameters.parts_of`` counts elements; an adapter of rank ``r`` needs the two sides of every
matrix, ``r * (inputs + outputs)``. The shapes are the projections of the hub implementations
(transformers ``modeling_*``), the same as in ``parameters``; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from advisor.sizing.parameters import PartGroup, parts_of
from advisor.sizing.training_plan import TrainingPlan
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

__all__ = [
    "Matrix",
    "adapter_parameters",
    "attention_only",
    "ffn_is_trained",
    "largest_layer",
    "matrices_of",
]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A projection, and how many times the model holds it."""

    group: PartGroup
    inputs: int
    outputs: int
    layers: int
    copies: int = 1
    """Per layer: routed experts, head groups."""
    adapted: bool = True
    """Whether trainers offer it as an adapter target."""

    @property
    def parameters(self) -> int:
        """Elements over all layers and copies."""
        return self.inputs * self.outputs * self.layers * self.copies

    def adapter(self, rank: int) -> int:
        """Parameters of adapters of ``rank`` on every copy."""
        return rank * (self.inputs + self.outputs) * self.layers * self.copies


def _softmax(h: int, a: FullAttention | WindowedAttention) -> Iterator[Matrix]:
    value, gate, projects_values = a.head_dim, 1, True
    if isinstance(a, FullAttention):
        value = a.value_head_dim or a.head_dim
        gate = 2 if a.output_gate else 1
        projects_values = not a.values_from_keys
    yield Matrix("attention", h, gate * a.heads * a.head_dim, a.layers)
    yield Matrix("attention", h, a.kv_heads * a.head_dim, a.layers)
    if projects_values:
        yield Matrix("attention", h, a.kv_heads * value, a.layers)
    yield Matrix("attention", a.heads * value, h, a.layers)


def _mla(h: int, a: MlaAttention) -> Iterator[Matrix]:
    # Unknown head sizes count as 128, as in ``parameters``.
    nope, value = a.qk_nope_head_dim or 128, a.v_head_dim or 128
    query = a.heads * (nope + a.qk_rope_head_dim)
    if a.q_lora_rank:
        yield Matrix("attention", h, a.q_lora_rank, a.layers)
        yield Matrix("attention", a.q_lora_rank, query, a.layers)
    else:
        yield Matrix("attention", h, query, a.layers)
    yield Matrix("attention", h, a.kv_lora_rank + a.qk_rope_head_dim, a.layers)
    yield Matrix("attention", a.kv_lora_rank, a.heads * (nope + value), a.layers)
    yield Matrix("attention", a.heads * value, h, a.layers, copies=2 if a.output_gate else 1)
    if a.index_head_dim:
        heads, source = a.index_heads or 64, a.q_lora_rank or h
        yield Matrix("attention", source, heads * a.index_head_dim, a.layers, adapted=False)
        yield Matrix("attention", h, a.index_head_dim + heads, a.layers, adapted=False)


def _gdn(h: int, a: GatedDeltaNet) -> Iterator[Matrix]:
    keys, values = a.key_heads * a.key_head_dim, a.value_heads * a.value_head_dim
    yield Matrix("linear_attention", h, 2 * keys + 2 * values, a.layers)
    yield Matrix("linear_attention", values, h, a.layers)


def _kda(h: int, a: KimiDelta) -> Iterator[Matrix]:
    inner = a.heads * a.head_dim
    yield Matrix("linear_attention", h, inner, a.layers, copies=4 if a.full_rank_gate else 3)
    yield Matrix("linear_attention", inner, h, a.layers)


def _mamba2(h: int, a: Mamba2) -> Iterator[Matrix]:
    inner = a.heads * a.head_dim
    wide = 2 * inner + 2 * a.groups * a.state_size + a.heads
    yield Matrix("linear_attention", h, wide, a.layers)
    yield Matrix("linear_attention", inner, h, a.layers)


def _lightning(h: int, a: LightningAttention) -> Iterator[Matrix]:
    inner = a.heads * a.head_dim
    yield Matrix("linear_attention", h, 3 * inner, a.layers)
    yield Matrix("linear_attention", h, inner, a.layers)
    yield Matrix("linear_attention", inner, h, a.layers)


def _compressed(h: int, a: Compressed) -> Iterator[Matrix]:
    if a.q_lora_rank is None:
        return  # shapes not known: nothing to attach to
    inner = a.heads * a.head_dim
    yield Matrix("attention", h, a.q_lora_rank, a.layers)
    yield Matrix("attention", a.q_lora_rank, inner, a.layers)
    yield Matrix("attention", h, a.head_dim, a.layers)
    if a.o_groups and a.o_lora_rank:
        yield Matrix("attention", inner // a.o_groups, a.o_lora_rank, a.layers, a.o_groups)
        yield Matrix("attention", a.o_groups * a.o_lora_rank, h, a.layers)
    if a.index_heads and a.index_head_dim:
        wide = a.index_heads * a.index_head_dim
        yield Matrix("attention", a.q_lora_rank, wide, a.layers, adapted=False)
        yield Matrix("attention", h, a.index_heads, a.layers, adapted=False)


def _encoder(h: int, a: EncoderAttention) -> Iterator[Matrix]:
    inner = a.heads * a.head_dim
    yield Matrix("attention", h, inner, a.layers, copies=3)
    yield Matrix("attention", inner, h, a.layers)


_LISTERS: dict[type, Callable[[int, Any], Iterator[Matrix]]] = {
    FullAttention: _softmax,
    WindowedAttention: _softmax,
    MlaAttention: _mla,
    GatedDeltaNet: _gdn,
    KimiDelta: _kda,
    Mamba2: _mamba2,
    LightningAttention: _lightning,
    Compressed: _compressed,
    EncoderAttention: _encoder,
}


def _block(
    group: PartGroup, width: int, inner: int, layers: int, *, gated: bool, copies: int = 1
) -> Iterator[Matrix]:
    for _ in range(2 if gated else 1):
        yield Matrix(group, width, inner, layers, copies)
    yield Matrix(group, inner, width, layers, copies)


def _moe(h: int, f: MoeFfn) -> Iterator[Matrix]:
    width, inner = f.latent_size or h, f.expert_intermediate_size
    yield from _block("experts", width, inner, f.layers, gated=f.gated, copies=f.experts)
    if f.latent_size:
        yield Matrix("shared_experts", h, f.latent_size, f.layers)
        yield Matrix("shared_experts", f.latent_size, h, f.layers)
    if f.shared_intermediate_size:
        yield from _block("shared_experts", h, f.shared_intermediate_size, f.layers, gated=f.gated)


def _ffn(h: int, f: DenseFfn | MoeFfn) -> Iterator[Matrix]:
    if isinstance(f, MoeFfn):
        yield from _moe(h, f)
        return
    yield from _block("dense_ffn", h, f.intermediate_size, f.layers, gated=f.gated)


def matrices_of(model: Model) -> tuple[Matrix, ...]:
    """List the projections of ``model`` whose shapes are known, layers of a kind together."""
    h = model.hidden_size
    found: list[Matrix] = []
    for attention in model.attention:
        found += _LISTERS[type(attention)](h, attention)
    for ffn in model.ffn:
        found += _ffn(h, ffn)
    for width in model.dense_block_intermediate_sizes:
        found += _block("dense_ffn", h, width, 1, gated=True)
    return tuple(found)


def attention_only(plan: TrainingPlan, model: Model) -> bool:
    """Tell whether adapters sit on attention alone: by wish, or by default on a mixture."""
    if plan.lora_targets != "auto":
        return plan.lora_targets == "attention"
    return any(ffn.kind == "moe" for ffn in model.ffn)


def ffn_is_trained(plan: TrainingPlan, model: Model) -> bool:
    """Tell whether feed-forward weights or adapters on them take part in training."""
    return plan.method == "full" or not attention_only(plan, model)


def adapter_parameters(model: Model, plan: TrainingPlan) -> int:
    """Return the parameters of the plan's adapters over the whole model.

    ``r * (inputs + outputs)`` per matrix (arXiv 2106.09685, handbook section 7.5).
    """
    attention = {"attention", "linear_attention"}
    narrowed = attention_only(plan, model)
    return sum(
        matrix.adapter(plan.lora_rank)
        for matrix in matrices_of(model)
        if matrix.adapted and (not narrowed or matrix.group in attention)
    )


def largest_layer(model: Model, *, whole_experts: bool = True) -> float:
    """Return the parameters of the largest decoder layer: the block that sharding gathers.

    Largest attention plus largest feed-forward part; never less than the average layer, so
    that parameters whose shapes are unknown still count. Without ``whole_experts`` a mixture
    counts one routed expert.
    """
    h = model.hidden_size
    attention = max(
        (_per_layer(_LISTERS[type(a)](h, a)) for a in model.attention),
        default=0.0,
    )
    blocks = [list(_ffn(h, ffn)) for ffn in model.ffn]
    widths = model.dense_block_intermediate_sizes
    blocks += [list(_block("dense_ffn", h, width, 1, gated=True)) for width in widths]
    feed_forward = max((_per_layer(b, whole_experts=whole_experts) for b in blocks), default=0.0)
    if not whole_experts:
        return attention + feed_forward
    layered = sum(part.parameters for part in parts_of(model) if part.per_layer)
    return max(attention + feed_forward, layered / model.layers)


def _per_layer(found: Iterator[Matrix] | list[Matrix], *, whole_experts: bool = True) -> float:
    total = 0.0
    for matrix in found:
        copies = matrix.copies
        if matrix.group == "experts" and not whole_experts:
            copies = 1
        total += matrix.inputs * matrix.outputs * copies
    return total
