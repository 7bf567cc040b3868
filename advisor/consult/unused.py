"""Answers that were given and that nothing in this version reads: said, never passed over."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from advisor.answers.model import Answers
from advisor.consult.consultation import Warned
from advisor.consult.rulings import Rulings
from advisor.rules.facts import ANSWERS
from advisor.rules.model import RuleBase

__all__ = ["overruled", "said_by_each_load", "unused_answers"]

_OTHER_DECISIONS = ("platform.", "tenancy.", "observed.")
"""Groups that settle sharing and provisioning, and what was measured."""
_NO_FACTS = frozenset(
    {
        "ask",
        "symptoms",
        "workloads",
        "workload.quantization",
        "hardware.fabric",
        "training.dataset_tokens",
    }
)
"""Keys with a use of their own."""


_OF_ALL_LOADS = frozenset(
    f"workload.{name}"
    for name in (
        "disaggregated", "engine", "lora_adapters", "serving_stack", "traffic", "weight_format",
    )
)  # fmt: skip
"""Keys of `workload` that sharing and provisioning read as said of all loads together."""


def said_by_each_load(answers: Answers) -> tuple[str, ...]:
    """Return the keys of `workload` that are given and that every one of several loads says itself.

    What `workload` says is for loads that say nothing themselves, so these answers size nothing.
    """
    loads = answers.values.get("workloads")
    if not isinstance(loads, tuple) or not (len(loads) > 1 or _runs_more_than_once(loads)):
        return ()
    own = frozenset[str].intersection(*(frozenset(load) for load in loads))
    keys = {f"workload.{name}" for name in own} - _OF_ALL_LOADS
    return tuple(key for key in answers.values if key in keys)


def _runs_more_than_once(loads: tuple[Mapping[str, object], ...]) -> bool:
    return any(load.get("instances", 1) != 1 for load in loads)


def overruled(answers: Answers, key: str) -> str | None:
    """Return why an answer to ``key`` is not taken into account, else ``None``.

    Args:
        answers: With that answer.
        key: A key, or a place such as ``workloads[0].concurrency``.
    """
    loads = answers.values.get("workloads")
    if key in said_by_each_load(answers):
        place = key.removeprefix("workload.")
        return f"each load in `workloads` says its own (workloads[0].{place} and so on)"
    place = key.removeprefix("workloads[0].")
    alone = isinstance(loads, tuple) and len(loads) == 1 and not _runs_more_than_once(loads)
    if alone and place != key and f"workload.{place}" in answers.values:
        return f"workload.{place} is given too, and counts for a single load"
    return None


def _contradicted(answers: Answers) -> list[str]:
    listed = answers.values.get("workloads")
    loads = listed if isinstance(listed, tuple) else ()
    return [
        key
        for key in said_by_each_load(answers)
        if any(load[key.partition(".")[2]] != answers.values[key] for load in loads)
    ]


def unused_answers(
    answers: Answers,
    read: Collection[str],
    base: RuleBase,
    rulings: Rulings,
    *,
    several: bool = False,
) -> tuple[Warned, ...]:
    """Return at most one notice that names answers which changed nothing here.

    Args:
        answers: As given.
        read: Keys that were looked at.
        base: The rules.
        rulings: For citations.
        several: Whether several loads were sized, each with what its record says.
    """
    used = {*read, *_NO_FACTS, *base.reads.get(ANSWERS, {}), *base.list_keys}
    unused = [key for key in answers.values if key not in used]
    own = [key for key in unused if not key.startswith(_OTHER_DECISIONS)]
    beside = _contradicted(answers) if several else []
    own = [key for key in own if key not in beside]
    if not own and not beside:
        return ()
    texts = []
    if own:
        texts.append(f"Given, and not taken into account with these answers: {', '.join(own)}.")
    if beside:
        texts.append(
            f"Given, and not taken into account, since each load in `workloads` says its own: "
            f"{', '.join(beside)}."
        )
    return (
        Warned(
            id="answers-not-used",
            kind="limit",
            severity="warning",
            decision="gpu",
            text=" ".join(texts),
            check="If one of them decides your case, treat the advice as made without it.",
            citations=rulings.cite("8"),
        ),
    )
