"""Which layouts are worth sizing for a model on a GPU, smallest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.answers.model import Answers
from advisor.consult.situation import Card
from advisor.sizing.layout import Layout
from advisor.store.model import Model, MoeFfn

__all__ = ["ANY_LINK", "Wanted", "layouts_for", "strained", "wanted_layout"]

_NODE = 8
_RACK = 36
"""Scale-up domains of this many GPUs span the trays of a rack."""
_STAGES = (2, 3, 4, 5, 6, 7, 8)
"""Pipeline stages worth a look inside a machine; engines share layers out unevenly."""
_MOST_STAGES = 16
ANY_LINK = 2
"""Tensor parallel over so many GPUs does with PCIe (handbook 7.1)."""
_LARGEST_NODES = 4
"""Pipeline over more nodes than this is never the first answer; a larger domain is."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Sizes that the user insists on (``layout.state: wanted``); ``None`` leaves one free."""

    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    expert_parallel: int | None = None

    def allows(self, layout: Layout) -> bool:
        """Return whether a layout has the wanted sizes; copies may be replicas as well."""
        ranks = layout.expert_ranks if layout.expert_parallel else 1
        pairs = (
            (self.tensor_parallel, layout.tensor_parallel),
            (self.pipeline_parallel, layout.pipeline_parallel),
            (self.expert_parallel, ranks),
        )
        if self.data_parallel is not None and layout.data_parallel not in {1, self.data_parallel}:
            return False
        return all(wanted in {None, got} for wanted, got in pairs)


def wanted_layout(answers: Answers) -> Wanted | None:
    """Return the sizes that must be, or ``None`` when the answers insist on none."""
    if answers.get("layout.state") != "wanted":
        return None
    found = {}
    for name in ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"):
        value = answers.get(f"layout.{name}")
        found[name] = value if isinstance(value, int) else None
    return Wanted(**found) if any(value is not None for value in found.values()) else None


def strained(layout: Layout, card: Card) -> bool:
    """Tell whether a layout has stages, or a split that a slow link would hold up.

    Experts over more GPUs than are joined wait for the same links as a split of every layer.
    """
    return layout.pipeline_parallel > 1 or layout.gpus > max(ANY_LINK, card.gpu.scale_up_gpus)


def layouts_for(
    model: Model, card: Card, wanted: Wanted | None, *, owned: bool
) -> Iterator[tuple[Layout, int]]:
    """Yield (layout, nodes of one replica), fewest GPUs first inside a node, then across.

    Args:
        model: Decides whether experts can be spread and attention be data-parallel.
        card: The GPU with the node shapes that apply.
        wanted: Sizes that must be kept; they are added where the usual ones lack them.
        owned: Whether odd counts and stages inside a node are worth a look.
    """
    met = False
    for layout, nodes in _usual(model, card, wanted, owned=owned):
        if wanted is None or wanted.allows(layout):
            met = True
            yield layout, nodes
    if wanted is not None and not met:
        yield from _as_wanted(card, wanted)


