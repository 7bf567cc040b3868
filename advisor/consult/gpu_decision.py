"""The decision ``gpu``: which GPU, how many, in which precision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.certainty import status_of
from advisor.consult.consultation import (
    Alternative,
    Choice,
    Decision,
    Dependency,
    Rejection,
)
from advisor.consult.outranked import in_buyers_order, outranked_lines
from advisor.consult.published import as_run, format_bits
from advisor.consult.rejections import one_per_kind, ruled_out, unfit_lines
from advisor.consult.rent_words import bill_sentences, order_sentences, rent_fields, short_rent
from advisor.consult.rulings import Ruling, Rulings
from advisor.consult.situation import Situation

__all__ = ["gpu_choice", "gpu_decision", "none_fits", "open_gpu"]

Option = Literal["buy_or_rent", "use_owned", "change_owned", "none_fits"]

_MOST_ALTERNATIVES = 4
_SMALLEST = "The smallest change that does follows."
_OWNED: Option = "use_owned"
_OWN_BY = 2
"""Place among the alternatives by which the chosen GPU in another format comes."""
_FAR = 5.0
"""An alternative that costs this many times the choice tells nobody anything."""


def option_of(situation: Situation) -> Option:
    """Return what choosing a candidate of this situation means."""
    return "use_owned" if situation.owned else "buy_or_rent"


def gpu_choice(candidate: Candidate, option: Option) -> Choice:
    """Return the flat parameters of a candidate."""
    result, quote = candidate.result, candidate.quote
    parameters: dict[str, Any] = {
        "option": option,
        "gpu": candidate.card.label,
        "gpu_memory_gib": round(candidate.card.memory_gib, 2),
        "count_per_replica": candidate.gpus_per_replica,
        "replicas": candidate.replicas,
        "total_gpus": candidate.total_gpus,
        "nodes": candidate.nodes,
        "engine": result.engine,
        "weight_format": as_run(candidate.weight_format, candidate.card.gpu),
        "kv_format": as_run(result.kv_format, candidate.card.gpu) if result.kv_format else None,
        "max_model_len": None if result.training else result.max_model_len,
        "max_num_seqs": result.max_num_seqs,
        "max_num_batched_tokens": result.max_num_batched_tokens,
        "gpu_memory_utilization": result.gpu_memory_utilization,
    }
    parameters |= _job_settings(candidate)
    if quote is not None:
        parameters |= rent_fields(quote)
    return Choice(**{key: value for key, value in parameters.items() if value is not None})


def _job_settings(candidate: Candidate) -> dict[str, Any]:
    """Return what tells training jobs on the same GPUs apart."""
    names = ("sharding", "optimizer", "micro_batch", "sequence_tokens", "recompute", "offload")
    plan = candidate.result.training
    told = {name: plan.get(name) for name in (*names, "master_weights", "loss", "context_parallel")}
    return {"training_method": plan.get("method"), **told}


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
    texts = [r.because for r in reasons]
    if failed is not None:
        change = f"With {situation.change} it does." if situation.change else _SMALLEST
        texts[:0] = [_not_enough(failed), change]
    texts.append(_order(best, attempt))
    if best.id in demoted:
        texts.append(f"What speaks against it: {demoted[best.id].because}")
    others = (*more, *_alternatives(attempt, option, demoted))[:_MOST_ALTERNATIVES]
    sections = [section for r in reasons for section in r.rule.cite] or ["8.1", "7.3"]
    return Decision(
        status=status_of(depends),
        choice=gpu_choice(best, option),
        strength="must" if situation.load.format_fixed else "should",
        because=" ".join(texts),
        citations=rulings.cite(*sections),
        rules=tuple(r.rule.id for r in reasons),
        alternatives=others,
        rejected=_every_kind(attempt, option, others, _rejected(attempt, failed, demoted, others)),
        depends_on=depends,
    )


def _not_enough(failed: Attempt) -> str:
    lines = (*ruled_out(failed, "change_owned"), *unfit_lines(failed, "change_owned"))
    first = lines[0].because if lines else "none of it fits."
    return f"What is owned does not carry this load: {first}"


def _order(best: Candidate, attempt: Attempt) -> str:
    texts = [*order_sentences(attempt.ranked, attempt.situation)]
    if best.quote is not None:
        texts += bill_sentences(best.quote)
    return " ".join(texts)


def _alternatives(
    attempt: Attempt, option: Option, demoted: dict[str, Ruling]
) -> tuple[Alternative, ...]:
    """Return the best other GPUs and formats; the best in the published format first.

    What a reader compares are cards, so that each comes once before one comes twice.
    """
    best, *others = attempt.ranked
    shown: list[Candidate] = []
    published = next((c for c in others if c.published), None)
    if published is not None and not best.published:
        shown.append(published)
    near = [candidate for candidate in others if not _out_of_reach(candidate, best)]
    shown += _spread(near, besides=[best, *shown])
    return tuple(
        Alternative(
            choice=gpu_choice(candidate, option),
            because=_one_line(candidate, owned=attempt.situation.owned),
            would_be_chosen_if=_if_chosen(candidate, attempt, demoted),
            citations=attempt.rulings.cite("8.1"),
        )
        for candidate in shown[:_MOST_ALTERNATIVES]
    )


def _spread(near: Iterable[Candidate], besides: list[Candidate]) -> list[Candidate]:
    """Return one of each GPU and format; each GPU once before any of them in another format.

    Args:
        near: Runners-up, best first.
        besides: What is shown already, the choice first.
    """
    told = {_kind(c) for c in besides}
    kinds = [c for kind, c in {_kind(c): c for c in reversed([*near])}.items() if kind not in told]
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
    if candidate.usd_per_hour is None or best.usd_per_hour is None:
        return candidate.total_gpus > _FAR * best.total_gpus
    return candidate.usd_per_hour > _FAR * best.usd_per_hour


def _kind(candidate: Candidate) -> tuple[str, str]:
    return candidate.card.label, as_run(candidate.weight_format, candidate.card.gpu)


def _one_line(candidate: Candidate, *, owned: bool) -> str:
    what = f"{candidate.total_gpus} x {candidate.card.label} in {candidate.weight_format}"
    if candidate.result.max_concurrency is not None:
        what += f", requests at once in a replica: {candidate.holds}"
    return f"{what}." if owned else f"{what}, {short_rent(candidate)}."


def _if_chosen(candidate: Candidate, attempt: Attempt, demoted: dict[str, Ruling]) -> str:
    best = attempt.ranked[0]
    against = demoted.get(candidate.id)
    if against is not None and against.rule.id not in _rule_ids(demoted, best):
        return f"If this did not count: {against.because}"
    if candidate.published and not best.published:
        return "If the weights must stay as published."
    return _if_owned(candidate, best) if attempt.situation.owned else _if_cheaper(candidate, best)


def _rule_ids(demoted: dict[str, Ruling], candidate: Candidate) -> set[str]:
    ruling = demoted.get(candidate.id)
    return set() if ruling is None else {ruling.rule.id}


def _if_owned(candidate: Candidate, best: Candidate) -> str:
    if candidate.total_gpus < best.total_gpus:
        spared = best.total_gpus - candidate.total_gpus
        return f"If {spared} of the GPUs had to be free for something else."
    narrow = format_bits(candidate.weight_format) < format_bits(best.weight_format)
    return "If speed counted more than quality." if narrow else "If the choice were in use."


def _if_cheaper(candidate: Candidate, best: Candidate) -> str:
    mine, other = candidate.usd_per_hour, best.usd_per_hour
    narrow = format_bits(candidate.weight_format) < format_bits(best.weight_format)
    if narrow and mine is not None and other is not None and mine <= other:
        return "If speed or room counted more than precision."
    if mine is None:
        return "If a quote for it were below the choice's rent; no price is known."
    if other is not None and mine > other:
        return f"If it rented for {mine - other:.2f} USD an hour less."
    return "If another priority were set, or the choice could not be had."


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
    lines = (*unfit_lines(attempt), *ruled_out(attempt, also=demoted))
    values = [alternative.choice.model_dump() for alternative in shown]
    told = {(str(value["gpu"]), str(value["weight_format"])) for value in values}
    told |= {_kind(attempt.ranked[0])} | {(str(x.gpu), str(x.weight_format)) for x in owned}
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
    alive = {_kind(candidate) for candidate in attempt.ranked}
    own = "use_owned" if option == "change_owned" else None
    left = [r for r in rejected if r.option == own or (r.gpu, r.weight_format) not in alive]
    values = [alternative.choice.model_dump() for alternative in shown]
    told = {(str(value.get("gpu")), str(value.get("weight_format"))) for value in values}
    told |= {(str(r.gpu), str(r.weight_format)) for r in left} | {_kind(attempt.ranked[0])}
    demoted = attempt.rulings.rejections("should")
    lines = (*left, *outranked_lines(attempt, option, _kind, demoted, told))
    first = [line for line in lines if line.option == own]
    rest = [line for line in lines if line.option != own]
    return (*first, *in_buyers_order(rest, attempt))


def none_fits(
    failed: Attempt, depends: tuple[Dependency, ...], remedies: Iterable[Alternative]
) -> Decision:
    """Write the decision when nothing is left: the nearest misses and what would mend it."""
    situation, rulings = failed.situation, failed.rulings
    option: Option = "change_owned" if situation.owned else "none_fits"
    lines = one_per_kind([*ruled_out(failed, option), *unfit_lines(failed, option)])
    first = _nearest_miss(lines[0]) if lines else _nothing_allowed(situation)
    return Decision(
        status=status_of(depends),
        choice=Choice(option=option),
        because=f"Nothing that the answers allow carries this load. {first}",
        citations=rulings.cite("8.1", "7.3"),
        alternatives=tuple(remedies)[:_MOST_ALTERNATIVES],
        rejected=lines,
        depends_on=depends,
    )


def _nearest_miss(line: Rejection) -> str:
    what = " in ".join(part for part in (line.gpu, line.weight_format) if part)
    return f"Nearest is {what}: {line.because[:1].lower()}{line.because[1:]}"


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
