"""What sizing hands to the rules: layouts that carry the load, and near misses."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.consult.prices import Quote
from advisor.consult.situation import Card
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult

__all__ = ["Candidate", "Candidates", "Unfit"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One GPU, format and layout that carries the load, with its numbers."""

    id: str
    card: Card
    weight_format: str
    layout: Layout
    nodes_per_replica: int
    replicas: int
    holds: int
    """Requests of the planned length at once in one replica."""
    result: SizeResult
    quote: Quote | None
    published: bool
    """Whether the weights are as the model's makers published them."""

    @property
    def gpus_per_replica(self) -> int:
        """GPUs of one engine instance."""
        return self.layout.gpus

    @property
    def total_gpus(self) -> int:
        """GPUs of all replicas."""
        return self.layout.gpus * self.replicas

    @property
    def nodes(self) -> int:
        """Machines of all replicas, each holding as many whole replicas as fit."""
        if self.nodes_per_replica > 1:
            return self.nodes_per_replica * self.replicas
        per_node = max(1, max(self.card.per_node) // self.gpus_per_replica)
        return -(-self.replicas // per_node)

    @property
    def borderline(self) -> bool:
        """Whether the ends of the range of free memory disagree on whether it starts."""
        return any(problem.code == "borderline" for problem in self.result.problems)

    @property
    def usd_per_hour(self) -> float | None:
        """Rent of whole instances, where a price is known."""
        return None if self.quote is None else self.quote.usd_per_hour


@dataclass(frozen=True, slots=True)
class Unfit:
    """A GPU and format that no legal layout made fit, with the nearest miss."""

    card: Card
    weight_format: str | None
    """``None`` for training, where the method decides."""
    reason: str
    """Problem code of the nearest miss."""
    text: str
    result: SizeResult | None = None
    """The numbers of the nearest miss, where rules want them (training)."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What sizing leaves for the rules."""

    kept: tuple[Candidate, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    considered: int = 0
    rejected_by: dict[str, int] | None = None
    cut: tuple[Candidate, ...] = ()
    """What carries the load too and is not handed to the rules: the last by rank."""
