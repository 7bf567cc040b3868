"""What one micro-batch adds on a GPU: kept activations, the layer in work, the logits.

Recomputation follows Korthikanti and others (arXiv 2205.05198): ``selective`` drops the score
term (nothing is left to drop once a fused kernel is used), ``full`` keeps ``2*s*b*h`` per layer
and rebuilds one layer at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.sizing.training_activations import HalfLayers, Saved, half_layers
from advisor.sizing.training_plan import GibRange, TrainingPlan
from advisor.sizing.training_shapes import ffn_is_trained
from advisor.store.model import Model

__all__ = ["Peaks", "peaks_of"]

_LOGIT_BYTES = (2.0, 10.0, 14.0)
"""Per logit: 16-bit output 2; with fp32 copy 4 and its gradient 4; with one more fp32 copy."""
_LOSS_CHUNKS = 8
"""Pieces of a chunked loss (torchtune's default)."""
_OFFLOADED_CHECKPOINTS_LEFT = 2
"""Layers whose checkpoints are on the GPU while the others wait in host RAM."""


@dataclass(frozen=True, slots=True)
class Peaks:
    """Memory of one micro-batch on one GPU."""

    stored: GibRange
    """Kept from forward to backward, all layers."""
    live: GibRange
    """The layer that is rebuilt in the backward pass."""
    logits: GibRange
    peak: GibRange
    """What exists at once: logits and the rebuilt layer do not."""
    on_host: GibRange
    """Checkpoints that wait in host RAM."""

    @property
    def activations(self) -> GibRange:
        """Kept activations and the layer in work, without logits."""
        return self.stored + self.live


def _sum(plan: TrainingPlan, layers: Iterable[tuple[Saved, int]], bound: int) -> float:
    """Return bytes per token and GPU over ``layers``, without scores."""
    t = plan.tensor_parallel
    residual_ranks = t if plan.sequence_parallel else 1
    return sum(
        count * saved.per_token(bound, residual_ranks=residual_ranks, ranks=t)
        for saved, count in layers
    )


def _scores(plan: TrainingPlan, saved: Saved) -> float:
    if plan.flash_attention:
        return 0.0
    return saved.scores(plan.sequence_tokens, plan.tensor_parallel)


def _largest(plan: TrainingPlan, half: tuple[tuple[Saved, int], ...], bound: int) -> float:
    return max(
        (_sum(plan, [(saved, 1)], bound) + _scores(plan, saved) for saved, _ in half), default=0.0
    )


def _stored_and_live(
    plan: TrainingPlan, model: Model, halves: HalfLayers, bound: int
) -> tuple[float, float]:
    """Return bytes per token kept and in work, for one bound."""
    linear = _sum(plan, halves.all, bound)
    scores = sum(count * _scores(plan, saved) for saved, count in halves.attention)
    one_score = max((_scores(plan, saved) for saved, _ in halves.attention), default=0.0)
    if plan.recompute == "none":
        return linear + scores, 0.0
    if plan.recompute == "selective":
        return linear, one_score
    residual_ranks = plan.tensor_parallel if plan.sequence_parallel else 1
    kept = 2.0 * model.hidden_size * model.layers / residual_ranks
    live = _largest(plan, halves.attention, bound) + _largest(plan, halves.ffn, bound)
    # a model of one or two layers gains nothing from checkpoints
    return min(kept, linear), min(live, max(0.0, linear + one_score - min(kept, linear)))


def _logits(model: Model, plan: TrainingPlan) -> GibRange:
    vocabulary = model.vocab_size or 0
    if model.modality in {"embedding", "reranker"}:
        vocabulary = 0  # trained on pooled vectors, no head over the vocabulary
    count = plan.tokens_per_gpu * vocabulary / plan.tensor_parallel
    low, expected, high = _LOGIT_BYTES
    if plan.chunked_loss:
        # best: fused with the head, one piece; worst: 16-bit logits and gradients exist whole
        low, expected, high = low / _LOSS_CHUNKS, expected / _LOSS_CHUNKS, 4.0
    return GibRange.of_bytes(expected * count, low=low * count, high=high * count)


def peaks_of(model: Model, plan: TrainingPlan) -> Peaks | None:
    """Return the memory of one micro-batch, or ``None`` when an attention kind is not known.

    With pipeline stages the first one keeps as many micro-batches as there are stages
    (1F1B), so that kept activations do not shrink with the stages; the last stage holds one
    micro-batch and the logits.
    """
    halves = half_layers(model, ffn_adapted=ffn_is_trained(plan, model))
    if halves is None:
        return None
    bounds = [_stored_and_live(plan, model, halves, bound) for bound in range(3)]
    tokens = plan.tokens_per_gpu
    stored = _range([kept * tokens for kept, _ in bounds])
    live = _range([work * tokens for _, work in bounds])
    on_host = GibRange.zero()
    if plan.offload_activations and plan.recompute == "full":
        share = min(1.0, _OFFLOADED_CHECKPOINTS_LEFT / model.layers)
        stored, on_host = stored.times(share), stored.times(1 - share)
    logits = _logits(model, plan)
    last_stage = stored.times(1 / plan.pipeline_parallel) + live.larger(logits)
    peak = last_stage.larger(stored + live)
    return Peaks(stored=stored, live=live, logits=logits, peak=peak, on_host=on_host)


def _range(values: list[float]) -> GibRange:
    low, expected, high = values
    return GibRange.of_bytes(expected, low=low, high=high)
