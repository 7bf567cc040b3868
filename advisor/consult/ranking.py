"""The order among the survivors, and the sentence that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from advisor.consult.candidate import Candidate
from advisor.consult.economics import Band
from advisor.consult.published import format_bits

__all__ = ["order_text", "rank", "rule_decides", "spent_on", "weighed"]

Key = tuple[float | int | str, ...]

_COST = (
    "cheapest by the hour, then published weights, the wider weights, the least GPU memory, the "
    "simplest layout"
)
_OWNED = (
    "what surely starts, then published weights, replicas of one GPU before a split over PCIe, the "
    "least GPU memory taken in few stages, the simplest layout"
)
_TO_BUY: Mapping[str, str] = {
    "cheapest by the hour": "cheapest to buy (the middle of the known prices)",
    "for the rent": "for the purchase price",
}
"""Words about rent, and what they are where GPUs are bought."""

_ORDER_TEXT: Mapping[str, str] = {
    "balanced": _COST,
    "cost": _COST,
    "latency": "fastest decoding for one user (up to a fifth slower counts as equal), then cost",
    "throughput": (
        "most output tokens a second for the rent (layouts without an estimate or a price last), "
        "then cost"
    ),
    "simplicity": (
        "published weights, bills up to three times the least, fewest replicas and GPUs, then cost"
    ),
}
_OWNED_THROUGHPUT = (
    "most output tokens a second of the owned GPUs (layouts without an estimate last), then "
    "published weights"
)
_EQUALLY_FAST = 0.8
"""From this share of the fastest rate on, estimates do not tell layouts apart."""
_NARROW = 1.4
"""With owned GPUs narrower weights count as an objection of this weight: memory that lies idle
saves nothing. A rule's objection weighs 1.5 or more."""


_STAGE, _STAGE_BESIDE_NVLINK = 0.15, 0.5
"""With owned GPUs each further stage counts as so much more memory: a wider split in fewer stages
answers sooner, and the GPUs it takes for that are there. More so where NVLink joins them all: the
wider split costs next to nothing there, and what a narrower one leaves seldom holds a replica."""
_CLOSE = 3.0
"""With owned GPUs a layout that may not start weighs so much: more than doubling the GPUs, and,
with the rule against it, than a format so narrow that a rule speaks against it too."""
_STRONGLY = 3.0
"""From this weight on a rule rather forbids than discourages: 4-bit weights without a reason."""


def weighed(text: str, priority: str, *, owned: bool) -> str:
    """Return the words of an order with how rules count in it that speak against a layout.

    Args:
        text: The order without them.
        priority: Value of ``objectives.priority``.
        owned: Whether the GPUs are there already.
    """
    if owned and priority not in _ORDERS:
        return f"what rules speak against least, then {text}"
    if priority == "cost" and not owned:
        first, _, rest = text.partition(", ")
        return f"{first}, then what rules speak against least, {rest}"
    return f"{text} (what a rule speaks against counts as {_WORSE.get(priority, 'dearer')})"


_WORSE: Mapping[str, str] = {"latency": "slower", "throughput": "slower", "simplicity": "more"}


def order_text(priority: str, *, owned: bool, bought: bool = False) -> str:
    """Return what ``objectives.priority`` puts first, in words.

    Args:
        priority: Value of ``objectives.priority``.
        owned: Whether the GPUs are there already.
        bought: Whether they are to be bought, so that the purchase price stands for the rent.
    """
    text = _ORDER_TEXT.get(priority, _COST)
    if not owned:
        for rent, purchase in _TO_BUY.items() if bought else ():
            text = text.replace(rent, purchase)
        return text
    if priority == "throughput":
        return _OWNED_THROUGHPUT
    return _OWNED if text is _COST else text.replace("cost", "the least GPU memory taken")


def spent_on(c: Candidate) -> float:
    """Return the money that ranks: the purchase price of what is bought, else the rent.

    The rent is that of the run for a job that ends, else of the hour. A GPU without a price ranks
    after all that have one, never as free.
    """
    run = c.usd_per_run
    if run is not None:
        return (run[0] + run[1]) / 2
    return math.inf if c.money is None else c.money


