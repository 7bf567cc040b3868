"""Sentences about the cost of a run: a job that ends is compared by its whole rent."""

from __future__ import annotations

import math

from advisor.consult.candidate import Candidate

__all__ = ["by_run", "if_run_cheaper", "lost_by_run", "order_of_jobs"]

_THEN = "then the least GPU memory, the simplest layout"
_OF_JOBS = {
    "latency": "fastest training (up to a fifth slower counts as equal), then cost",
    "throughput": "most trained tokens for the rent (what has no price last), then cost",
}


def by_run(candidate: Candidate) -> tuple[float, float] | None:
    """Return the rent of a run where it is known and ends."""
    usd = candidate.usd_per_run
    return usd if usd is not None and math.isfinite(usd[1]) else None


def order_of_jobs(best: Candidate, priority: str) -> str | None:
    """Return what puts a training job first; ``None`` where the usual words hold."""
    if best.run is None:
        return None
    if priority in {"balanced", "cost"} and by_run(best) is not None:
        return f"cheapest for the whole run, {_THEN}"
    return _OF_JOBS.get(priority)


def lost_by_run(candidate: Candidate, best: Candidate) -> str | None:
    """Return by how much a run is dearer than the choice's; ``None`` where it is not."""
    mine, other = by_run(candidate), by_run(best)
    if mine is None or other is None or sum(mine) <= sum(other):
        return None
    return (
        f"the run costs {mine[0]:,.0f} to {mine[1]:,.0f} USD by estimate, the choice's "
        f"{other[0]:,.0f} to {other[1]:,.0f}"
    )


def if_run_cheaper(candidate: Candidate, best: Candidate) -> str | None:
    """Return the rent from which the run would cost no more than the choice's."""
    other, hours = by_run(best), candidate.run.hours if candidate.run else None
    if other is None or hours is None or not math.isfinite(hours[1]):
        return None
    worth = sum(other) / sum(hours)
    rent = f"If it rented for {worth:.2f} USD an hour or less"
    now = candidate.usd_per_hour
    if now is None:
        return f"{rent}, its run would cost no more than the choice's; no price is known."
    if now <= worth:
        return None
    mine = by_run(candidate) or (0.0, 0.0)
    return f"{rent} ({now:.2f} now): its run costs {mine[0]:,.0f} to {mine[1]:,.0f} USD."
