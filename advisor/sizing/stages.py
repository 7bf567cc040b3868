"""One pipeline stage at a time: its weights, its overheads, its cache pool."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.sizing.cache_layers import CacheLayers, SparseRows, cache_layers
from advisor.sizing.case import Case, Limits
from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.kv_pool import KvPool, PoolRules, build_pool
from advisor.sizing.layout import Layout, stage_layers
from advisor.sizing.memo import Memo
from advisor.sizing.memory import Available, Budget, available_memory
from advisor.sizing.overheads import Overheads, overheads
from advisor.sizing.request import SizeRequest
from advisor.sizing.weights import WeightPlan, stage_weights_bytes
from advisor.store.model import MeasuredKv, Model

__all__ = ["Stage", "measured_cost", "pool_rules", "stages_of", "tightest"]

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


def tightest(stages: Sequence[Stage], tokens: int) -> Stage:
    """Return the stage that holds the fewest requests of ``tokens``.

    Of several that hold none, the one with the least room: it says how much is missing.
    """
    return min(stages, key=lambda stage: (stage.concurrency(tokens), stage.available.expected))


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
        bytes_per_block=0.0,
        members=(),
        rules=pool,
        bytes_per_token=cost.bytes_per_token / stages,
        state_bytes=0.0,
        fixed_bytes=cost.fixed_gib_per_request * GIB / stages,
        linear=True,
    )


@dataclass(frozen=True, slots=True)
class _Start:
    """All that a stage depends on besides model, weights and engine: not the load."""

    layout: Layout
    limits: Limits
    kv_format: str
    total_gib: float
    utilization: float
    weights_gib: float | None
    """Printed, per GPU; else they are computed."""
    kv_cache_gib: float | None
    speculative_tokens: int
    enforce_eager: bool
    pool: PoolRules


_remembered: Memo[tuple[Stage, ...]] = Memo(20_000)
"""Stages by all that they depend on: the same for every number of users and every length."""


def stages_of(case: Case, limits: Limits) -> tuple[Stage, ...]:
    """Size every pipeline stage of ``case`` with the given scheduler limits."""
    request = case.request
    start = _Start(
        layout=case.layout,
        limits=limits,
        kv_format=case.kv_format,
        total_gib=case.total_gib,
        utilization=case.utilization,
        weights_gib=request.weights_gib,
        kv_cache_gib=request.kv_cache_gib,
        speculative_tokens=request.speculative_tokens,
        enforce_eager=request.enforce_eager,
        pool=pool_rules(request, case.rules, limits.max_num_batched_tokens),
    )
    key = (case.plan.key, start)
    return _remembered.get(
        (case.model, case.plan.build, case.rules),
        key,
        lambda: _Stages(case.model, case.plan, case.rules, start).sized(),
    )


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of one start of an engine."""

    model: Model
    plan: WeightPlan
    rules: EngineRules
    start: _Start

    def sized(self) -> tuple[Stage, ...]:
        layers, weights = self._cache_layers(), self._weights_gib()
        cost = measured_cost(self.model, self.rules)
        layout, pool = self.start.layout, self.start.pool
        counts = stage_layers(self.model.layers, layout.pipeline_parallel)
        # stages in the middle are alike, and a deep pipeline has many of them
        alike: dict[tuple[int, float, bool], Stage] = {}
        found = []
        for index, count in enumerate(counts):
            last = index == len(counts) - 1
            known = alike.get((count, weights[index], last))
            if known is not None:
                found.append(known)
                continue
            extra = self._overheads(layers, samples=last)
            stage_pool = (
                build_pool(_share(layers, count, self.model.layers), pool)
                if cost is None
                else _measured_pool(cost, layout, pool)
            )
            left = self._available(weights[index], extra, layers)
            stage = alike[count, weights[index], last] = Stage(
                weights[index], extra, left, stage_pool
            )
            found.append(stage)
        return tuple(found)

    def _drafts(self) -> bool:
        return self.start.speculative_tokens > 0 and self.model.mtp_layers > 0

    def _weights_gib(self) -> tuple[float, ...]:
        stated, layout = self.start.weights_gib, self.start.layout
        if stated is not None:
            return (stated,) * layout.pipeline_parallel
        sizes = stage_weights_bytes(self.model, self.plan, layout, use_mtp_layers=self._drafts())
        return tuple(size / GIB for size in sizes)

    def _cache_layers(self) -> tuple[CacheLayers, ...]:
        return cache_layers(
            self.model,
            tensor_parallel=self.start.layout.tensor_parallel,
            kv_format=self.start.kv_format,
            speculative_tokens=self.start.speculative_tokens,
            use_mtp_layers=self._drafts(),
            mla_supported=self.rules.latent_cache,
            sparse=SparseRows(self.rules.sparse_rows_packed, self.rules.borrowed_index_rows),
        )

    def _overheads(self, layers: tuple[CacheLayers, ...], *, samples: bool) -> Overheads:
        return overheads(
            self.model,
            self.start.layout,
            self.rules,
            max_num_seqs=self.start.limits.max_num_seqs,
            batched_tokens=self.start.limits.max_num_batched_tokens,
            enforce_eager=self.start.enforce_eager,
            samples=samples,
            state_bytes_per_layer=max((layer.state_bytes for layer in layers), default=0.0),
        )

    def _available(
        self, weights_gib: float, extra: Overheads, layers: tuple[CacheLayers, ...]
    ) -> Available:
        budget = Budget(
            total_gib=self.start.total_gib,
            utilization=self.start.utilization,
            weights_gib=weights_gib,
            weights_stated=self.start.weights_gib is not None,
            has_states=any(layer.kind == "state" for layer in layers),
        )
        left = available_memory(budget, extra, self.rules)
        stated = self.start.kv_cache_gib
        return left if stated is None else replace(left, low=stated, expected=stated, high=stated)
