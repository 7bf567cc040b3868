"""When no layout meets the answers: which comes nearest to the limits that failed, and by what.

A miss is a factor: what is asked for over what there is (speeds), or the other way round (money,
numbers, waiting). 1 is met; 8 means that an eighth of a speed, or eight times the rent, is all
there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Alternative
from advisor.consult.gpu_choice import Option, gpu_choice
from advisor.consult.situation import Situation
from advisor.consult.targets import Targets, targets_of

__all__ = ["limit_words", "miss_of", "nearest_miss", "worth_telling"]

_AS_NEAR = 2.0
"""What misses by more than so many times the nearest is no way out."""


def miss_of(candidate: Candidate, targets: Targets) -> float:
    """Return by what factor a candidate misses the worst of the limits; infinite if not known."""
    return max(_misses(candidate, targets), default=1.0)


def _misses(candidate: Candidate, targets: Targets) -> Iterator[float]:
    one, every = candidate.user_tokens_per_second, candidate.output_tokens_per_second
    first, usd = candidate.result.ttft_ms, candidate.usd_per_hour
    read = candidate.prompts.prompts(candidate.result, candidate.replicas)
    if targets.per_user is not None:
        yield _over(targets.per_user, one.high if one else None)
    if targets.total is not None:
        yield _over(targets.total, every.high if every else None)
    if candidate.prompts.wanted is not None:
        yield _over(candidate.prompts.wanted, read.high if read else None)
    if targets.ttft_ms is not None and (first is not None or targets.prompted):
        yield _over(first.low if first else None, targets.ttft_ms)
    if targets.usd_per_hour is not None and (usd is not None or targets.needs_price):
        yield _over(usd, targets.usd_per_hour)
    if targets.usd is not None and candidate.bought:
        price = candidate.purchase_usd
        yield _over(price.low if price else None, targets.usd)
    if targets.gpus is not None:
        yield _over(candidate.billed_gpus, targets.gpus)


def _over(more: float | None, less: float | None) -> float:
    if more is None or not less:
        return math.inf
    return max(1.0, more / less)


def nearest_miss(failed: Attempt) -> Candidate | None:
    """Return the candidate that comes nearest, or ``None`` where no limit that was set failed."""
    targets = targets_of(failed.situation.answers)
    must = failed.rulings.rejections("must")
    out = [c for c in failed.found.kept if c.id in must]
    missed = [(miss_of(c, targets), i, c) for i, c in enumerate(out)]
    known = [(miss, i, c) for miss, i, c in missed if 1.0 < miss < math.inf]
    return min(known, key=lambda entry: entry[:2])[2] if known else None


def worth_telling(
    remedies: Iterable[Alternative], failed: Attempt, option: Option, nearest: Candidate
) -> Iterator[Alternative]:
    """Yield the ways out that are none of the layouts that miss a limit by far.

    Args:
        remedies: Ways out.
        failed: What was sized.
        option: What choosing one of its candidates would have meant.
        nearest: Told already.
    """
    targets = targets_of(failed.situation.answers)
    bound = _AS_NEAR * miss_of(nearest, targets)
    rules = failed.rulings.rejections("must")
    same = rules[nearest.id].rule.id
    drop = [
        gpu_choice(c, option)
        for c in failed.found.kept
        if c.id in rules and (rules[c.id].rule.id == same or miss_of(c, targets) > bound)
    ]
    yield from (remedy for remedy in remedies if remedy.choice not in drop)


def _prompt_words(candidate: Candidate) -> Iterator[str]:
    wanted = candidate.prompts.wanted
    read = candidate.prompts.prompts(candidate.result, candidate.replicas)
    if wanted is not None and read is not None and read.high < wanted:
        yield f"{read.high:,.0f} prompt tokens a second were enough ({wanted:,.0f} come in)"


def limit_words(candidate: Candidate, situation: Situation) -> str:
    """Return what the user would have to accept to take a candidate that misses a limit."""
    targets = targets_of(situation.answers)
    one, every = candidate.user_tokens_per_second, candidate.output_tokens_per_second
    usd, first = candidate.usd_per_hour, candidate.result.ttft_ms
    parts = []
    if targets.per_user is not None and one is not None and one.high < targets.per_user:
        parts.append(
            f"{one.high:,.0f} tokens a second for one user were enough "
            f"({targets.per_user:,g} are asked for)"
        )
    if targets.total is not None and every is not None and every.high < targets.total:
        parts.append(f"{every.high:,.0f} tokens a second in all were enough")
    parts.extend(_prompt_words(candidate))
    if targets.ttft_ms is not None and first is not None and first.low > targets.ttft_ms:
        parts.append(f"the first token might take {first.low / 1000:,.2g} s or more")
    if targets.usd_per_hour is not None and usd is not None and usd > targets.usd_per_hour:
        parts.append(f"the budget were {usd:,.2f} USD an hour")
    price = candidate.purchase_usd
    if targets.usd is not None and price is not None and price.low > targets.usd:
        parts.append(f"the budget for buying were {price.low:,.0f} USD or more")
    if targets.gpus is not None and candidate.billed_gpus > targets.gpus:
        parts.append(f"the quota were {candidate.billed_gpus} GPUs")
    return f"If {' and '.join(parts)}." if parts else "If its limits were lifted."
