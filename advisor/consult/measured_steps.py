"""The fact ``measured`` of a training step, beside the arithmetic of the job as it is stated."""

from __future__ import annotations

from dataclasses import replace

from advisor.consult.candidate_facts import known_only
from advisor.consult.situation import Card, Situation
from advisor.rules.facts import Fact, Scalar

__all__ = ["step_fact"]

_Missing = tuple[str, str]


def step_fact(situation: Situation, card: Card | None) -> Fact | None:
    """Return the measured time of a step beside its estimate.

    Args:
        situation: Describes the job.
        card: The GPU that is named.
    """
    value = situation.answers.get("observed.step_seconds")
    if not isinstance(value, int | float):
        return None
    fields: dict[str, Scalar | None] = {"what": "step", "of": "s for a step"}
    missing = _missing(situation, card)
    found = missing or _estimate(situation, card)
    if isinstance(found, tuple):
        text, give = found
        fields |= {"value": float(value), "not_compared": text, "give": give}
    else:
        fields |= {"step_s": float(value), **found}
        low, high = float(found["low"]), float(found["high"])
        fields |= {"percent_of_low": 100 * value / low, "times_high": value / high}
    return Fact("measured", "measured:step", known_only(**fields))


def _missing(situation: Situation, card: Card | None) -> _Missing | None:
    """Return why a step cannot be compared, and which answer would help."""
    answers = situation.answers
    if not situation.load.trains or situation.load.model is None:
        return "there is no training job here", "workload.kind"
    if card is None or not card.gpu.tflops.bf16:
        return "the GPU that it was measured on, or its rate, is not known", "hardware.gpu"
    for name in ("sequence_tokens", "micro_batch"):
        if not answers.is_given(f"training.{name}"):
            return "how many tokens a step takes is not known", f"training.{name}"
    sizes = (answers.get("layout.tensor_parallel"), answers.get("layout.pipeline_parallel"))
    if any(isinstance(size, int) and size > 1 for size in sizes):
        return "steps of tensor and pipeline ranks are not estimated", "nothing more"
    if _gpus(situation, card) is None:
        give = "training.workers and training.gpus_per_worker"
        return "on how many GPUs the job runs is not known", give
    return None


def _gpus(situation: Situation, card: Card) -> int | None:
    """Return on how many GPUs the job runs: those of its workers, else all that are owned."""
    answers = situation.answers
    workers, each = answers.get("training.workers"), answers.get("training.gpus_per_worker")
    if isinstance(workers, int) and isinstance(each, int):
        return workers * each
    return card.max_gpus


def _estimate(situation: Situation, card: Card | None) -> dict[str, Scalar] | _Missing:
    """Return both ends of the time of one step, seconds.

    Arithmetic at 45 and 25 % of the dense peak (a QLoRA step up to 1.66 times longer); the best
    end hides the network behind it, the worst adds it. Recomputation that is not stated is in the
    worst end only.
    """
    from advisor.consult.training_job import accumulation_of, job_plan, recompute_is_fixed
    from advisor.sizing.training_time import QLORA_SLOWDOWN, UTILISATION
    from advisor.sizing.training_traffic import micro_seconds, offload_seconds, traffic_of

    model = situation.load.model
    rate = card.gpu.tflops.bf16 if card else None
    gpus = _gpus(situation, card) if card else None
    if card is None or model is None or not rate or gpus is None:
        return "the job is not known well enough", "nothing more"
    plan = job_plan(situation, card)
    plan = replace(plan, world_size=gpus, gpus_per_node=_machine(situation, card))
    if plan.offload == "nvme":
        return "the speed of the drives is not known", "nothing more"
    slowest = plan if recompute_is_fixed(situation) else replace(plan, recompute="full")
    worst, best = UTILISATION
    times = accumulation_of(situation.answers, plan)
    slow = QLORA_SLOWDOWN if plan.method == "qlora" else 1.0
    low = times * micro_seconds(model, plan, rate, best)
    high = times * micro_seconds(model, slowest, rate, worst) * slow
    traffic, gbps = traffic_of(model, plan), situation.answers.get("hardware.fabric_gbps")
    counted = plan.nodes == 1 or isinstance(gbps, int | float)
    if plan.nodes > 1 and isinstance(gbps, int | float):
        network = (traffic.micro_gb * times + traffic.step_gb) * 8 / gbps
        low, high = max(low, network), high + network
    moved = offload_seconds(model, plan, card.gpu) or (0.0, 0.0)
    tokens = times * plan.tokens_per_gpu
    return {
        "low": low + moved[0],
        "high": high + moved[1],
        "gpus": gpus,
        "network_counted": counted,
        "on": f"{gpus} x {card.label} with {tokens:,.0f} tokens of each GPU in a step",
    }


def _machine(situation: Situation, card: Card) -> int:
    """Return the GPUs of one machine, as stated or as the card is sold."""
    stated = situation.answers.get("hardware.gpus_per_node")
    return stated if isinstance(stated, int) else card.machine_gpus
