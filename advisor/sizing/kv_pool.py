"""The block pool of one GPU: how many blocks a request takes and what a pool holds.

Three shapes occur: uniform layers (one page for all), windows beside full layers (grouped
pages), and recurrent states beside full layers (the attention block grows until its page
covers a state). Engines without a shared pool are plain arithmetic.

Source: ``kv_cache_utils.py`` and ``kv_cache_planning.py`` of vLLM 0.33, checked to the token
against printed values; handbook section 7.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from advisor.sizing.cache_layers import CacheLayers

__all__ = ["KvPool", "PoolRules", "build_pool"]

_GROUP_STRETCH = 1.5  # layer types closer than this share the larger group size


@dataclass(frozen=True, slots=True)
class PoolRules:
    """How an engine version lays its cache out."""

    block_tokens: int = 16
    shared_pool: bool = True
    """vLLM's grouped block pool; False means bytes are simply divided."""
    window_layers_bounded: bool = True
    chunked_layers_bounded: bool = True
    inflight_tokens: int = 0
    """Tokens of the batches in flight, which a window must hold on top of itself."""
    state_blocks_per_group: int = 1
    """Blocks per request and state group: 1, or 2 with aligned prefix caching, plus drafts."""
    state_alignment_tokens: int = 16
    prints_concurrency: bool = True
    """The log's token figure is concurrency x max_model_len, not blocks x block size."""
    context_parallel: int = 1
    """Ranks that interleave one sequence's cache (decode context parallelism)."""
    window_pool_share: float | None = 1.0
    """Without a shared pool: window-pool tokens per full-pool token, or ``None`` for windows."""
    states_apart: bool = False
    """States have a pool of their own and take nothing from this one."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Layers of one kind inside the pool."""

    kind: str
    groups: int
    block_tokens: int
    window: int | None = None
    chunked: bool = False


@dataclass(frozen=True, slots=True)
class KvPool:
    """Block arithmetic for one GPU. All sizes in bytes and tokens."""

    bytes_per_block: float
    members: tuple[_Group, ...]
    rules: PoolRules
    bytes_per_token: float
    """Marginal bytes per token of the layers that keep the whole context."""
    state_bytes: float
    """Recurrent state per sequence over all layers."""
    fixed_bytes: float
    """Bounded part per sequence that does not grow with context (windows at their cap)."""
    linear: bool = False
    """No blocks: needs are ``fixed + slope x tokens``."""

    @property
    def has_states(self) -> bool:
        """Whether any layer keeps a recurrent state."""
        return self.state_bytes > 0

    def blocks_for(self, tokens: int) -> int:
        """Return the blocks that one request of ``tokens`` takes over all groups."""
        total = 0
        for member in self.members:
            total += member.groups * self._blocks(member, tokens)
        return total

    def _blocks(self, member: _Group, tokens: int) -> int:
        if member.kind == "state":
            return self.rules.state_blocks_per_group
        if member.window is None:
            return math.ceil(tokens / (member.block_tokens * self.rules.context_parallel))
        if member.chunked:
            held = min(member.window + self.rules.inflight_tokens, tokens)
            return math.ceil(held / member.block_tokens)
        held = min(member.window - 1 + self.rules.inflight_tokens, tokens)
        return math.ceil(held / member.block_tokens) + 1

    def bytes_for(self, tokens: int) -> float:
        """Return the bytes that one request of ``tokens`` makes the engine hold."""
        if self.linear:
            slope = self.bytes_per_token * tokens / self.rules.context_parallel
            states = 0.0 if self.rules.states_apart else self.state_bytes
            return self.fixed_bytes + slope + states
        return self.blocks_for(tokens) * self.bytes_per_block

    def block_count(self, available_bytes: float) -> int:
        """Return the blocks that fit in ``available_bytes``."""
        if self.linear or self.bytes_per_block <= 0:
            return 0
        return max(0, math.floor(available_bytes / self.bytes_per_block + 1e-9))

    def concurrency(self, available_bytes: float, tokens: int) -> float:
        """Return how many requests of ``tokens`` fit at once."""
        need = self.bytes_for(tokens)
        if need <= 0:
            return math.inf
        if self.linear:
            return max(0.0, available_bytes) / need
        return self.block_count(available_bytes) / self.blocks_for(tokens)

    def printed_tokens(self, available_bytes: float, max_model_len: int) -> int:
        """Return the engine's "KV cache size" in tokens, as its version computes it."""
        if self.linear:
            return self._linear_tokens(available_bytes)
        if self.rules.prints_concurrency:
            return int(self.concurrency(available_bytes, max_model_len) * max_model_len)
        groups = sum(member.groups for member in self.members)
        blocks = self.block_count(available_bytes) // max(1, groups)
        sizes = [member.block_tokens for member in self.members if member.kind != "state"]
        tokens = min(sizes, default=self.rules.block_tokens)
        return blocks * tokens * self.rules.context_parallel

    def _linear_tokens(self, available_bytes: float) -> int:
        if self.bytes_per_token <= 0:
            return 0
        free = max(0.0, available_bytes)
        tokens = free / self.bytes_per_token * self.rules.context_parallel
        return int(tokens) - int(tokens) % self.rules.block_tokens

    def largest_length(self, available_bytes: float, ceiling: int) -> int:
        """Return the longest single request that fits, in whole blocks, at most ``ceiling``."""
        if self._fits(available_bytes, ceiling):
            return ceiling
        low, high = 0, ceiling
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._fits(available_bytes, middle) else (low, middle - 1)
        step = self.rules.block_tokens * self.rules.context_parallel
        return low - low % step

    def _fits(self, available_bytes: float, tokens: int) -> bool:
        if self.linear:
            return self.bytes_for(tokens) <= available_bytes
        return self.blocks_for(tokens) <= self.block_count(available_bytes)


