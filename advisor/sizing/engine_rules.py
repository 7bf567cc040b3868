"""What one engine version does with memory, as plain values that sizing reads.

The facts live in ``knowledge/engines``; this module turns the behaviours in force at one
version into the few numbers and switches that the sums need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["NEVER", "BatchDefaults", "EngineRules"]

NEVER = 99.0
"""Stands for a compute capability that no card has."""


@dataclass(frozen=True, slots=True)
class BatchDefaults:
    """Scheduler defaults of one engine version on one GPU."""

    max_num_seqs: int
    max_num_batched_tokens: int


@dataclass(frozen=True, slots=True)
class EngineRules:
    """Memory behaviour of one engine version."""

    engine: str
    version: str | None
    """Release whose behaviour is used."""
    label: str
    """How texts call it, such as ``vLLM 0.33``."""
    utilization_default: float = 0.92
    utilization_of_free: bool = False
    """Share of what is free once weights are loaded, instead of the whole GPU (TensorRT-LLM)."""
    pool_includes_activations: bool = True
    """False where the share covers weights and cache only (SGLang)."""
    shared_pool: bool = True
    prints_concurrency: bool = True
    window_layers_bounded: bool = True
    chunked_layers_bounded: bool = False
    inflight_batches: int = 1
    plain_state_blocks: int | None = 1
    """Blocks per sequence and state group without prefix caching."""
    cached_state_blocks: int | None = 2
    """The same with prefix caching; ``None`` for one per block of the context."""
    state_alignment_tokens: int = 16
    checks_state_blocks: bool = True
    checks_whole_model_per_stage: bool = False
    graphs_in_budget: bool = True
    graphs_gib: tuple[float, float, float] = (0.1, 0.5, 1.2)
    non_torch_gib: tuple[float, float, float] = (0.1, 0.14, 0.3)
    sampler_bytes_per_logit: float = 38.35
    marlin_tile_required: bool = False
    """Old Marlin kernels refuse 4-bit shards that are no multiple of 128."""
    ignores_shapes: bool = False
    """Plain arithmetic: no layout is refused for its shapes beyond heads."""
    uneven_experts: bool = True
    least_capability: Mapping[str, float] = field(default_factory=dict)
    """Least CUDA compute capability by format; :data:`NEVER` for formats it cannot load."""
    latent_cache: bool = True
    sparse_rows_packed: bool = True
    """An fp8 row under a sparse indexer keeps its rope part in 16 bit and has scales."""
    borrowed_index_rows: bool = False
    """Layers that reuse another layer's indexer hold index rows too."""
    block_tokens: int = 16
    window_pool_share: float | None = 1.0
    """Window-pool tokens per full-pool token; ``None`` keeps just the windows."""
    state_pool_ratio: float | None = None
    """Memory of a separate state pool per memory of the attention pool."""
    pool_share: float = 1.0
    """Share of what is left that becomes cache."""
    batch: BatchDefaults = BatchDefaults(256, 2048)
    null_blocks: int = 0
    """Blocks that the fit check takes off the pool."""
    workspace_gib: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Lasting workspaces and fragments beyond what the other terms explain."""
    sampler_state_bytes_per_logit: float = 0.0
    """Lasting tables per sequence and vocabulary entry, on every rank."""
    state_copies: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Transient copies of one layer's recurrent state for all sequences."""
    expert_padding: tuple[int, int] | None = None
    """Multiples (intermediate, hidden) to which kernels pad mxfp4 experts."""
    note: str = ""
    """What to tell the reader about the version, if anything."""
    note_code: str = "engine_version_unknown"
