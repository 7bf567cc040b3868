"""What a rent buys, in words: whole machines, idle GPUs, whose hosts, how sure, how old."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from advisor.consult.boards import boards_for
from advisor.consult.candidate import Candidate
from advisor.consult.prices import Quote
from advisor.consult.purchase import PurchaseRange
from advisor.consult.ranking import order_text, weighed
from advisor.consult.situation import Situation
from advisor.consult.training_words import order_of_jobs
from advisor.counted import counted
from advisor.store.prices import Price

__all__ = [
    "bill_sentences",
    "machines_words",
    "order_sentences",
    "rent_fields",
    "short_rent",
    "smaller_unpriced",
    "to_buy",
]

_BY_RENT = frozenset({"balanced", "cost"})
"""Priorities that put the rent first."""
_PRICED_FIRST = _BY_RENT | {"throughput"}
"""Priorities under which what has no price comes last."""
_MOST_NAMES = 3


def rent_fields(quote: Quote) -> dict[str, Any]:
    """Return the parameters of a choice that say what is billed."""
    fields: dict[str, Any] = {
        "usd_per_hour": quote.usd_per_hour,
        "price_as_of": quote.as_of,
        "instance_type": quote.instance,
        "instances": quote.instances,
        "instance_gpus": quote.instance_gpus,
        "provider": quote.provider,
        "price_kind": quote.kind,
        "price_source": _source(quote) or "catalogue",
    }
    if quote.idle_gpus:
        fields["idle_gpus"] = quote.idle_gpus
    if quote.stands_in_for:
        fields["price_stands_in_for"] = quote.stands_in_for
    if quote.community:
        fields["community_host"] = True
    if quote.uncertain:
        fields["price_uncertain"] = quote.uncertain
    return fields


def short_rent(candidate: Candidate) -> str:
    """Return the rent as the end of a line: ``16.57 USD an hour as of 2026-07-20``.

    Of what is bought the purchase price.
    """
    if candidate.purchase is not None and candidate.purchase_usd is not None:
        return to_buy(candidate.purchase, candidate.total_gpus)
    quote = None if candidate.bought else candidate.quote
    if quote is None:
        return "no price known"
    text = f"{quote.usd_per_hour:.2f} USD an hour as of {quote.as_of}"
    marks = []
    if quote.idle_gpus:
        marks.append(f"{_billed(quote)} GPUs billed, {quote.idle_gpus} idle")
    if quote.stands_in_for:
        marks.append(f"{quote.kind.replace('_', ' ')}, for want of a {_asked_kind(quote)} price")
    if quote.community:
        marks.append("community hosts")
    if quote.uncertain:
        marks.append("price uncertain")
    return f"{text} ({'; '.join(marks)})" if marks else text


def to_buy(purchase: PurchaseRange, used: int) -> str:
    """Return a purchase: ``about 96,000 to 168,000 USD to buy (4 GPUs, 2 of them used)``."""
    price = purchase.usd
    if price is None:
        return "no price known"
    high = f" to {price.high:,.0f}" if round(price.low) != round(price.high) else ""
    more = f" ({purchase.gpus} GPUs, {used} of them used)" if purchase.gpus > used else ""
    return f"about {price.low:,.0f}{high} USD to buy{more}"


def bill_sentences(quote: Quote) -> Iterator[str]:
    """Yield what is rented for how much, and everything that may mislead about it."""
    gpus = counted(quote.instance_gpus, "GPU")
    kind = quote.kind.replace("_", " ")
    source = f", by your {_source(quote)}" if quote.stated else ""
    yield (
        f"{quote.instances} x {quote.instance} ({quote.provider}, {kind}, {gpus} each) rents for "
        f"{quote.usd_per_hour:.2f} USD an hour as of {quote.as_of}{source}."
    )
    if quote.stands_in_for:
        asked = _asked_kind(quote)
        yield (
            f"It is not the price asked for: no {asked} price of it is known, so the {kind} price "
            f"stands in; get a {asked} quote."
        )
    if quote.uncertain:
        yield f"That price is uncertain: {quote.uncertain}."
    if quote.idle_gpus:
        yield from _idle(quote)
    if quote.community:
        yield "These are community hosts: third-party machines without a data-centre SLA."
    if quote.cheaper_community is not None:
        yield _community(quote.cheaper_community)


def _source(quote: Quote) -> str:
    """Return where a price that the user brought comes from; empty for one of the catalogue."""
    if not quote.stated:
        return ""
    return "price file" if quote.folder is None else f"knowledge folder {quote.folder}"


def _asked_kind(quote: Quote) -> str:
    return (quote.stands_in_for or "").replace("_", " ")


def _billed(quote: Quote) -> int:
    return quote.instances * quote.instance_gpus


def _idle(quote: Quote) -> Iterator[str]:
    bill = f"That bill is for whole machines: {quote.idle_gpus} of {_billed(quote)} GPUs stay idle"
    fitting = quote.fitting
    if fitting is None:
        yield f"{bill}, and no offer of fewer in one machine is known."
    else:
        yield (
            f"{bill}. {fitting.instance} has none to spare, at {fitting.usd_per_gpu_hour:.2f} USD "
            f"per GPU and hour as of {fitting.as_of}, and is passed over: {fitting.uncertain}."
        )
    smaller = quote.smaller
    if smaller is not None:
        count = "single ones" if smaller.gpu_count == 1 else f"{smaller.gpu_count} of them"
        yield (
            f"For comparison, {count} rent for {smaller.usd_per_gpu_hour:.2f} USD per GPU and hour "
            f"({smaller.provider}, {smaller.instance}, as of {smaller.as_of}); ask for a machine "
            "of the right size."
        )


def _community(price: Price) -> str:
    return (
        f"Community hosts ask less ({price.usd_per_gpu_hour:.2f} USD per GPU and hour, "
        f"{price.provider}, {price.instance}, as of {price.as_of}), without a data-centre SLA."
    )


def order_sentences(
    ranked: Sequence[Candidate],
    situation: Situation,
    *,
    alone: bool = True,
    ruled: bool = False,
) -> Iterator[str]:
    """Yield by what the first of ``ranked`` is the first, and what has no price.

    Args:
        ranked: Survivors, best first; at least one.
        situation: Owned or not, and the priority.
        alone: Whether no other way out is told beside the first. Of a training job other counts
            of the same GPUs carry it too, so nothing is said.
        ruled: Whether another would be first if no rule spoke against any.
    """
    if len(ranked) == 1 and alone and ranked[0].run is None:
        yield "Nothing else that is allowed carries the load."
    unpriced = [] if situation.all_there else [c for c in ranked if c.money is None]
    nothing = bool(unpriced) and len(unpriced) == len(ranked)
    if len(ranked) > 1:
        usual = order_text(situation.priority, owned=situation.all_there, bought=ranked[0].bought)
        order = (None if situation.owned else order_of_jobs(ranked[0], situation.priority)) or usual
        if nothing and situation.priority in _BY_RENT:
            order = "the least GPU memory (nothing is priced), then published weights, fewest GPUs"
        elif nothing and situation.priority == "throughput":
            order = (
                "the least GPU memory, as nothing is priced and tokens for the money cannot be told"
            )
        elif nothing:
            order += ", for which the least GPU memory stands, as nothing is priced"
        if ruled:
            order = weighed(order, situation.priority, owned=situation.all_there)
        yield f"First of {len(ranked)} layouts by: {order}."
    if ranked[0].other_machines:
        text = machines_words(ranked[0])
        yield f"{text[0].upper()}{text[1:]}."
    if nothing:
        yield _no_price(situation)
    elif unpriced:
        yield from _some_unpriced(ranked[0], unpriced, situation)


def machines_words(candidate: Candidate) -> str:
    """Return that no machine of the size that is asked for is offered, and which are."""
    sizes = [f"{size}" for size in candidate.other_machines]
    known = f"{', '.join(sizes[:-1])} or {sizes[-1]}" if len(sizes) > 1 else sizes[0]
    card = candidate.card
    return (
        f"no offer of machines with {card.machine_gpus} x {card.label} is known, as "
        f"hardware.gpus_per_node asks; known ones have {known}"
    )


def _some_unpriced(
    best: Candidate, unpriced: Sequence[Candidate], situation: Situation
) -> Iterator[str]:
    if best.money is None:
        yield "No price of the choice is known: get a quote before deciding."
    names = list(dict.fromkeys(c.card.label for c in unpriced))
    names = [name for name in names if best.money is not None or name != best.card.label]
    small = list(dict.fromkeys(c.card.label for c in smaller_unpriced(best, unpriced)))
    if small:
        yield (
            f"Smaller than the choice, and perhaps cheaper: {_few(small)}. No purchase price of "
            "them is known, so ask for one before buying."
        )
    names = [name for name in names if name not in small]
    if names:
        last = situation.priority in _PRICED_FIRST
        yield f"{'Ranked last, without' if last else 'Without'} a known price: {_few(names)}."


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"


def smaller_unpriced(best: Candidate, others: Iterable[Candidate]) -> list[Candidate]:
    """Return what might be cheaper to buy than the choice, and has no known price.

    No more GPUs, none with more memory, and less of it in all: one H200 is no cheaper than two
    cards of 96 GB because it holds less.

    Args:
        best: The choice.
        others: Runners-up, best first.
    """
    if not best.bought or best.money is None:
        return []
    return [
        c
        for c in others
        if c.money is None
        and c.total_gpus <= best.total_gpus
        and c.card.memory_gib <= best.card.memory_gib
        and not (c.borderline and not best.borderline)
        and _bought_gib(c) < _bought_gib(best)
    ]


def _bought_gib(candidate: Candidate) -> float:
    """Return the memory of all GPUs that must be bought: of whole boards where it is sold so."""
    boards = boards_for(candidate)
    gpus = candidate.total_gpus if boards is None else boards.gpus
    return gpus * candidate.card.memory_gib


def _no_price(situation: Situation) -> str:
    if situation.buys:
        return "No purchase price is known for any of them: get quotes before deciding."
    if situation.answers.get("platform.cloud") == "on_prem":
        return "On premises nothing is rented, so no price was compared."
    return "No price is known for any of them: get quotes before deciding."
