"""How long a job runs, what it costs and what it moves: the numbers beside its memory."""

from __future__ import annotations

import math

from advisor.consult.candidate import TrainingRun
from advisor.consult.situation import Card, Situation
from advisor.consult.training_job import accumulation_of
from advisor.sizing.training_plan import TrainingPlan
from advisor.sizing.training_time import UTILISATION, training_hours
from advisor.sizing.training_traffic import micro_seconds, offload_seconds, traffic_of
from advisor.store.model import Model

__all__ = ["hours_of", "needed_gbps", "run_of"]


def needed_gbps(network_gb: float, seconds: float) -> float:
    """Return the Gbit/s per machine that carry ``network_gb`` within ``seconds``."""
    return network_gb * 8 / seconds


def run_of(
    situation: Situation,
    model: Model,
    card: Card,
    plan: TrainingPlan,
    *,
    why_split: str | None = None,
    sharded: TrainingPlan | None = None,
    why_count: str | None = None,
    fewest: TrainingPlan | None = None,
) -> TrainingRun:
    """Return the numbers of a job on one card.

    Args:
        situation: Names the data, the network and the accumulation.
        model: Shapes.
        card: The GPU.
        plan: The job as it is spread.
        why_split: Reason of a tensor-pipeline-data layout.
        sharded: The same job fully sharded, where it fits.
        why_count: Reason for more GPUs than the fewest.
        fewest: The job on the fewest GPUs, where more are taken.
    """
    answers, rate = situation.answers, card.gpu.tflops.bf16
    network, waits = _network(situation, model, plan)
    compute = micro_seconds(model, plan, rate) if rate else None
    instead = gbps_instead = None
    if sharded is not None:
        instead = traffic_of(model, sharded).per_micro(accumulation_of(answers, sharded))
        if instead and rate:
            gbps_instead = needed_gbps(instead, micro_seconds(model, sharded, rate))
    return TrainingRun(
        hours=_hours(situation, model, card, plan, waits),
        pace=plan.world_size / max(compute, waits[1] or 0.0) if compute else 0.0,
        compute_seconds=compute,
        network_gb=network,
        network_seconds=waits[1],
        offload_seconds=offload_seconds(model, plan, card.gpu),
        why_split=why_split,
        sharded_gb=instead,
        sharded_gbps=gbps_instead,
        sharded_nodes=sharded.nodes if sharded is not None else None,
        why_count=why_count,
        fewest_gpus=None if fewest is None else fewest.gpus,
        fewest_hours=None if fewest is None else hours_of(situation, model, card, fewest),
        changed=tuple(
            name for name, value in situation.job if answers.get(f"training.{name}") != value
        ),
    )


def hours_of(
    situation: Situation, model: Model, card: Card, plan: TrainingPlan
) -> tuple[float, float] | None:
    """Return the hours once over the data, best and worst; ``None`` where no data are named."""
    return _hours(situation, model, card, plan, _network(situation, model, plan)[1])


def _network(
    situation: Situation, model: Model, plan: TrainingPlan
) -> tuple[float, tuple[float | None, float | None]]:
    """Return GB for each micro-batch, and its seconds over the stated network: best and worst.

    Unless accumulation was stated, the best has so many micro-batches in a step that next to
    nothing is left of what a step brings.
    """
    answers, traffic = situation.answers, traffic_of(model, plan)
    network = traffic.per_micro(accumulation_of(answers, plan))
    gbps = answers.get("hardware.fabric_gbps") if plan.nodes > 1 else None
    if situation.elsewhere or not isinstance(gbps, int | float):
        return network, (None, None)
    given = answers.is_given("training.gradient_accumulation")
    least = network if given else traffic.micro_gb
    return network, (least * 8 / gbps, network * 8 / gbps)


def _hours(
    situation: Situation,
    model: Model,
    card: Card,
    plan: TrainingPlan,
    waits: tuple[float | None, float | None],
) -> tuple[float, float] | None:
    """Return the hours once over the data; a network slower than the arithmetic stretches them.

    So does waiting for states in host RAM.

    Args:
        situation: Names the data.
        model: Shapes.
        card: The GPU.
        plan: The job.
        waits: Seconds of the network for each micro-batch, at best and at worst.
    """
    tokens = situation.answers.get("training.dataset_tokens")
    if not isinstance(tokens, int | float):
        return None
    rate = card.gpu.tflops.bf16
    if not rate:
        return math.inf, math.inf
    hours = training_hours(
        model,
        float(tokens),
        plan.gpus,
        rate,
        recompute=plan.recompute,
        method=plan.method,
        sequence_tokens=plan.sequence_tokens,
    )
    worst, best = (micro_seconds(model, plan, rate, share) for share in UTILISATION)
    least, most = waits
    # states in host RAM are waited for once a step, and nothing of it is counted as hidden
    each = accumulation_of(situation.answers, plan)
    moved, longest = (s / each for s in offload_seconds(model, plan, card.gpu) or (0.0, 0.0))
    return (
        hours.low * (max(1.0, (least or 0.0) / best) + moved / best),
        hours.high * (max(1.0, (most or 0.0) / worst) + longest / worst),
    )
