"""What rules may ask about prompts: of the load, and of a layout that carries it."""

from __future__ import annotations

from advisor.consult.candidate import Candidate
from advisor.consult.prompt_load import PromptLoad
from advisor.rules.facts import Scalar

__all__ = ["prompt_facts", "speed_with_prompts"]


def prompt_facts(prompts: PromptLoad) -> dict[str, Scalar | None]:
    """Return the fields of the load that speak of prompts; ``None`` where nothing is known."""
    return {
        "wanted_prompts": prompts.wanted,
        "asked_prompts": prompts.asked,
        "prompt_tokens": prompts.prompt_tokens,
        "texts_only": prompts.encodes,
        "longest_text": prompts.longest,
    }


def speed_with_prompts(candidate: Candidate) -> dict[str, Scalar | None]:
    """Return the speeds of all replicas and of one user, with what prompts take of the time."""
    result, prompts = candidate.result, candidate.prompts
    every, user = candidate.output_tokens_per_second, candidate.user_tokens_per_second
    read = prompts.prompts(result, candidate.replicas)
    share = prompts.share(result, candidate.replicas)
    mixed = prompts.per_output is not None and prompts.counted(result)
    served = prompts.one_user(result) if mixed else None
    return {
        "prompts_counted": prompts.counted(result),
        "total_low": every.low if every else None,
        "total_high": every.high if every else None,
        "total_middle": every.middle if every else None,
        "user_middle": user.middle if user else None,
        "prompt_middle": read.middle if read else None,
        "prompt_low": read.low if read else None,
        "prompt_high": read.high if read else None,
        "prompt_percent_low": 100 * share.low if share else None,
        "prompt_percent_high": 100 * share.high if share else None,
        "served_low": served.low if served else None,
        "served_high": served.high if served else None,
    }
