"""One pipeline stage at a time: its weights, its overheads, its cache pool."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from advisor.sizing.cache_layers import CacheLayers, cache_layers
from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.kv_pool import KvPool, PoolRules, build_pool
from advisor.sizing.layout import Layout, stage_layers
from advisor.sizing.memory import Available, available_memory
from advisor.sizing.overheads import Overheads, overheads
from advisor.sizing.request import SizeRequest
from advisor.sizing.weights import WeightPlan, stage_weights_bytes
from advisor.store.model import MeasuredKv, Model

__all__ = ["Stage", "pool_rules", "stages_of"]

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Stage:
    """What one GPU of one pipeline stage holds."""

    weights_gib: float
    extra: Overheads
    available: Available
    pool: KvPool

    def concurrency(self, tokens: int, index: int = 1) -> float:
        """Return requests of ``tokens`` that fit; ``index`` 0 low, 1 expected, 2 high."""
        return self.pool.concurrency(self.bytes_available(index), tokens)

    def bytes_available(self, index: int = 1) -> float:
        """Return the bytes for the cache; ``index`` 0 low, 1 expected, 2 high."""
        parts = (self.available.low, self.available.expected, self.available.high)
        return parts[index] * GIB


def pool_rules(request: SizeRequest, rules: EngineRules, batched_tokens: int) -> PoolRules:
    """Translate engine behaviour and flags into the rules of the block pool."""
    bounded = request.hybrid_kv_manager
    blocks = rules.cached_state_blocks if request.prefix_caching else rules.plain_state_blocks
    if blocks is None:
        blocks = rules.plain_state_blocks or 1
    return PoolRules(
        block_tokens=request.block_size or rules.block_tokens,
        shared_pool=rules.shared_pool,
        window_layers_bounded=bounded and rules.window_layers_bounded,
        chunked_layers_bounded=bounded and rules.chunked_layers_bounded,
        inflight_tokens=batched_tokens * rules.inflight_batches,
        state_blocks_per_group=blocks + request.speculative_tokens,
        state_alignment_tokens=rules.state_alignment_tokens,
        prints_concurrency=rules.prints_concurrency,
        context_parallel=request.decode_context_parallel,
        window_pool_share=rules.window_pool_share if bounded else 1.0,
        states_apart=rules.state_pool_ratio is not None,
    )


def _share(layers: tuple[CacheLayers, ...], part: int, whole: int) -> tuple[CacheLayers, ...]:
    """Return the layers of the fullest stage: ``part`` of ``whole`` layers, rounded up."""
    if part == whole:
        return layers
    return tuple(replace(layer, layers=math.ceil(layer.layers * part / whole)) for layer in layers)


def measured_cost(model: Model, rules: EngineRules) -> MeasuredKv | None:
    """Return a cache cost read off a log of this engine version, where the formula is unknown."""
    for cost in model.measured_kv:
        if cost.engine == rules.engine and _covers(cost, rules.version):
            return cost
    return None


def _covers(cost: MeasuredKv, version: str | None) -> bool:
    release = _release(version)
    if cost.since is not None and release < _release(cost.since):
        return False
    return cost.until is None or release < _release(cost.until)


def _release(version: str | None) -> tuple[int, ...]:
    if version is None:
        return (10**6,)
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _measured_pool(cost: MeasuredKv, layout: Layout, pool: PoolRules) -> KvPool:
    stages = layout.pipeline_parallel
    return KvPool(
        0.0, (), pool, cost.bytes_per_token / stages, 0.0,
        cost.fixed_gib_per_request * GIB / stages, linear=True,
    )  # fmt: skip


def stages_of(
    request: SizeRequest,
    model: Model,
    plan: WeightPlan,
    layout: Layout,
    rules: EngineRules,
    *,
    total_gib: float,
    utilization: float,
    kv_format: str,
    max_num_seqs: int,
    batched_tokens: int,
) -> tuple[Stage, ...]:
    """Size every pipeline stage of ``layout`` with the given scheduler limits."""
    drafts = request.speculative_tokens > 0 and model.mtp_layers > 0
    weights = stage_weights_bytes(model, plan, layout, use_mtp_layers=drafts)
    layers = cache_layers(
        model,
        tensor_parallel=layout.tensor_parallel,
        kv_format=kv_format,
        speculative_tokens=request.speculative_tokens,
        use_mtp_layers=drafts,
        mla_supported=rules.latent_cache,
    )
    pool = pool_rules(request, rules, batched_tokens)
    cost = measured_cost(model, rules)
    counts = stage_layers(model.layers, layout.pipeline_parallel)
    found = []
    for index, count in enumerate(counts):
        weights_gib = weights[index] / GIB if request.weights_gib is None else request.weights_gib
        extra = overheads(
            model, layout, rules,
            max_num_seqs=max_num_seqs,
            batched_tokens=batched_tokens,
            enforce_eager=request.enforce_eager,
            samples=index == len(counts) - 1,
            state_bytes_per_layer=max((layer.state_bytes for layer in layers), default=0.0),
        )  # fmt: skip
        left = available_memory(
            total_gib, weights_gib, extra, rules, utilization,
            weights_stated=request.weights_gib is not None,
            has_states=any(layer.kind == "state" for layer in layers),
        )  # fmt: skip
        if request.kv_cache_gib is not None:
            stated = request.kv_cache_gib
            left = replace(left, low=stated, expected=stated, high=stated)
        stage_pool = (
            _measured_pool(cost, layout, pool)
            if cost is not None
            else build_pool(_share(layers, count, model.layers), pool)
        )
        found.append(Stage(weights_gib, extra, left, stage_pool))
    return tuple(found)
