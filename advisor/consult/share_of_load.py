"""One replica's share of a load: what sizing is asked about it, and how many requests it holds."""

from __future__ import annotations

import math
from dataclasses import replace

from advisor.consult.published import runs_as
from advisor.consult.situation import Card, Load
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult

__all__ = ["holds_at_once", "size_request"]

_COUNTABLE = 10**8
"""More requests at once than this is no plan; rules count in exact numbers far above it."""
_SHORT_CHAT = 4096
"""Live tokens that are assumed at least, where requests may be so long."""


def size_request(
    load: Load, card: Card, weight_format: str, concurrency: int, **limits: object
) -> SizeRequest:
    """Return the question that sizing answers for one card, format and share of the load.

    Args:
        load: What is served.
        card: On which GPU.
        weight_format: In which precision.
        concurrency: Requests at once in one replica.
        limits: Scheduler limits that are stated, by the names of :class:`SizeRequest`.
    """
    same = load.model is not None and weight_format == runs_as(load.model)
    request = SizeRequest(
        weight_format=None if same and not load.format_fixed else weight_format,
        kv_format=load.kv_format,
        max_model_len=load.context_tokens,
        typical_context_tokens=_live_tokens(load),
        prompt_tokens=load.prompt_tokens,
        concurrency=concurrency,
        engine=load.engine,
        engine_version=load.engine_version,
        speculative_tokens=load.speculative_tokens,
        gpu_memory_gib=card.memory_gib,
        build=load.build,
    )
    stated = {**dict(load.settings), **limits}
    if load.share_beside_a_system is not None and card.gpu.unified_memory:
        stated.setdefault("gpu_memory_utilization", load.share_beside_a_system)
    return replace(request, **stated) if stated else request  # type: ignore[arg-type]


def _live_tokens(load: Load) -> int:
    """Return how long requests are while they decode: as stated, else half of the longest.

    Never less than the prompt, which is there from the first token of an answer on. Speed falls
    with the length, so a short default would flatter loads planned at 128k. Texts that are
    embedded or ranked count whole, as nothing of them is decoded.
    """
    if load.kind in {"embeddings", "reranking"}:
        return load.typical_context_tokens or load.context_tokens
    if load.typical_context_tokens is not None:
        return min(load.typical_context_tokens, load.context_tokens)
    usual = max(_SHORT_CHAT, load.context_tokens // 2, load.prompt_tokens or 0)
    return min(load.context_tokens, usual)


def holds_at_once(result: SizeResult, layout: Layout, load: Load) -> int:
    """Return how many requests of the planned length one replica holds at once.

    The planned length is the typical context where it is given or follows from the lengths of
    prompt and answer, else the longest request. Each request sits in the cache of one
    data-parallel rank, so what is left over in every rank holds none.
    """
    if result.max_concurrency is None:
        return load.concurrency
    at_once = result.max_concurrency.expected
    if not math.isfinite(at_once):
        return load.concurrency
    if load.typical_context_tokens and result.kv_bytes_per_token_per_gpu:
        fixed = (result.kv_fixed_bytes_per_sequence_per_gpu or 0.0) + (
            result.state_bytes_per_sequence_per_gpu or 0.0
        )
        long = fixed + result.kv_bytes_per_token_per_gpu * load.context_tokens
        typical = min(load.typical_context_tokens, load.context_tokens)
        at_once *= long / (fixed + result.kv_bytes_per_token_per_gpu * typical)
    return min(_COUNTABLE, math.floor(at_once + 1e-9) * layout.data_parallel)