def _installed_gib(c: Candidate) -> float:
    """Memory of all GPUs: where no price is known, the best stand-in for what they cost."""
    return c.total_gpus * c.card.memory_gib


def _complexity(c: Candidate) -> int:
    layout = c.layout
    crossing = 4 * (c.nodes_per_replica - 1)
    return (
        (layout.tensor_parallel > 1)
        + (layout.pipeline_parallel if layout.pipeline_parallel > 1 else 0)
        + 2 * layout.expert_parallel
        + crossing
    )


def _size(c: Candidate, surcharge: float) -> Key:
    return (
        _installed_gib(c) * surcharge,
        c.total_gpus,
        _complexity(c),
        c.gpus_per_replica,
        -c.card.gpu.memory_bandwidth_gbs,
        c.id,
    )


def _rent(c: Candidate, surcharge: float) -> Key:
    if c.money is None:
        # memory stands in for the price, and narrow weights must not count as a discount twice
        memory = _installed_gib(c) * surcharge
        return (math.inf, memory, not c.published, 0.0, *_size(c, surcharge))
    bits = -format_bits(c.weight_format)
    return (
        spent_on(c) * surcharge, 0.0, not c.published, bits, _tight(c), *_size(c, surcharge),
    )  # fmt: skip


_SPARE = 1.25
"""Room for so many times the requests that are wanted is not tight."""


def _tight(c: Candidate) -> bool:
    """Tell whether a replica holds hardly more than its share; it loses between equally dear."""
    return c.run is None and c.holds < _SPARE * (c.result.concurrency or 1)


def _strict_cost(c: Candidate, surcharge: float) -> Key:
    """Priority cost: no rule makes a feasible layout dearer than it is, only equals differ."""
    if c.money is None:
        return _rent(c, surcharge)
    bits = -format_bits(c.weight_format)
    return (spent_on(c), surcharge, not c.published, bits, _tight(c), *_size(c, 1.0))


def _owned(c: Candidate, surcharge: float) -> Key:
    narrow = 1.0 if c.published else _NARROW
    joined = c.card.gpu.scale_up_gpus >= c.gpus_per_replica
    stage = _STAGE_BESIDE_NVLINK if joined else _STAGE
    staged = 1.0 + stage * (c.layout.pipeline_parallel - 1)
    return (surcharge * narrow, _over_pcie(c), *_size(c, surcharge * staged))


def _over_pcie(c: Candidate) -> bool:
    """Tell whether a replica waits for PCIe; one GPU each does not, and idle GPUs save nothing.

    Handbook 8.3: replicas where the model fits one GPU.
    """
    return c.run is None and c.gpus_per_replica > max(1, c.card.gpu.scale_up_gpus)


def _middle(band: Band | None) -> float:
    return math.sqrt(band.low * band.high) if band else 0.0


_Cost = Callable[[Candidate, float], Key]


def _one_user(c: Candidate, surcharge: float) -> float:
    if c.run is not None:
        return c.run.pace / surcharge
    return _middle(c.user_tokens_per_second) / surcharge


def _latency(c: Candidate, surcharge: float, cost: _Cost, fastest: float) -> Key:
    rate = _one_user(c, surcharge)
    slower = 0.0 if rate >= _EQUALLY_FAST * fastest else -rate
    return (slower < 0 or rate <= 0, slower, *cost(c, surcharge))


def _throughput(c: Candidate, surcharge: float, cost: _Cost, _: float) -> Key:
    """More GPUs always bring more tokens, so rented ones are judged by tokens for the money.

    Output tokens, the time of prompts taken off; where nothing is decoded, tokens of texts.
    Of owned layouts without an estimate the narrowest goes first: it leaves room for most copies.
    """
    every = c.prompts.prompts(c.result, c.replicas)
    band = every if c.prompts.encodes else c.output_tokens_per_second
    rate = (_middle(band) if c.run is None else c.run.pace) / surcharge
    if cost is not _owned:
        return (-rate / spent_on(c), *cost(c, surcharge))
    width = 0.0 if rate or c.run is not None else c.gpus_per_replica * surcharge
    # what a rule speaks strongly against loses to what only has no estimate
    return (surcharge >= _STRONGLY, -rate, width, *cost(c, surcharge))


