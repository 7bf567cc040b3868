"""How long one prompt takes and how many prompt tokens a second an engine reads.

One law for both: FLOPs ``2*N*T`` plus attention, at 15 to 65 % of the dense peak, plus the
all-reduce of a split. It is arithmetic over a wide span of utilisation: an order of magnitude
and no more (vendors' own estimators miss by 45 % in the median). Handbook section 7.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from advisor.sizing.layout import Layout
from advisor.sizing.parameters import active_parameters, parts_of
from advisor.sizing.speed import Estimate
from advisor.sizing.weights import WeightPlan
from advisor.store.gpu import Gpu
from advisor.store.model import (
    EncoderAttention,
    FullAttention,
    MlaAttention,
    Model,
    WindowedAttention,
)

__all__ = ["Prefill", "one_direction_gbs", "over_ring"]

_BEST_COMPUTE, _WORST_COMPUTE = 0.65, 0.15
"""Shares of the dense peak: planning values of public estimators lie between (0.32 to 0.55)."""
_WORST_EXCHANGE = 3.0
"""How much longer than a ring an all-reduce takes at most over NVLink or a fabric."""
_BEST_OVER_PCIE = {2: 1.6, 4: 2.5, 8: 2.6}
_WORST_OVER_PCIE = {2: 2.0, 4: 6.5, 8: 23.0}
"""Measured times of a large all-reduce over those of a ring, by ranks: the best host (PCIe 5,
RTX PRO 6000) and the worst (PCIe 4, L40S on two sockets); handbook section 7.1, catalogue
``allreduce``."""
_WORST_LAYER_US = 300.0
"""Fixed cost of a layer and step at the slow end: launches and the host."""


@dataclass(frozen=True, slots=True)
class Prefill:
    """Prompts of one length on one layout."""

    model: Model
    plan: WeightPlan
    layout: Layout
    gpu: Gpu
    prompt_tokens: int | None
    """Tokens of one prompt, or of one text that is embedded."""

    def first_token_ms(self) -> Estimate:
        """Return milliseconds to the first token of one prompt on an idle engine."""
        peak, reason = self._peak()
        if peak is None:
            return _none(reason)
        if _encodes(self.model):
            return _none("an encoder has no first token")
        fastest, slowest = self._seconds(peak, steps=1.0)
        assumes = (
            f"one prompt of {self.prompt_tokens:,} tokens, empty queue, no cached prefix, "
            f"{_span(peak)}; order of magnitude only"
        )
        return Estimate(fastest * 1e3, slowest * 1e3, assumes)

    def tokens_per_second(self, step_tokens: int | None) -> Estimate:
        """Return prompt tokens a second of an engine that does nothing else.

        The law of :meth:`first_token_ms` with stages and data-parallel ranks all at work, and
        with short prompts sharing a step.

        Args:
            step_tokens: Prompt tokens that one step takes at most (``max_num_batched_tokens``).
        """
        peak, reason = self._peak()
        if peak is None or not self.prompt_tokens:
            return _none(reason)
        steps = self.prompt_tokens / max(1, step_tokens or self.prompt_tokens)
        fastest, slowest = self._seconds(peak, steps=steps)
        at_once = self.prompt_tokens * self.layout.pipeline_parallel * self.layout.data_parallel
        assumes = (
            f"prompts of {self.prompt_tokens:,} tokens one after another and nothing else, no "
            f"cached prefix, {_span(peak)}; order of magnitude only"
        )
        return Estimate(at_once / slowest, at_once / fastest, assumes)

    def _peak(self) -> tuple[float | None, str]:
        """Return the dense peak that applies, or why nothing can be said."""
        if not self.prompt_tokens:
            return None, "no prompt length given (--prompt-tokens)"
        peak = _peak_tflops(self.plan, self.gpu)
        if peak is None or self.gpu.status == "announced":
            return None, f"no dense peak rate of {self.gpu.name} is known"
        return peak, ""

    def _seconds(self, peak_tflops: float, *, steps: float) -> tuple[float, float]:
        """Return the fastest and slowest passage of one prompt through all layers.

        Args:
            peak_tflops: Dense peak of one GPU.
            steps: Engine steps that the prompt pays for; below one when several share a step.
        """
        tokens = self.prompt_tokens or 0
        flops = 2 * _parameters_per_token(self.model) * tokens
        flops += _attention_flops(self.model, tokens)
        seconds = flops / self.layout.tensor_parallel / (peak_tflops * 1e12)
        ring = _all_reduce_seconds(self.model, self.layout, self.gpu, tokens)
        least, most = over_ring(self.layout, self.gpu)
        fixed = self.model.layers * _WORST_LAYER_US * 1e-6 * steps
        fastest = seconds / _BEST_COMPUTE + least * ring
        slowest = seconds / _WORST_COMPUTE + most * ring + fixed
        return fastest, slowest


def _none(reason: str) -> Estimate:
    return Estimate(None, None, reason)


def _span(peak_tflops: float) -> str:
    best, worst = _BEST_COMPUTE * 100, _WORST_COMPUTE * 100
    return f"{worst:.0f}-{best:.0f} % of {peak_tflops:g} dense TFLOPS per GPU"


def _encodes(model: Model) -> bool:
    return any(a.kind == "encoder" for a in model.attention)


def _parameters_per_token(model: Model) -> float:
    """Return the parameters that each token of a prompt is multiplied with.

    A model that embeds or ranks has no output head, so a tied table is a mere look-up there.
    """
    active = active_parameters(model)
    if model.modality in {"embedding", "reranker"} and model.tie_embeddings:
        active -= sum(part.parameters for part in parts_of(model) if part.group == "embedding")
    return active


def _attention_flops(model: Model, prompt_tokens: int) -> float:
    """Return attention FLOPs of one prompt.

    Causal: ``2*L*H*d*T^2``, less inside windows; an encoder looks both ways, twice as much.
    """
    total = 0.0
    for a in model.attention:
        if isinstance(a, FullAttention):
            total += 2.0 * a.layers * a.heads * a.head_dim * prompt_tokens**2
        elif isinstance(a, EncoderAttention):
            total += 4.0 * a.layers * a.heads * a.head_dim * prompt_tokens**2
        elif isinstance(a, WindowedAttention):
            seen = min(prompt_tokens, 2 * a.window)
            total += 2.0 * a.layers * a.heads * a.head_dim * prompt_tokens * seen
        elif isinstance(a, MlaAttention):
            width = (a.qk_nope_head_dim or 128) + a.qk_rope_head_dim
            total += 2.0 * a.layers * a.heads * width * prompt_tokens**2
    return total


def _peak_tflops(plan: WeightPlan, gpu: Gpu) -> float | None:
    rates = gpu.tflops
    if plan.format in {"fp8", "fp8_block", "mxfp8"} and gpu.precisions.fp8 and rates.fp8:
        return rates.fp8
    if plan.format == "int8" and gpu.precisions.int8 and rates.int8:
        # generations that dropped the units keep a token rate: kernels compute in bf16 there
        return max(rates.int8, rates.bf16 or 0.0)
    if plan.format in gpu.precisions.fp4_formats and rates.fp4:
        return rates.fp4
    return rates.bf16


def one_direction_gbs(gpu: Gpu, ranks: int) -> float:
    """Return one direction of the link that joins ``ranks`` GPUs, GB/s."""
    links = gpu.interconnect
    if ranks <= gpu.scale_up_gpus and links.nvlink_bidirectional_gbs:
        return links.nvlink_bidirectional_gbs / 2
    if ranks <= gpu.scale_up_gpus and links.fabric_bidirectional_gbs:
        return links.fabric_bidirectional_gbs / 2
    # x16: 1 GB/s per lane and direction at generation 3, doubling with each generation
    return 16.0 * math.pow(2, (links.pcie_generation or 4) - 3)


def over_ring(layout: Layout, gpu: Gpu) -> tuple[float, float]:
    """Return how many times longer than a ring an all-reduce takes, at best and at worst."""
    ranks, links = layout.tensor_parallel, gpu.interconnect
    joined = links.nvlink_bidirectional_gbs or links.fabric_bidirectional_gbs
    if ranks <= gpu.scale_up_gpus and joined:
        return 1.0, _WORST_EXCHANGE
    measured = min((n for n in _BEST_OVER_PCIE if n >= ranks), default=max(_BEST_OVER_PCIE))
    worst = _WORST_OVER_PCIE[measured]
    if (links.pcie_generation or 4) > 4:
        worst = _WORST_EXCHANGE
    return _BEST_OVER_PCIE[measured], worst


def _all_reduce_seconds(model: Model, layout: Layout, gpu: Gpu, tokens: int) -> float:
    """Ring estimate ``2*(n-1)/n * bytes / link`` twice per layer; handbook section 7.1."""
    ranks = layout.tensor_parallel
    if ranks == 1:
        return 0.0
    message = tokens * model.hidden_size * 2.0
    once = 2 * (ranks - 1) / ranks * message / (one_direction_gbs(gpu, ranks) * 1e9)
    return 2 * model.layers * once
