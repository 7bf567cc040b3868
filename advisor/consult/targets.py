"""What the answers demand of a choice: money, speed, count. The rules say so; this sorts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate
from advisor.consult.economics import Band
from advisor.consult.prompt_load import NO_PROMPTS, PromptLoad, prompt_load
from advisor.consult.situation import Load
from advisor.sizing.result import RateRange, SizeResult

__all__ = ["Targets", "targets_of", "total_tokens_per_second"]


_A_HAIR = 1 - 1e-9
"""Rounding must not ask for one more replica."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Limits that a layout must keep; ``None`` where the answers set none."""

    per_user: float | None = None
    """Tokens a second of one user, at least."""
    total: float | None = None
    """Tokens a second of all replicas together, at least."""
    ttft_ms: float | None = None
    usd_per_hour: float | None = None
    usd: float | None = None
    """For buying, all GPUs together; only where they are bought."""
    gpus: float | None = None
    """A quota: of all GPUs of what is rented, those that idle too."""
    prompted: bool = False
    """Whether the length of prompts is known, without which nothing says when a token comes."""
    needs_price: bool = True
    """Whether a budget forbids what has no price: rent is asked for."""
    needs_estimate: bool = False
    """Whether a speed forbids what has no estimate: any GPU may be taken, none is named."""
    prompts: PromptLoad = NO_PROMPTS
    """What prompts take of the time, and the rate at which they come."""

    @property
    def set_speed(self) -> bool:
        """Whether a wider split or more replicas than memory asks for may be needed."""
        speeds = (self.per_user, self.total, self.ttft_ms, self.prompts.wanted)
        return any(speed is not None for speed in speeds)

    def fast_enough(self, result: SizeResult, replicas: int) -> bool:
        """Return whether the fast end of the estimates reaches the speeds, or is not known.

        The time of prompts is taken off where their length and rate are known.
        """
        return not self.set_speed or self._reached(result, replicas, lambda band: band.high)

    def likely(self, result: SizeResult, replicas: int) -> bool:
        """Return whether the middle of the estimates reaches the speeds: as likely as not."""
        return not self.set_speed or self._reached(result, replicas, lambda band: band.middle)

    def _reached(self, result: SizeResult, replicas: int, end: Callable[[Band], float]) -> bool:
        fastest = self.prompts.one_user(result)
        every = self.prompts.total(result, replicas)
        read = self.prompts.prompts(result, replicas)
        slow = fastest is not None and end(fastest) < (self.per_user or 0.0)
        little = every is not None and end(every) < (self.total or 0.0)
        behind = read is not None and end(read) < (self.prompts.wanted or 0.0)
        return not (slow or little or behind)

    def least_replicas(self, result: SizeResult, replicas: int, load: int) -> int:
        """Return a number below which no replicas reach the speeds: where a search may begin.

        Fewer requests in each make a step shorter, but never by more than their share: ``n``
        replicas give at most ``n`` times what one with all its requests gives.

        Args:
            result: One of ``replicas`` replicas, each with its share of the load.
            replicas: How many carry the load.
            load: Requests at once.
        """
        fastest, streams = self.prompts.one_user(result), result.concurrency or 1
        every, read = self.prompts.total(result, replicas), self.prompts.prompts(result, replicas)
        least = float(replicas)
        if every is not None and every.high > 0:
            least = max(least, replicas * (self.total or 0.0) / every.high)
        if read is not None:
            least = max(least, replicas * (self.prompts.wanted or 0.0) / read.high)
        if fastest is not None and self.per_user and fastest.high < self.per_user:
            most = 1 + math.floor((streams - 1) * fastest.high / self.per_user)
            least = max(least, load / most)
        return math.ceil(least * _A_HAIR)

    def missed_by(self, candidate: Candidate) -> bool:
        """Return whether a rule will reject the candidate for one of these limits."""
        first, usd = candidate.result.ttft_ms, candidate.usd_per_hour
        late = (
            first is not None and first.low is not None and first.low > (self.ttft_ms or math.inf)
        )
        dear = self.usd_per_hour is not None and (
            self.needs_price if usd is None else usd > self.usd_per_hour
        )
        dear |= self.usd is not None and candidate.bought and self._over(candidate)
        many = self.gpus is not None and candidate.billed_gpus > self.gpus
        slow = not self.fast_enough(candidate.result, candidate.replicas)
        return late or dear or many or slow or self._unknown(candidate.result)

    def _over(self, candidate: Candidate) -> bool:
        """Tell whether even the lowest purchase price is too much, or none is known."""
        price = candidate.purchase_usd
        return price is None or price.low > (self.usd or math.inf)

    def _unknown(self, result: SizeResult) -> bool:
        first = result.ttft_ms
        pairs = (
            (self.per_user, _high(result.decode_tokens_per_second)),
            (self.total, _high(result.total_output_tokens_per_second)),
            (self.ttft_ms if self.prompted else None, first.low if first else None),
            (self.prompts.wanted, _high(result.prompt_tokens_per_second)),
            # an output rate without the time of prompts that are known is not the one asked for
            (
                (self.per_user or self.total) if self.prompts.per_output is not None else None,
                _high(result.prompt_tokens_per_second),
            ),
        )
        return self.needs_estimate and any(
            wanted is not None and estimate is None for wanted, estimate in pairs
        )


def targets_of(answers: Answers, load: Load | None = None) -> Targets:
    """Return the limits that the answers set; those on prompts too when the load is told."""
    return Targets(
        per_user=_number(answers, "objectives.tokens_per_second_per_user"),
        total=total_tokens_per_second(answers),
        ttft_ms=_number(answers, "objectives.ttft_ms"),
        usd_per_hour=_number(answers, "objectives.budget_usd_per_hour"),
        usd=_number(answers, "objectives.budget_usd") if _buys(answers) else None,
        gpus=_number(answers, "platform.gpu_quota"),
        prompted=answers.is_given("workload.prompt_tokens"),
        needs_estimate=_open_market(answers),
        needs_price=answers.get("hardware.acquisition") in {None, "rent"},
        prompts=NO_PROMPTS if load is None or load.trains else prompt_load(answers, load),
    )


def _buys(answers: Answers) -> bool:
    return answers.get("hardware.acquisition") == "buy"


def _open_market(answers: Answers) -> bool:
    named = ("hardware.gpu", "hardware.gpu_memory_gib", "hardware.inventory")
    return not any(answers.is_given(key) for key in named)


def total_tokens_per_second(answers: Answers) -> float | None:
    """Return the tokens a second wanted of all GPUs: as stated, or requests times their answer."""
    total = _number(answers, "objectives.total_output_tokens_per_second")
    requests = _number(answers, "objectives.requests_per_second")
    output = _number(answers, "workload.output_tokens") if requests is not None else None
    if requests is not None and output is not None:
        return max(total or 0.0, requests * output)
    return total


def _high(rate: RateRange | None) -> float | None:
    return None if rate is None else rate.high


def _number(answers: Answers, key: str) -> float | None:
    value = answers.get(key)
    return float(value) if isinstance(value, int | float) else None
