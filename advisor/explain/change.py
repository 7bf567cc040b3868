"""What moves between two consultations: the same words in what-if, edit, limits and compare.

Three depths: another *kind* of choice (option, GPU, format, sizes), something else to *build or
buy* (how many of it, which machines), and other *words* (a price, a date). The first implies the
second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.consult.consultation import Choice, Consultation, Decision, DecisionName
from advisor.explain.numbers import TUNED, numbers, settings
from advisor.reports.advice_words import headline

__all__ = ["Change", "built", "changes", "core", "short"]

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
"""What counts as the kind of a choice: option and sizes, not replicas, prices or prose."""
_BUILT: dict[str, tuple[str, ...]] = {
    "gpu": (
        "total_gpus", "fleet_gpus", "replicas", "gpu_counts", "nodes", "instance_type",
        "instances", "provider", "groups", "loads",
    ),
    "sharing": ("gpu", "replicas", "placement", "gpus_per_vm", "gpus_needed", "memory_fraction"),
    "parallelism": ("replicas", "fabric", "loads"),
    "provisioning": ("instance_type", "capacity"),
}  # fmt: skip
"""What else one would build or buy: how many, which machines, what sits where."""


@dataclass(frozen=True, slots=True)
class Change:
    """One decision before and after."""

    decision: DecisionName
    before: str
    """As reports say it; the status where there is no choice."""
    after: str
    moved: bool
    """Another option or other sizes; else only its numbers, parameters, price or status changed."""
    status_before: str
    status_after: str
    rebuilt: bool
    """Something else is to be built or bought: another kind, or more or fewer of it."""
    numbers: tuple[str, ...]
    """What differs in number or setting: ``GPUs 8 -> 12``, ``capacity spot -> reserved``."""

    @property
    def reworded(self) -> bool:
        """Whether the choice reads otherwise, or another number of it is built."""
        return self.rebuilt or self.before != self.after


def core(decision: Decision | None, name: str) -> tuple[object, ...]:
    """Return what counts as the kind of a choice; equal means the same advice but for numbers."""
    return _read(decision, _CORE[name])


def built(decision: Decision | None, name: str) -> tuple[object, ...]:
    """Return what one would build or buy; equal means the same, but for price and settings."""
    return _read(decision, (*_CORE[name], *_BUILT[name]))


def _read(decision: Decision | None, keys: tuple[str, ...]) -> tuple[object, ...]:
    if decision is None:
        return ()
    if decision.choice is None:
        return (decision.status,)
    values = decision.choice.model_dump()
    # the shares of loads that sit together are settings of their engines
    tuned = TUNED if values.get("placement") else frozenset[str]()
    return tuple(_of(key, values.get(key)) for key in keys if key not in tuned)


def _of(key: str, value: object) -> object:
    """Return a value to compare; of several loads what is built, not what engines are set to."""
    if key not in {"loads", "placement"} or not isinstance(value, list | tuple):
        return _plain(value)
    return tuple(
        _plain({name: part for name, part in load.items() if name not in TUNED}) for load in value
    )


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return tuple((key, _plain(part)) for key, part in value.items())
    return tuple(_plain(part) for part in value) if isinstance(value, list | tuple) else value


def changes(before: Consultation, after: Consultation) -> tuple[Change, ...]:
    """Return the decisions that differ, in the order in which they are told."""
    return tuple(_changes(before, after))


def _changes(before: Consultation, after: Consultation) -> Iterator[Change]:
    for name in dict.fromkeys((*before.decisions, *after.decisions)):
        first, then = before.decisions.get(name), after.decisions.get(name)
        change = Change(
            decision=name,
            before=_said(first),
            after=_said(then),
            moved=core(first, name) != core(then, name),
            status_before="absent" if first is None else first.status,
            status_after="absent" if then is None else then.status,
            rebuilt=built(first, name) != built(then, name),
            numbers=_differing(name, first, then),
        )
        if change.reworded or change.status_before != change.status_after:
            yield change


def _differing(name: str, first: Decision | None, then: Decision | None) -> tuple[str, ...]:
    """Return the numbers that differ, and where the words are the same, the parameters as well."""
    found = numbers(first, then)
    if _said(first) != _said(then):
        return found
    return (*found, *settings(first, then, (*_CORE[name], *_BUILT[name])))


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
