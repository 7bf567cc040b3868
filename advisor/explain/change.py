"""What moves between two consultations: the same words in what-if, edit, limits and compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.consult.consultation import Choice, Consultation, Decision, DecisionName
from advisor.reports.advice_words import headline

__all__ = ["Change", "changes", "core", "short"]

_CORE: dict[str, tuple[str, ...]] = {
    "gpu": ("option", "gpu", "count_per_replica", "weight_format"),
    "sharing": ("option", "profile", "layout"),
    "parallelism": (
        "option", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel",
        "decode_context_parallel", "training_method", "sharding",
    ),
    "provisioning": (
        "option", "node_image", "driver_owner", "toolkit_owner", "device_owner", "gpu_operator",
    ),
}  # fmt: skip
"""What counts as the choice: option and sizes, not replicas, prices or prose."""


@dataclass(frozen=True, slots=True)
class Change:
    """One decision before and after."""

    decision: DecisionName
    before: str
    """As reports say it; the status where there is no choice."""
    after: str
    moved: bool
    """Another option or other sizes; else only its parameters, price or status changed."""
    status_before: str
    status_after: str


def core(decision: Decision | None, name: str) -> tuple[object, ...]:
    """Return what counts as the choice of a decision; equal means the same advice."""
    if decision is None:
        return ()
    if decision.choice is None:
        return (decision.status,)
    values = decision.choice.model_dump()
    return tuple(_plain(values.get(key)) for key in _CORE[name])


def _plain(value: object) -> object:
    return tuple(_plain(part) for part in value) if isinstance(value, list | tuple) else value


def changes(before: Consultation, after: Consultation) -> tuple[Change, ...]:
    """Return the decisions that differ, in the order in which they are told."""
    return tuple(_changes(before, after))


def _changes(before: Consultation, after: Consultation) -> Iterator[Change]:
    for name in dict.fromkeys((*before.decisions, *after.decisions)):
        first, then = before.decisions.get(name), after.decisions.get(name)
        moved = core(first, name) != core(then, name)
        words = (_said(first), _said(then))
        status = ("absent" if first is None else first.status, then.status if then else "absent")
        if moved or words[0] != words[1] or status[0] != status[1]:
            yield Change(name, *words, moved, *status)


def _said(decision: Decision | None) -> str:
    if decision is None:
        return "not asked for"
    if decision.choice is None:
        return decision.status.replace("_", " ")
    return headline(decision.choice)


def short(choice: Choice) -> str:
    """Return a choice in its few telling words: ``4 x h100-sxm, fp8`` or ``tensor: TP2``."""
    values = choice.model_dump()
    if choice.option == "buy_or_rent" and "gpu" in values and not values.get("loads"):
        text = f"{values.get('total_gpus', '?')} x {values['gpu']}"
        return f"{text}, {values['weight_format']}" if values.get("weight_format") else text
    return headline(choice).partition(",")[0]
