"""Which GPUs may be used: named, owned, or all that the answers leave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.card_names import Notes, described, resolved, stated_figures, with_place
from advisor.consult.inventory import Machine, inventory_cards, with_links
from advisor.consult.links import as_linked, joined_by_board, stated_links
from advisor.consult.situation import Card
from advisor.errors import UnknownNameError
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Allowed", "allowed_cards", "grown", "market"]

_OFFERED = frozenset({"shipping"})
"""Status of cards that are proposed without being named; others must be asked for."""

Allowed = tuple[tuple[Card, ...], tuple[tuple[str, str], ...]]
"""The cards, and (GPU id, reason) of those that the answers exclude."""


def allowed_cards(
    answers: Answers, knowledge: Knowledge, taken: Notes
) -> tuple[tuple[Card, ...], bool, tuple[tuple[str, str], ...]]:
    """Return the cards, whether they are owned, and what was ruled out with the reason.

    No card is returned when GPUs are owned and it is not said which.

    Raises:
        UnknownNameError: a card outside the catalogue without its memory.
        InputError: a record of the inventory that names no GPU.
    """
    inventory = answers.get("hardware.inventory")
    if isinstance(inventory, tuple) and inventory:
        return inventory_cards(inventory, answers, knowledge, taken), True, ()
    owned = taken.value("hardware.acquisition") == "owned"
    named = answers.get("hardware.gpu")
    stated = answers.get("hardware.gpu_memory_gib")
    if isinstance(named, tuple) and named:
        cards = [_named(str(text), answers, knowledge, owned, taken) for text in named]
        return tuple({card.label: card for card in cards}.values()), owned, ()
    if isinstance(stated, int | float):
        gpu = described("your card", float(stated), stated_figures(answers), knowledge)
        return (_card(gpu, "your card", answers, float(stated), owned, taken),), owned, ()
    if owned:
        return (), True, ()
    kept, out = market(answers, knowledge, taken)
    links = stated_links(answers)
    return tuple(replace(c, gpu=as_linked(c.gpu, links)) for c in kept), False, out


def market(answers: Answers, knowledge: Knowledge, taken: Notes) -> Allowed:
    """Return all cards that could be had, and those that the answers exclude with the reason."""
    kept, out = [], []
    vendors = taken.value("hardware.vendors")
    cooling = taken.value("hardware.cooling")
    for gpu in knowledge.gpus.values():
        tests = _tests(gpu, answers, vendors, cooling)
        reason = next((reason for wrong, reason in tests if wrong), None)
        if reason is None:
            kept.append(_offered(gpu, answers))
        else:
            out.append((gpu.id, reason))
    return tuple(kept), tuple(out)


def _offered(gpu: Gpu, answers: Answers) -> Card:
    """Return a card as it could be had; what is owned says nothing of machines still to come."""
    owned = answers.get("hardware.acquisition") == "owned"
    shapes = gpu.gpus_per_node if owned else _shapes(gpu, answers)
    return Card(gpu, gpu.id, gpu.engine_memory_gib, shapes)


def _shapes(gpu: Gpu, answers: Answers) -> tuple[int, ...]:
    """Return the machines that count: as stated, else all that are sold."""
    per_node = answers.get("hardware.gpus_per_node")
    return (int(per_node),) if isinstance(per_node, int) else gpu.gpus_per_node


def grown(card: Card) -> Card:
    """Return an owned card with as many as its machines can be had with."""
    per_node = tuple(sorted({*card.per_node, *card.gpu.gpus_per_node}))
    return replace(card, per_node=per_node, max_gpus=None, nodes=None)


def _named(text: str, answers: Answers, knowledge: Knowledge, owned: bool, taken: Notes) -> Card:
    stated = answers.get("hardware.gpu_memory_gib")
    entry = stated_figures(answers)
    try:
        gpu = resolved(text, stated, entry, knowledge, taken)
    except UnknownNameError as error:
        raise with_place(error, answers, "hardware.gpu") from error
    memory = float(stated) if isinstance(stated, int | float) else gpu.engine_memory_gib
    label = gpu.id if gpu.id != "unknown" else text
    return _card(gpu, label, answers, memory, owned, taken)


def _card(gpu: Gpu, label: str, answers: Answers, memory: float, owned: bool, taken: Notes) -> Card:
    shapes = _shapes(gpu, answers)
    if not owned:
        return Card(as_linked(gpu, stated_links(answers)), label, memory, shapes)
    if answers.get("hardware.gpus_per_node") is None:
        taken.note("hardware.gpus_per_node", 1, "one GPU is assumed where no number is given", "7")
        shapes = (1,)
    count = int(taken.value("hardware.nodes") or 1)
    links = stated_links(answers)
    machine = Machine(max(shapes), count, links.get("island_gpus"))
    return machine.card(with_links(gpu, links, machine.gpus, taken), label, memory)


def _tests(
    gpu: Gpu, answers: Answers, vendors: object, cooling: object
) -> Iterator[tuple[bool, str]]:
    yield gpu.status not in _OFFERED, f"status {gpu.status}: proposed only when named"
    yield gpu.vendor == "intel", "no memory behaviour of its engines is known: named only"
    allowed = tuple(map(str, vendors)) if isinstance(vendors, tuple | list) else (str(vendors),)
    yield gpu.vendor not in allowed, f"vendor {gpu.vendor} is not among {', '.join(allowed)}"
    architectures = answers.get("hardware.architectures")
    if isinstance(architectures, tuple):
        yield gpu.architecture not in architectures, f"generation {gpu.architecture} not wanted"
    if isinstance(cooling, str):
        yield cooling not in gpu.cooling_kinds, f"not sold for {cooling} cooling"
    watts = answers.get("hardware.max_gpu_watts")
    if isinstance(watts, int | float) and gpu.tdp_w is not None:
        yield gpu.tdp_w > watts, f"{gpu.tdp_w:g} W exceed {watts:g} W per GPU"
    if answers.get("hardware.nvlink") == "yes":
        links = gpu.interconnect
        whole = links.nvlink_bidirectional_gbs and not links.nvlink_bridge_only
        yield not whole, "no NVLink between all GPUs of a node"
    if answers.get("hardware.nvlink") == "no" and answers.get("hardware.acquisition") != "owned":
        yield joined_by_board(gpu), "its board joins the GPUs by NVLink: without it when named"
    if answers.get("hardware.unified_memory") is not True:
        yield gpu.unified_memory, "shares its memory with the CPU: proposed only when named"
