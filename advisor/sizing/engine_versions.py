"""From the catalogue of engine behaviour to the rules that sizing reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.errors import InputError, Problem
from advisor.sizing.engine_rules import BatchDefaults, EngineRules
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.size import RulesFor
from advisor.sizing.traits import traits_of
from advisor.store.engine_behaviour import (
    Circumstances,
    EngineBehaviours,
    EngineVersion,
    Value,
)
from advisor.store.gpu import Gpu
from advisor.store.model import Model

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["rules_for"]

_PLAIN_UTILIZATION = 0.9
_NO_LIMIT = 256
_CAPPED = "max_num_seqs_x_max_model_len"
_PLAIN_NON_TORCH = (0.1, 0.4, 1.5)
"""CUDA context and communication buffers where an engine's own figure is not known."""


def rules_for(knowledge: Knowledge) -> RulesFor:
    """Return a function that gives the rules of the engine a request names."""
    alike: dict[tuple[str, str | None], list[EngineRules]] = {}

    @lru_cache(maxsize=4096)
    def values_at(
        engine: str, version: str | None, where: Circumstances
    ) -> tuple[EngineVersion, _Reader]:
        found = knowledge.engines[engine]
        resolved = found.resolve(version)
        return resolved, _Reader(found.at(resolved, where))

    @lru_cache(maxsize=4096)
    def rules_at(
        engine: str, version: str | None, where: Circumstances, start: _Start
    ) -> EngineRules:
        resolved, read = values_at(engine, version, where)
        made = _rules(knowledge.engines[engine], resolved, read, where, start)
        # one object for equal rules: what is sized under them is remembered by identity
        known = alike.setdefault((engine, version), [])
        same = next((rules for rules in known if rules == made), None)
        if same is None:
            known.append(made)
        return same or made

    def rules(
        request: SizeRequest, model: Model, gpu: Gpu, total_gib: float, layout: Layout
    ) -> EngineRules:
        if request.engine == "other":
            return _plain(request)
        found = knowledge.engines.get(request.engine)
        if found is None:
            raise InputError(_unknown(request.engine, knowledge))
        length = request.max_model_len or model.max_context_tokens
        # lengths that no condition tells apart share their rules
        told = max((above + 1 for above in found.lengths if above < length), default=0)
        where = _circumstances(request, model, gpu, total_gib, layout, told)
        name, version = request.engine, request.engine_version
        counts = values_at(name, version, where)[1].batch_counts_length
        start = _Start(layout.pipeline_parallel, length if counts else 0)
        return rules_at(name, version, where, start)

    return rules


@dataclass(frozen=True, slots=True)
class _Start:
    """What else the rules of a start depend on."""

    pipeline_parallel: int
    max_model_len: int
    """0 where the rules are the same for every length."""


def _unknown(engine: str, knowledge: Knowledge) -> Problem:
    from difflib import get_close_matches

    known = (*sorted(knowledge.engines), "other")
    return Problem(
        "unknown_engine",
        f"engine {engine!r} is not known.",
        key="engine",
        allowed=known,
        nearest=tuple(get_close_matches(engine.casefold(), known, n=2)),
    )


def _plain(request: SizeRequest) -> EngineRules:
    """Return the rules of an engine nobody described: plain arithmetic."""
    return EngineRules(
        engine="other",
        version=request.engine_version,
        label="this engine",
        utilization_default=_PLAIN_UTILIZATION,
        shared_pool=False,
        chunked_layers_bounded=True,
        window_pool_share=None,
        ignores_shapes=True,
        checks_state_blocks=False,
        non_torch_gib=_PLAIN_NON_TORCH,
        batch=BatchDefaults(_NO_LIMIT, 2048),
        note="the memory behaviour of this engine is not known: plain arithmetic at a share of "
        f"{_PLAIN_UTILIZATION:g}.",
        note_code="assumption",
    )


def _rules(
    found: EngineBehaviours,
    version: EngineVersion,
    read: _Reader,
    where: Circumstances,
    start: _Start,
) -> EngineRules:
    release = ".".join(map(str, version.release or ()))
    return EngineRules(
        engine=found.id,
        version=release,
        label=f"{found.name} {release}",
        utilization_default=_utilization(read, where, start.pipeline_parallel),
        utilization_of_free=read.text("utilization_of") == "free_after_load",
        pool_includes_activations=read.flag("pool_includes_activations", default=True),
        shared_pool=found.id == "vllm",
        prints_concurrency=read.text("kv_size_log") == "concurrency",
        window_layers_bounded=read.flag("hybrid_kv_manager", default=True),
        chunked_layers_bounded=read.flag("chunked_local_hybrid", default=True),
        inflight_batches=int(read.number("inflight_batches", 1)),
        plain_state_blocks=read.blocks("plain"),
        cached_state_blocks=read.blocks("cached"),
        state_alignment_tokens=int(read.number("state_block_multiple", 16)),
        checks_state_blocks=read.flag("checks_state_blocks"),
        checks_whole_model_per_stage=read.flag("checks_whole_model_per_stage"),
        graphs_in_budget=read.flag("graphs_in_budget"),
        graphs_gib=read.span("cuda_graphs_gib"),
        non_torch_gib=read.span("non_torch_gib", _PLAIN_NON_TORCH),
        workspace_gib=read.span("compute_buffer_gib"),
        pool_share=read.number("wiggle_room", 1.0),
        sampler_bytes_per_logit=read.number("sampler_bytes_per_logit", 0.0),
        sampler_state_bytes_per_logit=read.number("sampler_state_bytes_per_logit", 0.0),
        marlin_tile_required=read.text("marlin_tile_mismatch") == "refused",
        ignores_shapes=found.id == "llama_cpp",
        least_capability=read.mapping("min_capability"),
        latent_cache=read.flag("mla_latent_cache", default=True),
        sparse_rows_packed=read.text("sparse_fp8_row", "packed") == "packed",
        borrowed_index_rows=read.flag("borrowed_index_rows"),
        block_tokens=int(read.number("block_tokens", 1)),
        window_pool_share=_window_share(found.id, read),
        state_pool_ratio=read.optional("mamba_full_memory_ratio"),
        batch=_batch(read, start.max_model_len),
        null_blocks=int(read.number("null_blocks_in_fit_check", 0)),
        state_copies=read.span("state_copies"),
        expert_padding=read.multiples("mxfp4_padding"),
        note=version.note or "",
        note_code="engine_version_unknown" if version.note else "assumption",
    )


