"""Why what carries the load as well is not the choice, and by how much it lost.

Every GPU and format that was sized is told somewhere: chosen, an alternative, rejected by a rule
or by its memory, or here. "Why not an H100?" always has an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Rejection
from advisor.consult.costs import million_tokens
from advisor.consult.economics import Band
from advisor.consult.published import format_bits
from advisor.consult.ranking import rule_decides
from advisor.consult.rent_words import machines_words, to_buy
from advisor.consult.rulings import Ruling
from advisor.consult.situation import Card, Situation
from advisor.consult.targets import Targets, targets_of
from advisor.consult.training_words import lost_by_run
from advisor.counted import counted

__all__ = ["Kind", "in_buyers_order", "outranked_lines"]

Kind = tuple[str, str]
"""A GPU and a weight format."""

_LARGE_GIB = 64
_RACK = 36


def outranked_lines(
    attempt: Attempt,
    option: str,
    kind: Callable[[Candidate], Kind],
    demoted: Mapping[str, Ruling],
    told: Collection[Kind],
) -> Iterator[Rejection]:
    """Yield one line for every GPU and format that carries the load and is not shown.

    Args:
        attempt: What was chosen from; it has a choice.
        option: What choosing one of them would have meant.
        kind: Names the GPU and the format of a candidate as they are shown.
        demoted: Rules that speak against a candidate without forbidding it.
        told: Kinds that are shown elsewhere.
    """
    best, seen = attempt.ranked[0], set(told)
    for candidate in (*attempt.ranked, *attempt.found.cut):
        what = kind(candidate)
        if what in seen:
            continue
        seen.add(what)
        ruling = _reason(candidate, attempt, demoted)
        sections = ruling.rule.cite if ruling else ("8.1",)
        yield Rejection(
            option=option,
            gpu=what[0],
            weight_format=what[1],
            because=f"{_figures(candidate)}: {_lost(candidate, best, attempt, ruling)}.",
            citations=attempt.rulings.cite(*sections),
            rule=ruling.rule.id if ruling else None,
            outranked=True,
        )


def _reason(candidate: Candidate, attempt: Attempt, demoted: Mapping[str, Ruling]) -> Ruling | None:
    """Return the rule against a candidate where the order made use of it."""
    best, situation = attempt.ranked[0], attempt.situation
    weight = attempt.rulings.surcharges().get(best.id, 1.0)
    used = rule_decides(candidate, best, weight, situation.priority, owned=situation.owned)
    return demoted.get(candidate.id) if used else None


def _figures(candidate: Candidate) -> str:
    count = candidate.total_gpus
    text = counted(count, "GPU")
    if candidate.nodes_per_replica > 1:
        text += f" in {candidate.nodes} nodes"
    quote, purchase = candidate.quote, candidate.purchase
    if purchase is not None:
        text += f", {to_buy(purchase, count)}" if purchase.usd is not None else ""
    elif quote is not None:
        text += f", {quote.usd_per_hour:.2f} USD an hour"
        if quote.idle_gpus:
            text += f" for {quote.instances * quote.instance_gpus} that are billed"
    return text


def _lost(candidate: Candidate, best: Candidate, attempt: Attempt, ruling: Ruling | None) -> str:
    situation = attempt.situation
    missed = _missed(candidate, situation)
    if missed is not None:
        return missed
    if ruling is not None:
        return ruling.because.rstrip(".")
    by_priority = _BY_PRIORITY.get(situation.priority)
    lost = by_priority(candidate, best) if by_priority else None
    if lost is not None:
        return lost
    return (_by_owned if situation.owned else _by_cost)(candidate, best)


def _missed(candidate: Candidate, situation: Situation) -> str | None:
    """Return which limit of the answers it misses; the rules did not see what was cut."""
    targets = targets_of(situation.answers, situation.load)
    if not targets.missed_by(candidate):
        return None
    usd, limit = candidate.usd_per_hour, targets.usd_per_hour
    if limit is not None and usd is None:
        return f"no price is known to keep the budget of {limit:.2f}"
    if limit is not None and usd is not None and usd > limit:
        return f"{usd - limit:.2f} above the budget"
    too_dear = _too_dear_to_buy(candidate, targets)
    if too_dear is not None:
        return too_dear
    if targets.gpus is not None and candidate.billed_gpus > targets.gpus:
        return f"more than the quota of {targets.gpus:g}"
    return "it misses a speed that was asked for, or has no estimate of it"


def _too_dear_to_buy(candidate: Candidate, targets: Targets) -> str | None:
    if targets.usd is None or not candidate.bought:
        return None
    price = candidate.purchase_usd
    if price is None:
        return f"no purchase price is known to keep the budget of {targets.usd:,.0f} USD"
    if price.low > targets.usd:
        return f"{price.low - targets.usd:,.0f} USD above the budget"
    return None


def _by_cost(candidate: Candidate, best: Candidate) -> str:
    mine, other = candidate.money, best.money
    if mine is None and other is not None:
        return _without_price(candidate, best)
    run = lost_by_run(candidate, best)
    if run is not None:
        return run
    if mine is not None and other is not None and mine > other and best.usd_per_run is None:
        more = f"{mine - other:,.0f} USD" if best.bought else f"{mine - other:.2f}"
        return f"{more} more than the choice"
    if candidate.borderline and not best.borderline:
        return "its memory is within the error of the estimate"
    if format_bits(candidate.weight_format) < format_bits(best.weight_format):
        return "narrower weights, for no less money"
    return _by_memory(candidate, best)


def _without_price(candidate: Candidate, best: Candidate) -> str:
    if candidate.other_machines:
        return machines_words(candidate)
    kind = "purchase price" if best.bought else "price"
    return f"no {kind} is known, so it ranks after what has one"


def _by_owned(candidate: Candidate, best: Candidate) -> str:
    if candidate.borderline and not best.borderline:
        return "its memory is within the error of the estimate"
    if best.published and not candidate.published:
        return "narrower weights than published, which the owned GPUs carry"
    return _by_memory(candidate, best)


def _by_memory(candidate: Candidate, best: Candidate) -> str:
    mine = candidate.total_gpus * candidate.card.memory_gib
    other = best.total_gpus * best.card.memory_gib
    if mine > other:
        return f"{mine:,.0f} GiB of GPU memory for what takes {other:,.0f} in the choice"
    return "no better than the choice, and less simple"


def _by_latency(candidate: Candidate, best: Candidate) -> str | None:
    mine, other = (c.user_tokens_per_second for c in (candidate, best))
    if other is None:
        return None
    if mine is None:
        return "there is no estimate of its speed"
    if mine.low * mine.high >= other.low * other.high:
        return None
    return (
        f"{mine.low:.0f} to {mine.high:.0f} tokens a second for one user by estimate, the choice "
        f"{other.low:.0f} to {other.high:.0f}"
    )


def _by_throughput(candidate: Candidate, best: Candidate) -> str | None:
    if best.bought:
        return None
    mine, other = _million(candidate), _million(best)
    if other is None:
        return None
    if mine is None:
        return "its tokens for the money cannot be told (no price, or no estimate of speed)"
    return (
        f"{mine.low:.2f} to {mine.high:.2f} USD for a million output tokens by estimate, the "
        f"choice {other.low:.2f} to {other.high:.2f}"
    )


def _by_simplicity(candidate: Candidate, best: Candidate) -> str | None:
    if best.published and not candidate.published:
        return "narrower weights than published"
    mine = (candidate.replicas, candidate.gpus_per_replica)
    other = (best.replicas, best.gpus_per_replica)
    if mine <= other:
        return None
    return f"{mine[0]} x {mine[1]} GPUs for what takes {other[0]} x {other[1]} in the choice"


_BY_PRIORITY: Mapping[str, Callable[[Candidate, Candidate], str | None]] = {
    "latency": _by_latency,
    "throughput": _by_throughput,
    "simplicity": _by_simplicity,
}


def _million(candidate: Candidate) -> Band | None:
    return million_tokens(candidate).at_full_load


def in_buyers_order(lines: Iterable[Rejection], attempt: Attempt) -> tuple[Rejection, ...]:
    """Return the lines as a buyer would ask: the usual large cards first, nearest miss first.

    Nearest is what carries the load, in its order; then what a rule speaks against; then what
    does not fit, the largest memory of a machine first.
    """
    cards = {card.label: card for card in attempt.situation.cards}
    rank = {candidate.card.label: i for i, candidate in reversed([*enumerate(attempt.ranked)])}

    def key(line: Rejection) -> tuple[float, ...]:
        card = cards.get(line.gpu or "")
        if card is None:
            return (3, 0, 0, 0)
        place = rank.get(card.label, len(rank) + len(attempt.ranked))
        group = 0 if line.outranked else 1 if line.rule else 2
        return (_asked_after(card), group, place, -card.memory_gib * max(card.per_node))

    return tuple(sorted(lines, key=key))


def _asked_after(card: Card) -> int:
    """Return 0 for large cards of servers, 1 for other large ones and racks, 2 for the rest."""
    if card.memory_gib < _LARGE_GIB:
        return 2
    return 0 if 1 < card.gpu.scale_up_gpus < _RACK else 1
