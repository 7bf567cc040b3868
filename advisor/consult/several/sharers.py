"""Which loads share GPUs by shares of the memory, and with which share each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from advisor.consult.candidate import Candidate
from advisor.consult.several.fleet import Part
from advisor.consult.several.loads import SizedLoad, alike
from advisor.consult.several.packing import least_share, packed
from advisor.sizing.size import SizingFacts

__all__ = ["ways_to_share"]

_LEAST_SHARING = 2
"""Engines that share a GPU, at least."""
_MOST_TRIED = 3
"""Candidates of a load on one GPU of which the one with the smallest share is taken."""


def ways_to_share(
    sized: tuple[SizedLoad, ...], whole: list[tuple[Part, ...]], facts: SizingFacts
) -> Iterator[tuple[tuple[Part, ...], bool]]:
    """Yield fleets of one kind of GPU in which the smaller loads share, the larger do not.

    All share, then all but the largest, and so on; what cannot share never does. Of a load that
    does not share, its best and its smallest layout are tried. With several tenants the same goes
    once more with loads of one tenant at most on a GPU, which the flag beside the parts says.

    Args:
        sized: The loads.
        whole: By load, its candidates on whole GPUs of the kind, best first.
        facts: What sizing knows.
    """
    shares = [_shares(load, parts[0], facts) for load, parts in zip(sized, whole, strict=True)]
    order = sorted(range(len(sized)), key=lambda i: -whole[i][-1].own_gpus)
    unable = {i for i, found in enumerate(shares) if not found}
    tenants = {load.load.tenant for load in sized}
    for apart in (False, True) if len(tenants) > 1 else (False,):
        for count in range(len(order)):
            alone = unable | set(order[:count])
            together = [i for i in order if i not in alone]
            if apart:
                together = _with_company(sized, together)
            for shared in _shared(sized, whole, shares, sorted(together), apart=apart):
                for pick in (0, -1):
                    parts = (shared.get(i) or whole[i][pick] for i in range(len(sized)))
                    yield tuple(parts), apart


def _with_company(sized: tuple[SizedLoad, ...], together: list[int]) -> list[int]:
    """Return the loads of tenants who have several engines among those that may share."""
    engines: Counter[str | None] = Counter()
    for index in together:
        engines[sized[index].load.tenant] += sized[index].load.instances
    engines[None] = 0
    return [i for i in together if engines[sized[i].load.tenant] >= _LEAST_SHARING]


def _shared(
    sized: tuple[SizedLoad, ...],
    whole: list[tuple[Part, ...]],
    shares: list[list[Part]],
    together: list[int],
    *,
    apart: bool,
) -> Iterator[dict[int, Part]]:
    """Yield the shares of the loads that share: on the fewest GPUs, then on all that are there.

    Owned GPUs that idle save nothing, so that wider weights or a wider split may take them.
    """
    if sum(sized[i].load.instances for i in together) < _LEAST_SHARING:
        return
    ways = [shares[i] for i in together]
    groups = alike([sized[i] for i in together])
    least = [min(found, key=_memory_taken) for found in ways]
    base = packed(least, apart=apart)
    if base is None:
        return
    there = whole[0][0].candidate.card.max_gpus or 0
    others = sum(parts[-1].own_gpus for i, parts in enumerate(whole) if i not in together)
    for most in dict.fromkeys((base.gpus, max(base.gpus, there - others))):
        parts = _widened(ways, groups, least, most, apart=apart)
        yield dict(zip(together, parts, strict=True))


def _widened(
    ways: list[list[Part]],
    groups: tuple[tuple[int, ...], ...],
    parts: list[Part],
    most: int,
    *,
    apart: bool,
) -> list[Part]:
    """Return shares in which each load gets back what it would take alone, wider weights say.

    Loads that are alike get it all or none, as long as no GPU more than ``most`` is needed.
    """
    for group in groups:
        for pick in range(len(ways[group[0]])):
            tried = [ways[i][pick] if i in group else part for i, part in enumerate(parts)]
            fits = packed(tried, apart=apart)
            if fits is not None and fits.gpus <= most:
                parts = tried
                break
    return parts


def _shares(sized: SizedLoad, whole: Part, facts: SizingFacts) -> list[Part]:
    """Return the load on shares of one kind of GPU, best first; none where it needs whole ones."""
    label, planned = whole.candidate.card.label, sized.attempt.situation.load
    near = [c for c in sized.attempt.ranked if c.card.label == label][:_MOST_TRIED]
    narrow = (least_share(candidate, planned, facts) for candidate in near)
    return [_share(sized, c, place) for place, c in enumerate(narrow) if c is not None]


def _share(sized: SizedLoad, candidate: Candidate, place: int) -> Part:
    against = sized.attempt.rulings.surcharges().get(candidate.id, 1.0)
    return Part(sized.load, candidate, place, against, candidate.result.gpu_memory_utilization)


def _memory_taken(part: Part) -> tuple[float, str]:
    return part.own_gpus * (part.fraction or 1.0), part.candidate.id