def _utilization(read: _Reader, where: Circumstances, pipeline_parallel: int) -> float:
    """Return the default share; SGLang computes it from a reserve since 0.4.8.

    ``(GPU - reserve) / GPU`` with ``reserve = base + per_rank x TP x PP + per_chunk_token x
    chunk + per_graph_size x batch`` MiB; handbook section 7.3.
    """
    reserve = read.mapping("reserve_mib")
    total = where.gpu_gib
    if not reserve or not total:
        fallback = 1.0 if read.text("utilization_of") == "none" else _PLAIN_UTILIZATION
        return read.number("utilization_default", fallback)
    ranks = where.tensor_parallel * pipeline_parallel
    chunk = max(read.number("chunked_prefill_size_default", 2048), 2048)
    mib = reserve["base"] + reserve["per_rank"] * ranks + reserve["per_chunk_token"] * chunk
    mib += reserve["per_graph_size"] * read.number("graph_batch_default", 0)
    return round(1 - max(mib, reserve["floor"]) / 1024 / total, 3)


def _window_share(engine: str, read: _Reader) -> float | None:
    """Return window-pool tokens per full-pool token; ``None`` keeps just the windows."""
    if not read.flag("hybrid_kv_manager"):
        return 1.0
    if engine == "llama_cpp":
        return None
    return read.number("swa_full_tokens_ratio", 1.0)


def _circumstances(
    request: SizeRequest,
    model: Model,
    gpu: Gpu,
    total_gib: float,
    layout: Layout,
    max_model_len: int,
) -> Circumstances:
    capability = request.gpu_compute_capability or gpu.compute_capability
    return Circumstances(
        gpu_gib=total_gib,
        gpu_name=f"{gpu.id} {gpu.name}",
        capability=float(capability) if capability else None,
        vendor="amd" if gpu.vendor == "amd" else "nvidia",
        tensor_parallel=layout.tensor_parallel,
        max_model_len=max_model_len,
        traits=traits_of(request, model),
    )


def _batch(read: _Reader, max_model_len: int) -> BatchDefaults:
    sequences = int(read.number("max_num_seqs_default", _NO_LIMIT))
    batched = int(read.number("max_num_batched_tokens_default", 2048))
    if not read.flag("chunked_prefill_default", default=True):
        rule = read.text("batched_tokens_without_chunks")
        batched = max_model_len if rule == "max_model_len" else max(2048, max_model_len)
    if read.text("batched_tokens_cap") == _CAPPED:
        batched = min(batched, sequences * max_model_len)
    return BatchDefaults(sequences, batched)


class _Reader:
    """Typed access to behaviour values; absent ones take a default."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    @property
    def batch_counts_length(self) -> bool:
        """Whether the default batch depends on the longest request."""
        chunked = self.flag("chunked_prefill_default", default=True)
        return not chunked or self.text("batched_tokens_cap") == _CAPPED

    def number(self, key: str, default: float) -> float:
        value = self._values.get(key, default)
        return float(value) if isinstance(value, int | float) else default

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self._values.get(key, default)
        return value if isinstance(value, bool) else default

    def text(self, key: str, default: str = "") -> str:
        value = self._values.get(key, default)
        return value if isinstance(value, str) else default

    def optional(self, key: str) -> float | None:
        value = self._values.get(key)
        return float(value) if isinstance(value, int | float) else None

    def mapping(self, key: str) -> dict[str, float]:
        value = self._values.get(key)
        if not isinstance(value, dict):
            return {}
        return {name: float(v) for name, v in value.items() if isinstance(v, int | float)}

    def span(
        self, key: str, default: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> tuple[float, float, float]:
        value = self._values.get(key)
        if isinstance(value, int | float):
            return (float(value), float(value), float(value))
        if not isinstance(value, dict):
            return default
        low, expected, high = (
            float(part) if isinstance(part, int | float) else 0.0
            for part in (value.get("low"), value.get("expected"), value.get("high"))
        )
        return (low, expected, high)

    def blocks(self, mode: str) -> int | None:
        """Return state blocks per linear group; ``None`` for one per block of the context."""
        value = self._values.get("state_blocks")
        part = value.get(mode) if isinstance(value, dict) else 1
        return part if isinstance(part, int) else None

    def multiples(self, key: str) -> tuple[int, int] | None:
        value = self._values.get(key)
        if not isinstance(value, dict):
            return None
        intermediate, hidden = value.get("intermediate"), value.get("hidden")
        if isinstance(intermediate, int) and isinstance(hidden, int):
            return intermediate, hidden
        return None
