"""The question that sizing answers: one model, one GPU, one engine, one layout."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SizeRequest"]


@dataclass(frozen=True, slots=True)
class SizeRequest:
    """Inputs of :func:`advisor.sizing.size`, as the flags of ``gpu-advisor size`` name them.

    ``None`` means "not given": the engine's default or the recommended value is taken and
    echoed in the result.
    """

    gpu_count: int | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    expert_parallel: bool = False
    decode_context_parallel: int = 1
    weight_format: str | None = None
    """Catalogue id of a format; ``None`` or ``checkpoint`` is the published one."""
    kv_format: str = "auto"
    max_model_len: int | None = None
    """Tokens, prompt and output together."""
    typical_context_tokens: int | None = None
    """Mean live tokens per stream while decoding."""
    prompt_tokens: int | None = None
    concurrency: int | None = None
    """Streams in one engine instance."""
    engine: str = "vllm"
    engine_version: str | None = None
    gpu_memory_utilization: float | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    block_size: int | None = None
    kv_cache_gib: float | None = None
    """Per GPU; replaces the whole memory sum."""
    weights_gib: float | None = None
    """Per GPU; replaces the computed weights."""
    speculative_tokens: int = 0
    prefix_caching: bool = True
    enforce_eager: bool = False
    hybrid_kv_manager: bool = True
    gpu_memory_gib: float | None = None
    """Total that the runtime reports; overrides the catalogue."""
    gpu_memory_bandwidth_gbs: float | None = None
    gpu_compute_capability: str | None = None
    build: str | None = None
    """Hub id of one set of published weights, when the name given was that of a build."""
