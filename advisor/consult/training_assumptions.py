"""What was taken of a training job where the answers are silent: what sizing used, no more."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.attempt import Attempt
from advisor.consult.consultation import Assumption
from advisor.consult.training_job import DEFAULT_SEQUENCE, method_of

__all__ = ["training_assumptions"]

_WHY = {
    "method": "adapters are the usual first step",
    "sequence_tokens": "a common length of samples",
    "micro_batch": "the smallest batch shows the least memory that works",
    "optimizer": "the optimizer most recipes use",
    "master_weights": "mixed precision keeps a 32-bit copy of what is trained",
    "sharding": "states, gradients and weights split over all GPUs",
    "recompute": "of equal counts of GPUs the one that recomputes least",
    "offload": "states stay on the GPUs unless told otherwise",
    "lora_rank": "a common rank; memory hardly depends on it",
}
"""Why each setting was taken, in the order in which they are told."""
_COPIES = "one GPU holds the job, so each may hold a copy"


def training_assumptions(attempt: Attempt) -> tuple[Assumption, ...]:
    """Return what sizing assumed of the job; nothing for other kinds of work."""
    situation = attempt.situation
    if not situation.load.trains or situation.load.model is None:
        return ()
    changed = dict(situation.job)
    return tuple(
        Assumption(key=f"training.{name}", value=value, why=_why(name, attempt), section="7.5")
        for name, value in _settings(attempt)
        if name not in changed and not situation.answers.is_given(f"training.{name}")
    )


def _why(name: str, attempt: Attempt) -> str:
    if name == "method" and attempt.situation.load.kind == "pretraining":
        return "from scratch all weights are trained"
    if name == "sharding" and attempt.best is not None:
        plan = attempt.best.result.training
        return _COPIES if plan.get("sharding") == "none" else _WHY[name]
    return _WHY[name]


def _settings(attempt: Attempt) -> Iterator[tuple[str, object]]:
    """Yield the settings of the chosen job, or those that do not depend on a choice."""
    best = attempt.best
    method = method_of(attempt.situation)
    if best is None:
        yield from (("method", method), ("sequence_tokens", DEFAULT_SEQUENCE), ("micro_batch", 1))
        yield "optimizer", "adamw"
        return
    plan = best.result.training
    for name in _WHY:
        value = plan.get(name)
        idle = (
            (name == "sharding" and best.total_gpus == 1)
            or (name == "offload" and value == "none")
            or (name == "lora_rank" and method == "full")
            or (name == "master_weights" and method != "full")
        )
        if value is not None and not idle:
            yield name, value
