"""From the catalogue of engine behaviour to the rules that sizing reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.errors import InputError, Problem
from advisor.sizing.engine_rules import BatchDefaults, EngineRules
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.size import RulesFor
from advisor.sizing.traits import traits_of
from advisor.store.engine_behaviour import Circumstances, EngineBehaviours, Value
from advisor.store.gpu import Gpu
from advisor.store.model import Model

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["rules_for"]

_PLAIN_UTILIZATION = 0.9
_NO_LIMIT = 256


def rules_for(knowledge: Knowledge) -> RulesFor:
    """Return a function that gives the rules of the engine a request names."""

    @lru_cache(maxsize=256)
    def behaviours(engine: str) -> EngineBehaviours | None:
        found: EngineBehaviours | None = knowledge.engines.get(engine)
        return found

    def rules(
        request: SizeRequest, model: Model, gpu: Gpu, total_gib: float, layout: Layout
    ) -> EngineRules:
        if request.engine == "other":
            return _plain(request)
        found = behaviours(request.engine)
        if found is None:
            raise InputError(_unknown(request.engine, knowledge))
        return _rules(found, request, model, gpu, total_gib, layout)

    return rules


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
        ignores_shapes=True,
        checks_state_blocks=False,
        non_torch_gib=(0.1, 0.5, 2.0),
        batch=BatchDefaults(_NO_LIMIT, 2048),
        note="the memory behaviour of this engine is not known: plain arithmetic at a share of "
        f"{_PLAIN_UTILIZATION:g}.",
        note_code="assumption",
    )


def _rules(
    found: EngineBehaviours,
    request: SizeRequest,
    model: Model,
    gpu: Gpu,
    total_gib: float,
    layout: Layout,
) -> EngineRules:
    version = found.resolve(request.engine_version)
    where = _circumstances(request, model, gpu, total_gib, layout)
    values = found.at(version, where)
    release = ".".join(map(str, version.release or ()))
    read = _Reader(values)
    return EngineRules(
        engine=found.id,
        version=release,
        label=f"{found.name} {release}",
        utilization_default=read.number("utilization_default", _PLAIN_UTILIZATION),
        utilization_of_free=read.text("utilization_of") == "free_after_load",
        pool_includes_activations=read.text("utilization_of") in {"", "total"},
        shared_pool=read.text("pool", "blocks") == "blocks",
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
        non_torch_gib=read.span("non_torch_gib"),
        workspace_gib=read.span("workspace_gib"),
        sampler_bytes_per_logit=read.number("sampler_bytes_per_logit", 0.0),
        marlin_tile_required=read.text("marlin_tile_mismatch") == "refused",
        ignores_shapes=found.id == "llama_cpp",
        latent_cache=read.flag("mla_latent_cache", default=True),
        block_tokens=int(read.number("block_tokens", 1)),
        window_pool_share=read.number("window_pool_share", 1.0),
        batch=_batch(read, request, model),
        null_blocks=int(read.number("null_blocks_in_fit_check", 0)),
        state_copies=read.span("state_copies"),
        expert_padding=read.multiples("mxfp4_padding"),
        note=version.note or "",
        note_code="engine_version_unknown" if version.note else "assumption",
    )


def _circumstances(
    request: SizeRequest, model: Model, gpu: Gpu, total_gib: float, layout: Layout
) -> Circumstances:
    capability = request.gpu_compute_capability or gpu.compute_capability
    return Circumstances(
        gpu_gib=total_gib,
        gpu_name=f"{gpu.id} {gpu.name}",
        capability=float(capability) if capability else None,
        vendor="amd" if gpu.vendor == "amd" else "nvidia",
        tensor_parallel=layout.tensor_parallel,
        max_model_len=request.max_model_len or model.max_context_tokens,
        traits=traits_of(request, model),
    )


def _batch(read: _Reader, request: SizeRequest, model: Model) -> BatchDefaults:
    sequences = int(read.number("max_num_seqs_default", _NO_LIMIT))
    batched = int(read.number("max_num_batched_tokens_default", 2048))
    limit = request.max_model_len or model.max_context_tokens
    if not read.flag("chunked_prefill_default", default=True):
        rule = read.text("batched_tokens_without_chunks")
        batched = limit if rule == "max_model_len" else max(2048, limit)
    if read.text("batched_tokens_cap") == "max_num_seqs_x_max_model_len":
        batched = min(batched, sequences * limit)
    return BatchDefaults(sequences, batched)


class _Reader:
    """Typed access to behaviour values; absent ones take a default."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    def number(self, key: str, default: float) -> float:
        value = self._values.get(key, default)
        return float(value) if isinstance(value, int | float) else default

    def flag(self, key: str, *, default: bool = False) -> bool:
        value = self._values.get(key, default)
        return value if isinstance(value, bool) else default

    def text(self, key: str, default: str = "") -> str:
        value = self._values.get(key, default)
        return value if isinstance(value, str) else default

    def span(self, key: str) -> tuple[float, float, float]:
        value = self._values.get(key)
        if isinstance(value, int | float):
            return (float(value), float(value), float(value))
        if not isinstance(value, dict):
            return (0.0, 0.0, 0.0)
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
