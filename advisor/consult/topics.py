"""Which common misconceptions a consultation touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.candidates import Candidate
from advisor.consult.situation import Situation

if TYPE_CHECKING:
    from advisor.store.corrections import Correction

__all__ = ["corrections_about"]

_SHOWN = 5
_LEAST_SHARED = 2
"""A correction is shown when it shares that many topics, one of them a name."""


def corrections_about(situation: Situation, best: Candidate | None) -> tuple[Correction, ...]:
    """Return the corrections that this situation touches, the closest first."""
    from advisor.store.corrections import load_corrections

    topics = _topics(situation, best)
    names = {topic for topic in topics if ":" in topic}
    found = []
    for record in load_corrections().about(topics):
        shared = topics.intersection(record.topics)
        if len(shared) >= _LEAST_SHARED and shared & names:
            found.append(record)
    return tuple(found[:_SHOWN])


def _topics(situation: Situation, best: Candidate | None) -> set[str]:
    topics = {"memory", "kv_cache", "weights"}
    model = situation.load.model
    if model is not None:
        topics.add(f"model:{model.id}")
        if any(attention.kind == "mla" for attention in model.attention):
            topics.add("mla")
    named = situation.answers.is_given("hardware.gpu")
    if named and len(situation.cards) <= 4:
        topics |= {f"gpu:{card.gpu.id}" for card in situation.cards}
    if situation.load.trains:
        topics = (topics - {"kv_cache"}) | {"training"}
    if best is not None:
        topics |= {f"gpu:{best.card.gpu.id}", f"format:{best.weight_format}", "precision"}
        if best.layout.tensor_parallel > 1:
            topics.add("tensor_parallel")
        if best.layout.pipeline_parallel > 1:
            topics.add("pipeline_parallel")
        if best.layout.expert_parallel:
            topics.add("expert_parallel")
    return topics
