"""What one GPU keeps per layer for a sequence: bytes per token, or a fixed state.

Sources: the cache specs of the vLLM 0.33 sources (``kv_cache_interface.py``,
``mamba_utils.py``), checked against printed values; handbook section 7.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.store.model import (
    Attention,
    Compressed,
    EncoderAttention,
    FullAttention,
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba2,
    MlaAttention,
    Model,
    WindowedAttention,
)

__all__ = ["KV_ELEMENT_BYTES", "CacheLayers", "SparseRows", "cache_layers", "kv_replication"]

KV_ELEMENT_BYTES = {
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "fp8_e5m2": 1.0,
    "int8": 1.0,
    "nvfp4": 0.5625,  # 4 bits and one fp8 scale per 16 elements
}

# vLLM packs a quantised sparse-attention row as 512 fp8 values, 4 fp32 scales and 64 bf16
# rope values: 656 bytes for the DeepSeek V3.2 shape (rank 512, rope 64).
_PACKED_SPARSE_ROW_OVERHEAD = 4 * 4

# The indexer of block-sparse grouped attention (MiniMax M3) keeps one bf16 key per token, whole
# on each rank and whatever the cache format: vLLM ``models/minimax_m3/common/indexer.py``.
_INDEX_KEY_BYTES = 2.0

# Head sizes above 128 of vLLM's attention kernels at the time (0.5 to 0.7): 192 became 256.
_KERNEL_HEAD_SIZES = (64, 128, 256)


@dataclass(frozen=True, slots=True)
class SparseRows:
    """How an engine version keeps the rows of latent layers under a sparse indexer."""

    packed: bool = True
    """An fp8 row is 656 bytes instead of 576 (for rank 512 and rope 64)."""
    borrowed: bool = False
    """Layers that reuse another layer's choice hold index rows too."""


_SPARSE_DEFAULT = SparseRows()

CacheKind = Literal["full", "latent", "window", "state", "compressed", "none"]


@dataclass(frozen=True, slots=True)
class CacheLayers:
    """A group of layers that cache alike, as one GPU holds them."""

    kind: CacheKind
    layers: int
    bytes_per_token: float = 0.0
    """Per layer and GPU; for ``compressed`` the asymptotic slope."""
    window: int | None = None
    """Tokens that stay readable; ``None`` for the whole context."""
    state_bytes: float = 0.0
    """Per layer, sequence and GPU."""
    chunked: bool = False
    window_row_bytes: float = 0.0
    """For ``compressed``: bytes per token of the window part."""


