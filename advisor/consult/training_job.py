"""The training job that the answers describe, as sizing takes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor.answers.model import Answers
from advisor.consult.situation import Card, Situation
from advisor.sizing.training_plan import TrainingPlan

__all__ = [
    "DEFAULT_SEQUENCE",
    "SHARDING_FRAMEWORKS",
    "SPLITTING_FRAMEWORKS",
    "accumulation_of",
    "job_plan",
    "method_of",
    "recompute_is_fixed",
]

DEFAULT_SEQUENCE = 4096
_FILLS = 4
"""Micro-batches per stage that keep the idle share of a pipeline below a fifth."""
SPLITTING_FRAMEWORKS = frozenset({"megatron", "nemo"})
"""Built on tensor, pipeline and data ranks with a distributed optimizer."""
SHARDING_FRAMEWORKS = frozenset(
    {"torch_fsdp", "deepspeed", "hf_trainer", "axolotl", "llama_factory", "torchtune"}
)
"""Shard states over data ranks and bring no pipeline of their own."""


def method_of(situation: Situation) -> str:
    """Return what is trained: as stated, else adapters, or everything when from scratch."""
    stated = situation.answers.get("training.method")
    if isinstance(stated, str):
        return stated
    return "full" if situation.load.kind == "pretraining" else "lora"


def _text(answers: Answers, key: str, default: str) -> str:
    value = answers.get(key)
    return value if isinstance(value, str) else default


def _whole(answers: Answers, key: str, default: int) -> int:
    value = answers.get(key)
    return int(value) if isinstance(value, int | float) else default


def accumulation_of(answers: Answers, plan: TrainingPlan) -> int:
    """Return over how many micro-batches gradients are summed.

    Without an answer as many as make one micro-batch for each GPU and step, whatever the
    layout, and as many as keep a pipeline busy.
    """
    stages = plan.pipeline_parallel
    usual = max(plan.tensor_parallel * stages, _FILLS * stages if stages > 1 else 1)
    return max(1, _whole(answers, "training.gradient_accumulation", usual))


def recompute_is_fixed(situation: Situation) -> bool:
    """Tell whether it was stated, or changed, what is computed again."""
    stated = situation.answers.is_given("training.recompute")
    return stated or "recompute" in dict(situation.job)


def job_plan(situation: Situation, card: Card) -> TrainingPlan:
    """Return the job that the answers describe, with what was changed to make it fit."""
    answers = situation.answers
    plan = TrainingPlan(
        method=method_of(situation),  # type: ignore[arg-type]
        sequence_tokens=_whole(answers, "training.sequence_tokens", DEFAULT_SEQUENCE),
        micro_batch=_whole(answers, "training.micro_batch", 1),
        optimizer=_text(answers, "training.optimizer", "adamw"),  # type: ignore[arg-type]
        master_weights=_text(answers, "training.master_weights", "fp32"),  # type: ignore[arg-type]
        recompute=_text(answers, "training.recompute", "none"),  # type: ignore[arg-type]
        offload=_text(answers, "training.offload", "none"),  # type: ignore[arg-type]
        sharding=_text(answers, "training.sharding", "fsdp"),  # type: ignore[arg-type]
        lora_rank=_whole(answers, "training.lora_rank", 16),
        packing=answers.get("training.packing") is True,
        gpus_per_node=card.machine_gpus,
        gpu_architecture=card.gpu.architecture,
    )
    changes: dict[str, Any] = dict(situation.job)
    # ranks that share a sequence are part of the world, whose size is found later
    world = int(changes.get("context_parallel", 1))
    return replace(plan, **changes, world_size=world)
