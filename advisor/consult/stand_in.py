"""Honest ranges for a model that is known by its size only.

Its cache is computed with the shapes of a like model that groups its queries. Plain multi-head
attention of the same width keeps every head, up to some thirty times as much per token, so the
pessimistic end of the cache is computed with that.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.consult.candidate import Candidate
from advisor.consult.share_of_load import size_request
from advisor.consult.situation import Situation
from advisor.sizing.result import SizeProblem, SizeResult
from advisor.sizing.size import SizingFacts, size_layout
from advisor.store.model import FullAttention, Model

__all__ = ["with_unknown_heads"]


def with_unknown_heads(
    found: tuple[Candidate, ...], situation: Situation, facts: SizingFacts
) -> tuple[Candidate, ...]:
    """Return candidates whose low ends hold for attention without grouping.

    Models whose shapes are known come back as they are, and so do training jobs: they keep no
    cache, and their activations carry a range of their own.
    """
    model = situation.load.model
    if model is None or model.id != "stated-model" or situation.load.trains:
        return found
    plain = _ungrouped(model)
    return tuple(_widened(candidate, situation, plain, facts) for candidate in found)


def _ungrouped(model: Model) -> Model:
    attention = tuple(
        part.model_copy(update={"kv_heads": part.heads})
        if isinstance(part, FullAttention)
        else part
        for part in model.attention
    )
    return model.model_copy(update={"attention": attention})


def _widened(
    candidate: Candidate, situation: Situation, plain: Model, facts: SizingFacts
) -> Candidate:
    load, result = situation.load, candidate.result
    share = -(-load.concurrency // candidate.replicas)
    request = size_request(load, candidate.card, candidate.weight_format, share)
    worst = size_layout(request, plain, candidate.card.gpu, candidate.layout, facts)
    return replace(candidate, result=_with_low_end(result, worst))


def _with_low_end(result: SizeResult, worst: SizeResult) -> SizeResult:
    """Return the result with the other's low ends, and the doubt named."""
    room, tokens = result.max_concurrency, result.kv_cache_tokens
    if room is None or worst.max_concurrency is None:
        return result
    low = min(room.low, worst.max_concurrency.low)
    changes: dict[str, object] = {"max_concurrency": room.model_copy(update={"low": low})}
    if tokens is not None and worst.kv_cache_tokens is not None:
        least = min(tokens.low, worst.kv_cache_tokens.low)
        changes["kv_cache_tokens"] = tokens.model_copy(update={"low": least})
    if low < 1 and not result.borderline:
        text = (
            f"with attention that keeps every head the cache holds {low:.2f} of a request: it is "
            "not known whether this starts."
        )
        doubt = SizeProblem(code="borderline", text=text, section="7.3")
        changes["problems"] = (*result.problems, doubt)
    return result.model_copy(update=changes)
