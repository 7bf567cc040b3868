"""Candidates for fine-tuning and pretraining: the fewest GPUs of each kind that hold the job.

Owned machines are used whole once one GPU is not enough, and all of them for pretraining: idle
GPUs save nothing and the run ends sooner.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate, Candidates, Unfit
from advisor.consult.prices import Tariff
from advisor.consult.published import format_bits
from advisor.consult.situation import Card, Situation
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.training import SmallestWorld, TrainingPlan, smallest_world_size
from advisor.sizing.training_plan import Recompute
from advisor.sizing.training_result import USABLE, training_result
from advisor.sizing.training_time import training_hours
from advisor.store.model import Model

__all__ = ["DEFAULT_SEQUENCE", "find_training_candidates", "job_plan", "method_of"]

_LARGEST_JOB = 64
_NODES = (*range(2, 17), *range(18, 33, 2), *range(36, 65, 4), 80, 96, 128, 192, 256)
"""Nodes of one job that are tried: closer steps where a node more or less still counts."""
DEFAULT_SEQUENCE = 4096
_PATIENCE_HOURS = 24.0
"""A run that takes one GPU longer is spread over the machine it sits in."""


def method_of(situation: Situation) -> str:
    """Return what is trained: as stated, else adapters, or everything when from scratch."""
    stated = situation.answers.get("training.method")
    if isinstance(stated, str):
        return stated
    return "full" if situation.load.kind == "pretraining" else "lora"


def find_training_candidates(situation: Situation, tariff: Tariff) -> Candidates:
    """Size the job on every allowed GPU; keep the smallest safe count of each."""
    model = situation.load.model
    if model is None:
        return Candidates()
    counts: Counter[str] = Counter(reason for _, reason in situation.ruled_out)
    kept: list[Candidate] = []
    unfit: list[Unfit] = []
    considered = len(situation.ruled_out)
    for card in situation.cards:
        plan = job_plan(situation, card)
        world = _world(situation, model, plan, card)
        considered += len(world.tried)
        candidate = _candidate(situation, model, card, world, tariff)
        if candidate is not None:
            kept.append(candidate)
            continue
        missed = _unfit(situation, model, card, world)
        counts[missed.reason] += 1
        unfit.append(missed)
    kept.sort(key=_by_cost)
    return Candidates(tuple(kept), tuple(unfit), considered, dict(sorted(counts.items())))


def _text(answers: Answers, key: str, default: str) -> str:
    value = answers.get(key)
    return value if isinstance(value, str) else default


def _whole(answers: Answers, key: str, default: int) -> int:
    value = answers.get(key)
    return int(value) if isinstance(value, int | float) else default


def job_plan(situation: Situation, card: Card) -> TrainingPlan:
    """Return the job that the answers describe, with what was changed to make it fit."""
    answers = situation.answers
    method = method_of(situation)
    sharding = _text(answers, "training.sharding", "fsdp")
    plan = TrainingPlan(
        method=method,  # type: ignore[arg-type]
        sequence_tokens=_whole(answers, "training.sequence_tokens", DEFAULT_SEQUENCE),
        micro_batch=_whole(answers, "training.micro_batch", 1),
        optimizer=_text(answers, "training.optimizer", "adamw"),  # type: ignore[arg-type]
        master_weights=_text(answers, "training.master_weights", "fp32"),  # type: ignore[arg-type]
        recompute=_text(answers, "training.recompute", "none"),  # type: ignore[arg-type]
        offload=_text(answers, "training.offload", "none"),  # type: ignore[arg-type]
        sharding=sharding,  # type: ignore[arg-type]
        lora_rank=_whole(answers, "training.lora_rank", 16),
        gpus_per_node=max(card.per_node),
        gpu_architecture=card.gpu.architecture,
    )
    changes: dict[str, Any] = dict(situation.job)
    # ranks that share a sequence are part of the world, whose size is found later
    world = int(changes.get("context_parallel", 1))
    return replace(plan, **changes, world_size=world)


def _legal_counts(card: Card) -> tuple[int, ...]:
    largest = max(card.per_node)
    limit = card.max_gpus or _LARGEST_JOB
    inside = [n for n in (1, 2, 4, 8, 16, 32, 64, 72) if n <= min(largest, limit)]
    across = [largest * n for n in _NODES if largest * n <= limit]
    if largest == 1 and card.max_gpus is None:
        across = []  # nobody gets nodes of one GPU for a job that spans several
    return tuple(sorted({*inside, *across}))


def _world(situation: Situation, model: Model, plan: TrainingPlan, card: Card) -> SmallestWorld:
    """Return the fewest GPUs that hold the job for sure.

    Recomputation is chosen with them unless it was stated: of equal counts the one that
    recomputes least, since recomputing costs a third of the time.
    """
    levels: tuple[Recompute, ...] = ("none", "full")
    if situation.answers.is_given("training.recompute") or "recompute" in dict(situation.job):
        levels = (plan.recompute,)
    counts, budget = _legal_counts(card), card.memory_gib * USABLE
    worlds = []
    for level in levels:
        # one GPU has nothing to shard, so it is sized without the buffers of sharding
        if plan.context_parallel == 1:
            alone = replace(plan, recompute=level, sharding="none")
            worlds.append(smallest_world_size(model, alone, budget, (1,)))
        several = tuple(count for count in counts if count > 1)
        if several:
            worlds.append(
                smallest_world_size(model, replace(plan, recompute=level), budget, several)
            )
    return min(worlds, key=_gpus_needed, default=SmallestWorld(None, None, None, None, ()))


def _gpus_needed(world: SmallestWorld) -> tuple[float, float]:
    """Return a key: fewest safe GPUs first; of worlds that fail, the one that comes nearest."""
    needs = [need for _, need in world.tried if need is not None]
    count = world.safe_gpus or (world.gpus + 0.5 if world.gpus else math.inf)
    return count, 0.0 if world.gpus else min(needs, default=math.inf)


def _candidate(
    situation: Situation, model: Model, card: Card, world: SmallestWorld, tariff: Tariff
) -> Candidate | None:
    memory = world.safe_memory or (world.memory if world.gpus is not None else None)
    if memory is None:
        return None
    sized = _fitting(situation, model, card, memory.plan)
    if sized is None:
        return None
    plan, result = sized
    per_node = min(plan.gpus, max(card.per_node))
    nodes = math.ceil(plan.gpus / per_node)
    quote = None
    if not situation.owned:
        quote = tariff.quote(card.gpu.id, per_node, nodes, spanning=nodes > 1)
    layout = Layout(data_parallel=plan.gpus)
    name = f"{card.label}/{plan.method}/{plan.sharding}x{plan.gpus}"
    return Candidate(
        name, card, result.weight_format, layout, nodes, 1, 1, result, quote, plan.method != "qlora"
    )


def _fitting(
    situation: Situation, model: Model, card: Card, plan: TrainingPlan
) -> tuple[TrainingPlan, SizeResult] | None:
    """Return the job on whole owned nodes, else on the fewest GPUs whose hosts hold it too.

    More nodes leave less to each host, so a host that is too small may do in a larger job.
    """
    more = [count for count in _legal_counts(card) if count > plan.gpus]
    for count in (*_whole_nodes(situation, model, card, plan), plan.gpus, *more):
        if count % plan.context_parallel:
            continue
        # one GPU was sized without sharding; several follow what was stated, else are copies
        sharding = _text(situation.answers, "training.sharding", plan.sharding)
        wider = plan if count == plan.gpus else replace(plan, world_size=count)
        if plan.gpus == 1 < count:
            wider = replace(wider, sharding=sharding)  # type: ignore[arg-type]
        for level in _levels(situation, plan):
            job = replace(wider, recompute=level)
            result = _result(situation, model, card, job)
            close = any(problem.code == "borderline" for problem in result.problems)
            if result.fits and (level == plan.recompute or not close):
                return job, result
    return None


def _levels(situation: Situation, plan: TrainingPlan) -> tuple[Recompute, ...]:
    """Return what may be recomputed, least first: what was stated, else what the room asks for."""
    stated = situation.answers.is_given("training.recompute") or "recompute" in dict(situation.job)
    return (plan.recompute,) if stated or plan.recompute == "none" else ("none", plan.recompute)


def _whole_nodes(
    situation: Situation, model: Model, card: Card, plan: TrainingPlan
) -> tuple[int, ...]:
    """Return the count that leaves no owned GPU of a used machine idle, where that is more.

    One GPU that is enough stays alone unless the run would take it more than a day.
    """
    if not situation.owned or card.max_gpus is None:
        return ()
    largest = max(card.per_node)
    whole = math.ceil(plan.gpus / largest) * largest
    if situation.load.kind == "pretraining":
        whole = card.max_gpus // largest * largest
    elif plan.gpus == 1 and not _takes_long(situation, model, card, plan):
        return ()
    return (whole,) if plan.gpus < whole <= card.max_gpus else ()


def _takes_long(situation: Situation, model: Model, card: Card, plan: TrainingPlan) -> bool:
    tokens = situation.answers.get("training.dataset_tokens")
    rate = card.gpu.tflops.bf16
    if not isinstance(tokens, int | float) or not rate:
        return False
    hours = training_hours(
        model, float(tokens), 1, rate, recompute=plan.recompute, method=plan.method
    )
    return hours.low > _PATIENCE_HOURS


def _result(situation: Situation, model: Model, card: Card, plan: TrainingPlan) -> SizeResult:
    host = situation.answers.get("hardware.host_ram_gib")
    return training_result(
        model,
        card.gpu,
        plan,
        total_gib=card.memory_gib,
        weight_format=_trained_format(model, plan, card),
        host_ram_gib=float(host) if isinstance(host, int | float) else None,
    )


def _trained_format(model: Model, plan: TrainingPlan, card: Card) -> str:
    """Return the format of the weights while they are trained: frozen in 4 bit, or wide."""
    if plan.method == "qlora":
        return "nf4"
    wide = model.published_format if format_bits(model.published_format) >= 16 else "bf16"
    known = card.gpu.architecture != "unknown"
    return "fp16" if wide == "bf16" and known and not card.gpu.precisions.bf16 else wide


def _by_cost(candidate: Candidate) -> tuple[float, int, str]:
    usd = candidate.quote.usd_per_hour if candidate.quote else math.inf
    return (usd, candidate.total_gpus, candidate.id)


def _unfit(situation: Situation, model: Model, card: Card, world: SmallestWorld) -> Unfit:
    """Return the nearest miss with the number that blocks it."""
    if world.memory is None:
        return Unfit(card, None, "weights_exceed_memory", "no legal number of GPUs is there.")
    plan = world.memory.plan
    result = _result(situation, model, card, plan)
    blocking = [problem for problem in result.problems if problem.blocking]
    if not blocking:
        text = "the memory of this model's activations is not known."
        return Unfit(card, None, "unknown_attention", text, result)
    texts = [
        _too_large(result) if problem.code == "weights_exceed_memory" else problem.text
        for problem in blocking
    ]
    told = " ".join(f"{text[:1].upper()}{text[1:]}" for text in dict.fromkeys(texts))
    return Unfit(card, None, blocking[0].code, told, result)


def _too_large(result: SizeResult) -> str:
    """Return what each GPU needs, of what, beside what can be filled."""
    total, parts = result.total_gib_per_gpu, result.overheads
    assert total is not None  # noqa: S101 - only a known total exceeds anything
    gpus = result.layout.gpus
    where = "One GPU" if gpus == 1 else f"Over {gpus} GPUs each"
    usable = result.gpu_memory_gib * USABLE
    return (
        f"{where} needs {total.expected:.1f} GiB (states {result.training_states_gib_per_gpu:.1f}, "
        f"activations and logits {parts['activation_peak_gib']:.1f}) and can fill {usable:.1f} of "
        f"{result.gpu_memory_gib:.1f}."
    )
