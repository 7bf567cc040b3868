"""The runners-up of the decision ``gpu``, and what would make each the choice."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.conditions_of_change import if_chosen
from advisor.consult.consultation import Alternative
from advisor.consult.gpu_choice import Option, gpu_choice, kind_of, whole_ranks
from advisor.consult.passed_over import reason_against, worth_naming
from advisor.consult.ranking import rule_decides
from advisor.consult.rent_words import short_rent, smaller_unpriced
from advisor.consult.rulings import Ruling
from advisor.consult.situation import Situation
from advisor.consult.speed_words import speed_asked, speed_words
from advisor.counted import counted

__all__ = ["alternatives", "one_line_about", "rents"]

_MOST_ALTERNATIVES = 4
_MOST_UNPRICED = 2
_OWN_BY = 2
"""Place among the alternatives by which the chosen GPU in another format comes."""
_FAR = 5.0
"""An alternative that costs this many times the choice tells nobody anything."""


def alternatives(
    attempt: Attempt, option: Option, demoted: dict[str, Ruling]
) -> tuple[Alternative, ...]:
    """Return the best other GPUs and formats; the best in the published format first.

    Then what only rules put behind the choice, be it the same GPU in another layout.

    What a reader compares are cards, so that each comes once before one comes twice.
    """
    best, *others = attempt.ranked
    shown: list[Candidate] = []
    published = next((c for c in others if c.published), None)
    if published is not None and not best.published:
        shown.append(published)
    first = worth_naming(attempt)
    if first is not None and first not in shown:
        shown.append(first)
    asked = _ask_for(attempt, shown)
    near = [candidate for candidate in others if not _out_of_reach(candidate, best)]
    shown += _spread(near, besides=[best, *shown, *asked])
    shown = [*shown[: _MOST_ALTERNATIVES - len(asked)], *asked]
    return tuple(
        Alternative(
            choice=gpu_choice(candidate, option),
            because=one_line_about(candidate, attempt.situation),
            would_be_chosen_if=_if_chosen(candidate, attempt, demoted),
            citations=attempt.rulings.cite("8.1"),
        )
        for candidate in shown[:_MOST_ALTERNATIVES]
    )


def _ask_for(attempt: Attempt, shown: list[Candidate]) -> list[Candidate]:
    """Return smaller cards without a known purchase price: a quote may make them the choice."""
    best, *others = attempt.ranked
    against = attempt.rulings.surcharges()
    told = {c.card.label for c in (best, *shown)}
    found: dict[str, Candidate] = {}
    for candidate in smaller_unpriced(best, others):
        fair = against.get(candidate.id, 1.0) <= against.get(best.id, 1.0)
        if fair and candidate.card.label not in told:
            found.setdefault(candidate.card.label, candidate)
    return [*found.values()][:_MOST_UNPRICED]


def _spread(near: Iterable[Candidate], besides: list[Candidate]) -> list[Candidate]:
    """Return one of each GPU and format; each GPU once before any of them in another format.

    Args:
        near: Runners-up, best first.
        besides: What is shown already, the choice first.
    """
    told = {kind_of(c) for c in besides}
    kinds = [
        c for kind, c in {kind_of(c): c for c in reversed([*near])}.items() if kind not in told
    ]
    kinds.reverse()
    # the chosen card in another format is the nearest thing to ask about
    own = next((c for c in kinds if c.card.label == besides[0].card.label), None)
    cards = {c.card.label for c in besides}
    first = {c.card.label: c for c in reversed(kinds) if c.card.label not in cards}
    spread = [c for c in kinds if c is own or first.get(c.card.label) is c]
    if own is not None and spread.index(own) > _OWN_BY:
        spread.remove(own)
        spread.insert(_OWN_BY, own)
    return [*spread, *(c for c in kinds if c not in spread)]


def _out_of_reach(candidate: Candidate, best: Candidate) -> bool:
    """Tell whether a candidate costs so much more that nobody would ask about it."""
    if candidate.money is None or best.money is None:
        return candidate.total_gpus > _FAR * best.total_gpus
    return candidate.money > _FAR * best.money


def one_line_about(candidate: Candidate, situation: Situation) -> str:
    """Return a layout in one line: GPUs, replicas, room, price, and speed where that is asked."""
    label, weight_format = kind_of(candidate)
    what = f"{candidate.total_gpus} x {label} in {weight_format}"
    if candidate.replicas > 1:
        what += f", {candidate.replicas} replicas of {candidate.gpus_per_replica}"
    parts = [what]
    if candidate.result.max_concurrency is not None:
        room = whole_ranks(candidate)
        many = f"room for {counted(room, 'request')}"
        if candidate.replicas > 1:
            many += f" in each, {room * candidate.replicas} in all"
        parts.append(many)
    if speed_asked(situation):
        parts.append(speed_words(candidate))
    if candidate.money is not None or rents(situation):
        parts.append(short_rent(candidate))
    return f"{', '.join(parts)}."


def rents(situation: Situation) -> bool:
    """Tell whether a rent is a question at all: nothing is owned, bought or on premises."""
    answers = situation.answers
    bought = answers.get("hardware.acquisition") == "buy"
    return not (situation.owned or bought or answers.get("platform.cloud") == "on_prem")


def _if_chosen(candidate: Candidate, attempt: Attempt, demoted: dict[str, Ruling]) -> str:
    best = attempt.ranked[0]
    against = demoted.get(candidate.id)
    counted = rule_decides(
        candidate, best, attempt.rulings.surcharges().get(best.id, 1.0),
        attempt.situation.priority, owned=attempt.situation.owned,
    )  # fmt: skip
    if counted and against is not None and against.rule.id not in _rule_ids(demoted, best):
        return f"If this did not count: {against.because}"
    if counted and candidate is worth_naming(attempt):
        against = reason_against(attempt, candidate)
        if against is not None:
            return f"If this did not count: {against.because}"
    if candidate.published and not best.published:
        return "If the weights must stay as published."
    return if_chosen(candidate, best, attempt.situation)


def _rule_ids(demoted: dict[str, Ruling], candidate: Candidate) -> set[str]:
    ruling = demoted.get(candidate.id)
    return set() if ruling is None else {ruling.rule.id}
