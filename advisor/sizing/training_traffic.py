"""What a training step moves between machines and over PCIe, beside its arithmetic.

Collectives are counted by the bytes that enter one machine (its GPUs pass them on over their own
links): gathering or reducing N bytes over m machines brings ``N * (m - 1) / m`` into each, the
bandwidth-optimal bound of ring and tree algorithms. Handbook section 7.5; the pattern of each
method is that of ZeRO (arXiv 1910.02054, section 7) and Megatron-LM (arXiv 2104.04473).
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.training_plan import TrainingPlan
from advisor.sizing.training_states import NF4_BYTES, rank_parameters, states_of
from advisor.sizing.training_time import training_flops
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["Traffic", "micro_seconds", "offload_seconds", "traffic_of"]

PLANNED_UTILISATION = 0.4
"""Share of the dense peak that a job reaches when nothing waits (handbook section 7.5)."""
_WIDE = 2.0
_PCIE_GBS = {3: 12.0, 4: 25.0, 5: 50.0, 6: 100.0}
"""What one x16 slot carries each way in practice."""
_HOST_GBS = (80.0, 300.0)
"""Memory bandwidth of one or two sockets that a CPU optimizer gets; own estimate."""
_STEP_BYTES = 30.0
"""Per trained parameter and step in host memory: gradient, master copy and two moments are read
in fp32, the last three written back, 16-bit weights written."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """GB that enter one machine over the network."""

    micro_gb: float
    """For each micro-batch."""
    step_gb: float
    """Once for each optimizer step."""

    def per_micro(self, accumulation: int) -> float:
        """Return GB for each micro-batch, with its share of the step's."""
        return self.micro_gb + self.step_gb / accumulation


def _gradient(plan: TrainingPlan) -> float:
    return 4.0 if plan.gradient_dtype == "fp32" else _WIDE


def traffic_of(model: Model, plan: TrainingPlan) -> Traffic:
    """Return what crosses the network; nothing while the job sits in one machine."""
    if plan.nodes == 1:
        return Traffic(0.0, 0.0)
    if plan.tensor_parallel * plan.pipeline_parallel > 1:
        return _split(model, plan)
    away = (plan.nodes - 1) / plan.nodes / 1e9
    own, states = rank_parameters(model, 1, 1), states_of(model, plan)
    trained = states.trainable
    if not plan.shards_weights:
        # gradients are reduced and weights gathered: an all-reduce, or its two halves
        return Traffic(0.0, (_gradient(plan) + _WIDE) * trained * away)
    base = own.narrow * (NF4_BYTES if plan.method == "qlora" else _WIDE) + _WIDE * own.wide
    # every block is gathered for the forward and again for the backward pass
    return Traffic((2.0 * base + _gradient(plan) * trained) * away, 0.0)


def _split(model: Model, plan: TrainingPlan) -> Traffic:
    """Return the traffic of tensor, pipeline and data ranks, placed in this order.

    Data ranks of a stage fill a machine before the next stage begins (Megatron's order), so that
    a machine holds whole stages, or a part of one.
    """
    parameters = rank_parameters(model, 1, 1).total / plan.pipeline_parallel
    machines = plan.nodes / plan.pipeline_parallel
    away = max(0.0, (machines - 1) / machines)
    step = (_gradient(plan) + _WIDE) * parameters * away
    pipelines = min(plan.gpus_per_node / plan.tensor_parallel, float(plan.world_size))
    boundary = _WIDE * plan.tokens_per_gpu * model.hidden_size
    crossing = 2.0 if plan.pipeline_parallel > 1 else 0.0
    return Traffic(crossing * boundary * pipelines / 1e9, step / 1e9)


def micro_seconds(
    model: Model, plan: TrainingPlan, bf16_tflops: float, share: float = PLANNED_UTILISATION
) -> float:
    """Return the seconds of arithmetic of one micro-batch on one GPU."""
    flops = training_flops(
        model,
        plan.tokens_per_gpu,
        plan.recompute,
        method=plan.method,
        sequence_tokens=plan.sequence_tokens,
    )
    ranks = plan.tensor_parallel * plan.pipeline_parallel
    return flops / ranks / (bf16_tflops * 1e12 * share)


def offload_seconds(model: Model, plan: TrainingPlan, gpu: Gpu) -> tuple[float, float] | None:
    """Return what a step adds when states wait in host RAM: PCIe and the CPU's optimizer.

    An order of magnitude: nothing is counted as hidden behind arithmetic. ``None`` where states
    stay on the GPU or the card's slot is not known.
    """
    slot = _PCIE_GBS.get(gpu.interconnect.pcie_generation or 0)
    if plan.offload != "cpu" or slot is None:
        return None
    own, trained = rank_parameters(model, 1, 1), states_of(model, plan).trainable
    moved = (_gradient(plan) + _WIDE) * trained
    if plan.shards_weights:
        narrow = NF4_BYTES if plan.method == "qlora" else _WIDE
        moved = 2.0 * (own.narrow * narrow + _WIDE * own.wide) + _gradient(plan) * trained
    over_pcie = moved / plan.world_size / (slot * 1e9)
    touched = _STEP_BYTES * trained * min(plan.gpus, plan.gpus_per_node) / plan.gpus
    slow, fast = (touched / (rate * 1e9) for rate in _HOST_GBS)
    return over_pcie + fast, 2.0 * over_pcie + slow
