"""Memory of a training job per GPU, and the fewest GPUs that hold it (handbook section 7.5).

Puts together states, activations and transients; the sums are in the sibling modules.
Checked against published peaks (torchtune's table for Llama 3.1 at 2 x 2,048 tokens on A100:
70B LoRA 27.6 GiB, 70B full with offloading 13.9 GiB per GPU; about 51 GB for a pure 16-bit 70B
with paged moments on eight).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.sizing.training_notes import TrainingNote, arithmetic_of, notes_of
from advisor.sizing.training_peaks import Peaks, peaks_of
from advisor.sizing.training_plan import GibRange, Recompute, TrainingPlan
from advisor.sizing.training_states import States, rank_parameters, states_of
from advisor.sizing.training_time import Hours, training_flops, training_hours
from advisor.sizing.training_transients import Transients, host_memory, transients_of
from advisor.store.model import Model

__all__ = [
    "Hours",
    "SmallestWorld",
    "TrainingMemory",
    "TrainingNote",
    "TrainingPlan",
    "lightest_recompute",
    "recommended_world",
    "smallest_world_size",
    "training_flops",
    "training_hours",
    "training_memory",
]

_RESERVE_OF_TRANSIENTS = GibRange(0.0, 0.10, 0.25)
"""Share of the memory that comes and goes which fragments; own estimate. States do not."""


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """GiB per GPU, unless the name says otherwise. ``None`` means not known, never zero."""

    plan: TrainingPlan
    weights: GibRange
    """Trained weights, or the frozen base of an adapter method."""
    gradients: GibRange
    optimizer_states: GibRange
    adapters: GibRange
    """Weights, gradients and optimizer of the adapters together."""
    states: GibRange
    """The four above. ``expected`` leaves paged moments to the host, ``high`` keeps them."""
    activations: GibRange | None
    """Kept for the backward pass, and the layer that is being rebuilt; without logits."""
    logits: GibRange | None
    activation_peak: GibRange | None
    """Activations and logits as far as they exist at one time."""
    gathered: GibRange
    buckets: GibRange
    dequantised: GibRange
    optimizer_step: GibRange
    """Exists only while activations do not."""
    reserve: GibRange | None
    """Fragmentation."""
    framework: GibRange
    total: GibRange | None
    host_ram_gib: GibRange
    """On the fullest node: offloaded or paged states, buffers, waiting checkpoints."""
    host_ram_job_gib: GibRange
    """The same over all nodes."""
    nvme_job_gib: float
    trainable_parameters: float
    """Trained parameters of one model-parallel rank."""
    notes: tuple[TrainingNote, ...]
    arithmetic: tuple[str, ...]

    @property
    def training_states_gib_per_gpu(self) -> float:
        """Expected states, as ``size`` prints them."""
        return self.states.expected

    @property
    def activations_gib_per_gpu(self) -> float | None:
        """Expected activations, as ``size`` prints them."""
        return self.activations.expected if self.activations else None

    @property
    def blocking(self) -> tuple[TrainingNote, ...]:
        """What makes the plan unable to run, whatever the memory."""
        return tuple(note for note in self.notes if note.blocking)

    def fits(self, gpu_gib: float) -> bool | None:
        """Tell whether the expected total fits; ``None`` when it is not known."""
        return None if self.total is None else self.total.expected <= gpu_gib

    def borderline(self, gpu_gib: float) -> bool:
        """Tell whether low and high disagree about fitting."""
        return self.total is not None and self.total.low <= gpu_gib < self.total.high


@dataclass(frozen=True, slots=True)
class SmallestWorld:
    """The fewest GPUs that hold the plan, or why there are none."""

    gpus: int | None
    """Fewest GPUs whose expected total fits."""
    memory: TrainingMemory | None
    """At ``gpus``; at the largest count tried when none fits."""
    safe_gpus: int | None
    """Fewest GPUs whose pessimistic total fits too."""
    safe_memory: TrainingMemory | None
    """At ``safe_gpus``."""
    tried: tuple[tuple[int, float | None], ...]
    """GPUs and expected GiB per GPU, in the order tried."""

    @property
    def borderline(self) -> bool:
        """Whether the pessimistic total does not fit at ``gpus``."""
        return self.gpus is not None and self.gpus != self.safe_gpus


def _total(states: States, peaks: Peaks, extra: Transients) -> tuple[GibRange, GibRange]:
    """Return the reserve and everything together."""
    moving = peaks.peak + extra.gathered + extra.buckets + extra.dequantised
    share = _RESERVE_OF_TRANSIENTS
    reserve = GibRange(
        moving.low * share.low, moving.expected * share.expected, moving.high * share.high
    )
    backward = moving + reserve
    step = extra.optimizer_step + extra.buckets
    return reserve, states.total + backward.larger(step) + extra.framework


def training_memory(model: Model, plan: TrainingPlan) -> TrainingMemory:
    """Return the memory of ``plan`` per GPU, with notes and the sums in words.

    An attention kind whose saved tensors are not known leaves activations, reserve and total
    at ``None``; the states are still right.
    """
    own = rank_parameters(model, plan.tensor_parallel, plan.pipeline_parallel)
    states = states_of(model, plan)
    peaks = peaks_of(model, plan)
    extra = transients_of(model, plan, own, states)
    reserve, total = _total(states, peaks, extra) if peaks else (None, None)
    host = host_memory(plan, states, peaks.on_host if peaks else GibRange.zero())
    return TrainingMemory(
        plan=plan,
        weights=states.weights,
        gradients=states.gradients,
        optimizer_states=states.optimizer,
        adapters=states.adapters,
        states=states.total,
        activations=peaks.activations if peaks else None,
        logits=peaks.logits if peaks else None,
        activation_peak=peaks.peak if peaks else None,
        gathered=extra.gathered,
        buckets=extra.buckets,
        dequantised=extra.dequantised,
        optimizer_step=extra.optimizer_step,
        reserve=reserve,
        framework=extra.framework,
        total=total,
        host_ram_gib=host.ram.times(min(plan.gpus, plan.gpus_per_node) / plan.gpus),
        host_ram_job_gib=host.ram,
        nvme_job_gib=host.nvme_gib,
        trainable_parameters=states.trainable,
        notes=notes_of(model, plan, states, peaks, host, total),
        arithmetic=arithmetic_of(plan, own, states, peaks, extra, total),
    )


def smallest_world_size(
    model: Model, plan: TrainingPlan, gpu_gib: float, legal_counts: Iterable[int]
) -> SmallestWorld:
    """Return the fewest of ``legal_counts`` GPUs whose expected total fits ``gpu_gib``.

    Counts are GPUs of the whole job; those that the model-parallel and context-parallel ranks
    do not divide are skipped. ``plan.world_size`` is replaced.
    """
    per_rank = plan.tensor_parallel * plan.pipeline_parallel
    tried: list[tuple[int, float | None]] = []
    gpus, chosen = None, None
    for count in sorted(set(legal_counts)):
        if count < 1 or count % (per_rank * plan.context_parallel):
            continue
        memory = training_memory(model, replace(plan, world_size=count // per_rank))
        tried.append((count, memory.total.expected if memory.total else None))
        if gpus is None:
            chosen = memory
            gpus = count if memory.fits(gpu_gib) else None
        if memory.total is not None and memory.total.high <= gpu_gib:
            return SmallestWorld(gpus, chosen, count, memory, tuple(tried))
    return SmallestWorld(gpus, chosen, None, None, tuple(tried))


def _levels(plan: TrainingPlan) -> tuple[Recompute, ...]:
    # with a fused attention kernel ``selective`` saves nothing over ``none``
    return ("none", "full") if plan.flash_attention else ("none", "selective", "full")


def lightest_recompute(model: Model, plan: TrainingPlan, gpu_gib: float) -> Recompute | None:
    """Return the cheapest recomputation with which ``plan`` fits as it stands, or ``None``."""
    for level in _levels(plan):
        if training_memory(model, replace(plan, recompute=level)).fits(gpu_gib):
            return level
    return None


def recommended_world(
    model: Model, plan: TrainingPlan, gpu_gib: float, legal_counts: Iterable[int]
) -> SmallestWorld:
    """Choose recomputation and GPUs together; the choice is in ``memory.plan``.

    Less recomputation wins while its safe count is at most twice that of full recomputation:
    the same work on twice the GPUs takes less than half the time then, since full
    recomputation costs a third. Without a safe count the fewest GPUs that are expected to
    fit are taken.
    """
    counts = tuple(legal_counts)
    worlds = [
        smallest_world_size(model, replace(plan, recompute=level), gpu_gib, counts)
        for level in _levels(plan)
    ]
    densest = worlds[-1]
    for world in worlds:
        if world.safe_gpus is not None and world.safe_gpus <= 2 * (densest.safe_gpus or 0):
            return world
    fitting = [world for world in worlds if world.gpus is not None]
    return min(fitting, key=lambda world: world.gpus or 0, default=densest)
