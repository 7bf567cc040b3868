"""One training job on one card: sized, or the number that blocks it."""

from __future__ import annotations

from advisor.consult.candidate import Unfit
from advisor.consult.published import as_run
from advisor.consult.situation import Card, Situation
from advisor.consult.training_layouts import splits_are_wanted
from advisor.sizing.result import SizeResult
from advisor.sizing.training import SmallestWorld, TrainingPlan
from advisor.sizing.training_result import USABLE, training_result
from advisor.store.model import Model

__all__ = ["sized_job", "unfit_job"]


def sized_job(situation: Situation, model: Model, card: Card, plan: TrainingPlan) -> SizeResult:
    """Return the numbers of a plan on one card, with the host memory that was stated."""
    host = situation.answers.get("hardware.host_ram_gib")
    return training_result(
        model,
        card.gpu,
        plan,
        total_gib=card.memory_gib,
        weight_format=_trained_format(plan, card),
        host_ram_gib=float(host) if isinstance(host, int | float) else None,
    )


def _trained_format(plan: TrainingPlan, card: Card) -> str:
    """Return the format of the weights while they are trained: frozen in 4 bit, or 16 bit wide.

    The card decides, not the checkpoint: mixed precision runs in bf16 where there are units for
    it, and in fp16 with loss scaling on Volta and Turing (handbook 7.5).
    """
    return "nf4" if plan.method == "qlora" else as_run("bf16", card.gpu)


def unfit_job(situation: Situation, model: Model, card: Card, world: SmallestWorld) -> Unfit:
    """Return the nearest miss with the number that blocks it."""
    if splits_are_wanted(situation):
        text = (
            "no legal number of GPUs holds it with the tensor and pipeline sizes that are wanted."
        )
        return Unfit(card, None, "wanted_layout", text)
    if world.memory is None:
        return Unfit(card, None, "weights_exceed_memory", "no legal number of GPUs is there.")
    plan = world.memory.plan
    result = sized_job(situation, model, card, plan)
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
