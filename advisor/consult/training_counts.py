"""How many GPUs a training job may take: counts that are legal, and which of them is taken.

The rent of a run is about the same on few or many GPUs, so a rented run gets the fewest whole
machines that end it within a month; that length is a judgement, said where it decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.consult.layouts import wanted_layout
from advisor.consult.situation import Card, Situation
from advisor.consult.training_layouts import splits_are_wanted

__all__ = [
    "LONGEST_HOURS",
    "PATIENCE_HOURS",
    "Option",
    "legal_counts",
    "preferred",
    "split_counts",
    "wanted_counts",
]

PATIENCE_HOURS = 24.0
"""A run that surely takes longer is shared by all that is owned; a shorter one stays small."""
LONGEST_HOURS = 720.0
"""30 days: what a rented run may take at the slow end before more machines share it."""
_ABOUT_THE_SAME = 1.05
"""Runs whose rent differs by less are equally dear: the fewer GPUs then."""
_EQUAL = 1.0 + 1e-6
_NODES = (*range(2, 17), *range(18, 33, 2), *range(36, 65, 4), 80, 96, 128, 192, 256)
"""Nodes of one job that are tried: closer steps where a node more or less still counts."""
_MOST_MACHINES = 64
"""Of a split, whose stages need other numbers than full sharding."""


@dataclass(frozen=True, slots=True)
class Option:
    """One number of GPUs for a run, with what decides between several."""

    gpus: int
    hours: tuple[float, float]
    """Best and worst."""
    usd_per_hour: float | None
    """Of every GPU on the bill; ``None`` without a price."""

    @property
    def usd(self) -> float:
        """Rent of the run, the middle of both ends; without a price infinite."""
        return math.inf if self.usd_per_hour is None else self.usd_per_hour * sum(self.hours) / 2

    @property
    def late(self) -> bool:
        """Whether the slow end takes longer than a month."""
        return self.hours[1] > LONGEST_HOURS

    def over(self, budget_usd: object) -> bool:
        """Tell whether even the fast end costs more than there is."""
        if not isinstance(budget_usd, int | float) or self.usd_per_hour is None:
            return False
        return self.usd_per_hour * self.hours[0] > budget_usd


def legal_counts(card: Card, largest_job: int) -> tuple[int, ...]:
    """Return numbers of GPUs that a job may take, fewest first: parts of a machine, then whole."""
    machine = card.machine_gpus
    limit = card.max_gpus or largest_job
    inside = [n for n in (1, 2, 4, 8, 16, 32, 64, 72, machine) if n <= min(machine, limit)]
    across = [machine * n for n in _NODES if machine * n <= limit]
    if machine == 1 and card.max_gpus is None:
        across = []  # nobody gets nodes of one GPU for a job that spans several
    return tuple(sorted({*inside, *across}))


def wanted_counts(situation: Situation, card: Card) -> tuple[int, ...]:
    """Return the number of data ranks that the answers insist on, where it can be had."""
    wanted = wanted_layout(situation.answers)
    count = None if wanted is None or splits_are_wanted(situation) else wanted.data_parallel
    if count is None or count > (card.max_gpus or count):
        return ()
    return (count,)


def split_counts(card: Card, largest_job: int) -> tuple[int, ...]:
    """Return counts for splits: stages want numbers of machines that layers divide by."""
    machine, limit = card.machine_gpus, card.max_gpus or largest_job
    across = {machine * n for n in range(2, _MOST_MACHINES + 1) if machine > 1 or card.max_gpus}
    found = {*legal_counts(card, largest_job), *across}
    return tuple(sorted(count for count in found if count <= limit))


def preferred(options: Sequence[Option], priority: str, budget_usd: object = None) -> Option:
    """Return the number of GPUs to take of those that hold a rented run, the fewest first.

    Nothing is gained by more GPUs than end the run within a day: hours are those of GPUs that
    never wait for a network. Priority cost takes the cheapest run, of equally cheap ones the
    fewest GPUs that end it within a month. Else a run of less than a day stays on the fewest; a
    longer one takes the fewest that end it within a month for about the least rent, or the
    shortest where none does. What keeps the budget goes first, and where nothing does the
    cheapest stands for all.
    """
    enough = next((i for i, o in enumerate(options) if o.hours[1] < PATIENCE_HOURS), None)
    if enough is not None:
        options = options[: enough + 1]
    fewest, least = options[0], min(o.usd for o in options)
    if priority == "cost" and math.isfinite(least):
        cheapest = [o for o in options if o.usd <= least * _EQUAL]
        return min(cheapest, key=lambda o: (o.late, o.hours if o.late else (), o.gpus))
    kept = [o for o in options if not o.over(budget_usd)]
    if not kept:
        return min(options, key=lambda o: (o.usd, o.gpus))
    if fewest in kept and fewest.hours[1] < PATIENCE_HOURS:
        return fewest
    ending = [o for o in kept if not o.late]
    if not ending:
        return min(kept, key=lambda o: (o.hours, o.gpus))
    if priority == "simplicity":
        return min(ending, key=lambda o: o.gpus)
    least = min(o.usd for o in ending)
    return min((o for o in ending if o.usd <= least * _ABOUT_THE_SAME), key=lambda o: o.gpus)
