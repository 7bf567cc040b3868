"""What must be bought where a GPU is sold on boards only: whole boards, some GPUs left over."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from advisor.consult.candidate import Candidate
from advisor.consult.purchase import PurchaseRange, purchase_range
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.prices import Purchase

__all__ = ["Boards", "boards_for", "price_to_buy", "with_purchase"]


@dataclass(frozen=True, slots=True)
class Boards:
    """Whole boards that hold a layout."""

    gpus_of_one: int
    count: int
    used: int

    @property
    def gpus(self) -> int:
        """GPUs of all boards."""
        return self.gpus_of_one * self.count

    def fields(self) -> dict[str, Any]:
        """Return what a choice says about it."""
        return {
            "board_gpus": self.gpus_of_one,
            "boards": self.count,
            "purchased_gpus": self.gpus,
        }

    def sentence(self, name: str) -> str:
        """Return what is left over in words; nothing where nothing is."""
        spare = self.gpus - self.used
        if not spare:
            return ""
        boards = "one board" if self.count == 1 else f"{self.count} boards"
        return (
            f"{name} is sold on boards of {self.gpus_of_one}: the {self.used} taken here are part "
            f"of {boards}, so {self.gpus} are bought, powered and cooled, and {spare} stay free."
        )


def boards_for(candidate: Candidate) -> Boards | None:
    """Return the fewest GPUs of whole boards, or ``None`` for cards that are sold one by one.

    What works together inside a machine sits on one board; several replicas may share one.
    """
    return _boards(
        candidate.card.gpu,
        candidate.gpus_per_replica,
        candidate.nodes_per_replica,
        candidate.replicas,
    )


def _boards(gpu: Gpu, gpus_per_replica: int, nodes: int, replicas: int) -> Boards | None:
    together, groups = math.ceil(gpus_per_replica / nodes), replicas * nodes
    sold = [size for size in gpu.board_gpus if size >= together]
    used = gpus_per_replica * replicas
    found = (Boards(size, -(-groups // (size // together)), used) for size in sold)
    return min(found, key=lambda boards: (boards.gpus, boards.count), default=None)


def price_to_buy(
    purchases: Iterable[Purchase], gpu: Gpu, gpus_per_replica: int, nodes: int, replicas: int
) -> PurchaseRange:
    """Return what replicas cost to buy: whole boards where a GPU is sold on boards only.

    Args:
        purchases: The catalogue.
        gpu: Which GPU.
        gpus_per_replica: GPUs of one replica.
        nodes: Machines of one replica.
        replicas: How many.
    """
    boards = _boards(gpu, gpus_per_replica, nodes, replicas)
    return purchase_range(purchases, gpu.id, boards.gpus if boards else gpus_per_replica * replicas)


def with_purchase(candidate: Candidate, purchases: Iterable[Purchase]) -> Candidate:
    """Return the candidate as one that is bought, with its price where one is known."""
    found = price_to_buy(
        purchases,
        candidate.card.gpu,
        candidate.gpus_per_replica,
        candidate.nodes_per_replica,
        candidate.replicas,
    )
    return replace(candidate, purchase=found)
