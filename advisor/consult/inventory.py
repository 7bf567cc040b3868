"""Owned machines: of one kind, or a mixed fleet listed record by record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from advisor.answers.model import Answers
from advisor.consult.card_names import Notes, resolved, with_place
from advisor.consult.links import as_linked, stated_links
from advisor.consult.situation import Card
from advisor.errors import InputError, Problem, UnknownNameError
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Machine", "inventory_cards", "with_links"]


@dataclass(frozen=True, slots=True)
class Machine:
    """Equal machines that are there."""

    gpus: int
    """In each."""
    nodes: int
    island: int | None = None
    """GPUs that are well joined, where that is fewer than the machine holds."""

    def card(self, gpu: Gpu, label: str, memory_gib: float, fabric: str | None = None) -> Card:
        """Return the GPU with the groups that it may form there."""
        widest = min(self.gpus, max(1, int(self.island or self.gpus)))
        groups = tuple(range(1, widest + 1))
        return Card(gpu, label, memory_gib, groups, self.gpus * self.nodes, self.nodes, fabric)


def with_links(gpu: Gpu, links: Mapping[str, Any], gpus: int, taken: Notes) -> Gpu:
    """Return the GPU as its machine of ``gpus`` joins it; bridges that nobody mentioned are noted.

    They are taken for there, as the choice is the same without: a pair over PCIe does too.
    """
    said = any(links.get(name) is not None for name in ("nvlink", "island_link", "island_gpus"))
    if gpus > 1 and gpu.interconnect.nvlink_bridge_only and not said:
        taken.note(
            "hardware.nvlink",
            "bridge",
            f"bridges that join {gpu.scale_up_gpus} {gpu.name} are an extra part; without them "
            "the same groups meet over PCIe and prompts take longer",
            "2.4",
        )
    return as_linked(gpu, links)


def inventory_cards(
    entries: tuple[Mapping[str, Any], ...], answers: Answers, knowledge: Knowledge, taken: Notes
) -> tuple[Card, ...]:
    """Return one card for each kind of machine, equal machines together.

    Raises:
        UnknownNameError: a card outside the catalogue without its memory.
        InputError: a record that names no GPU.
    """
    found = [
        _from_inventory(index, entry, answers, knowledge, taken)
        for index, entry in _by_machine(entries)
    ]
    return _merged(found)


def _by_machine(
    entries: tuple[Mapping[str, Any], ...],
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the records with their place; equal cards of one named machine as one record."""
    joined: dict[tuple[str, str, str], tuple[int, dict[str, Any]]] = {}
    for index, entry in enumerate(entries):
        node = entry.get("node")
        parts = (str(node), str(entry.get("gpu")), str(entry.get("gpu_memory_gib")))
        key = parts if node is not None else (f"[{index}]", "", "")
        if key in joined:
            first = joined[key][1]
            first["gpus_per_node"] = _count(first) + _count(entry)
        else:
            joined[key] = (index, dict(entry))
    yield from joined.values()


def _count(entry: Mapping[str, Any]) -> int:
    return int(entry.get("gpus_per_node") or 1)


def _merged(cards: list[Card]) -> tuple[Card, ...]:
    """Put equal machines of several inventory records together; number what differs."""
    found: dict[tuple[object, ...], Card] = {}
    for card in cards:
        shape = (card.per_node, card.machine_gpus, card.fabric)
        key = (card.label, card.memory_gib, shape, card.gpu.scale_up_gpus, card.gpu.interconnect)
        known = found.get(key)
        found[key] = card if known is None else _joined(known, card)
    labels: dict[str, int] = {}
    unique = []
    for card in found.values():
        labels[card.label] = labels.get(card.label, 0) + 1
        count = labels[card.label]
        group = f"{card.label} (group {count})" if count > 1 else card.label
        unique.append(replace(card, label=group))
    return tuple(unique)


def _joined(first: Card, second: Card) -> Card:
    total = (first.max_gpus or 0) + (second.max_gpus or 0)
    return replace(first, max_gpus=total, nodes=(first.nodes or 1) + (second.nodes or 1))


def _from_inventory(
    index: int, entry: Mapping[str, Any], answers: Answers, knowledge: Knowledge, taken: Notes
) -> Card:
    memory, name = entry.get("gpu_memory_gib"), entry.get("gpu")
    key = f"hardware.inventory[{index}].gpu"
    if name is None and memory is None:
        message = "This record names no GPU: give `gpu`, or `gpu_memory_gib` of a card of your own."
        origin = answers.origin.get("hardware.inventory")
        file, line = (origin.file, origin.line) if origin else (None, None)
        raise InputError(Problem("gpu_missing", message, file, line, key))
    text = "your card" if name is None else str(name)
    try:
        gpu = resolved(text, memory, entry, knowledge, taken)
    except UnknownNameError as error:
        raise with_place(error, answers, key) from error
    label = gpu.id if gpu.id != "unknown" else text
    _note_counts(entry, label, taken)
    links = stated_links(answers, entry)
    machine = Machine(_count(entry), int(entry.get("nodes") or 1), links.get("island_gpus"))
    gpu = with_links(gpu, links, machine.gpus, taken)
    fabric = entry.get("fabric")
    return machine.card(gpu, label, float(memory or gpu.engine_memory_gib), fabric)


def _note_counts(entry: Mapping[str, Any], label: str, taken: Notes) -> None:
    """Note that one is taken where a record says no number."""
    if entry.get("gpus_per_node") is None:
        why = f"the record of {label} says no number, so one GPU in a machine is counted"
        taken.note("hardware.gpus_per_node", 1, why, "7")
    if entry.get("nodes") is None and entry.get("node") is None:
        why = f"the record of {label} says no number, so one machine is counted"
        taken.note("hardware.nodes", 1, why, "7")
