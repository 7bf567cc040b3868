"""How fast one stream decodes, as a range with its assumptions.

Decode is ``bytes / bandwidth`` divided by an efficiency, plus a fixed cost per layer that does
not shrink with bytes (launches, all-reduce, routing, host). Both terms were fitted on 88
public measurements: 45 of 47 dense single-GPU points, 16 of 17 dense tensor-parallel and 23 of
24 mixture points lie inside the bands below (handbook section 7.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from advisor.sizing.layout import Layout
from advisor.sizing.parameters import parts_of
from advisor.sizing.weights import WeightPlan
from advisor.store.gpu import Gpu
from advisor.store.model import Model, MoeFfn

__all__ = [
    "DecodeLoad",
    "Estimate",
    "decode_bytes_per_step",
    "decode_estimate",
    "expert_share",
]

_BEST_BANDWIDTH, _WORST_BANDWIDTH, _POINT_BANDWIDTH = 0.93, 0.69, 0.85
_WIDEST_RATIO = 2.0
_EVIDENCE_STREAMS = 8
_LARGEST_STREAMS = 512
_BATCH_US_PER_LAYER_AND_STREAM = 2.0
"""Slope of three published concurrency curves (1 to 128 streams) at its steepest."""

_LAYER_US = {
    # class: (low, point, high) microseconds per layer
    "dense": (30.0, 70.0, 120.0),
    "dense_multi": (70.0, 95.0, 130.0),
    "hybrid": (40.0, 100.0, 200.0),
    "mixture": (50.0, 140.0, 270.0),
    "mixture_spread": (50.0, 140.0, 270.0),
    # llama.cpp reached 31-53 % of HBM bandwidth and behaves like the others on GDDR
    "llama_cpp_hbm": (110.0, 210.0, 310.0),
}


_SPREAD_SLOWER = 1.5
"""What data-parallel attention with spread experts adds to the slow end: two public points of
DeepSeek V3 (H100, 72 ranks of 256 streams: 10.9 tokens/s; H800, 144 ranks of about 88: 20 to 22)
lie at 0.8 and 1.05 times the slow end of a mixture without it. Handbook section 7.2."""

_SINGLE_DENSE = frozenset({"dense", "llama_cpp_hbm"})
"""Classes with enough points to promise ends at most twice apart."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range, or the reason why there is none."""

    low: float | None
    high: float | None
    assumes: str


@dataclass(frozen=True, slots=True)
class DecodeLoad:
    """What one engine instance decodes at a time."""

    streams: int
    """Sequences decoded together."""
    context_tokens: int
    """Live tokens of each, for the text."""
    cache_bytes_per_stream: float
    """Cache that one GPU reads per step for one sequence."""


def _none(reason: str) -> Estimate:
    return Estimate(None, None, reason)


def expert_share(model: Model, tokens: float) -> float:
    """Return the expected share of experts that ``tokens`` tokens touch in one layer.

    ``1 - (1 - k/E)^B``: independent uniform routing; handbook section 7.3.
    """
    mixture = next((f for f in model.ffn if isinstance(f, MoeFfn)), None)
    if mixture is None:
        return 1.0
    missed: float = (1.0 - mixture.experts_per_token / mixture.experts) ** max(1.0, tokens)
    return 1.0 - missed


def decode_bytes_per_step(
    model: Model, plan: WeightPlan, layout: Layout, *, streams: int, weights_bytes: float | None
) -> float:
    """Return the weight bytes that one GPU column reads to decode one token of each stream.

    Pipeline stages run one after another, so their bytes add up. The input table is not read
    (one row per token is), unless it is also the output head.

    Args:
        model: Shapes.
        plan: Weight format.
        layout: Parallel sizes.
        streams: Sequences decoded together in one instance.
        weights_bytes: A stated size per GPU that replaces the computed one.
    """
    share = expert_share(model, streams * layout.data_parallel)
    crowding = _crowding(model, layout, share)
    read = total = 0.0
    for part in parts_of(model):
        ranks = layout.expert_ranks if part.sharding == "experts" else layout.tensor_parallel
        if part.sharding == "replicated":
            ranks = 1
        if part.sharding == "kv_heads":
            ranks = min(layout.tensor_parallel, part.kv_heads)
        size = part.parameters * plan.part_bytes(part) / ranks
        total += size
        skipped = part.group == "vision" or (part.group == "embedding" and not model.tie_embeddings)
        if not skipped:
            read += size * (share * crowding if part.sharding == "experts" else 1.0)
    if weights_bytes is not None and total > 0:
        return read * weights_bytes * layout.pipeline_parallel / total
    return read


def _crowding(model: Model, layout: Layout, share: float) -> float:
    """Return how many experts the busiest rank reads, per expert of the average rank.

    Whole experts lie on ranks, and every rank waits for the busiest: of ``n`` touched experts
    over ``R`` ranks it holds about ``n/R + sqrt(2 n/R ln R)``, at most all of its own. Split
    experts are read evenly. Handbook section 7.2.
    """
    ranks = layout.expert_ranks
    mixture = next((f for f in model.ffn if isinstance(f, MoeFfn)), None)
    if mixture is None or not layout.expert_parallel or ranks == 1:
        return 1.0
    mean = mixture.experts * share / ranks
    busiest = min(mixture.experts / ranks, mean + math.sqrt(2 * mean * math.log(ranks)))
    return busiest / mean


