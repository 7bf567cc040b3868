"""What would be first if no rule weighed: a choice that a rule made dearer says so.

The order names what counts, and a rule that only speaks against a layout counts too. Where one
decided, the layout that it put back stands beside the choice, with what it would save.
"""

from __future__ import annotations

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.gpu_choice import kind_of
from advisor.consult.ranking import rank
from advisor.consult.rent_words import short_rent
from advisor.consult.rulings import Ruling

__all__ = ["passed_over", "passed_over_sentences", "reason_against", "worth_naming"]

_SAME_USD = 0.005


def passed_over(attempt: Attempt) -> Candidate | None:
    """Return the layout that would be the choice if no rule spoke against any, if another is."""
    best, *others = attempt.ranked
    surcharges = attempt.rulings.surcharges()
    if not any(surcharges.get(c.id, 1.0) > surcharges.get(best.id, 1.0) for c in others):
        return None
    situation = attempt.situation
    first = rank([*attempt.ranked], {}, situation.priority, owned=situation.all_there)[0]
    return None if first is best else first


_BY_MONEY = frozenset({"balanced", "cost"})


def worth_naming(attempt: Attempt) -> Candidate | None:
    """Return what only rules put behind the choice, where that costs money, speed or ease.

    Another split of the same GPUs for the same money is not worth a word, and of owned GPUs what
    a rule speaks against is no saving.
    """
    best, first = attempt.ranked[0], passed_over(attempt)
    if first is None or attempt.situation.all_there:
        return None
    same = kind_of(first) == kind_of(best) and attempt.situation.priority in _BY_MONEY
    return None if same and not _saved(first, best) else first


def reason_against(attempt: Attempt, candidate: Candidate) -> Ruling | None:
    """Return the first rule that speaks against ``candidate`` and not against the choice."""
    best = attempt.ranked[0]
    found: dict[str, list[Ruling]] = {candidate.id: [], best.id: []}
    for ruling in attempt.rulings.of("reject"):
        if ruling.rule.strength != "must" and ruling.candidate in found:
            found[ruling.candidate].append(ruling)
    shared = {ruling.rule.id for ruling in found[best.id]}
    own = (ruling for ruling in found[candidate.id] if ruling.rule.id not in shared)
    return next(own, None)


def passed_over_sentences(attempt: Attempt) -> list[str]:
    """Return what a rule put behind the choice, and what it would save; or nothing.

    The reason stands with it among the alternatives.

    Args:
        attempt: What was chosen from; it has a choice.
    """
    first = worth_naming(attempt)
    if first is None:
        return []
    best = attempt.ranked[0]
    label, weight_format = kind_of(first)
    what = f"{first.total_gpus} x {label} in {weight_format}{_layout(first)}"
    if first.money is not None and not attempt.situation.owned:
        what += f" ({short_rent(first)}{_saved(first, best)})"
    return [f"Without the rule against it {what} would be first: see the alternatives."]


def _layout(candidate: Candidate) -> str:
    layout = candidate.layout
    parts = (
        ("TP", layout.tensor_parallel), ("PP", layout.pipeline_parallel),
        ("DP", layout.data_parallel),
    )  # fmt: skip
    split = " x ".join(f"{name}{size}" for name, size in parts if size > 1)
    many = f"{candidate.replicas} replicas" if candidate.replicas > 1 else ""
    told = " x ".join(part for part in (split, many) if part)
    return f" as {told}" if told else ""


def _saved(candidate: Candidate, best: Candidate) -> str:
    mine, other = candidate.money, best.money
    if mine is None or other is None or mine >= other - _SAME_USD:
        return ""
    less = other - mine
    return f", {less:,.0f} USD less" if best.bought else f", {less:.2f} USD an hour less"
