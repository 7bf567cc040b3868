"""When named or owned GPUs are too few: what of the load would have to give, one change each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from advisor.consult.attempt import Attempt, Desk
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Alternative
from advisor.consult.gpu_choice import gpu_choice
from advisor.consult.gpu_decision import option_of
from advisor.consult.situation import Load, Situation
from advisor.counted import counted

__all__ = ["leaner_loads", "shorter_requests"]

_FEW_CARDS = 4
"""Each change is sized again; over the whole market the other remedies say enough."""
_STEP_TOKENS = 1024
_WIDE_CACHES = frozenset({"auto", "bf16", "fp16"})


def leaner_loads(desk: Desk, failed: Attempt) -> Iterator[Alternative]:
    """Yield an fp8 cache, the longest request and the most requests at once that would fit."""
    situation, load = failed.situation, failed.situation.load
    if load.model is None or len(situation.cards) > _FEW_CARDS or situation.elsewhere:
        return
    if load.kv_format in _WIDE_CACHES and not situation.answers.is_given("workload.kv_format"):
        found = _best(desk, situation, kv_format="fp8")
        if found is not None:
            yield _offer(
                failed, found, f"With an fp8 cache {_what(found)} it.",
                "If workload.kv_format were fp8: evaluate long-context quality first.",
            )  # fmt: skip
    yield from shorter_requests(desk, failed)
    users = _most(load.concurrency, lambda n: _best(desk, situation, concurrency=n))
    if users is not None:
        count, found = users
        yield _offer(
            failed, found, f"With {counted(count, 'request')} at once {_what(found)} it.",
            f"If max_num_seqs were {count} and the others waited.",
        )  # fmt: skip


def shorter_requests(desk: Desk, failed: Attempt) -> Iterator[Alternative]:
    """Yield the longest request that would surely fit."""
    situation, load = failed.situation, failed.situation.load
    if load.model is None or len(situation.cards) > _FEW_CARDS or situation.elsewhere:
        return
    steps = load.context_tokens // _STEP_TOKENS
    tokens = _most(steps, lambda n: _best(desk, situation, context_tokens=n * _STEP_TOKENS))
    if tokens is None:
        return
    count, found = tokens
    length = count * _STEP_TOKENS
    yield _offer(
        failed, found, f"With requests of up to {length:,} tokens {_what(found)} it.",
        f"If {length:,} tokens were the longest request.",
    )  # fmt: skip


def _what(found: Candidate) -> str:
    verb = "carries" if found.total_gpus == 1 else "carry"
    return f"{found.total_gpus} x {found.card.label} {verb}"


def _best(desk: Desk, situation: Situation, **changes: object) -> Candidate | None:
    load: Load = replace(situation.load, **changes)  # type: ignore[arg-type]
    best = desk.attempt(replace(situation, load=load)).best
    return None if best is None or best.borderline else best


def _most(limit: int, found_at: Callable[[int], Candidate | None]) -> tuple[int, Candidate] | None:
    """Return the largest number below ``limit`` that fits, by halving, with what carries it."""
    low, high = 1, limit - 1
    best: tuple[int, Candidate] | None = None
    while low <= high:
        middle = (low + high) // 2
        found = found_at(middle)
        if found is None:
            high = middle - 1
        else:
            best, low = (middle, found), middle + 1
    return best


def _offer(failed: Attempt, found: Candidate, because: str, condition: str) -> Alternative:
    return Alternative(
        choice=gpu_choice(found, option_of(failed.situation)),
        because=because,
        would_be_chosen_if=condition,
        citations=failed.rulings.cite("7.3"),
    )