def _speed_class(model: Model, layout: Layout, gpu: Gpu, engine: str) -> str:
    if any(isinstance(f, MoeFfn) for f in model.ffn):
        return "mixture_spread" if layout.data_parallel > 1 else "mixture"
    if any(a.kind in {"gdn", "kda", "mamba2", "lightning"} for a in model.attention):
        return "hybrid"
    if layout.tensor_parallel > 1:
        return "dense_multi"
    hbm = gpu.memory_type.upper().startswith("HBM")
    return "llama_cpp_hbm" if engine == "llama_cpp" and hbm else "dense"


def _without_evidence(
    model: Model, plan: WeightPlan, layout: Layout, gpu: Gpu, streams: int
) -> str | None:
    """Return why no published measurement carries a decode estimate, or ``None``."""
    mixture = any(isinstance(f, MoeFfn) for f in model.ffn)
    old = gpu.architecture in {"volta", "turing", "ampere"}
    gaps = (
        (any(a.kind == "encoder" for a in model.attention), "an encoder does not decode"),
        (
            gpu.memory_bandwidth_gbs <= 0,
            "the memory bandwidth is not known (--gpu-memory-bandwidth-gbs)",
        ),
        (layout.pipeline_parallel > 1, _unmeasured("one stream through pipeline stages")),
        (
            layout.data_parallel > 1 and not _spread(model, layout),
            _unmeasured("streams over data-parallel ranks like these"),
        ),
        (layout.decode_context_parallel > 1, _unmeasured("decode context parallelism")),
        (layout.tensor_parallel > 8, _unmeasured("tensor parallel above 8")),
        (gpu.status == "announced" or gpu.vendor == "intel", _unmeasured(gpu.name)),
        (mixture and gpu.vendor == "amd", _unmeasured("a mixture on AMD with stated settings")),
        (
            mixture and old and "int4" in plan.format,
            "measured 4-bit mixtures on this generation lie outside every band",
        ),
        (streams > _LARGEST_STREAMS, _unmeasured(f"more than {_LARGEST_STREAMS} streams")),
    )
    missing = next((why for gap, why in gaps if gap), None)
    return None if missing is None else f"no estimate: {missing}"


def _spread(model: Model, layout: Layout) -> bool:
    """Tell whether each rank holds whole experts and the attention of its own streams (MLA)."""
    latent = any(a.kind == "mla" for a in model.attention)
    return latent and layout.expert_parallel and layout.tensor_parallel == 1


def _unmeasured(what: str) -> str:
    return f"no public measurement of {what} is known"


def decode_estimate(
    model: Model,
    plan: WeightPlan,
    layout: Layout,
    gpu: Gpu,
    load: DecodeLoad,
    *,
    engine: str,
    weights_bytes: float | None = None,
) -> Estimate:
    """Return tokens per second of one stream.

    Args:
        model: Shapes.
        plan: Weight format.
        layout: Parallel sizes.
        gpu: Peak bandwidth and vendor.
        load: How many sequences decode together, and what they read.
        engine: ``other`` widens the band by a quarter on both sides.
        weights_bytes: Stated weights per GPU, if any.

    Source: two-term rule over public measurements, handbook section 7.2.
    """
    reason = _without_evidence(model, plan, layout, gpu, load.streams)
    if reason is not None:
        return _none(reason)
    weights = decode_bytes_per_step(
        model, plan, layout, streams=load.streams, weights_bytes=weights_bytes
    )
    moved = weights + load.streams * load.cache_bytes_per_stream
    bound_s = moved / (gpu.memory_bandwidth_gbs * 1e9)
    speed_class = _speed_class(model, layout, gpu, engine)
    fastest, slowest = _step_seconds(bound_s, model.layers, speed_class, load.streams, engine)
    low_us, _, high_us = _LAYER_US[speed_class]
    assumes = (
        f"{load.streams} stream{'s' if load.streams > 1 else ''} of {load.context_tokens:,} live "
        "tokens, no speculative decoding; "
        f"{moved / 1e9:.1f} GB read per step and GPU at {gpu.memory_bandwidth_gbs:g} GB/s peak, "
        f"69-93 % of it reached, {low_us:.0f}-{high_us:.0f} us fixed cost per layer"
    )
    if speed_class == "mixture_spread":
        assumes += (
            "; streams per rank; extrapolated from two measurements of 72 and 144 ranks, both near "
            "the slow end"
        )
    return Estimate(1 / slowest, 1 / fastest, assumes)


def _step_seconds(
    bound_s: float, layers: int, speed_class: str, streams: int, engine: str
) -> tuple[float, float]:
    """Return the fastest and slowest step, given the seconds that reading memory takes at peak."""
    low_us, point_us, high_us = _LAYER_US[speed_class]
    fastest = bound_s / _BEST_BANDWIDTH + layers * low_us * 1e-6
    slowest = bound_s / _WORST_BANDWIDTH + layers * high_us * 1e-6
    if engine == "other":
        fastest, slowest = fastest * 0.8, slowest * 1.25
    if speed_class == "mixture_spread":
        slowest *= _SPREAD_SLOWER
    if streams > _EVIDENCE_STREAMS:
        slowest += layers * streams * _BATCH_US_PER_LAYER_AND_STREAM * 1e-6
    elif slowest > _WIDEST_RATIO * fastest and speed_class in _SINGLE_DENSE:
        point = bound_s / _POINT_BANDWIDTH + layers * point_us * 1e-6
        return point / math.sqrt(_WIDEST_RATIO), point * math.sqrt(_WIDEST_RATIO)
    return fastest, slowest