def _as_wanted(card: Card, wanted: Wanted) -> Iterator[tuple[Layout, int]]:
    """Yield layouts of exactly the wanted sizes, over as many machines as they take.

    A number of expert ranks alone is met by data-parallel attention, and by tensor parallel inside
    each machine with data parallel across.
    """
    ranks, stages = wanted.expert_parallel or 1, wanted.pipeline_parallel or 1
    room = min(card.island_gpus, max(card.gpu.scale_up_gpus, _NODE))
    splits = [(wanted.tensor_parallel, wanted.data_parallel)]
    if ranks > 1 and wanted.data_parallel is None:
        widths = [wanted.tensor_parallel] if wanted.tensor_parallel else [1, min(room, ranks)]
        splits = [(width, ranks // width) for width in dict.fromkeys(widths) if ranks % width == 0]
    for tensor, data in splits:
        layout = Layout(
            tensor_parallel=tensor or max(1, ranks // (data or 1)),
            pipeline_parallel=stages,
            data_parallel=(data or 1) if ranks > 1 else 1,
            expert_parallel=ranks > 1,
        )
        nodes = -(-layout.gpus // (min(layout.gpus, room)))
        if wanted.allows(layout) and (card.nodes is None or nodes <= card.nodes):
            yield layout, nodes


def _usual(
    model: Model, card: Card, wanted: Wanted | None, *, owned: bool
) -> Iterator[tuple[Layout, int]]:
    mixture = any(isinstance(f, MoeFfn) for f in model.ffn)
    latent = any(a.kind == "mla" for a in model.attention)
    largest = card.island_gpus
    widest = min(largest, max(card.gpu.scale_up_gpus, _NODE))
    staged = owned or card.gpu.scale_up_gpus == 1 or _wants_stages(wanted)
    for count in sorted({n for n in _counts(card) if n <= max(widest, _MOST_STAGES)}):
        if count <= widest:
            yield Layout(tensor_parallel=count), 1
            if mixture and count > 1 and _even(count):
                yield Layout(tensor_parallel=count, expert_parallel=True), 1
                if latent:
                    yield Layout(data_parallel=count, expert_parallel=True), 1
        if staged:
            yield from _staged(card, count)
    if card.gpu.scale_up_gpus >= _RACK:
        yield from _rack(card, largest, mixture=mixture, latent=latent)
    if card.gpu.scale_up_gpus < _RACK or card.max_gpus is None:
        yield from _across(card, largest, owned=owned)


def _staged(card: Card, count: int) -> Iterator[tuple[Layout, int]]:
    """Yield layouts of ``count`` GPUs of one machine in stages, each inside an island."""
    for stages in (n for n in _STAGES if count % n == 0):
        width = count // stages
        if width <= card.island_gpus and stages <= card.stages_in_machine(width):
            yield Layout(tensor_parallel=width, pipeline_parallel=stages), 1


def _rack(card: Card, largest: int, *, mixture: bool, latent: bool) -> Iterator[tuple[Layout, int]]:
    """Yield layouts over several trays of one switched rack."""
    for count in (8, 16, 32, 64):
        top = card.gpu.scale_up_gpus if card.max_gpus is None else card.max_gpus
        if count <= largest or count > min(top, card.gpu.scale_up_gpus):
            continue
        nodes = -(-count // largest)
        if count == _NODE:
            yield Layout(tensor_parallel=count), nodes
        if mixture:
            yield Layout(tensor_parallel=count, expert_parallel=True), nodes
        if latent:
            yield Layout(data_parallel=count, expert_parallel=True), nodes


def _even(count: int) -> bool:
    """Return whether experts are usually spread over so many ranks: powers of two."""
    return count & (count - 1) == 0


def _wants_stages(wanted: Wanted | None) -> bool:
    return wanted is not None and (wanted.pipeline_parallel or 1) > 1


def _across(card: Card, largest: int, *, owned: bool) -> Iterator[tuple[Layout, int]]:
    """Yield layouts over machines: as wide as an island inside each, stages across.

    Machines of one GPU each are joined by stages just the same. Of owned ones the narrower
    groups are yielded too, as not every width is legal for every model; of rented ones the width
    that their links carry.
    """
    nodes = min(card.nodes or _LARGEST_NODES, _LARGEST_NODES)
    per_node = min(largest, _NODE)
    most = _MOST_STAGES if owned else max(_STAGES)
    narrow = min(per_node, max(ANY_LINK, card.gpu.scale_up_gpus))
    widths = range(per_node, 0, -1) if owned else sorted({per_node, narrow}, reverse=True)
    for width in widths:
        inside = card.stages_in_machine(width)
        for machines in range(2, nodes + 1):
            if inside * machines <= (most if width < per_node else _MOST_STAGES):
                yield Layout(tensor_parallel=width, pipeline_parallel=inside * machines), machines


def _counts(card: Card) -> tuple[int, ...]:
    """Return how many GPUs of a machine are worth a look: of owned ones, any number."""
    if card.max_gpus is not None:
        return tuple(range(1, card.machine_gpus + 1))
    if len(card.per_node) > 1:
        return card.per_node
    top = card.per_node[0]
    if not _even(top):
        return tuple(range(1, top + 1))
    return tuple(n for n in range(1, top + 1) if top % n == 0)
