"""Owned machines of several kinds: why one replica takes one kind only."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.attempt import Attempt
from advisor.consult.consultation import Warned

__all__ = ["unequal_cards"]


def unequal_cards(attempt: Attempt) -> Iterator[Warned]:
    """Yield that cards of several kinds are not joined, where they are owned for one load."""
    situation = attempt.situation
    kinds = {card.gpu.id: card.gpu.name for card in attempt.fleet or situation.cards}
    if len(kinds) < 2 or attempt.groups or not situation.all_there or situation.load.model is None:
        return
    names = " and ".join(sorted(kinds.values()))
    whole = "training job" if situation.load.trains else "replica"
    yield Warned(
        id="fleet-unequal-cards",
        kind="limit",
        severity="info",
        decision="parallelism",
        text=f"One {whole} takes cards of one kind only, so {names} are not added up: each rank "
        "gets an equal share, the smallest memory limits all, and all wait for the slowest.",
        symptom="Out of memory on the smaller card, or a fast card that draws little power.",
        cause="vLLM and SGLang split layers equally and want all pipeline stages equally wide.",
        check="Memory and power of each card under load, as its vendor's tool prints them.",
        fix="A replica for each kind behind a router that weighs them, or other loads on the rest. "
        "llama.cpp shares out layers by memory (--tensor-split), for few users.",
        citations=attempt.rulings.cite("7.2#patterns-what-goes-wrong", "7.1"),
    )
