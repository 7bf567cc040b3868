"""What stays free of the GPUs that are owned, and whether it could carry more."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate

__all__ = ["rest_sentences"]


def rest_sentences(attempt: Attempt) -> Iterator[str]:
    """Yield what the choice leaves of its own machines, and which others it does not touch."""
    if not attempt.situation.all_there or not attempt.ranked:
        return
    used = [group.candidate for group in attempt.groups] or [attempt.ranked[0]]
    for candidate in used:
        yield from _of_its_own(candidate, attempt)
    taken = {candidate.card.label for candidate in used}
    if attempt.situation.answers.is_given("hardware.inventory"):
        idle = [c for c in attempt.fleet or attempt.situation.cards if c.label not in taken]
        if idle:
            told = ", ".join(f"{card.max_gpus} x {card.label}" for card in idle)
            more = attempt.situation.priority == "throughput"
            use = "replicas of their own beside it, or other loads" if more else "other loads"
            yield f"Not needed for it, and free for {use}: {told}."


def _of_its_own(best: Candidate, attempt: Attempt) -> Iterator[str]:
    there, card = best.card.max_gpus, best.card
    if there is None or there <= best.total_gpus:
        return
    free = there - best.total_gpus
    stages = best.layout.pipeline_parallel
    most = card.most_replicas(best.gpus_per_replica // stages, stages, best.nodes_per_replica)
    more = (most or 0) - best.replicas
    text = f"Of {there} x {card.label}, {free} stay{'s' if free == 1 else ''} free"
    if best.result.training:
        yield f"{text} for other jobs."
        return
    if more > 0:
        room = "1 more replica" if more == 1 else f"{more} more replicas"
        yield f"{text}: {room} would fit, or other loads."
        return
    yield f"{text}: {_too_few(best, attempt)}, so no further replica; other loads may use them."


def _too_few(best: Candidate, attempt: Attempt) -> str:
    """Return why what is free holds no further replica."""
    free = (best.card.max_gpus or 0) - best.total_gpus
    if free >= best.gpus_per_replica:
        return f"no machine has {best.gpus_per_replica} of them together"
    model = attempt.situation.load.model
    heads = {a.heads for a in model.attention if hasattr(a, "heads")} if model else set()
    whole = best.card.island_gpus
    uneven = sorted(count for count in heads if count % whole)
    if best.replicas == 1 and uneven and whole == best.card.max_gpus:
        return f"{uneven[0]} heads do not split over {whole}"
    return f"a replica takes {best.gpus_per_replica}"
