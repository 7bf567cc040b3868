"""What a choice costs beside its rent: by the token, in power, and bought instead of rented."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Decision
from advisor.consult.economics import (
    Band,
    TokenCost,
    break_even,
    price_age_days,
    stale_price_note,
    token_cost,
)
from advisor.consult.power import NodePower, node_power
from advisor.consult.purchase import purchase_range
from advisor.consult.situation import Situation

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["gpus_in_a_node", "million_tokens", "power_of", "rounded", "with_costs"]

_WORTH_SAYING_W = 1000.0


def million_tokens(candidate: Candidate, utilisation_percent: float = 100.0) -> TokenCost:
    """Return what a million output tokens cost at the planned load; unknown without a price.

    The time of prompts is counted where their length and that of answers are known.
    """
    band = None if candidate.prompts.encodes else candidate.output_tokens_per_second
    return token_cost(
        candidate.usd_per_hour,
        band if band is not None and band.low > 0 else None,
        utilisation_percent=utilisation_percent,
        prompts_counted=candidate.prompts.counted(candidate.result),
    )


def gpus_in_a_node(candidate: Candidate, answers: Answers) -> int:
    """Return how many GPUs a machine holds: as stated, as rented, else a node's share of a replica.

    More replicas may share a machine of one's own; none has to.
    """
    stated = answers.get("hardware.gpus_per_node")
    # what is rented instead of owned machines has a shape of its own
    elsewhere = candidate.quote is not None and answers.get("hardware.acquisition") == "owned"
    if isinstance(stated, int) and not isinstance(stated, bool) and not elsewhere:
        return stated
    if candidate.quote is not None and not candidate.bought:
        return candidate.quote.instance_gpus
    return math.ceil(candidate.gpus_per_replica / candidate.nodes_per_replica)


def power_of(candidate: Candidate, answers: Answers) -> NodePower:
    """Return the peak draw of one machine, against ``hardware.max_node_kw`` where it is given."""
    limit = answers.get("hardware.max_node_kw")
    return node_power(
        candidate.card.gpu.tdp_w,
        gpus_in_a_node(candidate, answers),
        gpus_per_replica=candidate.gpus_per_replica,
        max_node_kw=float(limit) if isinstance(limit, int | float) and limit > 0 else None,
    )


def with_costs(
    decision: Decision, best: Candidate, situation: Situation, knowledge: Knowledge
) -> Decision:
    """Return the decision for ``best`` with its costs among the parameters and the reasons."""
    if decision.choice is None:
        return decision
    money = _Money(best, situation, knowledge)
    texts = [decision.because, *money.sentences()]
    choice = decision.choice.model_copy(update=money.fields())
    return decision.model_copy(update={"choice": choice, "because": " ".join(texts)})


class _Money:
    """The costs of one candidate."""

    def __init__(self, best: Candidate, situation: Situation, knowledge: Knowledge) -> None:
        answers = situation.answers
        self._best, self._situation, self._knowledge = best, situation, knowledge
        self._acquisition = answers.get("hardware.acquisition")
        share = answers.get("objectives.utilisation_percent")
        used = isinstance(share, int | float) and 0 < share < 100
        self._used = float(share) if used and isinstance(share, int | float) else 100.0
        self._tokens = million_tokens(best, self._used)
        self._power = power_of(best, answers)
        self._bought = best.purchase or purchase_range(
            knowledge.purchases, best.card.gpu.id, best.total_gpus
        )
        self._rent = None if best.quote is None else best.quote.usd_per_hour
        watts = self._power.replica_w
        self._even = break_even(
            self._bought.usd,
            self._rent,
            power_w=None if watts is None else watts.times(best.replicas),
            also_missing=self._bought.missing,
        )

    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self._used < 100 and self._tokens.at_utilisation is not None:
            used = rounded(self._tokens.at_utilisation, 2)
            fields["usd_per_million_output_tokens_at_utilisation"] = used
        if self._power.node_w is not None:
            fields["gpus_in_a_node"] = gpus_in_a_node(self._best, self._situation.answers)
            fields["node_kw"] = rounded(self._power.node_w.times(1 / 1000), 1)
        quote = self._best.quote
        if self._power.verdict in {"within", "borderline"} and (quote is None or self._best.bought):
            # the limit was checked for one replica's share in a machine
            held = gpus_in_a_node(self._best, self._situation.answers)
            fields["nodes"] = max(self._best.nodes, math.ceil(self._best.total_gpus / held))
        if quote is not None and not self._best.bought:
            fields["price_age_days"] = price_age_days(quote.as_of, self._knowledge.as_of)
        if self._situation.owned:
            return fields
        if self._bought.usd is not None:
            fields["purchase_usd"] = rounded(self._bought.usd, 0)
        if self._even.months is not None and math.isfinite(self._even.months.high):
            fields["break_even_months"] = rounded(self._even.months, 1)
        return fields

    def sentences(self) -> Iterator[str]:
        quote = None if self._best.bought else self._best.quote
        stale = None if quote is None else stale_price_note(quote.as_of, self._knowledge.as_of)
        if stale is not None:
            yield stale
        yield from self._by_the_token()
        if self._power.verdict in {"borderline", "within"} or self._places_them:
            yield self._power.sentence
        if self._situation.owned:
            return
        if self._best.bought:
            yield self._bought.sentence
            yield from self._besides()
        if self._acquisition == "buy" and self._even.hours is None:
            return
        if self._acquisition != "rent" and self._bought.usd is not None:
            yield self._even.sentence

    def _besides(self) -> Iterator[str]:
        if self._bought.usd is not None and self._bought.missing:
            yield f"Not in that price: {', '.join(self._bought.missing)}."

    @property
    def _places_them(self) -> bool:
        """Whether the machines stand at the user's own place, where power is his to bring."""
        cloud = self._situation.answers.get("platform.cloud")
        there = self._acquisition == "buy" or (self._situation.owned and not self._best.quote)
        own = cloud in {None, "on_prem"} and there
        # the share of the machine around a card or two is no measure for small ones
        return own and (self._power.gpus_w or 0.0) >= _WORTH_SAYING_W

    def _by_the_token(self) -> Iterator[str]:
        full, used = self._tokens.at_full_load, self._tokens.at_utilisation
        if full is None or used is None:
            return
        text = (
            f"By estimate a million output tokens cost {full.low:,.2f} to {full.high:,.2f} USD at "
            "the planned load, every hour of the day"
        )
        if self._used < 100:
            text += f", {used.low:,.2f} to {used.high:,.2f} at {self._used:g} % use"
        yield f"{text}; {self._prompt_words()}."

    def _prompt_words(self) -> str:
        """Return whether the time of prompts is in the price."""
        prompts = self._best.prompts
        if not prompts.counted(self._best.result):
            return "time spent on prompts is not counted"
        text = f"the time of prompts of {prompts.prompt_tokens:,.0f} tokens is counted"
        if prompts.output_tokens:
            text += f", one for every {prompts.output_tokens:,.0f} output tokens"
        return text


def rounded(band: Band, digits: int) -> dict[str, float]:
    """Return a range as it stands among the parameters of a choice."""
    return {"low": round(band.low, digits), "high": round(band.high, digits)}
