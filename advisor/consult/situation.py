"""What an answers file means: names resolved, defaults taken and said, limits worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.answers.model import Answers
from advisor.consult.consultation import Assumption
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["Card", "Load", "Situation"]


@dataclass(frozen=True, slots=True)
class Load:
    """One workload, as sizing needs it."""

    kind: str
    model: Model | None
    label: str
    """The model as the user called it."""
    formats: tuple[str, ...]
    """Weight formats to compare, the published one first."""
    format_fixed: bool
    build: str | None
    kv_format: str
    engine: str
    engine_version: str | None
    context_tokens: int
    typical_context_tokens: int | None
    prompt_tokens: int | None
    concurrency: int
    speculative_tokens: int = 0
    settings: tuple[tuple[str, float], ...] = ()
    """Settings of the engine that differ from the recommended ones, so that the load fits."""
    share_beside_a_system: float | None = None
    """Of the memory of those cards among others whose memory the operating system uses too."""

    @property
    def trains(self) -> bool:
        """Whether this is training rather than serving."""
        return self.kind in {"fine_tuning", "pretraining"}


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU that may be used, with the node shapes and limits that apply to it."""

    gpu: Gpu
    label: str
    """The catalogue id, or the user's own name for a card outside it."""
    memory_gib: float
    per_node: tuple[int, ...]
    """GPUs that a split may take in one node; never more than an island of it."""
    max_gpus: int | None = None
    """Owned: how many there are; ``None`` for no limit."""
    nodes: int | None = None
    fabric: str | None = None
    """Owned: the network between its machines, where a record of the inventory names it."""

    @property
    def island_gpus(self) -> int:
        """The widest group that may split layers: a machine, or an island of it."""
        return max(self.per_node)

    @property
    def machine_gpus(self) -> int:
        """GPUs of one machine; it may hold several islands."""
        if self.max_gpus is None or not self.nodes:
            return self.island_gpus
        return max(self.island_gpus, self.max_gpus // self.nodes)

    def stages_in_machine(self, width: int) -> int:
        """Return how many groups of ``width`` GPUs a machine holds, none over an island's edge."""
        islands, rest = divmod(self.machine_gpus, self.island_gpus)
        return islands * (self.island_gpus // width) + rest // width

    def room_for(self, gpus: int) -> str:
        """Return what is there, in words, for replicas of so many GPUs."""
        there, machine = self.max_gpus or 0, self.machine_gpus
        groups = (self.nodes or 1) * (machine // gpus)
        if gpus > machine or there // gpus == groups == there / gpus:
            return f"{there} are there"
        return f"{there} are there, {machine} in a machine: room for {groups} such replicas"

    def most_replicas(self, width: int, stages: int, nodes: int) -> int | None:
        """Return how many replicas the owned machines hold; ``None`` for no limit.

        Args:
            width: GPUs of one pipeline stage.
            stages: Pipeline stages of a replica.
            nodes: Machines that one replica spans.
        """
        if self.max_gpus is None:
            return None
        if nodes > 1:
            return (self.nodes or 1) // nodes
        return (self.nodes or 1) * (self.stages_in_machine(width) // stages)


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything the consultation rests on."""

    answers: Answers
    load: Load
    cards: tuple[Card, ...]
    owned: bool
    priority: str
    assumptions: tuple[Assumption, ...]
    ruled_out: tuple[tuple[str, str], ...] = ()
    """(GPU id, reason) of cards that the answers exclude before any sizing."""
    open_reasons: tuple[str, ...] = field(default=())
    """Why nothing can be chosen yet."""
    elsewhere: bool = False
    """Whether the cards are others than the answers speak of, whose links are not theirs."""
    job: tuple[tuple[str, object], ...] = ()
    """Settings of a training job that differ from the answers, so that it fits."""
    change: str = ""
    """The same in words."""

    @property
    def all_there(self) -> bool:
        """Whether the GPUs are owned already, so that taking fewer of them saves nothing."""
        return self.owned and all(card.max_gpus is not None for card in self.cards)

    @property
    def buys(self) -> bool:
        """Whether GPUs are bought, so that nobody's instances matter."""
        return self.answers.get("hardware.acquisition") == "buy"
