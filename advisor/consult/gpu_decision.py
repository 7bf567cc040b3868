"""The decision ``gpu``: which GPU, how many, in which precision."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.consult.alternatives import alternatives, one_line_about
from advisor.consult.attempt import Attempt
from advisor.consult.boards import boards_for
from advisor.consult.candidate import Candidate
from advisor.consult.certainty import status_of
from advisor.consult.consultation import (
    Alternative,
    Choice,
    Decision,
    Dependency,
    Rejection,
)
from advisor.consult.gpu_choice import Option, gpu_choice, kind_of
from advisor.consult.groups import group_fields, group_sentences
from advisor.consult.misses import limit_words, nearest_miss, worth_telling
from advisor.consult.outranked import in_buyers_order, outranked_lines
from advisor.consult.owned_rest import rest_sentences
from advisor.consult.passed_over import passed_over, passed_over_sentences
from advisor.consult.rejections import (
    machine_lines,
    machine_sentence,
    one_per_kind,
    ruled_out,
    unfit_lines,
)
from advisor.consult.rent_words import bill_sentences, order_sentences
from advisor.consult.rulings import Ruling, Rulings
from advisor.consult.situation import Situation
from advisor.consult.unsized import why_unsized

__all__ = ["gpu_choice", "gpu_decision", "none_fits", "open_gpu", "option_of"]

_MOST_ALTERNATIVES = 4
_CHANGED = "What follows does."
_OWNED: Option = "use_owned"


def option_of(situation: Situation) -> Option:
    """Return what choosing a candidate of this situation means."""
    return "use_owned" if situation.owned else "buy_or_rent"


def gpu_decision(
    attempt: Attempt,
    depends: tuple[Dependency, ...],
    *,
    failed: Attempt | None = None,
    more: tuple[Alternative, ...] = (),
) -> Decision:
    """Write the decision for the best of an attempt that has one.

    Args:
        attempt: What is chosen from.
        depends: Unanswered questions.
        failed: What is owned, where that did not carry the load and ``attempt`` is the change.
        more: Other ways out, named first among the alternatives.
    """
    best, rulings, situation = attempt.ranked[0], attempt.rulings, attempt.situation
    option = option_of(situation) if failed is None else "change_owned"
    reasons = rulings.recommended("gpu", best.id)
    demoted = rulings.rejections("should")
    texts = [*_first_of_all(rulings), *group_sentences(attempt.groups)]
    texts += [r.because for r in reasons]
    texts.append(machine_sentence(attempt))
    if failed is not None:
        texts[:0] = _what_changes(failed, attempt)
    if len(attempt.ranked) > 1 or not attempt.groups:
        texts.append(_order(best, attempt, alone=failed is None and not more))
    boards = boards_for(best) if _buys(situation) else None
    texts += [boards.sentence(best.card.gpu.name)] if boards else []
    texts += rest_sentences(attempt)
    texts += passed_over_sentences(attempt)
    if best.id in demoted:
        texts.append(f"What speaks against it: {demoted[best.id].because}")
    parts = {**(boards.fields() if boards else {}), **group_fields(attempt.groups)}
    others = (*more, *alternatives(attempt, option, demoted))[:_MOST_ALTERNATIVES]
    sections = [section for r in reasons for section in r.rule.cite] or ["8.1", "7.3"]
    return Decision(
        status=status_of(depends),
        choice=_as_acquired(gpu_choice(best, option).model_copy(update=parts), situation),
        strength="must" if situation.load.format_fixed else "should",
        because=" ".join(text for text in texts if text),
        citations=rulings.cite(*sections),
        rules=tuple(r.rule.id for r in reasons),
        alternatives=_all_as_acquired(others, situation),
        rejected=_every_kind(attempt, option, others, _rejected(attempt, failed, demoted, others)),
        depends_on=depends,
    )


_ABOUT_ANSWERS = frozenset({"conflict", "limit"})


def _first_of_all(rulings: Rulings) -> list[str]:
    """Return which answers contradict one another or were left out, before any reason."""
    told = (w for w in rulings.warnings(None, ("gpu",)) if w.kind in _ABOUT_ANSWERS)
    return [warned.text for warned in told if warned.severity == "critical"]


def _buys(situation: Situation) -> bool:
    return not situation.owned and situation.answers.get("hardware.acquisition") == "buy"


def _as_acquired(choice: Choice, situation: Situation) -> Choice:
    """Return the choice with how it is had, where the answers say so: ``buy`` or ``rent``."""
    how = situation.answers.get("hardware.acquisition")
    if choice.option != "buy_or_rent" or how not in {"buy", "rent"}:
        return choice
    return choice.model_copy(update={"acquisition": how})


def _all_as_acquired(
    others: Iterable[Alternative], situation: Situation
) -> tuple[Alternative, ...]:
    return tuple(
        other.model_copy(update={"choice": _as_acquired(other.choice, situation)})
        for other in others
    )


def _what_changes(failed: Attempt, attempt: Attempt) -> list[str]:
    """Return why what is owned does not do as it is, and what is changed: the job, or the GPUs."""
    lines = (*ruled_out(failed, "change_owned"), *unfit_lines(failed, "change_owned"))
    first = lines[0].because if lines else "none of it fits."
    if attempt.situation.change:
        return [
            f"The job as stated does not fit what is owned: {first}",
            f"Nothing has to be bought: the job is changed, with {attempt.situation.change}.",
        ]
    return [f"What is owned does not carry this load: {first}", _CHANGED]


def _order(best: Candidate, attempt: Attempt, *, alone: bool) -> str:
    ruled = passed_over(attempt) is not None
    texts = [*order_sentences(attempt.ranked, attempt.situation, alone=alone, ruled=ruled)]
    if best.quote is not None and not best.bought:
        texts += bill_sentences(best.quote)
    return " ".join(texts)


def _rejected(
    attempt: Attempt,
    failed: Attempt | None,
    demoted: dict[str, Ruling],
    shown: tuple[Alternative, ...],
) -> tuple[Rejection, ...]:
    """Return one line per GPU and format with what blocks it, without those that are shown.

    What is owned and fails is told in any case: more of the same may be the choice.
    """
    owned = () if failed is None else (*ruled_out(failed, _OWNED), *unfit_lines(failed, _OWNED))
    option = option_of(attempt.situation)
    lines = (*unfit_lines(attempt, option), *ruled_out(attempt, option, also=demoted))
    values = [alternative.choice.model_dump() for alternative in shown]
    told = {(str(value["gpu"]), str(value["weight_format"])) for value in values}
    told |= {kind_of(attempt.ranked[0])} | {(str(x.gpu), str(x.weight_format)) for x in owned}
    return (*one_per_kind(owned), *one_per_kind(lines, besides=told))


def _every_kind(
    attempt: Attempt,
    option: Option,
    shown: tuple[Alternative, ...],
    rejected: tuple[Rejection, ...],
) -> tuple[Rejection, ...]:
    """Return a line for every GPU and format that is not shown, as a buyer would ask for them.

    What carries the load says by how much it lost, besides the rule that speaks against it.
    """
    alive = {kind_of(candidate) for candidate in attempt.ranked}
    own = "use_owned" if option == "change_owned" else None
    left = [r for r in rejected if r.option == own or (r.gpu, r.weight_format) not in alive]
    values = [alternative.choice.model_dump() for alternative in shown]
    told = {(str(value.get("gpu")), str(value.get("weight_format"))) for value in values}
    out = {(str(r.gpu), str(r.weight_format)) for r in left} | {kind_of(attempt.ranked[0])}
    machines = machine_lines(attempt, option, told - out)
    told |= out
    demoted = attempt.rulings.rejections("should")
    lines = (*left, *machines, *outranked_lines(attempt, option, kind_of, demoted, told))
    first = [line for line in lines if line.option == own]
    rest = [line for line in lines if line.option != own]
    return (*first, *in_buyers_order(rest, attempt))


def none_fits(
    failed: Attempt, depends: tuple[Dependency, ...], remedies: Iterable[Alternative]
) -> Decision:
    """Write the decision when nothing is left: the nearest misses and what would mend it."""
    situation, rulings = failed.situation, failed.rulings
    unsized = why_unsized(failed)
    if unsized is not None:
        return open_gpu((unsized,), rulings, depends)
    option: Option = "change_owned" if situation.owned else "none_fits"
    lines = one_per_kind([*ruled_out(failed, option), *unfit_lines(failed, option)])
    nearest = nearest_miss(failed)
    ways_out = list(remedies)
    if nearest is not None:
        own = option_of(situation)
        because = rulings.rejections("must")[nearest.id].because
        first = (
            f"Nearest is {nearest.total_gpus} x {' in '.join(kind_of(nearest))}: {_low(because)}"
        )
        ways_out = [
            _accepting(nearest, failed, own),
            *worth_telling(ways_out, failed, own, nearest),
        ]
        lines = tuple(
            sorted(lines, key=lambda line: (line.gpu, line.weight_format) != kind_of(nearest))
        )
    else:
        first = _nearest_miss(lines[0]) if lines else _nothing_allowed(situation)
    return Decision(
        status=status_of(depends),
        choice=Choice(option=option),
        because=f"Nothing that the answers allow carries this load. {first}",
        citations=rulings.cite("8.1", "7.3"),
        alternatives=_all_as_acquired(ways_out[:_MOST_ALTERNATIVES], situation),
        rejected=lines,
        depends_on=depends,
    )


def _accepting(nearest: Candidate, failed: Attempt, option: Option) -> Alternative:
    """Return the nearest miss as a way out: what would have to be accepted."""
    ruling = failed.rulings.rejections("must")[nearest.id]
    return Alternative(
        choice=gpu_choice(nearest, option),
        because=one_line_about(nearest, failed.situation),
        would_be_chosen_if=limit_words(nearest, failed.situation),
        citations=failed.rulings.cite(*ruling.rule.cite),
    )


def _nearest_miss(line: Rejection) -> str:
    what = " in ".join(part for part in (line.gpu, line.weight_format) if part)
    return f"Nearest is {what}: {_low(line.because)}"


def _low(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _nothing_allowed(situation: Situation) -> str:
    reasons: dict[str, int] = {}
    for _, reason in situation.ruled_out:
        reasons[reason] = reasons.get(reason, 0) + 1
    worst = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    told = "; ".join(f"{count} GPUs: {reason}" for reason, count in worst)
    return f"No GPU is left to consider ({told})." if told else "No GPU is left to consider."


def open_gpu(
    reasons: tuple[str, ...], rulings: Rulings, depends: tuple[Dependency, ...]
) -> Decision:
    """Write the decision when the answers do not say enough to choose."""
    text = " ".join(reasons) or "not enough is known to choose."
    return Decision(
        status="open",
        because=text[:1].upper() + text[1:],
        citations=rulings.cite("8.1"),
        depends_on=depends,
    )