def _simplicity(c: Candidate, surcharge: float, cost: _Cost, _: float) -> Key:
    return (
        not c.published,
        c.replicas * surcharge,
        c.gpus_per_replica * surcharge,
        _complexity(c),
        *cost(c, surcharge),
    )


_ORDERS: Mapping[str, Callable[[Candidate, float, _Cost, float], Key]] = {
    "latency": _latency,
    "throughput": _throughput,
    "simplicity": _simplicity,
}


def rank(
    candidates: list[Candidate],
    surcharges: Mapping[str, float],
    priority: str,
    *,
    owned: bool = False,
) -> list[Candidate]:
    """Return the candidates best first.

    A rule that speaks against a candidate without forbidding it makes it dearer, so that a
    much cheaper layout can still win and says what counts against it. Under priority cost it
    decides only between equally cheap ones.

    Args:
        candidates: Survivors of the rules that must hold.
        surcharges: Candidate id to the factor on its cost (and on the time of its tokens).
        priority: Value of ``objectives.priority``.
        owned: Whether the GPUs are there already, so that rent does not count.
    """
    cost: _Cost = _owned if owned else _rent
    if priority == "cost" and not owned:
        cost = _strict_cost
    order = _ORDERS.get(priority)

    def weight(c: Candidate) -> float:
        return surcharges.get(c.id, 1.0) * (_CLOSE if owned and c.borderline else 1.0)

    fastest = max((_one_user(c, weight(c)) for c in candidates), default=0.0)
    wasteful = frozenset() if cost is _strict_cost else _wasteful(candidates)

    dear = _too_dear_for_simplicity(candidates) if order is _simplicity and not owned else ()

    def key(c: Candidate) -> Key:
        surcharge = weight(c)
        ranked = cost(c, surcharge) if order is None else order(c, surcharge, cost, fastest)
        if dear:
            ranked = (ranked[0], c.id in dear, *ranked[1:])
        return (c.id in wasteful, *ranked)

    return sorted(candidates, key=key)


_SIMPLE_AT_MOST = 3.0
"""So many times the least bill is what fewer parts may cost: a judgement."""


def _too_dear_for_simplicity(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return layouts whose few parts are paid for many times over, each with weights of a kind.

    One GPU of a machine that is billed whole is no simple choice; nor is what nobody has a price
    for, where others have one.
    """
    found: set[str] = set()
    for published in (True, False):
        alike = [c for c in candidates if c.published == published]
        least = min(map(spent_on, alike), default=math.inf)
        found |= {c.id for c in alike if spent_on(c) > _SIMPLE_AT_MOST * least}
    return frozenset(found)


_WASTEFUL = 2.0
"""A layout with a price that takes more than so many times the GPUs of one without is no gain."""


def _wasteful(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return priced layouts that take many times the GPUs of an unpriced one of the same card.

    Machines of a card can have a price where machines with a network between them have none;
    the same card does not get cheaper by taking several times as many.
    """
    held = list(candidates)
    fewest: dict[str, int] = {}
    for c in held:
        if c.money is None:
            fewest[c.card.label] = min(c.total_gpus, fewest.get(c.card.label, c.total_gpus))
    return frozenset(
        c.id
        for c in held
        if c.money is not None
        and c.card.label in fewest
        and c.total_gpus > _WASTEFUL * fewest[c.card.label]
    )


def rule_decides(
    candidate: Candidate, best: Candidate, surcharge: float, priority: str, *, owned: bool
) -> bool:
    """Tell whether a rule that only speaks against a candidate is why it comes after ``best``.

    Under priority cost rules count between equally cheap ones only; elsewhere they always weigh.

    Args:
        candidate: What lost.
        best: The choice.
        surcharge: What the rules against the choice weigh.
        priority: Value of ``objectives.priority``.
        owned: Whether the GPUs are there already.
    """
    if owned or priority != "cost":
        return True
    return _strict_cost(candidate, 1.0) < _strict_cost(best, surcharge)
