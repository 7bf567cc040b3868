"""Answers that contradict one another: what counts is said, never chosen in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.answers.model import Answers
from advisor.consult.consultation import Warned
from advisor.consult.links import joined_by_board
from advisor.consult.published import format_bits, runs_as
from advisor.consult.rulings import Rulings
from advisor.consult.situation import Situation
from advisor.store.in_use import in_use

__all__ = ["conflicting_answers"]

_WIDE_BITS = 16
_TRAINING = "training."
_A_LITTLE = 0.05
"""A figure that differs by less is the same one, rounded."""


def conflicting_answers(
    answers: Answers, situation: Situation, rulings: Rulings
) -> Iterator[Warned]:
    """Yield one notice for each pair of answers that cannot both hold.

    Args:
        answers: As given, before a list of one load was put in its place.
        situation: What was made of them.
        rulings: For citations.
    """
    values = answers.values
    for name, text, section in (
        *_about_cards(values, situation),
        *_about_loads(values),
        *_about_weights(values, situation),
        *_about_training(values, situation),
    ):
        yield Warned(
            id=f"conflict-{name}",
            kind="conflict",
            severity="warning",
            decision="gpu",
            text=text,
            check="Give only the answer that holds.",
            citations=rulings.cite(section),
        )


_Found = Iterator[tuple[str, str, str]]


def _about_cards(values: Any, situation: Situation) -> _Found:  # noqa: ANN401 - any mapping
    if values.get("hardware.inventory") and values.get("hardware.gpu"):
        text = "hardware.inventory and hardware.gpu both say which GPUs there are; the inventory "
        yield "inventory-and-gpu", f"{text}counts.", "8.1"
    vendors = values.get("hardware.vendors")
    if isinstance(vendors, tuple) and values.get("hardware.gpu"):
        others = {c.label for c in situation.cards if c.gpu.vendor not in vendors}
        if others:
            names = ", ".join(sorted(others))
            text = f"{names} is named and hardware.vendors leaves it out; the name counts."
            yield "vendor-and-gpu", text, "2.3"
    yield from _about_links(values, situation)
    built = values.get("hardware.architectures")
    if isinstance(built, tuple) and values.get("hardware.gpu"):
        others = {c.label for c in situation.cards if c.gpu.architecture not in built}
        if others:
            names = ", ".join(sorted(others))
            text = f"{names} is named and hardware.architectures leaves it out; the name counts."
            yield "architecture-and-gpu", text, "2.1"
    yield from _about_figures(values, situation)
    island, node = values.get("hardware.island_gpus"), values.get("hardware.gpus_per_node")
    if isinstance(island, int) and isinstance(node, int) and island > node:
        text = f"An island of {island} GPUs does not fit a node of {node}; {node} count."
        yield "island-and-node", text, "7.1"


def _about_links(values: Any, situation: Situation) -> _Found:  # noqa: ANN401 - any mapping
    """Tell of cards that are named, that NVLink always joins, and that are said to have none."""
    knowledge = in_use()
    if values.get("hardware.nvlink") != "no" or knowledge is None or situation.elsewhere:
        return
    catalogue = [knowledge.gpus[c.gpu.id] for c in situation.cards if c.gpu.id in knowledge.gpus]
    joined = sorted({gpu.name for gpu in catalogue if joined_by_board(gpu)})
    if joined:
        text = (
            f"No NVLink is stated, and {', '.join(joined)} sits on a board that joins its GPUs by "
            "NVLink: none is counted on."
        )
        yield "nvlink-and-gpu", text, "2.4"


def _about_figures(values: Any, situation: Situation) -> _Found:  # noqa: ANN401 - any mapping
    """Yield stated figures of a card that the catalogue knows: only its memory may be changed."""
    known = [c.gpu for c in situation.cards if c.gpu.architecture != "unknown"]
    if not values.get("hardware.gpu") or len(known) != 1:
        return
    gpu, stated = known[0], values.get("hardware.gpu_memory_bandwidth_gbs")
    own = gpu.memory_bandwidth_gbs
    if isinstance(stated, int | float) and own and abs(stated / own - 1) > _A_LITTLE:
        text = (
            f"{stated:,.0f} GB/s are stated for {gpu.name}, which the catalogue knows with "
            f"{own:,.0f}; its own figure counts."
        )
        yield "bandwidth-and-gpu", text, "2.1"
    target = values.get("hardware.gpu_compute_capability")
    if target is not None and str(target) not in {gpu.compute_capability, gpu.gfx_target}:
        text = (
            f"{target} is stated for {gpu.name}, whose own is "
            f"{gpu.compute_capability or gpu.gfx_target or 'not known'}; that counts."
        )
        yield "capability-and-gpu", text, "2.1"


def _about_loads(values: Any) -> _Found:  # noqa: ANN401 - any mapping
    loads = values.get("workloads")
    if not isinstance(loads, tuple):
        return
    twice = sorted(
        {
            name
            for record in loads
            for name in record
            if values.get(f"workload.{name}") not in {None, record[name]}
        }
    )
    if twice:
        first = "workload" if len(loads) == 1 else "the record of each load"
        text = f"`workload` and `workloads` differ in {', '.join(twice)}; {first} counts."
        yield "workload-and-workloads", text, "8"


def _about_weights(values: Any, situation: Situation) -> _Found:  # noqa: ANN401 - any mapping
    given, model = values.get("workload.weight_format"), situation.load.model
    permitted = values.get("workload.quantization")
    if not isinstance(given, str) or given == "checkpoint" or model is None:
        return
    bits = format_bits(given)
    if permitted == "not_allowed" and bits < min(_WIDE_BITS, format_bits(runs_as(model))):
        text = f"{given} is asked for and quantization is not allowed; the format counts."
        yield "format-and-quantization", text, "7.3"
    elif permitted == "fp8_only" and bits < 8:
        text = f"{given} is asked for and only 8 bit is allowed; the format counts."
        yield "format-and-quantization", text, "7.3"


def _about_training(values: Any, situation: Situation) -> _Found:  # noqa: ANN401 - any mapping
    given = sorted(key for key in values if key.startswith(_TRAINING))
    if given and not situation.load.trains and situation.load.kind != "platform":
        text = (
            f"{', '.join(given)}: said of a training job, and the load is of kind "
            f"{situation.load.kind}; not taken into account."
        )
        yield "training-and-kind", text, "7.5"
