"""What an fp8 cache would change, where nothing says in which format the cache must be.

It may cost fewer GPUs, keep the published weights, or make sure that a close fit starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.consult.attempt import Attempt, Desk
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Alternative
from advisor.consult.gpu_decision import gpu_choice, option_of
from advisor.consult.situation import Situation
from advisor.counted import counted

__all__ = ["with_narrow_cache"]

_WORTH_A_LOOK = 0.2
"""Share of the memory that the cache of the load must take for its format to matter."""
_CHEAPER = 0.95
_NOT_MUCH_DEARER = 1.3
"""Fewer, larger GPUs may cost so many times the rent and still be asked about."""
_MOST_CARDS = 6


def with_narrow_cache(desk: Desk, attempt: Attempt) -> Iterator[Alternative]:
    """Yield the best choice with an fp8 cache where it mends or costs less, or halves the GPUs."""
    situation, best = attempt.situation, attempt.best
    if best is None or situation.load.kv_format != "auto" or best.result.training:
        return
    if best.result.kv_format == "fp8":
        return  # what the model keeps is that narrow anyway
    large, wanting = _cache_share(best) >= _WORTH_A_LOOK, _wanting(best, situation)
    if not large and not wanting:
        return
    cards = dict.fromkeys(candidate.card.label for candidate in attempt.ranked)
    near = set(list(cards)[:_MOST_CARDS])
    load = situation.load
    formats = tuple(name for name in load.formats if name in {load.formats[0], best.weight_format})
    narrow = replace(
        situation,
        load=replace(load, kv_format="fp8", formats=formats),
        cards=tuple(card for card in situation.cards if card.label in near),
    )
    other = desk.attempt(narrow)
    alike = [c for c in other.ranked if _same_weights(c, best)]
    found, words = None, ""
    if large:
        found = next((c for c in alike if _costs_less(c, best)), None)
    if found is None and large:
        found = next((c for c in alike if _half_the_gpus(c, best)), None)
        words = f", on {counted(best.total_gpus - found.total_gpus, 'GPU')} fewer" if found else ""
    if found is None and wanting:
        found = next((c for c in alike if _mends(c, best)), None)
        words = f", {_gain(found, best)}" if found else ""
    if found is None:
        return
    yield Alternative(
        choice=gpu_choice(found, option_of(situation)),
        because=(
            f"With an fp8 cache {found.total_gpus} x {found.card.label} in {found.weight_format} "
            f"hold {counted(found.holds, 'request')} per replica{_rent(found)}{words}."
        ),
        would_be_chosen_if=(
            "If workload.kv_format is fp8: it halves the cache, and long-context quality is to be "
            "evaluated first."
        ),
        citations=other.rulings.cite("7.3"),
    )


def _wanting(best: Candidate, situation: Situation) -> bool:
    """Tell whether the choice may not start, or has narrower weights than were published."""
    return best.borderline or not (best.published or situation.load.format_fixed)


def _mends(found: Candidate, best: Candidate) -> bool:
    """Tell whether a layout surely starts, on no more of the same GPUs, and mends something."""
    if found.borderline or found.card.label != best.card.label:
        return False
    better = best.borderline if found.weight_format == best.weight_format else found.published
    return better and found.total_gpus <= best.total_gpus


def _gain(found: Candidate, best: Candidate) -> str:
    if found.weight_format == best.weight_format:
        return "and it surely starts"
    return "with the weights as they were published"


def _same_weights(found: Candidate, best: Candidate) -> bool:
    """Weights must not get narrower as well: the gain would not be the cache's."""
    return found.weight_format == best.weight_format or found.published


def _cache_share(candidate: Candidate) -> float:
    result = candidate.result
    request, memory = result.kv_gib_per_request_per_gpu, candidate.card.memory_gib
    held = min(candidate.holds, result.concurrency or 1)
    cache = result.kv_cache_gib_per_gpu
    if request is None or cache is None or memory <= 0:
        return 0.0
    return min(request * held, cache.expected) / memory


def _costs_less(found: Candidate, best: Candidate) -> bool:
    if found.money is not None and best.money is not None:
        return found.money < _CHEAPER * best.money
    memory = found.total_gpus * found.card.memory_gib
    return memory < _CHEAPER * best.total_gpus * best.card.memory_gib


def _half_the_gpus(found: Candidate, best: Candidate) -> bool:
    """Tell whether half of the GPUs or fewer do for a rent that is not much higher."""
    mine, its = best.money, found.money
    if mine is None or its is None or its > _NOT_MUCH_DEARER * mine:
        return False
    return 2 * found.total_gpus <= best.total_gpus


def _rent(candidate: Candidate) -> str:
    usd = candidate.usd_per_hour
    return "" if usd is None else f", {usd:.2f} USD an hour"
