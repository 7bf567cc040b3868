"""Which GPUs may be used: named, owned, or all that the answers leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from advisor.answers.model import Answers
from advisor.consult.situation import Card
from advisor.errors import Problem, UnknownNameError
from advisor.sizing.request import SizeRequest
from advisor.sizing.unknown_card import unknown_card
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["allowed_cards"]

_OFFERED = frozenset({"shipping"})
"""Status of cards that are proposed without being named; others must be asked for."""


class _Notes(Protocol):
    def value(self, key: str, alias: str | None = None) -> Any: ...  # noqa: ANN401
    def note(self, key: str, value: object, why: str, section: str) -> None: ...


def allowed_cards(
    answers: Answers, knowledge: Knowledge, taken: _Notes
) -> tuple[tuple[Card, ...], bool, tuple[tuple[str, str], ...]]:
    """Return the cards, whether they are owned, and what was ruled out with the reason.

    Raises:
        UnknownNameError: a card outside the catalogue without its memory.
    """
    inventory = answers.get("hardware.inventory")
    if isinstance(inventory, tuple) and inventory:
        return tuple(_from_inventory(entry, knowledge, taken) for entry in inventory), True, ()
    owned = taken.value("hardware.acquisition") == "owned"
    named = answers.get("hardware.gpu")
    stated = answers.get("hardware.gpu_memory_gib")
    if isinstance(named, tuple) and named:
        cards = tuple(_named(str(text), answers, knowledge, owned, taken) for text in named)
        return cards, owned, ()
    if isinstance(stated, int | float):
        gpu = unknown_card(_described(answers, float(stated)))
        return (_card(gpu, "your card", answers, float(stated), owned, taken),), owned, ()
    kept, out = [], []
    for gpu in knowledge.gpus.values():
        reason = _excluded(gpu, answers)
        if reason is None:
            kept.append(_card(gpu, gpu.id, answers, gpu.engine_memory_gib, False, taken))
        else:
            out.append((gpu.id, reason))
    return tuple(kept), owned, tuple(out)


def _from_inventory(entry: Mapping[str, Any], knowledge: Knowledge, taken: _Notes) -> Card:
    memory = entry.get("gpu_memory_gib")
    gpu = _resolve(str(entry.get("gpu")), memory, entry, knowledge, taken)
    per_node = int(entry.get("island_gpus") or entry.get("gpus_per_node") or 1)
    total = int(entry.get("gpus_per_node") or 1) * int(entry.get("nodes") or 1)
    return Card(
        gpu=gpu,
        label=gpu.id if gpu.id != "unknown" else str(entry.get("gpu")),
        memory_gib=float(memory or gpu.engine_memory_gib),
        per_node=tuple(range(1, per_node + 1)),
        max_gpus=total,
        nodes=int(entry.get("nodes") or 1),
    )


def _described(answers: Answers, memory: float) -> SizeRequest:
    bandwidth = answers.get("hardware.gpu_memory_bandwidth_gbs")
    capability = answers.get("hardware.gpu_compute_capability")
    return SizeRequest(
        gpu_memory_gib=memory,
        gpu_memory_bandwidth_gbs=float(bandwidth) if isinstance(bandwidth, int | float) else None,
        gpu_compute_capability=str(capability) if capability is not None else None,
    )


def _resolve(
    text: str, memory: object, entry: Mapping[str, Any], knowledge: Knowledge, taken: _Notes
) -> Gpu:
    try:
        found = knowledge.resolve_gpu(text)
    except UnknownNameError:
        if not isinstance(memory, int | float):
            raise
        return unknown_card(
            SizeRequest(
                gpu_memory_gib=float(memory),
                gpu_memory_bandwidth_gbs=entry.get("gpu_memory_bandwidth_gbs"),
                gpu_compute_capability=entry.get("gpu_compute_capability"),
            )
        )
    if found.assumed is not None:
        taken.note("hardware.gpu", found.record.id, found.assumed, "2.1")
    return found.record


def _named(text: str, answers: Answers, knowledge: Knowledge, owned: bool, taken: _Notes) -> Card:
    stated = answers.get("hardware.gpu_memory_gib")
    entry = {
        "gpu_memory_bandwidth_gbs": answers.get("hardware.gpu_memory_bandwidth_gbs"),
        "gpu_compute_capability": answers.get("hardware.gpu_compute_capability"),
    }
    try:
        gpu = _resolve(text, stated, entry, knowledge, taken)
    except UnknownNameError as error:
        raise _with_place(error, answers) from error
    memory = float(stated) if isinstance(stated, int | float) else gpu.engine_memory_gib
    label = gpu.id if gpu.id != "unknown" else text
    return _card(gpu, label, answers, memory, owned, taken)


def _with_place(error: UnknownNameError, answers: Answers) -> UnknownNameError:
    origin = answers.origin.get("hardware.gpu")
    first = error.problems[0]
    return UnknownNameError(
        Problem(
            first.code,
            f"{first.message} For a card outside the catalogue give hardware.gpu_memory_gib.",
            origin.file if origin else None,
            origin.line if origin else None,
            "hardware.gpu",
            first.allowed,
            first.nearest,
        )
    )


def _card(
    gpu: Gpu, label: str, answers: Answers, memory: float, owned: bool, taken: _Notes
) -> Card:
    per_node = answers.get("hardware.gpus_per_node")
    nodes = answers.get("hardware.nodes")
    shapes = (int(per_node),) if isinstance(per_node, int) else gpu.gpus_per_node
    if not owned:
        return Card(gpu, label, memory, shapes)
    if per_node is None:
        taken.note("hardware.gpus_per_node", 1, "one GPU is assumed where no number is given", "7")
        shapes = (1,)
    if nodes is None:
        taken.note("hardware.nodes", 1, "one node is assumed where no number is given", "7.1")
    count = int(nodes) if isinstance(nodes, int) else 1
    limit = max(shapes) * count
    return Card(gpu, label, memory, tuple(range(1, max(shapes) + 1)), limit, count)


def _excluded(gpu: Gpu, answers: Answers) -> str | None:
    """Return why the answers leave ``gpu`` out, or ``None``."""
    return next((reason for wrong, reason in _tests(gpu, answers) if wrong), None)


def _tests(gpu: Gpu, answers: Answers) -> Iterator[tuple[bool, str]]:
    yield gpu.status not in _OFFERED, f"status {gpu.status}: proposed only when named"
    yield gpu.vendor == "intel", "no memory behaviour of its engines is known: named only"
    vendors = answers.get("hardware.vendors")
    # without an answer NVIDIA is assumed; the question's default says why
    allowed = vendors if isinstance(vendors, tuple) else ("nvidia",)
    yield gpu.vendor not in allowed, f"vendor {gpu.vendor} is not among {', '.join(allowed)}"
    architectures = answers.get("hardware.architectures")
    if isinstance(architectures, tuple):
        yield gpu.architecture not in architectures, f"generation {gpu.architecture} not wanted"
    cooling = answers.get("hardware.cooling")
    if isinstance(cooling, str):
        yield cooling not in gpu.cooling_kinds, f"not sold for {cooling} cooling"
    watts = answers.get("hardware.max_gpu_watts")
    if isinstance(watts, int | float) and gpu.tdp_w is not None:
        yield gpu.tdp_w > watts, f"{gpu.tdp_w:g} W exceed {watts:g} W per GPU"
    nvlink = answers.get("hardware.nvlink")
    if nvlink == "yes":
        yield not gpu.interconnect.nvlink_bidirectional_gbs, "no NVLink"
    if answers.get("hardware.unified_memory") is not True:
        yield gpu.unified_memory, "shares its memory with the CPU: proposed only when named"
