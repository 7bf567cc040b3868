"""One layout sized at the scheduler limits that will be quoted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from advisor.sizing.case import Case, Limits
from advisor.sizing.stages import Stage, stages_of, tightest

__all__ = ["Trial", "recommended_sequences", "room_bytes", "starts", "try_out"]

_USUAL_SEQUENCES = 64
_LARGEST_BATCH_FOR_SEQUENCES = 1024
_SMALLER_BATCHES = (8192, 2048)
"""Engines' own defaults on smaller GPUs: tried when the default of this one leaves no room."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A case, the limits it is quoted at, and the stage that decides."""

    case: Case
    limits: Limits
    stage: Stage
    """The stage that holds the fewest requests."""
    checked: Stage
    """The stage with the need that the engine compares; differs by a known version bug only."""
    default: tuple[Limits, Stage] | None
    """The engine's own limits and the stage at them, where they differ from those quoted."""

    def longest(self, ceiling: int) -> int:
        """Return the longest single request that starts, at most ``ceiling`` tokens."""
        return self.checked.pool.largest_length(room_bytes(self.case, self.checked), ceiling)


def room_bytes(case: Case, stage: Stage, index: int = 1) -> float:
    """Return the bytes that one request may take: newer versions set a null block aside."""
    return stage.bytes_available(index) - case.rules.null_blocks * stage.pool.bytes_per_block


def starts(case: Case, stage: Stage, index: int = 1) -> bool:
    """Tell whether one request of the full length fits; ``index`` as in :class:`Stage`."""
    pool, tokens = stage.pool, case.max_model_len
    if stage.bytes_available(index) <= 0:
        return False
    room = room_bytes(case, stage, index)
    if pool.linear:
        return pool.bytes_for(tokens) <= room
    return pool.blocks_for(tokens) <= pool.block_count(room)


def try_out(case: Case, max_num_seqs: int) -> Trial:
    """Choose scheduler limits, starting from ``max_num_seqs``, and size the tightest stage."""
    limits, stage = _settle(case, max_num_seqs)
    return Trial(case, limits, stage, _checked_stage(case, stage), _engine_default(case, limits))


def _limits(case: Case, max_num_seqs: int) -> Limits:
    stated = case.request.max_num_batched_tokens
    if stated is not None:
        return Limits(max_num_seqs, stated)
    least = min(max_num_seqs, _LARGEST_BATCH_FOR_SEQUENCES)
    return Limits(max_num_seqs, max(case.rules.batch.max_num_batched_tokens, least))


def recommended_sequences(case: Case) -> int:
    """Return max-num-seqs: room for the load, not for the engine's default of up to 1024.

    Each sequence costs sampling memory (38.5 B x vocabulary) whether it is used or not, so
    the recommendation is the load rounded up to a power of two, at least 64.
    """
    if case.request.max_num_seqs is not None:
        return case.request.max_num_seqs
    per_rank = math.ceil(case.streams / case.layout.data_parallel)
    if per_rank <= _USUAL_SEQUENCES:
        return min(_USUAL_SEQUENCES, max(case.rules.batch.max_num_seqs, per_rank))
    return 1 << math.ceil(math.log2(per_rank))


def _tightest(case: Case, limits: Limits) -> Stage:
    return tightest(stages_of(case, limits), case.max_model_len)


def _settle(case: Case, max_num_seqs: int) -> tuple[Limits, Stage]:
    limits = _limits(case, max_num_seqs)
    stage = _tightest(case, limits)
    if case.request.max_num_seqs is not None:
        return limits, stage
    if not starts(case, stage):
        limits, stage = _with_smaller_batch(case, limits, stage)
    if stage.pool.has_states and case.rules.shared_pool:
        blocks = stage.pool.block_count(stage.bytes_available())
        if 0 < blocks < limits.max_num_seqs:
            limits = replace(limits, max_num_seqs=blocks)
            stage = _tightest(case, limits)
    return limits, stage


def _with_smaller_batch(case: Case, limits: Limits, stage: Stage) -> tuple[Limits, Stage]:
    """Return the largest usual prefill batch that starts, or what was given if none does."""
    if case.request.max_num_batched_tokens is not None or case.request.kv_cache_gib is not None:
        return limits, stage
    for batch in _SMALLER_BATCHES:
        if limits.max_num_seqs <= batch < limits.max_num_batched_tokens:
            smaller = replace(limits, max_num_batched_tokens=batch)
            at_smaller = _tightest(case, smaller)
            if starts(case, at_smaller):
                return smaller, at_smaller
    return limits, stage


def _checked_stage(case: Case, stage: Stage) -> Stage:
    """Return the stage whose need the engine compares with what is available.

    Versions with the pipeline bug compare one stage's memory with the whole model's need.
    """
    if not case.rules.checks_whole_model_per_stage or case.layout.pipeline_parallel == 1:
        return stage
    whole = replace(case, layout=replace(case.layout, pipeline_parallel=1))
    pool = stages_of(whole, Limits(1, 1))[0].pool
    return replace(stage, pool=replace(pool, rules=stage.pool.rules))


def _engine_default(case: Case, limits: Limits) -> tuple[Limits, Stage] | None:
    default = _limits(case, case.rules.batch.max_num_seqs)
    if case.request.max_num_seqs is not None or case.request.kv_cache_gib is not None:
        return None
    return None if default == limits else (default, _tightest(case, default))
