"""The decision ``gpu``: which GPU, how many, in which precision."""

from __future__ import annotations

from typing import Any

from advisor.consult.candidates import Candidate, Candidates
from advisor.consult.certainty import status_of
from advisor.consult.consultation import (
    Alternative,
    Choice,
    Decision,
    Dependency,
    Rejection,
)
from advisor.consult.ranking import PRIORITY_TEXT
from advisor.consult.rulings import Ruling, Rulings
from advisor.consult.situation import Situation

__all__ = ["gpu_choice", "gpu_decision", "none_fits", "open_gpu"]

_MOST_ALTERNATIVES = 4
_FAR = 5.0
"""An alternative that costs this many times the choice tells nobody anything."""


def gpu_choice(candidate: Candidate, situation: Situation) -> Choice:
    """Return the flat parameters of a candidate."""
    result, quote = candidate.result, candidate.quote
    parameters: dict[str, Any] = {
        "option": "use_owned" if situation.owned else "buy_or_rent",
        "gpu": candidate.card.label,
        "gpu_memory_gib": round(candidate.card.memory_gib, 2),
        "count_per_replica": candidate.gpus_per_replica,
        "replicas": candidate.replicas,
        "total_gpus": candidate.total_gpus,
        "nodes": candidate.nodes_per_replica * candidate.replicas
        if candidate.nodes_per_replica > 1
        else _nodes(candidate),
        "engine": result.engine,
        "weight_format": candidate.weight_format,
        "kv_format": result.kv_format,
        "max_model_len": None if result.training else result.max_model_len,
        "max_num_seqs": result.max_num_seqs,
        "max_num_batched_tokens": result.max_num_batched_tokens,
        "gpu_memory_utilization": result.gpu_memory_utilization,
    }
    if quote is not None and not situation.owned:
        parameters |= {
            "usd_per_hour": quote.usd_per_hour,
            "price_as_of": quote.as_of,
            "instance_type": quote.instance,
            "instances": quote.instances,
            "provider": quote.provider,
            "price_kind": quote.kind,
        }
    return Choice(**{key: value for key, value in parameters.items() if value is not None})


