"""Weights, gradients and optimizer states: bytes per parameter, and who holds which share.

Every figure is the sum of its parts (handbook section 7.5): 16-bit weight 2, gradient 2 (or 4),
fp32 master copy 4, two Adam moments 8 (arXiv 1910.02054); 8-bit moments 1 each (bitsandbytes);
without a master copy the moments take the 16-bit type of the weights. ZeRO stage 1 shards the
optimizer, stage 2 also gradients, stage 3 and FSDP also weights.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.parameters import parts_of
from advisor.sizing.training_plan import GibRange, TrainingPlan
from advisor.sizing.training_shapes import adapter_parameters
from advisor.store.model import Model

__all__ = ["NF4_BYTES", "RankParameters", "States", "rank_parameters", "states_of"]

NF4_BYTES = 0.5 + 1 / 64 + 4 / (64 * 256)
"""4 bit, one 8-bit scale per 64 weights, one fp32 scale per 256 scales (arXiv 2305.14314)."""
WIDE_BYTES = 2.0


@dataclass(frozen=True, slots=True)
class RankParameters:
    """Parameters that one model-parallel rank owns before any sharding over ranks."""

    narrow: float
    """Projections: what 4-bit quantisation shrinks and Muon handles as matrices."""
    wide: float
    """Embeddings, head, router, norms, vision tower."""
    embedding: float
    """The part of ``wide`` that is the token table."""

    @property
    def total(self) -> float:
        """All of them."""
        return self.narrow + self.wide


@dataclass(frozen=True, slots=True)
class States:
    """States of one GPU, and what was moved off it."""

    weights: GibRange
    """Trained weights, or the frozen base of an adapter method."""
    gradients: GibRange
    optimizer: GibRange
    adapters: GibRange
    """Weights, gradients and optimizer of the adapters together."""
    trainable: float
    """Trained parameters of one model-parallel rank."""
    paged: float = 0.0
    """Bytes of moments per GPU that may leave for host RAM."""
    moved: float = 0.0
    """Bytes of states per GPU that offloading places elsewhere."""
    moved_gradient_copies: float = 0.0
    """Further bytes per GPU of an offloading optimizer that keeps gradients in fp32."""

    @property
    def total(self) -> GibRange:
        """Everything that stays for the whole run."""
        return self.weights + self.gradients + self.optimizer + self.adapters


def rank_parameters(model: Model, tensor: int, stages: int) -> RankParameters:
    """Return the parameters on the fullest of ``tensor`` x ``stages`` model-parallel ranks."""
    layer_share = -(-model.layers // stages) / model.layers
    narrow = wide = 0.0
    first = last = embedding = 0.0
    for part in parts_of(model):
        ranks = {"tensor": tensor, "experts": tensor, "replicated": 1}.get(
            part.sharding, min(tensor, part.kv_heads or tensor)
        )
        owned = part.parameters / ranks
        if part.per_layer:
            narrow += owned * layer_share if part.linear else 0.0
            wide += 0.0 if part.linear else owned * layer_share
        elif part.group == "head":
            last += owned
        else:
            first += owned
            embedding += owned if part.group == "embedding" else 0.0
    if stages > 1 and model.tie_embeddings:
        last = max(last, embedding)
    return RankParameters(
        narrow, wide + (first + last if stages == 1 else max(first, last)), embedding
    )


def _moments(plan: TrainingPlan, model: Model, own: RankParameters) -> tuple[float, float, float]:
    """Return bytes of optimizer moments before sharding: low, expected, high."""
    each = 4.0 if plan.master_weights == "fp32" else 2.0
    n = own.total
    if plan.optimizer in {"adamw_8bit", "paged_adamw_8bit"}:
        # trainers may keep the moments of the token table in fp32
        return 2 * n, 2 * n, 2 * n + 6 * own.embedding
    if plan.optimizer == "sgd":
        return each * n, each * n, each * n
    if plan.optimizer == "muon":
        mixed = each * own.narrow + 2 * each * own.wide
        return mixed, mixed, mixed
    if plan.optimizer == "adafactor":
        # one fp32 number per row and column; a first moment only when asked for
        factored = 8.0 * n / model.hidden_size
        return factored, factored, factored + each * n
    return 2 * each * n, 2 * each * n, 2 * each * n


@dataclass(frozen=True, slots=True)
class _Bytes:
    """Bytes of one set of trained parameters on one GPU, sharding applied."""

    weights: float
    gradients: float
    gradients_high: float
    master: float
    moments: tuple[float, float, float]


def _trained(plan: TrainingPlan, model: Model, own: RankParameters) -> _Bytes:
    n, ranks = own.total, plan.world_size
    gradient = 4.0 if plan.gradient_dtype == "fp32" else 2.0
    optimizer_ranks = 1 if plan.sharding == "none" else ranks
    low, expected, high = _moments(plan, model, own)
    return _Bytes(
        weights=WIDE_BYTES * n / (ranks if plan.shards_weights else 1),
        gradients=gradient * n / (ranks if plan.shards_gradients else 1),
        # DeepSpeed's estimator of stage 2 counts a whole copy of the gradients
        gradients_high=gradient * n / (ranks if plan.shards_weights else 1),
        master=(4.0 if plan.master_weights == "fp32" else 0.0) * n / optimizer_ranks,
        moments=(low / optimizer_ranks, expected / optimizer_ranks, high / optimizer_ranks),
    )


def _base(plan: TrainingPlan, own: RankParameters) -> tuple[float, float]:
    """Return bytes of the frozen base on one GPU: expected and high."""
    ranks = plan.world_size if plan.shards_weights else 1
    if plan.method == "lora":
        return WIDE_BYTES * own.total / ranks, WIDE_BYTES * own.total / ranks
    narrow = NF4_BYTES * own.narrow
    # preparing a 4-bit model for training may cast what stays wide to fp32 (PEFT)
    return (narrow + WIDE_BYTES * own.wide) / ranks, (narrow + 4.0 * own.wide) / ranks


def _adapters(model: Model, plan: TrainingPlan) -> RankParameters:
    # half of every adapter is replicated over tensor-parallel ranks: counted whole
    layer_share = -(-model.layers // plan.pipeline_parallel) / model.layers
    return RankParameters(adapter_parameters(model, plan) * layer_share, wide=0.0, embedding=0.0)


def _resident(plan: TrainingPlan, trained: _Bytes) -> tuple[GibRange, GibRange, GibRange]:
    """Return trained weights, gradients and optimizer that stay on the GPU."""
    low, expected, high = (trained.master + moments for moments in trained.moments)
    weights = GibRange.of_bytes(trained.weights)
    gradients = GibRange.of_bytes(trained.gradients, high=trained.gradients_high)
    if plan.offload != "none":
        return (
            GibRange.zero() if plan.shards_weights else weights,
            GibRange.zero() if plan.shards_gradients else gradients,
            GibRange.zero(),
        )
    if plan.optimizer == "paged_adamw_8bit":
        # moments live in unified memory and leave for host RAM when the GPU is full
        return weights, gradients, GibRange.of_bytes(trained.master, high=high)
    return weights, gradients, GibRange.of_bytes(expected, low=low, high=high)


def _moved(plan: TrainingPlan, trained: _Bytes, base: float, parameters: float) -> dict[str, float]:
    """Return what offloading moves off one GPU, in bytes."""
    if plan.offload == "none":
        paged = trained.moments[1] if plan.optimizer == "paged_adamw_8bit" else 0.0
        return {"paged": paged}
    moved, copies = trained.master + trained.moments[1], 0.0
    if plan.shards_gradients:
        moved += trained.gradients
    if plan.sharding in {"zero2", "zero3"}:
        # DeepSpeed's CPU optimizer works on an fp32 copy of its gradients
        copies = max(0.0, 4.0 * parameters / plan.world_size - trained.gradients)
    if plan.shards_weights:
        moved += trained.weights + base
    return {"moved": moved, "moved_gradient_copies": copies}


def states_of(model: Model, plan: TrainingPlan) -> States:
    """Return the states of one GPU and what offloading or paging moved off it."""
    own = rank_parameters(model, plan.tensor_parallel, plan.pipeline_parallel)
    full = plan.method == "full"
    trainable = own if full else _adapters(model, plan)
    trained = _trained(plan, model, trainable)
    base, base_high = (0.0, 0.0) if full else _base(plan, own)
    weights, gradients, optimizer = _resident(plan, trained)
    moved = _moved(plan, trained, base, trainable.total)
    if full:
        return States(weights, gradients, optimizer, GibRange.zero(), trainable.total, **moved)
    gone = plan.offload != "none" and plan.shards_weights
    frozen = GibRange.zero() if gone else GibRange.of_bytes(base, high=base_high)
    adapters = weights + gradients + optimizer
    return States(frozen, GibRange.zero(), GibRange.zero(), adapters, trainable.total, **moved)
