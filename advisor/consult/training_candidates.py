"""Candidates for fine-tuning and pretraining: the fewest GPUs of each kind that hold the job."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate, Candidates, Unfit
from advisor.consult.consultation import Assumption
from advisor.consult.prices import Tariff
from advisor.consult.published import format_bits
from advisor.consult.situation import Card, Situation
from advisor.sizing.layout import Layout
from advisor.sizing.training import SmallestWorld, TrainingPlan, smallest_world_size
from advisor.sizing.training_plan import Recompute
from advisor.sizing.training_result import training_result
from advisor.store.model import Model

__all__ = ["find_training_candidates", "smaller_jobs", "training_assumptions"]

_USABLE = 0.97
_LARGEST_JOB = 64
_NODES = (*range(2, 17), *range(18, 33, 2), *range(36, 65, 4), 80, 96, 128, 192, 256)
"""Nodes of one job that are tried: closer steps where a node more or less still counts."""
_DEFAULT_SEQUENCE = 4096


def training_assumptions(situation: Situation) -> tuple[Assumption, ...]:
    """Return what is assumed of the job where the answers are silent."""
    answers = situation.answers
    found = []
    defaults = (
        ("training.method", _method(situation), "adapters are the usual first step"),
        ("training.sequence_tokens", _DEFAULT_SEQUENCE, "a common length of samples"),
        ("training.optimizer", "adamw", "the optimizer most recipes use"),
    )
    for key, value, why in defaults:
        if not answers.is_given(key):
            found.append(Assumption(key=key, value=value, why=why, section="7.5"))
    return tuple(found)


def _method(situation: Situation) -> str:
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
        plan = _plan(situation, card)
        world = _world(situation.answers, model, plan, card)
        considered += len(world.tried)
        candidate = _candidate(situation, model, card, world, tariff)
        if candidate is not None:
            kept.append(candidate)
            continue
        counts["weights_exceed_memory"] += 1
        unfit.append(_unfit(card, world))
    kept.sort(key=_by_cost)
    return Candidates(tuple(kept), tuple(unfit), considered, dict(sorted(counts.items())))


def _text(answers: Answers, key: str, default: str) -> str:
    value = answers.get(key)
    return value if isinstance(value, str) else default


def _whole(answers: Answers, key: str, default: int) -> int:
    value = answers.get(key)
    return int(value) if isinstance(value, int | float) else default


def _plan(situation: Situation, card: Card) -> TrainingPlan:
    answers = situation.answers
    method = _method(situation)
    sharding = _text(answers, "training.sharding", "fsdp")
    return TrainingPlan(
        method=method,  # type: ignore[arg-type]
        sequence_tokens=_whole(answers, "training.sequence_tokens", _DEFAULT_SEQUENCE),
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


def _legal_counts(card: Card) -> tuple[int, ...]:
    largest = max(card.per_node)
    limit = card.max_gpus or _LARGEST_JOB
    inside = [n for n in (1, 2, 4, 8, 16, 32, 64, 72) if n <= min(largest, limit)]
    across = [largest * n for n in _NODES if largest * n <= limit] if largest > 1 else []
    return tuple(sorted({*inside, *across}))


def _world(answers: Answers, model: Model, plan: TrainingPlan, card: Card) -> SmallestWorld:
    """Return the fewest GPUs that hold the job for sure.

    Recomputation is chosen with them unless it was stated: of equal counts the one that
    recomputes least, since recomputing costs a third of the time.
    """
    levels: tuple[Recompute, ...] = ("none", "full")
    if answers.is_given("training.recompute"):
        levels = (plan.recompute,)
    counts, budget = _legal_counts(card), card.memory_gib * _USABLE
    worlds = []
    for level in levels:
        # one GPU has nothing to shard, so it is sized without the buffers of sharding
        alone = replace(plan, recompute=level, sharding="none")
        worlds.append(smallest_world_size(model, alone, budget, (1,)))
        several = tuple(count for count in counts if count > 1)
        if several:
            worlds.append(
                smallest_world_size(model, replace(plan, recompute=level), budget, several)
            )
    return min(worlds, key=_gpus_needed)


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
    plan = memory.plan
    host = situation.answers.get("hardware.host_ram_gib")
    result = training_result(
        model,
        card.gpu,
        plan,
        total_gib=card.memory_gib,
        weight_format=_trained_format(model, plan, card),
        host_ram_gib=float(host) if isinstance(host, int | float) else None,
    )
    if not result.fits:
        return None
    per_node = min(plan.gpus, max(card.per_node))
    nodes = math.ceil(plan.gpus / per_node)
    owned = situation.owned
    quote = None if owned else tariff.quote(card.gpu.id, per_node, nodes)
    layout = Layout(data_parallel=plan.gpus)
    name = f"{card.label}/{plan.method}/{plan.sharding}x{plan.gpus}"
    return Candidate(
        name, card, result.weight_format, layout, nodes, 1, 1, result, quote, plan.method != "qlora"
    )


REMEDIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("an 8-bit paged optimizer", {"optimizer": "paged_adamw_8bit"}),
    (
        "an 8-bit paged optimizer and no fp32 master weights",
        {"optimizer": "paged_adamw_8bit", "master_weights": "none"},
    ),
    ("adapters instead of all weights (LoRA)", {"method": "lora", "optimizer": "adamw"}),
    ("adapters on a 4-bit base (QLoRA)", {"method": "qlora", "optimizer": "adamw"}),
)
"""What makes a job smaller, gentlest first: what to say, what to change in the plan."""


def smaller_jobs(situation: Situation, tariff: Tariff) -> tuple[tuple[str, Candidate], ...]:
    """Return, for each remedy that fits some allowed card, what to say and the best candidate."""
    model = situation.load.model
    if model is None:
        return ()
    found = []
    for text, changes in REMEDIES:
        if changes.get("method") == _method(situation):
            continue
        candidates = []
        for card in situation.cards:
            plan = replace(_plan(situation, card), **changes)
            world = _world(situation.answers, model, plan, card)
            candidate = _candidate(situation, model, card, world, tariff)
            if candidate is not None:
                candidates.append(candidate)
        if candidates:
            found.append((text, min(candidates, key=_by_cost)))
    return tuple(found)


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


def _unfit(card: Card, world: SmallestWorld) -> Unfit:
    needs = [need for _, need in world.tried if need is not None]
    least = min(needs, default=None)
    text = "the memory of this model's activations is not known."
    if least is not None:
        text = (
            f"Even over {world.tried[-1][0]} GPUs each needs {least:.0f} GiB and has "
            f"{card.memory_gib:.0f}."
        )
    return Unfit(card, None, "weights_exceed_memory", text)