def kv_replication(model: Model, tensor_parallel: int) -> int:
    """Return how many ranks hold the same KV head (or latent row).

    Latent attention and single-head caches are whole on each rank; grouped-query heads repeat
    once there are more ranks than heads.
    """
    copies = 1
    for a in model.attention:
        if isinstance(a, MlaAttention | Compressed):
            copies = max(copies, tensor_parallel)
        elif isinstance(a, FullAttention | WindowedAttention):
            copies = max(copies, tensor_parallel // min(a.kv_heads, tensor_parallel))
    return copies


def _local_heads(heads: int, ranks: int) -> int:
    return max(1, heads // ranks)


def _mla_row(a: MlaAttention, element_bytes: float, sparse: SparseRows) -> float:
    row = (a.kv_lora_rank + a.qk_rope_head_dim) * element_bytes
    index = a.index_head_dim or a.borrowed_index_head_dim
    if index is None:
        return row
    if element_bytes <= 1 and sparse.packed:
        row = a.kv_lora_rank + _PACKED_SPARSE_ROW_OVERHEAD + 2 * a.qk_rope_head_dim
    if a.index_head_dim is None and not sparse.borrowed:
        return row
    return row + index + 4  # fp8 index key and its fp32 scale


def _gdn_state(a: GatedDeltaNet, ranks: int, speculative: int) -> float:
    recurrent = a.value_heads / ranks * a.value_head_dim * a.key_head_dim
    channels = (2 * a.key_heads * a.key_head_dim + a.value_heads * a.value_head_dim) / ranks
    window = a.conv_kernel - 1 + speculative
    return recurrent * a.state_bytes_per_element + channels * window * 2


def _mamba2_state(a: Mamba2, ranks: int, speculative: int) -> float:
    recurrent = a.heads / ranks * a.head_dim * a.state_size
    # groups that do not divide the ranks are repeated until they do
    groups = a.groups if a.groups % ranks == 0 else max(a.groups, ranks)
    channels = (a.heads * a.head_dim + 2 * groups * a.state_size) / ranks
    window = a.conv_kernel - 1 + speculative
    return recurrent * a.state_bytes_per_element + channels * window * 2


def _kda_state(a: KimiDelta, ranks: int, speculative: int) -> float:
    recurrent = a.heads / ranks * a.head_dim * a.head_dim
    channels = 3 * a.heads * a.head_dim / ranks
    window = a.conv_kernel - 1 + speculative
    return recurrent * a.state_bytes_per_element + channels * window * 2


def _lightning_state(a: LightningAttention, ranks: int) -> float:
    return a.heads / ranks * a.head_dim * a.head_dim * a.state_bytes_per_element


def _attention_cache(a: FullAttention | WindowedAttention, ranks: int, b: float) -> CacheLayers:
    heads = _local_heads(a.kv_heads, ranks)
    if isinstance(a, WindowedAttention):
        row = heads * 2 * a.head_dim * b
        return CacheLayers("window", a.layers, row, window=a.window, chunked=a.kind == "chunked")
    row = heads * (a.head_dim + (a.value_head_dim or a.head_dim)) * b
    return CacheLayers("full", a.layers, row + (a.index_head_dim or 0) * _INDEX_KEY_BYTES)


def _compressed_cache(a: Compressed) -> CacheLayers:
    slope = (a.row_bytes + a.index_row_bytes) / a.compression if a.compression else 0.0
    return CacheLayers(
        "compressed", a.layers, slope, window=a.window, window_row_bytes=float(a.row_bytes)
    )


def _state(a: Attention, ranks: int, speculative: int) -> float:
    if isinstance(a, GatedDeltaNet):
        return _gdn_state(a, ranks, speculative)
    if isinstance(a, KimiDelta):
        return _kda_state(a, ranks, speculative)
    if isinstance(a, Mamba2):
        return _mamba2_state(a, ranks, speculative)
    if isinstance(a, LightningAttention):
        return _lightning_state(a, ranks)
    return 0.0


def _one(
    a: Attention, ranks: int, element_bytes: float, speculative: int, sparse: SparseRows
) -> CacheLayers:
    if isinstance(a, FullAttention | WindowedAttention):
        return _attention_cache(a, ranks, element_bytes)
    if isinstance(a, MlaAttention):
        return CacheLayers("latent", a.layers, _mla_row(a, element_bytes, sparse))
    if isinstance(a, Compressed):
        return _compressed_cache(a)
    if isinstance(a, EncoderAttention):
        return CacheLayers("none", a.layers)
    return CacheLayers("state", a.layers, state_bytes=_state(a, ranks, speculative))


def cache_layers(
    model: Model,
    *,
    tensor_parallel: int,
    kv_format: str,
    speculative_tokens: int = 0,
    use_mtp_layers: bool = False,
    mla_supported: bool = True,
    sparse: SparseRows = _SPARSE_DEFAULT,
) -> tuple[CacheLayers, ...]:
    """Describe what each group of layers caches on one GPU.

    Args:
        model: Shapes.
        tensor_parallel: Ranks that share the heads.
        kv_format: Key of :data:`KV_ELEMENT_BYTES`.
        speculative_tokens: Draft tokens per step; each lengthens convolution windows.
        use_mtp_layers: The model's own draft layers keep a cache too.
        mla_supported: False for engines that expand latent attention to full heads.
        sparse: Rows of latent layers under a sparse indexer.

    Source: ``2*L*max(1, K//TP)*d*b`` for grouped heads, ``L*(rank+rope)*b`` on every rank for
    latent attention, state formulas of ``mamba_utils.py``; handbook section 7.3.
    """
    element = KV_ELEMENT_BYTES[kv_format]
    groups = [
        _expanded(a, tensor_parallel, element)
        if isinstance(a, MlaAttention) and not mla_supported
        else _one(a, tensor_parallel, element, speculative_tokens, sparse)
        for a in model.attention
    ]
    if use_mtp_layers and model.mtp_layers:
        groups = _with_mtp(groups, model.mtp_layers)
    return tuple(groups)


def _expanded(a: MlaAttention, ranks: int, element_bytes: float) -> CacheLayers:
    # before latent caches existed, keys and values were padded to a head size of the kernels
    key = (a.qk_nope_head_dim or 128) + a.qk_rope_head_dim
    width = 2 * next((size for size in _KERNEL_HEAD_SIZES if size >= key), key)
    return CacheLayers("full", a.layers, _local_heads(a.heads, ranks) * width * element_bytes)


def _with_mtp(groups: list[CacheLayers], mtp_layers: int) -> list[CacheLayers]:
    """Add the draft layers to the first group that keeps the whole context."""
    for index, group in enumerate(groups):
        if group.kind in {"full", "latent"}:
            grown = CacheLayers(group.kind, group.layers + mtp_layers, group.bytes_per_token)
            return [*groups[:index], grown, *groups[index + 1 :]]
    return groups
