"""The fact ``job``: a training job as stated, on the card where it was sized, fitting or not.

Rules about training match on it, so that a job that fits nowhere gets its reasons too.
"""

from __future__ import annotations

from advisor.consult.candidate import Candidate, Unfit
from advisor.consult.situation import Situation
from advisor.rules.facts import Fact, Scalar
from advisor.sizing.result import SizeResult

__all__ = ["job_fact"]


def job_fact(
    situation: Situation, candidates: tuple[Candidate, ...], unfit: tuple[Unfit, ...]
) -> Fact | None:
    """Return the job on the first card that holds it, else at its nearest miss."""
    if not situation.load.trains:
        return None
    if candidates:
        return _fact(candidates[0].result, candidates[0].card.label)
    missed = next((miss for miss in unfit if miss.result is not None), None)
    return (
        None if missed is None or missed.result is None else _fact(missed.result, missed.card.label)
    )


def _fact(result: SizeResult, label: str) -> Fact:
    # here, so that serving does not load the arithmetic of training
    from advisor.sizing.training_result import USABLE

    usable_gib = result.gpu_memory_gib * USABLE
    plan, parts, total = result.training, result.overheads, result.total_gib_per_gpu
    logits = parts.get("logits_gib")
    peak = parts.get("activation_peak_gib")
    fields: dict[str, Scalar | None] = {
        "gpu": label,
        "gpus": result.layout.gpus,
        "fits": result.fits,
        "method": _text(plan.get("method")),
        "sharding": _text(plan.get("sharding")),
        "sequence_tokens": _whole(plan.get("sequence_tokens")),
        "micro_batch": _whole(plan.get("micro_batch")),
        "needs_gib": total.expected if total else None,
        "usable_gib": round(usable_gib, 3),
        "weights_gib": result.weights_gib_per_gpu,
        "logits_gib": logits,
        "peak_gib": peak,
        "peak_share": _share(peak or None, usable_gib),
        "weights_share": _share(result.weights_gib_per_gpu, usable_gib),
        "host_ram_gib": result.host_ram_gib,
    }
    known = {name: value for name, value in fields.items() if value is not None}
    return Fact("job", "job", known)


def _share(gib: float | None, usable_gib: float) -> float | None:
    """Return the share of a GPU's memory; of a stated memory next to nothing there is none."""
    return round(gib / usable_gib, 4) if gib is not None and usable_gib > 0 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None
