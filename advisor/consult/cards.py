"""Which GPUs may be used: named, owned, or all that the answers leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from advisor.answers.model import Answers
from advisor.consult.situation import Card
from advisor.errors import InputError, Problem, UnknownNameError
from advisor.sizing.request import SizeRequest
from advisor.sizing.unknown_card import unknown_card
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Allowed", "allowed_cards", "grown", "market"]

_OFFERED = frozenset({"shipping"})
"""Status of cards that are proposed without being named; others must be asked for."""

Allowed = tuple[tuple[Card, ...], tuple[tuple[str, str], ...]]
"""The cards, and (GPU id, reason) of those that the answers exclude."""


class _Notes(Protocol):
    def value(self, key: str) -> Any: ...  # noqa: ANN401
    def note(self, key: str, value: object, why: str, section: str) -> None: ...


def allowed_cards(
    answers: Answers, knowledge: Knowledge, taken: _Notes
) -> tuple[tuple[Card, ...], bool, tuple[tuple[str, str], ...]]:
    """Return the cards, whether they are owned, and what was ruled out with the reason.

    No card is returned when GPUs are owned and it is not said which.

    Raises:
        UnknownNameError: a card outside the catalogue without its memory.
        InputError: a record of the inventory that names no GPU.
    """
    inventory = answers.get("hardware.inventory")
    if isinstance(inventory, tuple) and inventory:
        entries = enumerate(inventory)
        found = [_from_inventory(i, entry, answers, knowledge, taken) for i, entry in entries]
        return _merged(found), True, ()
    owned = taken.value("hardware.acquisition") == "owned"
    named = answers.get("hardware.gpu")
    stated = answers.get("hardware.gpu_memory_gib")
    if isinstance(named, tuple) and named:
        cards = [_named(str(text), answers, knowledge, owned, taken) for text in named]
        return tuple({card.label: card for card in cards}.values()), owned, ()
    if isinstance(stated, int | float):
        gpu = _described("your card", float(stated), _figures(answers), knowledge)
        return (_card(gpu, "your card", answers, float(stated), owned, taken),), owned, ()
    if owned:
        return (), True, ()
    kept, out = market(answers, knowledge, taken)
    return kept, False, out


def market(answers: Answers, knowledge: Knowledge, taken: _Notes) -> Allowed:
    """Return all cards that could be had, and those that the answers exclude with the reason."""
    kept, out = [], []
    vendors = taken.value("hardware.vendors")
    cooling = taken.value("hardware.cooling")
    for gpu in knowledge.gpus.values():
        tests = _tests(gpu, answers, vendors, cooling)
        reason = next((reason for wrong, reason in tests if wrong), None)
        if reason is None:
            kept.append(_card(gpu, gpu.id, answers, gpu.engine_memory_gib, False, taken))
        else:
            out.append((gpu.id, reason))
    return tuple(kept), tuple(out)


def grown(card: Card) -> Card:
    """Return an owned card with as many as its machines can be had with."""
    per_node = tuple(sorted({*card.per_node, *card.gpu.gpus_per_node}))
    return replace(card, per_node=per_node, max_gpus=None, nodes=None)


def _merged(cards: list[Card]) -> tuple[Card, ...]:
    """Put equal machines of several inventory records together; number what differs."""
    found: dict[tuple[str, float, tuple[int, ...]], Card] = {}
    for card in cards:
        key = (card.label, card.memory_gib, card.per_node)
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
    index: int, entry: Mapping[str, Any], answers: Answers, knowledge: Knowledge, taken: _Notes
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
        gpu = _resolve(text, memory, entry, knowledge, taken)
    except UnknownNameError as error:
        raise _with_place(error, answers, key) from error
    here = int(entry.get("gpus_per_node") or 1)
    island = min(here, int(entry.get("island_gpus") or here))
    nodes = int(entry.get("nodes") or 1)
    return Card(
        gpu=gpu,
        label=gpu.id if gpu.id != "unknown" else text,
        memory_gib=float(memory or gpu.engine_memory_gib),
        per_node=tuple(range(1, island + 1)),
        max_gpus=here * nodes,
        nodes=nodes,
    )


def _figures(answers: Answers) -> Mapping[str, Any]:
    """Return what is stated about a card, by the names that an inventory record uses."""
    names = ("gpu_memory_bandwidth_gbs", "gpu_compute_capability")
    return {name: answers.get(f"hardware.{name}") for name in names}


def _described(label: str, memory: float, figures: Mapping[str, Any], knowledge: Knowledge) -> Gpu:
    """Return a card made of the stated figures, under the user's own name.

    An AMD target such as gfx942 brings the units of the catalogue's cards of that target.
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
    if amd:
        changes |= {"vendor": "amd", "gfx_target": target}
        like = next((g for g in knowledge.gpus.values() if g.gfx_target == target), None)
        if like is not None:
            changes |= {"architecture": like.architecture, "precisions": like.precisions}
    return gpu.model_copy(update=changes)


def _resolve(
    text: str, memory: object, entry: Mapping[str, Any], knowledge: Knowledge, taken: _Notes
) -> Gpu:
    try:
        found = knowledge.resolve_gpu(text)
    except UnknownNameError:
        if not isinstance(memory, int | float):
            raise
        return _described(text, float(memory), entry, knowledge)
    if found.assumed is not None:
        taken.note("hardware.gpu", found.record.id, found.assumed, "2.1")
    return found.record


def _named(text: str, answers: Answers, knowledge: Knowledge, owned: bool, taken: _Notes) -> Card:
    stated = answers.get("hardware.gpu_memory_gib")
    entry = _figures(answers)
    try:
        gpu = _resolve(text, stated, entry, knowledge, taken)
    except UnknownNameError as error:
        raise _with_place(error, answers, "hardware.gpu") from error
    memory = float(stated) if isinstance(stated, int | float) else gpu.engine_memory_gib
    label = gpu.id if gpu.id != "unknown" else text
    return _card(gpu, label, answers, memory, owned, taken)


def _with_place(error: UnknownNameError, answers: Answers, key: str) -> UnknownNameError:
    origin = answers.origin.get(key) or answers.origin.get("hardware.gpu")
    first = error.problems[0]
    figure = f"{key.rpartition('.')[0]}.gpu_memory_gib"
    return UnknownNameError(
        Problem(
            first.code,
            f"{first.message} For a card outside the catalogue give {figure}.",
            origin.file if origin else None,
            origin.line if origin else None,
            key,
            first.allowed,
            first.nearest,
        )
    )


def _card(
    gpu: Gpu, label: str, answers: Answers, memory: float, owned: bool, taken: _Notes
) -> Card:
    per_node = answers.get("hardware.gpus_per_node")
    shapes = (int(per_node),) if isinstance(per_node, int) else gpu.gpus_per_node
    if not owned:
        return Card(gpu, label, memory, shapes)
    if per_node is None:
        taken.note("hardware.gpus_per_node", 1, "one GPU is assumed where no number is given", "7")
        shapes = (1,)
    count = int(taken.value("hardware.nodes") or 1)
    limit = max(shapes) * count
    island = answers.get("hardware.island_gpus")
    widest = min(max(shapes), int(island)) if isinstance(island, int) else max(shapes)
    return Card(gpu, label, memory, tuple(range(1, widest + 1)), limit, count)


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
    if answers.get("hardware.unified_memory") is not True:
        yield gpu.unified_memory, "shares its memory with the CPU: proposed only when named"