def _nodes(candidate: Candidate) -> int:
    """Return nodes when each holds as many whole replicas as fit."""
    replicas_per_node = max(1, max(candidate.card.per_node) // candidate.gpus_per_replica)
    return -(-candidate.replicas // replicas_per_node)


def gpu_decision(
    ranked: list[Candidate],
    found: Candidates,
    rulings: Rulings,
    situation: Situation,
    depends: tuple[Dependency, ...],
) -> Decision:
    """Write the decision for the best of ``ranked``, which is not empty."""
    best = ranked[0]
    reasons = rulings.recommended("gpu", best.id)
    must, demoted = rulings.rejections("must"), rulings.rejections("should")
    because = " ".join(r.because for r in reasons) + " " + _order_text(best, ranked, situation)
    against = demoted.get(best.id)
    if against is not None:
        because += f" It is a last resort: {against.because}"
    sections = [section for r in reasons for section in r.rule.cite] or ["8.1", "7.3"]
    return Decision(
        status=status_of(depends),
        choice=gpu_choice(best, situation),
        strength="must" if situation.load.format_fixed else "should",
        because=because.strip(),
        citations=rulings.cite(*sections),
        rules=tuple(r.rule.id for r in reasons),
        alternatives=_alternatives(ranked, rulings, situation, demoted),
        rejected=_rejected(found, ranked, rulings, {**demoted, **must}, best),
        depends_on=depends,
    )


def _order_text(best: Candidate, ranked: list[Candidate], situation: Situation) -> str:
    order = PRIORITY_TEXT.get(situation.priority, PRIORITY_TEXT["balanced"])
    if len(ranked) == 1:
        return "It is the only layout that is left."
    text = f"First of {len(ranked)} by: {order}."
    if best.quote is None and not situation.owned:
        text += " No price is known for it."
    elif best.quote is not None and not situation.owned:
        quote = best.quote
        text += (
            f" {quote.instances} x {quote.instance} ({quote.provider}, {quote.kind}) rents for "
            f"{quote.usd_per_hour:.2f} USD an hour as of {quote.as_of}."
        )
    return text


def _alternatives(
    ranked: list[Candidate],
    rulings: Rulings,
    situation: Situation,
    demoted: dict[str, Ruling],
) -> tuple[Alternative, ...]:
    """Return the best other GPUs, and the best answer in the published format."""
    best = ranked[0]
    shown: list[Candidate] = []
    for candidate in ranked[1:]:
        if _out_of_reach(candidate, best):
            continue
        if all(_kind(candidate) != _kind(other) for other in [best, *shown]):
            shown.append(candidate)
    chosen = shown[:_MOST_ALTERNATIVES]
    published = next((c for c in ranked if c.published), None)
    if published is not None and not best.published and published not in chosen:
        chosen = [published, *chosen[: _MOST_ALTERNATIVES - 1]]
    return tuple(
        Alternative(
            choice=gpu_choice(candidate, situation),
            because=_one_line(candidate),
            would_be_chosen_if=_if_chosen(candidate, best, demoted),
            citations=rulings.cite("8.1"),
        )
        for candidate in chosen
    )


def _out_of_reach(candidate: Candidate, best: Candidate) -> bool:
    """Tell whether a candidate costs so much more that nobody would ask about it."""
    if candidate.quote is None or best.quote is None:
        return candidate.total_gpus > _FAR * best.total_gpus
    return candidate.quote.usd_per_hour > _FAR * best.quote.usd_per_hour


def _kind(candidate: Candidate) -> tuple[str, str]:
    return candidate.card.label, candidate.weight_format


def _one_line(candidate: Candidate) -> str:
    price = "no price known"
    if candidate.quote is not None:
        price = f"{candidate.quote.usd_per_hour:.2f} USD an hour as of {candidate.quote.as_of}"
    return (
        f"{candidate.total_gpus} x {candidate.card.label} in {candidate.weight_format}, "
        f"{candidate.holds} requests per replica, {price}."
    )


def _if_chosen(candidate: Candidate, best: Candidate, demoted: dict[str, Ruling]) -> str:
    against = demoted.get(candidate.id)
    if against is not None and best.id not in demoted:
        return f"If this did not count: {against.because}"
    if candidate.published and not best.published:
        return "If the weights must stay as published."
    mine, other = candidate.quote, best.quote
    if mine is None:
        return "If a quote for it were below the choice's rent; no price is known."
    if other is not None and mine.usd_per_hour > other.usd_per_hour:
        gap = mine.usd_per_hour - other.usd_per_hour
        return f"If it rented for {gap:.2f} USD an hour less."
    return "If another priority were set, or the choice could not be had."


def _rejected(
    found: Candidates,
    ranked: list[Candidate],
    rulings: Rulings,
    against: dict[str, Ruling],
    best: Candidate,
) -> tuple[Rejection, ...]:
    """Return one line per GPU and format with what blocks it."""
    lines = [
        Rejection(
            option="buy_or_rent",
            gpu=unfit.card.label,
            weight_format=unfit.weight_format if unfit.weight_format != "training" else None,
            because=unfit.text,
            citations=rulings.cite("7.5" if unfit.weight_format == "training" else "7.3"),
        )
        for unfit in found.unfit
    ]
    seen = {_kind(best)}
    alive = {_kind(candidate) for candidate in ranked if candidate.id not in against}
    for candidate in found.kept:
        ruling = against.get(candidate.id)
        if ruling is None or _kind(candidate) in seen | alive:
            continue
        seen.add(_kind(candidate))
        lines.append(
            Rejection(
                option="buy_or_rent",
                gpu=candidate.card.label,
                weight_format=candidate.weight_format,
                because=ruling.because,
                citations=rulings.cite(*ruling.rule.cite),
                rule=ruling.rule.id,
            )
        )
    return tuple(lines)


def none_fits(
    found: Candidates,
    rulings: Rulings,
    situation: Situation,
    depends: tuple[Dependency, ...],
    remedies: tuple[Alternative, ...],
) -> Decision:
    """Write the decision when nothing is left: the nearest misses and what would mend it."""
    option = "change_owned" if situation.owned else "none_fits"
    must = rulings.rejections("must")
    lines = [
        Rejection(
            option=option,
            gpu=unfit.card.label,
            weight_format=unfit.weight_format if unfit.weight_format != "training" else None,
            because=unfit.text,
            citations=rulings.cite("7.3"),
        )
        for unfit in found.unfit
    ]
    lines += [
        Rejection(
            option=option,
            gpu=candidate.card.label,
            weight_format=candidate.weight_format,
            because=must[candidate.id].because,
            citations=rulings.cite(*must[candidate.id].rule.cite),
            rule=must[candidate.id].rule.id,
        )
        for candidate in found.kept
        if candidate.id in must
    ]
    first = lines[0].because if lines else "no GPU is left to consider."
    because = f"Nothing that the answers allow carries this load. {first}"
    return Decision(
        status=status_of(depends),
        choice=Choice(option=option),
        because=because,
        citations=rulings.cite("8.1", "7.3"),
        alternatives=remedies,
        rejected=tuple(lines),
        depends_on=depends,
    )


def open_gpu(
    reasons: tuple[str, ...], rulings: Rulings, depends: tuple[Dependency, ...]
) -> Decision:
    """Write the decision when the answers do not say enough to choose."""
    return Decision(
        status="open",
        because=" ".join(reasons) or "Not enough is known to choose.",
        citations=rulings.cite("8.1"),
        depends_on=depends,
    )
