"""What prompts cost beside the answers: how much of an engine's time they take.

Prompts are computed, answers are decoded, and one engine does both in turn. Where the lengths of
both are known, one output token costs ``1/decode + (prompt/output)/prefill`` seconds of an
instance; where only a rate of prompts is known, they take ``rate/prefill`` of its time and
decoding gets the rest. Handbook sections 7.2 and 8.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.consult.economics import Band

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.situation import Load
    from advisor.sizing.result import RateRange, SizeResult

__all__ = ["NO_PROMPTS", "PromptLoad", "prompt_load"]


@dataclass(frozen=True, slots=True)
class PromptLoad:
    """Lengths and rate of the requests, as far as they are known."""

    prompt_tokens: float | None = None
    """Tokens of one prompt, or of one text that is embedded or ranked."""
    output_tokens: float | None = None
    requests_per_second: float | None = None
    """As stated, or a stated total rate by the length of an answer."""
    encodes: bool = False
    """Whether texts are embedded or ranked, so that nothing is decoded."""
    longest: bool = False
    """Whether the longest request stands for the length of a text: an upper bound."""
    shared_prefix: bool = False
    """Whether prompts begin alike, so that an unknown part of them is not computed again."""

    @property
    def wanted(self) -> float | None:
        """Prompt tokens a second that must be computed; ``None`` where nothing says so."""
        return None if self.shared_prefix else self.asked

    @property
    def asked(self) -> float | None:
        """Prompt tokens a second that come in, computed or found in the cache."""
        if self.prompt_tokens is None or self.requests_per_second is None:
            return None
        return self.prompt_tokens * self.requests_per_second

    @property
    def per_output(self) -> float | None:
        """Prompt tokens computed for each output token, where the mix of both is known."""
        return None if self.shared_prefix else self._mix

    @property
    def _mix(self) -> float | None:
        """Prompt tokens that come in for each output token, computed or not."""
        if self.prompt_tokens is None or not self.output_tokens or self.encodes:
            return None
        return self.prompt_tokens / self.output_tokens

    def counted(self, result: SizeResult) -> bool:
        """Return whether the time of prompts is part of the output rates of ``result``."""
        known = self.per_output is not None or (self.wanted is not None and not self.encodes)
        return known and _band(result.prompt_tokens_per_second) is not None

    def prompts(self, result: SizeResult, replicas: int) -> Band | None:
        """Return prompt tokens a second of all replicas when they do nothing else."""
        band = _band(result.prompt_tokens_per_second)
        return None if band is None else band.times(replicas)

    def one_user(self, result: SizeResult) -> Band | None:
        """Return tokens a second of one stream while the prompts of the others come between.

        ``1/(step + (streams - 1) * (prompt/output) / prefill)``; decoding alone where the mix or
        the prefill rate is not known.
        """
        decode, prefill = _band(result.decode_tokens_per_second), self._prefill(result)
        if decode is None or prefill is None or self.per_output is None:
            return decode
        between = max(0, (result.concurrency or 1) - 1) * self.per_output
        if between == 0:
            return decode
        return Band(
            1 / (1 / decode.low + between / prefill.low),
            1 / (1 / decode.high + between / prefill.high),
        )

    def total(self, result: SizeResult, replicas: int) -> Band | None:
        """Return output tokens a second of all replicas, the time of prompts taken off."""
        decode, prefill = _band(result.total_output_tokens_per_second), self._prefill(result)
        if decode is None:
            return None
        if prefill is None:
            return decode.times(replicas)
        if self.per_output is not None:
            return Band(
                replicas / (1 / decode.low + self.per_output / prefill.low),
                replicas / (1 / decode.high + self.per_output / prefill.high),
            )
        wanted = self.wanted or 0.0
        return Band(
            decode.low * max(0.0, replicas - wanted / prefill.low),
            decode.high * max(0.0, replicas - wanted / prefill.high),
        )

    def share(self, result: SizeResult, replicas: int) -> Band | None:
        """Return the part of the GPUs' time that prompts take; above 1 they cannot keep up.

        By the rate that is asked for, else at full load where the mix is known. A common
        beginning makes it smaller by an unknown part, which is not taken off.
        """
        prefill = _band(result.prompt_tokens_per_second)
        if prefill is None:
            return None
        if self.asked is not None:
            rate = self.asked / replicas
            return Band(rate / prefill.high, rate / prefill.low)
        decode = _band(result.total_output_tokens_per_second)
        if decode is None or self._mix is None:
            return None
        least, most = self._mix / prefill.high, self._mix / prefill.low
        return Band(least / (least + 1 / decode.low), most / (most + 1 / decode.high))

    def replicas(self, result: SizeResult) -> int:
        """Return how many replicas the wanted prompts alone keep busy, by the slow end."""
        prefill = _band(result.prompt_tokens_per_second)
        if self.wanted is None or prefill is None:
            return 0
        return math.ceil(self.wanted / prefill.low)

    def _prefill(self, result: SizeResult) -> Band | None:
        return _band(result.prompt_tokens_per_second) if self.counted(result) else None


NO_PROMPTS = PromptLoad()
"""Nothing is known about prompts."""


def prompt_load(answers: Answers, load: Load) -> PromptLoad:
    """Return what the answers say about the length and the rate of prompts.

    Texts that are embedded or ranked are as long as stated, else typical, else as the longest.
    """
    encodes = load.kind in {"embeddings", "reranking"}
    prompt = load.prompt_tokens
    if encodes:
        prompt = prompt or load.typical_context_tokens or load.context_tokens
    rate = _number(answers, "objectives.requests_per_second")
    if prompt is None:
        # without a length nothing more is asked, so that no other answer counts as read
        return PromptLoad(requests_per_second=rate)
    output = None if encodes else _number(answers, "workload.output_tokens")
    total = _number(answers, "objectives.total_output_tokens_per_second")
    if output and total is not None:
        rate = max(rate or 0.0, total / output)
    timed = rate is not None or output is not None
    return PromptLoad(
        prompt_tokens=float(prompt),
        output_tokens=output,
        requests_per_second=rate,
        encodes=encodes,
        longest=encodes and not (load.prompt_tokens or load.typical_context_tokens),
        shared_prefix=timed and answers.get("workload.shared_prefix") is True,
    )


def _band(rate: RateRange | None) -> Band | None:
    if rate is None or rate.low <= 0 or rate.high <= 0:
        return None
    return Band(rate.low, rate.high)


def _number(answers: Answers, key: str) -> float | None:
    value = answers.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
