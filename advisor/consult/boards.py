"""What must be bought where a GPU is sold on boards only: whole boards, some GPUs left over."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from advisor.consult.candidate import Candidate

__all__ = ["Boards", "boards_for"]


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
    together = math.ceil(candidate.gpus_per_replica / candidate.nodes_per_replica)
    groups = candidate.replicas * candidate.nodes_per_replica
    sold = [size for size in candidate.card.gpu.board_gpus if size >= together]
    found = (Boards(size, -(-groups // (size // together)), candidate.total_gpus) for size in sold)
    return min(found, key=lambda boards: (boards.gpus, boards.count), default=None)
