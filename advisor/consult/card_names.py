"""A GPU by the name and the figures that answers give it, in the catalogue or outside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from advisor.answers.model import Answers
from advisor.answers.names import card_not_known
from advisor.errors import UnknownNameError
from advisor.sizing.request import SizeRequest
from advisor.sizing.unknown_card import unknown_card
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Notes", "described", "resolved", "stated_figures", "with_place"]


class Notes(Protocol):
    """What collects assumptions."""

    def value(self, key: str) -> Any:  # noqa: ANN401 - any answer
        """Return the answer to ``key``, or its default, which is noted."""

    def note(self, key: str, value: object, why: str, section: str) -> None:
        """Record one assumption."""


def stated_figures(answers: Answers) -> Mapping[str, Any]:
    """Return what is stated about a card, by the names that an inventory record uses."""
    names = ("gpu_memory_bandwidth_gbs", "gpu_compute_capability")
    makers = answers.get("hardware.vendors")
    maker = makers[0] if isinstance(makers, tuple) and len(makers) == 1 else None
    return {**{name: answers.get(f"hardware.{name}") for name in names}, "vendor": maker}


def described(label: str, memory: float, figures: Mapping[str, Any], knowledge: Knowledge) -> Gpu:
    """Return a card made of the stated figures, under the user's own name.

    An AMD target such as gfx942 brings the units of the catalogue's cards of that target; else the
    one maker that is stated (``vendor``) is the card's, NVIDIA where none is.
    """
    bandwidth, stated = (
        figures.get(name) for name in ("gpu_memory_bandwidth_gbs", "gpu_compute_capability")
    )
    target = str(stated) if stated is not None else None
    amd = target is not None and target.startswith("gfx")
    gpu = unknown_card(
        SizeRequest(
            gpu_memory_gib=memory,
            gpu_memory_bandwidth_gbs=bandwidth,
            gpu_compute_capability=None if amd else target,
        )
    )
    changes: dict[str, Any] = {"name": label}
    if target is None and figures.get("vendor") in {"amd", "intel"}:
        changes |= {"vendor": figures["vendor"]}
    if amd:
        changes |= {"vendor": "amd", "gfx_target": target}
        like = next((g for g in knowledge.gpus.values() if g.gfx_target == target), None)
        if like is not None:
            changes |= {"architecture": like.architecture, "precisions": like.precisions}
    return gpu.model_copy(update=changes)


def resolved(
    text: str, memory: object, entry: Mapping[str, Any], knowledge: Knowledge, taken: Notes
) -> Gpu:
    """Return the catalogue's GPU of a name, or one of the stated figures under that name.

    Raises:
        UnknownNameError: neither the name nor the memory is known.
    """
    try:
        found = knowledge.resolve_gpu(text)
    except UnknownNameError:
        if not isinstance(memory, int | float):
            raise
        return described(text, float(memory), entry, knowledge)
    if found.assumed is None:
        return found.record
    usual = found.record
    if isinstance(memory, int | float):
        alike = [knowledge.gpus[name] for name in found.candidates]
        usual = next((gpu for gpu in alike if _has(gpu, float(memory))), usual)
    assumed = found.assumed if usual is found.record else f"{text!r} with {memory:g} GiB"
    taken.note("hardware.gpu", usual.id, assumed, "2.1")
    return usual


_CLOSE = 0.06
"""A runtime reports up to so much less than what is sold, or the sold figure is given."""


def _has(gpu: Gpu, memory_gib: float) -> bool:
    """Tell whether a card is one of that memory: as its runtime reports it, or as sold."""
    sold_gib = gpu.memory_gb * 1e9 / 2**30
    return any(abs(memory_gib / known - 1) <= _CLOSE for known in (gpu.engine_memory_gib, sold_gib))


def with_place(error: UnknownNameError, answers: Answers, key: str) -> UnknownNameError:
    """Return the error with where the name stands and what would do instead."""
    return UnknownNameError(card_not_known(error.problems[0], answers, key))