@lru_cache(maxsize=4096)
def build_pool(layers: tuple[CacheLayers, ...], rules: PoolRules) -> KvPool:
    """Arrange ``layers`` as the engine described by ``rules`` would.

    Remembered: the arrangement is the same on every GPU, and a consultation sizes many.
    """
    # a stage beyond the last layer holds none
    held = (layer for layer in layers if layer.kind != "none" and layer.layers > 0)
    bounded = tuple(_bounded(layer, rules) for layer in held)
    if not rules.shared_pool or any(layer.kind == "compressed" for layer in bounded):
        return _linear_pool(bounded, rules)
    merged = _merge(bounded)
    kinds = {(layer.kind, layer.window) for layer in merged}
    if len({kind for kind in kinds if kind[0] in {"full", "latent"}}) == len(kinds):
        return _uniform_pool(merged, rules)
    return _grouped_pool(merged, rules)


def _bounded(layer: CacheLayers, rules: PoolRules) -> CacheLayers:
    """Turn window layers into full ones where the version charges the whole context."""
    if layer.kind != "window":
        return layer
    keeps = rules.chunked_layers_bounded if layer.chunked else rules.window_layers_bounded
    return layer if keeps else replace(layer, kind="full", window=None, chunked=False)


def _merge(layers: tuple[CacheLayers, ...]) -> list[CacheLayers]:
    merged: dict[tuple[object, ...], CacheLayers] = {}
    for layer in layers:
        key = (layer.kind, layer.window, layer.bytes_per_token, layer.state_bytes, layer.chunked)
        seen = merged.get(key)
        merged[key] = replace(layer, layers=layer.layers + (seen.layers if seen else 0))
    return list(merged.values())


def _slope(layers: list[CacheLayers]) -> float:
    growing = (layer for layer in layers if layer.window is None)
    return sum(layer.layers * layer.bytes_per_token for layer in growing)


def _states(layers: list[CacheLayers]) -> float:
    return sum(layer.layers * layer.state_bytes for layer in layers)


def _uniform_pool(layers: list[CacheLayers], rules: PoolRules) -> KvPool:
    slope = _slope(layers)
    member = _Group("full", 1, rules.block_tokens)
    members = (member,) if layers else ()
    return KvPool(slope * rules.block_tokens, members, rules, slope, 0.0, 0.0)


def _group_size(layers: list[CacheLayers]) -> int:
    counts = [layer.layers for layer in layers]
    smallest, largest = min(counts), max(counts)
    return largest if largest < _GROUP_STRETCH * smallest else smallest


def _grouped_pool(layers: list[CacheLayers], rules: PoolRules) -> KvPool:
    attention = [layer for layer in layers if layer.kind != "state"]
    page = max((layer.bytes_per_token * rules.block_tokens for layer in attention), default=0.0)
    state = max((layer.state_bytes for layer in layers), default=0.0)
    narrow = min((layer.bytes_per_token for layer in attention), default=0.0)
    if state > page and narrow > 0:
        widest = max(layer.bytes_per_token for layer in attention)
        step = rules.state_alignment_tokens
        page = math.ceil(state / widest / step) * step * widest
    page = page or state
    size = _group_size(layers)
    members = tuple(_member(layer, page, size, rules) for layer in _full_first(layers))
    fixed = sum(
        layer.layers * layer.bytes_per_token * layer.window
        for layer in attention
        if layer.window is not None
    )
    return KvPool(size * page, members, rules, _slope(layers), _states(layers), fixed)


def _full_first(layers: list[CacheLayers]) -> list[CacheLayers]:
    return sorted(layers, key=lambda layer: (layer.kind == "state", layer.window is not None))


def _member(layer: CacheLayers, page: float, size: int, rules: PoolRules) -> _Group:
    groups = math.ceil(layer.layers / size)
    if layer.kind == "state":
        return _Group("state", groups, rules.block_tokens)
    tokens = int(page // layer.bytes_per_token)
    return _Group(layer.kind, groups, tokens, layer.window, layer.chunked)


def _linear_pool(layers: tuple[CacheLayers, ...], rules: PoolRules) -> KvPool:
    slope = fixed = 0.0
    for layer in layers:
        if layer.kind == "compressed":
            slope += layer.layers * layer.bytes_per_token
            held = (layer.window or 0) + rules.inflight_tokens
            fixed += layer.layers * layer.window_row_bytes * held
        elif layer.window is None:
            slope += layer.layers * layer.bytes_per_token
        elif rules.window_pool_share is None or rules.shared_pool:
            fixed += layer.layers * layer.bytes_per_token * (layer.window + rules.inflight_tokens)
        else:
            slope += layer.layers * layer.bytes_per_token * rules.window_pool_share
    states = _states(list(layers))
    return KvPool(0.0, (), rules, slope, states, fixed, linear=True)
