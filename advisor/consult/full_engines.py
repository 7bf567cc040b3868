"""A batch of unknown width: as many requests run as there is room for, on all that is owned."""

from __future__ import annotations

from collections.abc import Callable

from advisor.consult.situation import Situation
from advisor.sizing.result import SizeResult

__all__ = ["fills_engines", "full_engine", "on_all_that_is_owned"]


def fills_engines(situation: Situation) -> bool:
    """Return whether nobody said how many requests run at once, and a batch sends them all."""
    load, answers = situation.load, situation.answers
    return load.kind == "batch_inference" and not answers.is_given("workload.concurrency")


def _texts_of_unknown_rate(situation: Situation) -> bool:
    """Return whether texts are read as fast as can be: none of them waits for an answer."""
    given = situation.answers.is_given
    said = given("workload.concurrency") or given("objectives.requests_per_second")
    return situation.load.kind in {"embeddings", "reranking"} and not said


def full_engine(
    size: Callable[[int], SizeResult], holds: int, most: int, usual: SizeResult
) -> SizeResult:
    """Return the numbers of one replica with as many streams as a queue that never ends gives it.

    Args:
        size: Sizes the layout for so many requests at once.
        holds: Requests of the usual length that one replica's cache holds.
        most: Sequences that one replica admits.
        usual: The numbers to keep where so many would not start.
    """
    full = size(max(1, min(holds, most)))
    return full if full.fits else usual


def on_all_that_is_owned(situation: Situation, most: int | None, replicas: int) -> int:
    """Return as many replicas as the owned GPUs hold where they would else wait for the work.

    So where throughput comes first, and where a batch is unhurried by anything that was said.

    Args:
        situation: Who asks for what.
        most: Replicas that the owned GPUs hold; ``None`` where they are rented or bought.
        replicas: What carries the load.
    """
    first = situation.priority == "throughput"
    if most is not None and fills_engines(situation):
        said = situation.answers.is_given("objectives.priority")
        return max(replicas, most) if first or not said else replicas
    if most is None or not first:
        return replicas
    if _texts_of_unknown_rate(situation):
        return max(replicas, most)
    return max(replicas, min(most, situation.load.concurrency))
