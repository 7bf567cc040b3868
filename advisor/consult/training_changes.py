"""How a training job can be made smaller on the same GPUs, gentlest first (handbook 7.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from advisor.consult.situation import Card, Situation
from advisor.consult.training_job import job_plan
from advisor.sizing.training import TrainingPlan

__all__ = ["ON_HOST", "SHORTER", "JobChange", "job_changes", "worth_telling"]

SHORTER = "sequence"
"""Kind of changes that train on shorter samples."""
ON_HOST = "host"
"""Kind of the change that needs host RAM of which nothing is said: told, and never the choice."""
_SHORTEST = 1024
_EIGHT_BIT = {"optimizer": "paged_adamw_8bit"}


@dataclass(frozen=True, slots=True)
class JobChange:
    """One way to a smaller job."""

    text: str
    """Follows "with"."""
    settings: tuple[tuple[str, Any], ...]
    """Fields of the plan."""
    kind: str
    """Changes of one kind are stronger and stronger doses: the first that fits is enough."""


def job_changes(situation: Situation, card: Card) -> Iterator[JobChange]:
    """Yield changes, gentlest first: those that leave the result alone, then precision, then data.

    Whole sharding comes with every later change: a job that does not fit has no use for copies.
    Shorter samples change the data: they come last, unless their length was an assumption.
    """
    plan = job_plan(situation, card)
    first: dict[str, Any] = {}
    if plan.recompute != "full" and situation.answers.get("training.recompute"):
        first["recompute"] = "full"
        yield _change("full recomputation of activations", "recompute", first)
    if plan.micro_batch > 1:
        first["micro_batch"] = 1
        yield _change("a micro-batch of 1 and more accumulation", "micro_batch", first)
    yield _change("a fused or chunked loss", "loss", first | {"chunked_loss": True})
    if not plan.shards_weights:
        first["sharding"] = "zero3" if plan.sharding.startswith("zero") else "fsdp"
        yield _change("full sharding (ZeRO stage 3 or FSDP)", "sharding", first)
        both = first | {"chunked_loss": True}
        yield _change("full sharding (ZeRO stage 3 or FSDP) and a chunked loss", "sharding", both)
    yield from _on_the_host(situation, plan, first)
    stated = situation.answers.is_given("training.sequence_tokens")
    if not stated:
        yield from _shorter(plan, first)
    if plan.method != "full":
        yield from _smaller_states(plan, first)
    yield from _split_sequences(plan, first)
    scratch = situation.load.kind == "pretraining"
    for change in _smaller_states(plan, first) if plan.method == "full" else ():
        if not (scratch and change.kind == "method"):  # adapters need something to adapt
            yield change
    if stated:
        yield from _shorter(plan, first)


_ENOUGH = {
    "sharding": frozenset({"loss", "sequence", "split", "optimizer"}),
    "recompute": frozenset({"loss", "sharding", "sequence", "split", "optimizer"}),
    "micro_batch": frozenset({"loss", "sharding", "sequence", "split", "optimizer"}),
    "offload": frozenset({"split", "optimizer"}),
    "loss": frozenset({"split", "optimizer"}),
    "split": frozenset({"optimizer"}),
}
"""Where a change of a kind is enough, what need not be told beside it."""


def worth_telling(kind: str, enough: frozenset[str]) -> bool:
    """Tell whether a change says anything beside gentler ones that are enough.

    Args:
        kind: Of the change.
        enough: Kinds that fit already, for sure.
    """
    return kind not in enough and not any(kind in _ENOUGH.get(name, ()) for name in enough)


def _on_the_host(
    situation: Situation, plan: TrainingPlan, first: dict[str, Any]
) -> Iterator[JobChange]:
    """Yield states in host RAM: the result stays, each step is slower.

    Optimizers that keep 8-bit or paged moments run on the GPU, so the plain one goes with it.
    Sharded weights, a frozen base included, wait there too.
    """
    if plan.offload != "none" or situation.answers.is_given("training.offload"):
        return
    said = situation.answers.is_given("hardware.host_ram_gib")
    moved = first | {"offload": "cpu", "optimizer": "adamw"}
    text = "states in host RAM (CPU offload), which slows each step"
    yield _change(text, "offload" if said else ON_HOST, moved)


def _shorter(plan: TrainingPlan, first: dict[str, Any]) -> Iterator[JobChange]:
    tokens = plan.sequence_tokens // 2
    while tokens >= _SHORTEST:
        shorter = first | {"sequence_tokens": tokens}
        yield _change(f"samples of {tokens:,} tokens", SHORTER, shorter)
        tokens //= 2


def _split_sequences(plan: TrainingPlan, first: dict[str, Any]) -> Iterator[JobChange]:
    if plan.lacks_bf16:
        return  # the kernels that split attention over GPUs begin with Ampere
    for ranks in (2, 4, 8):
        split = first | {"context_parallel": ranks, "chunked_loss": True}
        text = f"each sequence split over {ranks} GPUs (context parallel) and a chunked loss"
        yield _change(text, "split", split)


def _smaller_states(plan: TrainingPlan, first: dict[str, Any]) -> Iterator[JobChange]:
    if plan.method == "full":
        eight = first | _EIGHT_BIT
        yield _change("a paged 8-bit optimizer", "optimizer", eight)
        text = "a paged 8-bit optimizer and no fp32 master weights"
        yield _change(text, "optimizer", eight | {"master_weights": "none"})
        adapters = first | {"method": "lora", "optimizer": "adamw", "offload": "none"}
        yield _change("adapters instead of all weights (LoRA)", "method", adapters)
    if plan.method != "qlora":
        frozen = first | {"method": "qlora", "optimizer": "adamw", "offload": "none"}
        yield _change("adapters on a 4-bit base (QLoRA)", "method", frozen)


def _change(text: str, kind: str, settings: dict[str, Any]) -> JobChange:
    return JobChange(text, tuple(settings.items()), kind)
