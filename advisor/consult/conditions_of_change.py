"""What would make a runner-up the choice: the reason that really decided, by the priority.

Each sentence is a condition that can be checked: a rent, a speed, a number of GPUs. No price is
spoken of where nothing is rented, and no speed where cost decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.consult.candidate import Candidate
from advisor.consult.published import format_bits
from advisor.consult.situation import Situation
from advisor.consult.speed_words import fast_words, middle
from advisor.consult.training_words import if_run_cheaper

__all__ = ["if_chosen"]

_EQUALLY_FAST = 0.8
"""From this share on estimates do not tell layouts apart; as the ranking has it."""
_SAME_USD = 0.005


def if_chosen(candidate: Candidate, best: Candidate, situation: Situation) -> str:
    """Return the condition under which ``candidate`` would go before ``best``.

    Rules that speak against it and published weights are not looked at here.
    """
    run = None if situation.owned else if_run_cheaper(candidate, best)
    if run is not None and situation.priority != "simplicity":
        return run
    by_priority = _BY_PRIORITY.get(situation.priority)
    told = by_priority(candidate, best, situation) if by_priority else None
    if told is not None:
        return told
    return _if_owned(candidate, best) if situation.owned else _if_priced(candidate, best)


def _if_fast(candidate: Candidate, best: Candidate, situation: Situation) -> str | None:
    mine, other = candidate.user_tokens_per_second, best.user_tokens_per_second
    if other is None:
        return None
    if mine is None:
        return "If a measurement showed that it decodes faster; there is no estimate of its speed."
    ratio = (middle(mine) or 0.0) / (middle(other) or 1.0)
    if ratio < _EQUALLY_FAST:
        spared = _spared(candidate, best)
        return (
            f"If {100 * (1 - ratio):.0f} % less than the choice's {fast_words(other)} were fast "
            f"enough{spared}."
        )
    if situation.owned:
        return None
    as_fast = "faster" if ratio * _EQUALLY_FAST > 1 else "about as fast"
    return f"{_if_priced(candidate, best)[:-1]}; it is {as_fast}."


def _spared(candidate: Candidate, best: Candidate) -> str:
    mine, other = candidate.money, best.money
    if mine is None or other is None or mine >= other - _SAME_USD:
        return ""
    return f" and {_usd(other - mine, best)} were to be saved"


def _usd(usd: float, best: Candidate) -> str:
    """Return money as it is compared: to buy, or by the hour of rent."""
    return f"{usd:,.0f} USD" if best.bought else f"{usd:.2f} USD an hour"


def _if_more_tokens(candidate: Candidate, best: Candidate, situation: Situation) -> str | None:
    mine, other = candidate.output_tokens_per_second, best.output_tokens_per_second
    if other is None:
        return None
    if mine is None:
        return "If a measurement showed more tokens for the money; there is no estimate."
    if situation.owned:
        return f"If {fast_words(mine)} in all were enough; the choice gives {fast_words(other)}."
    if best.money is None or not middle(mine) or not middle(other):
        return None
    worth = best.money * (middle(mine) or 0.0) / (middle(other) or 1.0)
    if candidate.money is not None and candidate.money <= worth:
        return None
    form = ",.0f" if best.bought else ".2f"
    now = "no price is known" if candidate.money is None else f"{candidate.money:{form}}"
    how = "could be bought" if best.bought else "rented"
    return (
        f"If it {how} for {_usd(worth, best)} or less ({now} now): from there on its "
        f"{fast_words(mine)} in all are as many tokens for the money as the choice's "
        f"{fast_words(other)}."
    )


def _if_simple(candidate: Candidate, best: Candidate, _: Situation) -> str | None:
    mine = (candidate.replicas, candidate.gpus_per_replica)
    other = (best.replicas, best.gpus_per_replica)
    if best.published and not candidate.published:
        return "If narrower weights than published were accepted."
    if mine <= other:
        return None
    return f"If {mine[0]} x {mine[1]} GPUs were no more trouble than {other[0]} x {other[1]}."


_BY_PRIORITY: Mapping[str, Callable[[Candidate, Candidate, Situation], str | None]] = {
    "latency": _if_fast,
    "throughput": _if_more_tokens,
    "simplicity": _if_simple,
}


def _if_owned(candidate: Candidate, best: Candidate) -> str:
    if candidate.total_gpus < best.total_gpus:
        spared = best.total_gpus - candidate.total_gpus
        return f"If {spared} of the GPUs had to be free for something else."
    narrow = format_bits(candidate.weight_format) < format_bits(best.weight_format)
    return "If speed counted more than quality." if narrow else "If the choice were in use."


def _if_priced(candidate: Candidate, best: Candidate) -> str:
    """Return the condition in money: of the purchase where GPUs are bought, else of the rent."""
    mine, other = candidate.money, best.money
    if mine is None:
        return _unpriced(candidate, best)
    price, less, same = _BUYING if best.bought else _RENTING
    if other is None:
        return f"If its known {price} were below a quote for the choice, which has no price."
    if mine > other + _SAME_USD:
        return f"If it {less} {_usd(mine - other, best)} less."
    if mine < other - _SAME_USD:
        return f"If only the {price} counted: it is {_usd(other - mine, best)} cheaper."
    if format_bits(candidate.weight_format) < format_bits(best.weight_format):
        return f"If speed or room counted more than precision: it {same}."
    return f"If the choice could not be had: it {same}."


_BUYING = ("price", "could be bought for", "costs the same to buy")
_RENTING = ("rent", "rented for", "rents for the same")
"""What is paid, a lower one, an equal one."""


def _unpriced(candidate: Candidate, best: Candidate) -> str:
    if best.bought and best.money is not None:
        what = f"{candidate.total_gpus} x {candidate.card.label}"
        return f"If {what} could be bought for less than {_usd(best.money, best)}; ask for a price."
    if best.usd_per_hour is not None:
        return f"If it rented for less than {best.usd_per_hour:.2f} USD an hour; no price is known."
    mine, other = (c.total_gpus * c.card.memory_gib for c in (candidate, best))
    if mine > other:
        return (
            f"If it cost less than the choice: no price of either is known, and it takes "
            f"{mine:,.0f} GiB of GPU memory where the choice takes {other:,.0f}."
        )
    return "If it cost less than the choice; no price of either is known."
